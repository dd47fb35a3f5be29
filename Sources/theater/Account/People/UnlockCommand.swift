import Accounts
import ArgumentParser
import Foundation
import Storage

extension People {
  /// `theater accounts unlock`: what only who owns the files may do, at the machine itself. It asks
  /// no controller and needs no session: it works on the database, which only its owner can write.
  struct Unlock: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Let a person try again at once, who typed too many wrong passwords.",
      discussion: "Works with and without the controller, as the user that it runs as.")
    @Argument(help: "The address of the account.")
    var email: String

    func run() async throws {
      do {
        let address = try EmailAddress(email)
        let database = try TheaterDatabase(existingIn: ApplicationPaths().state)
        let origin = Origin.terminal(user: getuid(), device: "terminal")
        try await Origin.$current.withValue(origin) {
          try await AccountService(stores: database.gateStores).unlock(address)
        }
        try database.close()
        Console.say("\(address.text) may try again at once.")
      } catch let error as AccountError {
        throw ExitError(.failed, error.message, hint: error.hint)
      } catch let error as StorageError {
        throw ExitError(.failed, error.message, hint: error.hint)
      }
    }
  }
}
