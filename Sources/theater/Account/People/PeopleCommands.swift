import APIClient
import Accounts
import ArgumentParser
import Foundation
import JSON
import Storage
import TheaterAPI

/// `theater accounts`: lists and changes accounts.
struct People: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "accounts", abstract: "List accounts, and change their roles and age limits.",
    subcommands: [
      List.self, SetRole.self, SetAge.self, Rename.self, Remove.self, Leave.self,
      Unlock.self,
    ],
    defaultSubcommand: List.self)

  /// `theater accounts list`.
  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "List the accounts.")
    @OptionGroup var output: OutputOptions

    func run() async throws {
      let answer = try await RemoteTheater().get(PeopleEndpoint.accounts.path())
      try output.show(answer) {
        var columns = Columns(["name", "e-mail", "role", "age limit", "since"])
        for account in $0["accounts"]?.array ?? [] {
          columns.add(
            account["name"]?.string ?? "?", account["email"]?.string ?? "?",
            account["role"]?.string ?? "?", account["ageLimit"]?.text() ?? "",
            account["created"]?.string ?? "")
        }
        return columns.text
      }
    }
  }

  /// `theater accounts role EMAIL member|owner`.
  struct SetRole: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "role", abstract: "Make a person a member or an owner.")
    @Argument(help: "The address of the account.") var email: String
    @Argument(help: "member or owner.") var role: AccountRoleArgument
    @OptionGroup var output: OutputOptions

    func validate() throws { try NameArgument.requireAddress(email) }

    func run() async throws {
      let theater = try RemoteTheater()
      let id = try await accountID(email, theater)
      try await theater.post(PeopleEndpoint.setRole.path(id), ["role": .string(role.rawValue)])
      output.confirm("\(email) is \(role.words) now.")
    }
  }

  /// `theater accounts age EMAIL YEARS|none`.
  struct SetAge: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "age", abstract: "Set the highest age rating that a person may watch.")
    @Argument(help: "The address of the account.") var email: String
    @Argument(help: "0 to 21 years, or none.") var years: AgeWord
    @OptionGroup var output: OutputOptions

    func validate() throws { try NameArgument.requireAddress(email) }

    func run() async throws {
      let theater = try RemoteTheater()
      let id = try await accountID(email, theater)
      try await theater.post(PeopleEndpoint.setAgeLimit.path(id), years.body)
      output.confirm(
        years.years.map { "\(email) may watch what is rated up to \($0)." }
          ?? "\(email) may watch everything.")
    }
  }

  /// `theater accounts rename NAME`.
  struct Rename: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Change your name.")
    @Argument(help: "Your name.") var name: String
    @OptionGroup var output: OutputOptions

    func run() async throws {
      try await RemoteTheater().post(AccountEndpoint.changeName.path(), ["name": .string(name)])
      output.confirm("Your name is \(name) now.")
    }
  }

  /// `theater accounts remove EMAIL`.
  struct Remove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Remove an account; its sessions end at once.")
    @Argument(help: "The address of the account.") var email: String
    @OptionGroup var output: OutputOptions

    func validate() throws { try NameArgument.requireAddress(email) }

    func run() async throws {
      let theater = try RemoteTheater()
      try await theater.delete(
        PeopleEndpoint.removePerson.path(try await accountID(email, theater)))
      output.confirm("The account of \(email) is removed.")
    }
  }

  /// `theater accounts leave`.
  struct Leave: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Remove your own account.")
    @OptionGroup var output: OutputOptions

    func run() async throws {
      let theater = try RemoteTheater()
      try await theater.delete(AccountEndpoint.removeAccount.path())
      theater.forgetSession()
      output.confirm("Your account is removed.")
    }
  }
}

/// The role of an account.
enum AccountRoleArgument: String, ExpressibleByArgument, CaseIterable {
  case member, owner

  var words: String {
    switch self {
    case .member: "a member"
    case .owner: "an owner"
    }
  }
}

/// An age limit on the command line: a number of years, or `none`.
struct AgeWord: ExpressibleByArgument {
  let years: Int?

  init?(argument: String) {
    if argument == "none" {
      years = nil
    } else {
      guard let number = Int(argument), (0...21).contains(number) else { return nil }
      years = number
    }
  }

  var body: JSON { years.map { ["ageLimit": .integer($0)] } ?? [:] }
}

/// The id of the account with an address.
private func accountID(_ email: String, _ theater: RemoteTheater) async throws -> String {
  let accounts = try await theater.get(PeopleEndpoint.accounts.path())["accounts"]?.array ?? []
  let wanted = EmailAddress(stored: email)
  let found = accounts.first { $0["email"]?.string.map { EmailAddress(stored: $0) } == wanted }
  guard let id = found?["id"]?.string else { throw ExitError.noAccount(email) }
  return id
}

extension ExitError {
  /// The error for an address without an account.
  fileprivate static func noAccount(_ email: String) -> ExitError {
    ExitError(
      .failed, "there is no account with the address \(email)",
      hint: "List the accounts: \(ProgramName.name) accounts")
  }
}

extension People {
  /// `theater accounts unlock`: lifts the delay after wrong passwords. It works on the database
  /// itself, without controller and session: only the database's owner can write it.
  struct Unlock: AsyncParsableCommand, LocalCommand {
    static let configuration = CommandConfiguration(
      abstract: "Lift the delay after too many wrong passwords.",
      discussion: "Works with and without the controller, as the user that the controller runs as.")
    @Argument(help: "The address of the account.")
    var email: String
    @OptionGroup var output: OutputOptions

    func validate() throws { try NameArgument.requireAddress(email) }

    func run() async throws {
      do {
        let address = try EmailAddress(email)
        let database = try TheaterDatabase(existingIn: ApplicationPaths().state)
        let stores = database.accountStores
        guard try await stores.accounts.account(withEmail: address) != nil else {
          throw ExitError.noAccount(address.text)
        }
        let origin = Origin.terminal(user: getuid(), device: "terminal")
        try await Origin.$current.withValue(origin) {
          try await AccountService(stores: stores).rateLimiter.unlock(address)
        }
        try database.close()
        output.confirm("\(address.text) may try again at once.")
      } catch let error as AccountError {
        throw ExitError(.failed, error.message, hint: error.hint)
      } catch let error as StorageError {
        throw ExitError(.failed, error.message, hint: error.hint)
      }
    }
  }
}
