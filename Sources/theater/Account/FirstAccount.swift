import Accounts
import Storage

/// The hint for a theater in which nobody has an account yet, so that nobody can log in.
enum FirstAccount {
  /// The command that makes the first account.
  static var command: String { "\(ProgramName.name) register --setup-code CODE" }

  /// Returns whether a theater has no account; false if that cannot be found out.
  static func isMissing(in paths: ApplicationPaths = ApplicationPaths()) async -> Bool {
    guard let database = try? TheaterDatabase(existingIn: paths.state) else { return false }
    defer { try? database.close() }
    return (try? await database.accountStores.accounts.hasAccounts()) == false
  }

  /// Returns the error with the command that makes the first account, if the error is that nobody is
  /// logged in and there is no account yet.
  static func explained(_ error: ExitError) async -> ExitError {
    guard error.code == .notLoggedIn, await isMissing() else { return error }
    var explained = error
    explained.message = "nobody has an account yet"
    explained.hint =
      "Make the first one, with the setup code that the controller has printed at its start.\n"
      + "  next: \(command)"
    return explained
  }
}
