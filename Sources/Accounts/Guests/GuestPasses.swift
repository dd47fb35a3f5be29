import Foundation

/// An owner's request for a guest pass.
public struct GuestPassRequest: Sendable {
  let name: String
  let activities: [String]
  let volumeLimit: Int
  let ageLimit: Int?
  let validity: TimeInterval
  let isWallTablet: Bool

  /// - Parameters:
  ///   - name: The guest's name in lists, as typed.
  ///   - activities: Names in `devices.json`, at least one; the caller checks that they exist.
  ///   - volumeLimit: 0 to 100 %.
  ///   - ageLimit: In years, 0 to 21; nil for none.
  ///   - validity: Seconds, a minute to 30 days.
  public init(
    name: String, activities: [String], volumeLimit: Int, ageLimit: Int?, validity: TimeInterval
  ) {
    self.name = name
    self.activities = activities
    self.volumeLimit = volumeLimit
    self.ageLimit = ageLimit
    self.validity = validity
    isWallTablet = false
  }

  /// The pass of a wall tablet. It is valid for ten years, unless it is revoked.
  /// - Parameter activities: The names of all activities of the theater.
  public init(wallTablet name: String, activities: [String], ageLimit: Int?) {
    self.name = name
    self.activities = activities
    volumeLimit = 100
    self.ageLimit = ageLimit
    validity = 3650 * 86_400
    isWallTablet = true
  }
}

/// Makes, lists and revokes guest passes, and opens their sessions. The link of a pass can be used any
/// number of times until the pass expires or is revoked. A session lasts for a day at most, that of a wall
/// tablet until it was not used for 90 days.
public struct GuestPasses: Sendable {
  let store: any GuestPassStore
  let sessions: Sessions
  let rateLimiter: RateLimiter
  let events: AccountEvents
  let audit: AuditLog
  let clock: WallClock
  let random: RandomSource

  /// The longest link of a pass, in bytes of UTF-8.
  private static let longestLink = 4096

  /// Makes a pass.
  /// - Throws: `forbidden` unless `principal` is an owner; `empty`, `tooLong`, `malformed` for the
  ///   name; `outOfRange`.
  public func make(
    _ request: GuestPassRequest, by principal: SessionPrincipal
  ) async throws(AccountError) -> IssuedGuestPass {
    try principal.requireOwner(to: "invite guests")
    let activities = Set(request.activities).sorted()
    guard !activities.isEmpty else { throw .outOfRange("list of activities", "one or more names") }
    guard (0...100).contains(request.volumeLimit) else {
      throw .outOfRange("volume limit", "0 to 100 %")
    }
    try AgeLimit.check(request.ageLimit)
    let validity =
      request.isWallTablet
      ? request.validity : try ValidityLimit.guestPass.check(request.validity)
    let now = clock.now()
    let pass = GuestPass(
      id: AccountID(from: random), name: try DisplayName(request.name), activities: activities,
      volumeLimit: request.volumeLimit, ageLimit: request.ageLimit, madeBy: principal.account,
      madeAt: now, expires: now.addingTimeInterval(validity), isWallTablet: request.isWallTablet)
    let code = EntryCode(from: random)
    try await store.insert(pass, digest: code.guestPassDigest)
    await audit.record(
      .guestPassMade, by: AuditActor(principal),
      about: "\(pass.name): "
        + (pass.isWallTablet ? "wall tablet" : activities.joined(separator: ", ")))
    return IssuedGuestPass(code: code, pass: pass)
  }

  /// Returns the valid passes, the newest first.
  /// - Throws: `forbidden` unless `principal` is an owner.
  public func list(for principal: SessionPrincipal) async throws(AccountError) -> [GuestPass] {
    try principal.requireOwner(to: "see the guest passes")
    let now = clock.now()
    return try await store.guestPasses().filter { $0.expires > now }
  }

  /// Revokes a pass; its sessions end at once.
  /// - Throws: `forbidden`, `notFound`; `storageFull` or `storageFailed` when the sessions have ended
  ///   but the pass is still stored: repeat.
  public func revoke(
    _ id: AccountID, by principal: SessionPrincipal
  ) async throws(AccountError) {
    try principal.requireOwner(to: "revoke a guest pass")
    guard try await store.guestPasses().contains(where: { $0.id == id }) else {
      throw .unknownGuestPass
    }
    // Sessions end before the store is changed: a full disk must not keep a guest logged in.
    try await sessions.endAll(of: id)
    let ended = try await store.deleteGuestPass(id)
    sessions.reloadHolder(id)
    sessions.endDeleted(ended)
    await audit.record(.guestPassRevoked, by: AuditActor(principal), about: id.text)
  }

  /// Opens a session for the holder of a pass.
  /// - Parameter typed: The code, or the link that ends in it.
  /// - Throws: `codeInvalid`, `tooManyTries`; `storageFull`, `storageFailed`.
  public func logIn(with typed: String) async throws(AccountError) -> LoggedIn {
    try await audit.recordingRefusal(.guestEntered, by: nil) { () throws(AccountError) in
      let pass = try await rateLimiter.limiting(nil) { () throws(AccountError) in
        try await validPass(typed)
      }
      let loggedIn = try await sessions.open(with: pass)
      events.publish(.loggedIn(loggedIn.principal, by: .guestPass))
      await audit.record(.guestEntered, by: AuditActor(loggedIn.principal))
      return loggedIn
    }
  }

  private func validPass(_ typed: String) async throws(AccountError) -> GuestPass {
    guard typed.utf8.count <= Self.longestLink else { throw .guestPassInvalid }
    let code = typed.split(separator: "#").last.flatMap { EntryCode(typed: String($0)) }
    guard let code, let pass = try await store.guestPass(digest: code.guestPassDigest),
      pass.expires > clock.now()
    else { throw .guestPassInvalid }
    return pass
  }
}

/// The longest validity of invitations, guest passes and access tokens.
enum ValidityLimit: Double {
  // In days.
  case invitation = 90
  case guestPass = 30
  case accessToken = 730

  /// Returns `seconds` if they are a minute to the longest validity.
  /// - Throws: `outOfRange`.
  func check(_ seconds: TimeInterval) throws(AccountError) -> TimeInterval {
    guard (60...rawValue * 86_400).contains(seconds) else {
      throw .outOfRange("time until it expires", "a minute to \(Int(rawValue)) days")
    }
    return seconds
  }
}

extension EntryCode {
  /// The digest of the code of a guest pass. It differs from the digest of the same code as an
  /// invitation, so a code is never accepted as the other kind.
  var guestPassDigest: SecretDigest { digest(for: "guest pass") }
}

extension AccountError {
  /// - Parameter action: The rest of the sentence "With a guest pass you cannot …".
  public static func guestsMayNot(_ action: String) -> AccountError {
    AccountError(
      .forbidden, message: "With a guest pass you cannot \(action).",
      hint: "Ask an owner of this theater.")
  }
}
