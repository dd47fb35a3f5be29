import Accounts
import Devices
import Hummingbird
import JSON

/// Keeps the texts that options of devices name as secrets.
package protocol SecretStore: Sendable {
  /// Saves a secret, in place of an earlier one of this name.
  ///
  /// - Throws: `invalid` for an unfit name, `notNow` if it cannot be written or would not be used.
  func saveSecret(_ text: String, as name: String) throws(TheaterError)
}

extension APIServices {
  func saveSecret(_ request: RequestContext) async throws -> Response {
    let name = try request.captured("name")
    guard let text = try request.fields().boundedText("text") else {
      throw APIError.invalid("\"text\" is missing")
    }
    // The text is given to a program: an open session alone does not do.
    let principal = try request.principal()
    try accountService.sessions.requireFreshProof(principal)
    try secrets.saveSecret(text, as: name)
    await accountService.audit.record(.secretSaved, by: AuditActor(principal), about: name)
    return Response(status: .noContent)
  }
}
