import Foundation

/// What an owner wants of a guest pass.
package struct GuestPassRequest: Sendable {
  let name: String
  let activities: [String]
  let volumeLimit: Int
  let ageLimit: Int?
  let validity: TimeInterval

  /// - Parameters:
  ///   - name: as typed; how the guest is called in lists.
  ///   - activities: names in `devices.json`, at least one; that they exist is the caller's matter.
  ///   - volumeLimit: 0 to 100 %.
  ///   - ageLimit: in years, 0 to 21; nil for none.
  ///   - validity: seconds, a minute to 30 days.
  package init(
    name: String, activities: [String], volumeLimit: Int, ageLimit: Int?, validity: TimeInterval
  ) {
    self.name = name
    self.activities = activities
    self.volumeLimit = volumeLimit
    self.ageLimit = ageLimit
    self.validity = validity
  }
}

/// Guests: whoever holds the link of a pass comes in with it, as often as they like, until the pass
/// expires or an owner takes it back. Their sessions live for a day at most.
extension AccountService {
  /// Makes a pass.
  /// - Throws: `forbidden` unless `principal` is an owner; `empty`, `tooLong`, `malformed` for the
  ///   name; `outOfRange`.
  package func makeGuestPass(
    _ request: GuestPassRequest, by principal: SessionPrincipal
  ) async throws(AccountError) -> IssuedGuestPass {
    try principal.mustBeOwner("invite guests")
    let activities = Set(request.activities).sorted()
    guard !activities.isEmpty else { throw .outOfRange("list of activities", "one or more names") }
    guard (0...100).contains(request.volumeLimit) else {
      throw .outOfRange("volume limit", "0 to 100 %")
    }
    try AgeLimit.check(request.ageLimit)
    let validity = try Validity.guestPass.checked(request.validity)
    let now = clock.now()
    let pass = GuestPass(
      id: AccountID(from: random), name: try DisplayName(request.name), activities: activities,
      volumeLimit: request.volumeLimit, ageLimit: request.ageLimit, madeBy: principal.account,
      madeAt: now, expires: now.addingTimeInterval(validity))
    let code = EntryCode(from: random)
    try await stores.guestPasses.insert(pass, digest: code.guestPassDigest)
    await audit.record(
      .guestPassMade, by: AuditActor(principal),
      about: "\(pass.name): \(activities.joined(separator: ", "))")
    return IssuedGuestPass(code: code, pass: pass)
  }

  /// The passes that are good, the newest first.
  package func guestPasses(for principal: SessionPrincipal) async throws(AccountError)
    -> [GuestPass]
  {
    try principal.mustBeOwner("see the guest passes")
    let now = clock.now()
    return try await stores.guestPasses.guestPasses().filter { $0.expires > now }
  }

  /// Takes a pass back; its sessions end at once.
  /// - Throws: `forbidden`, `notFound`; `storageFull` or `storageFailed` where its sessions have
  ///   ended, but the pass is not forgotten: repeat.
  package func revokeGuestPass(
    _ id: AccountID, by principal: SessionPrincipal
  ) async throws(AccountError) {
    try principal.mustBeOwner("take a guest pass back")
    guard try await stores.guestPasses.guestPasses().contains(where: { $0.id == id }) else {
      throw .unknownGuestPass
    }
    // Guests are out before the store is told: a full disk keeps nobody in.
    try await sessions.end(of: id, where: { _ in true }, ended: { events.publish(.loggedOut($0)) })
    let gone = try await stores.guestPasses.deleteGuestPass(id)
    sessions.changed(id)
    end(gone)
    await audit.record(.guestPassRevoked, by: AuditActor(principal), about: id.text)
  }

  /// Opens a session for the holder of a pass.
  /// - Parameter typed: the code, or the link that ends in it.
  /// - Throws: `codeInvalid`, `tooManyTries`; `storageFull`, `storageFailed`.
  package func enter(withGuestPass typed: String) async throws(AccountError) -> LoggedIn {
    do throws(AccountError) {
      let pass = try await throttle.guarding(nil) { () throws(AccountError) in
        try await goodPass(typed)
      }
      let loggedIn = try await sessions.open(with: pass) { events.publish(.loggedOut($0)) }
      events.publish(.loggedIn(loggedIn.principal, by: "guestPass"))
      await audit.record(.guestEntered, by: AuditActor(loggedIn.principal))
      return loggedIn
    } catch {
      await audit.refused(error, .guestEntered, by: nil)
      throw error
    }
  }

  /// Longest link of a pass that is read, in bytes in UTF-8.
  private static let longestPassLink = 4096

  private func goodPass(_ typed: String) async throws(AccountError) -> GuestPass {
    guard typed.utf8.count <= Self.longestPassLink else { throw .guestPassInvalid }
    let code = typed.split(separator: "#").last.flatMap { EntryCode(typed: String($0)) }
    guard let code,
      let pass = try await stores.guestPasses.guestPass(digest: code.guestPassDigest),
      pass.expires > clock.now()
    else { throw .guestPassInvalid }
    return pass
  }
}

/// How long what an owner hands out may be good.
package enum Validity {
  case invitation, guestPass

  /// Passes a time, in seconds, from a minute to 90 days (an invitation) or 30 days (a pass).
  /// - Throws: `outOfRange`.
  func checked(_ seconds: TimeInterval) throws(AccountError) -> TimeInterval {
    let days: Double =
      switch self {
      case .invitation: 90
      case .guestPass: 30
      }
    guard (60...days * 86_400).contains(seconds) else {
      throw .outOfRange("time until it expires", "a minute to \(Int(days)) days")
    }
    return seconds
  }
}

extension EntryCode {
  /// A pass opens what an invitation does not, and the other way round.
  var guestPassDigest: SecretDigest { digest(for: "guest pass") }
}

extension AccountError {
  package static func guestsMayNot(_ deed: String) -> AccountError {
    AccountError(
      .forbidden, message: "A guest pass does not allow to \(deed).",
      hint: "Ask an owner of this theater.")
  }
}
