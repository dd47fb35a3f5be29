import APIClient
import AccountFlows
import JSON
import NIOHTTP1

/// Proving who one is, with the second factor where the account has one.
struct SecondStep {
  let theater: RemoteTheater

  init(_ theater: RemoteTheater) { self.theater = theater }

  /// Takes the code of the app, or a recovery code, only where it is needed: on the code screen, or as
  /// a line.
  func prove(_ fields: JSONObject, at path: String) async throws -> JSON {
    let first = try await theater.answer(.POST, path, .object(fields))
    if first.isSuccess { return first.json }
    guard first.json["error"]?["code"]?.string == "secondFactorNeeded" else {
      throw ExitError(first)
    }
    let confirmation = RemoteConfirmation(theater, at: path, with: fields)
    _ = try await CodeScreen(.secondFactor).ask(
      confirmation, "Code of your authenticator app, or a recovery code")
    return confirmation.answer
  }
}
