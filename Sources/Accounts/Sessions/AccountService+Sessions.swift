import Foundation

/// A person's own sessions, and proving again who one is.
extension AccountService {
  /// The longest time since the last proof for changes of e-mail, phone, password, second factor.
  package static let proofValidity = Duration.seconds(5 * 60)

  /// Passes where the person proved who they are within the last five minutes. The steady clock
  /// measures: setting the time of day makes no proof younger.
  /// - Throws: `proofNeeded`.
  package func requireFreshProof(_ principal: SessionPrincipal) throws(AccountError) {
    guard steady.now().isWithin(Self.proofValidity, of: principal.proven) else {
      throw .proofNeeded
    }
  }

  /// Proves again who somebody is, by password and second factor; the session gets a new token.
  /// - Throws: `wrongCredentials`; `forbidden` for guests, who have no password; what a login
  ///   throws.
  package func prove(
    _ token: String, password: String, secondFactor: String? = nil
  ) async throws(AccountError) -> LoggedIn {
    let principal = try await sessions.resolve(token)
    guard let email = principal.email else { throw .guestsMayNot("do this") }
    let loggedIn = try await passwordLogin.prove(
      PasswordCredentials(email: email, password: password, secondFactor: secondFactor),
      renewing: token)
    events.publish(.proven(loggedIn.principal))
    return loggedIn
  }

  /// The living sessions of a person, the newest first, each with its end.
  package func sessions(of principal: SessionPrincipal) async throws(AccountError) -> [OpenSession]
  {
    try await sessions.list(of: principal.account).map {
      OpenSession(
        session: $0, expires: sessions.end(of: $0), isCurrent: $0.id == principal.session)
    }
  }

  /// Ends one of a person's sessions at once.
  /// - Throws: `notFound`; `storageFull` or `storageFailed` where a restart could not know: repeat.
  package func endSession(
    _ id: SessionID, of principal: SessionPrincipal
  ) async throws(AccountError) {
    let count = try await sessions.end(of: principal.account) {
      $0 == id
    } ended: {
      events.publish(.loggedOut($0))
    }
    guard count > 0 else { throw .unknownSession }
    await audit.record(.sessionEnded, by: AuditActor(principal), about: id.text)
  }

  /// Ends a person's sessions at once: all, or all but the one that asks.
  /// - Returns: how many ended.
  @discardableResult
  package func endSessions(
    of principal: SessionPrincipal, exceptCurrent: Bool
  ) async throws(AccountError) -> Int {
    let kept = exceptCurrent ? principal.session : nil
    let count = try await sessions.end(of: principal.account) {
      $0 != kept
    } ended: {
      events.publish(.loggedOut($0))
    }
    await audit.record(
      .sessionsEnded, by: AuditActor(principal), about: exceptCurrent ? "others" : "all")
    return count
  }
}

/// A session as its owner sees it.
package struct OpenSession: Sendable {
  package let session: Session
  /// When it ends unless it is used before.
  package let expires: Date
  /// Whether it is the one that asks.
  package let isCurrent: Bool
}
