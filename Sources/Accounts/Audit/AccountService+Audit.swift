/// What the controller does by itself, for the owner to read later.
extension AccountService {
  /// Writes down that a player was stopped because of an age limit.
  /// - Parameters:
  ///   - title: what it played, and where.
  ///   - user: the account or guest pass that began it.
  package func noteStopped(_ title: String, begunBy user: String?) async {
    var subject = title
    if let user { subject += ", begun by \(await words(AccountID(user)))" }
    await audit.record(.limitStopped, by: nil, about: subject)
  }

  /// Writes down that browsers are shown another certificate from now on.
  /// - Parameters:
  ///   - fingerprint: as browsers show it.
  ///   - before: the one until now.
  package func noteCertificate(_ fingerprint: String, inPlaceOf before: String) async {
    await audit.record(
      .certificateRenewed, by: nil, about: "SHA-256 \(fingerprint), until now \(before)")
  }
}
