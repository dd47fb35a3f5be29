import JSON
import NIOHTTP1
import WebRemote

/// Proving who one is, with the second factor where the account has one.
struct SecondStep {
  let theater: RemoteTheater

  init(_ theater: RemoteTheater) { self.theater = theater }

  /// Asks for the code of the app, or a recovery code, only where it is needed.
  func prove(_ fields: JSONObject, at path: String) async throws -> JSON {
    let first = try await theater.answer(.POST, path, .object(fields))
    if first.isSuccess { return first.json }
    guard first.json["error"]?["code"]?.string == "secondFactorNeeded" else {
      throw Ending(first)
    }
    var fields = fields
    fields["code"] = .string(
      try Question.secretLine("Code of your authenticator app, or a recovery code"))
    return try await theater.post(path, .object(fields))
  }
}
