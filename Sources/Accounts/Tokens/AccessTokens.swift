import Foundation
import Synchronization

/// A person's request for an access token.
public struct AccessTokenRequest: Sendable {
  let name: String
  let scopes: Set<TokenScope>
  let validity: TimeInterval

  /// - Parameters:
  ///   - name: The token's name in lists, as typed.
  ///   - scopes: What it may do, at least one; the caller checks that the named things exist.
  ///   - validity: Seconds, a minute to 730 days.
  public init(name: String, scopes: Set<TokenScope>, validity: TimeInterval) {
    self.name = name
    self.scopes = scopes
    self.validity = validity
  }
}

/// Makes, lists and revokes access tokens, and finds the rights of a token that a request shows.
///
/// Nothing is cached: the rights of a token are looked up at each use, so a revoked token, a removed account or a
/// changed role counts for the next request.
public final class AccessTokens: Sendable {
  /// The most tokens of an account.
  public static let most = 20
  /// The most scopes of a token.
  public static let mostScopes = 50
  /// The last use is written at most this often, in seconds.
  static let useInterval: TimeInterval = 60

  private let store: any AccessTokenStore
  private let contacts: any ContactStore
  private let sessions: Sessions
  private let rateLimiter: RateLimiter
  private let announcer: ChangeAnnouncer
  private let events: AccountEvents
  private let audit: AuditLog
  private let clock: WallClock
  private let steady: SteadyClock
  private let random: RandomSource
  private let monitor: SessionEndMonitor
  private let state = Mutex(State())

  private struct State {
    /// The tokens that were revoked, but may still be in the store.
    var revoked: Set<TokenID> = []
    /// When the last use of a token was written, or could not be written.
    var useWritten: [TokenID: Date] = [:]
  }

  init(
    store: any AccessTokenStore, contacts: any ContactStore, sessions: Sessions,
    rateLimiter: RateLimiter, announcer: ChangeAnnouncer, events: AccountEvents, audit: AuditLog,
    clock: WallClock, steady: SteadyClock, random: RandomSource
  ) {
    self.store = store
    self.contacts = contacts
    self.sessions = sessions
    self.rateLimiter = rateLimiter
    self.announcer = announcer
    self.events = events
    self.audit = audit
    self.clock = clock
    self.steady = steady
    self.random = random
    monitor = SessionEndMonitor(events: events, clock: clock, steady: steady)
  }

  // MARK: Making and revoking

  /// Makes a token. Its owner gets a message about it, as about every new credential.
  /// - Throws: `proofNeeded`; `forbidden` for guests; `empty`, `tooLong`, `malformed`, `taken` for the name;
  ///   `outOfRange`; `tooManyTokens`; `storageFull`, `storageFailed`.
  public func make(
    _ request: AccessTokenRequest, by principal: SessionPrincipal
  ) async throws(AccountError) -> IssuedAccessToken {
    guard principal.role != .guest else { throw .guestsMayNot("create access tokens") }
    try sessions.requireFreshProof(principal)
    let name = try DisplayName(request.name)
    guard (1...Self.mostScopes).contains(request.scopes.count) else {
      throw .outOfRange("list of what the token may do", "1 to \(Self.mostScopes) words")
    }
    let validity = try ValidityLimit.accessToken.check(request.validity)
    let account = try await contacts.account(of: principal)
    let now = clock.now()
    let secret = AccessTokenSecret(from: random)
    let token = AccessToken(
      id: TokenID(random.hexadecimal(bytes: 8)), account: principal.account, name: name,
      scopes: request.scopes.sorted { $0.word < $1.word }, madeAs: principal.role, madeAt: now,
      made: steady.now(), expires: now.addingTimeInterval(validity), lastUse: nil)
    try await store.insert(
      token, digest: secret.digest, most: Self.most, in: principal.session)
    await announcer.announce(
      .accessToken, of: account,
      about: "\(name.text): \(token.scopes.map(\.word).joined(separator: ", "))")
    return IssuedAccessToken(secret: secret, token: token)
  }

  /// Returns the valid tokens of a person, the newest first.
  public func list(of principal: SessionPrincipal) async throws(AccountError) -> [AccessToken] {
    try await tokens(of: principal.account)
  }

  /// Returns the valid tokens of an account, the newest first.
  /// - Throws: `forbidden` unless `principal` is an owner.
  public func list(
    of account: AccountID, for principal: SessionPrincipal
  ) async throws(AccountError) -> [AccessToken] {
    try principal.requireOwner(to: "see other people's access tokens")
    return try await tokens(of: account)
  }

  /// Revokes a token of a person at once.
  /// - Throws: `notFound`; `storageFull` or `storageFailed` when the token is refused from now on but still stored:
  ///   repeat.
  public func revoke(
    _ id: TokenID, of principal: SessionPrincipal
  ) async throws(AccountError) {
    try await revoke(id, of: principal.account, by: principal)
  }

  /// Revokes a token of an account at once, for an owner.
  /// - Throws: `forbidden`; the errors of `revoke(_:of:)`.
  public func revoke(
    _ id: TokenID, of account: AccountID, by principal: SessionPrincipal
  ) async throws(AccountError) {
    if account != principal.account {
      try principal.requireOwner(to: "revoke other people's access tokens")
    }
    let found = try await store.accessTokens(of: account).first { $0.id == id }
    guard let found else { throw .unknownToken }
    try await end([found])
    await audit.record(.tokenRevoked, by: AuditActor(principal), about: found.name.text)
  }

  /// Revokes all tokens of a person at once.
  /// - Returns: The number of valid tokens that were revoked.
  /// - Throws: `storageFull`, `storageFailed`, as for `revoke`.
  @discardableResult
  public func revokeAll(of principal: SessionPrincipal) async throws(AccountError) -> Int {
    let all = try await store.accessTokens(of: principal.account)
    guard !all.isEmpty else { return 0 }
    let now = moment()
    let valid = all.filter { !$0.isOver(at: now) }
    try await end(all)
    await audit.record(
      .tokenRevoked, by: AuditActor(principal),
      about: "all: \(all.map(\.name.text).joined(separator: ", "))")
    return valid.count
  }

  private func tokens(of account: AccountID) async throws(AccountError) -> [AccessToken] {
    let now = moment()
    // A revoked token that is still stored stays in the list, so that its owner can revoke it again.
    return try await store.accessTokens(of: account).filter { !$0.isOver(at: now) }
  }

  /// Ends tokens before the store is changed: a full disk must not keep a revoked one valid.
  private func end(_ tokens: [AccessToken]) async throws(AccountError) {
    let ids = tokens.map(\.id)
    state.withLock { $0.revoked.formUnion(ids) }
    for id in ids { events.publish(.tokenRevoked(id)) }
    try await store.deleteAccessTokens(ids)
    state.withLock { state in
      state.revoked.subtract(ids)
      for id in ids { state.useWritten[id] = nil }
    }
  }

  // MARK: Using

  /// Returns the rights of a token at this moment, and counts as a use of the token.
  ///
  /// Wrong tokens are counted by their source, which has to wait longer after each of too many. They are counted apart
  /// from passwords and codes, so a script with a revoked token delays no login. A valid token is never delayed.
  /// - Parameter isProtected: Whether the request was encrypted or came from this machine.
  /// - Throws: `notLoggedIn` for anything but a valid token; `forbidden` for a request that is not protected;
  ///   `tooManyTries`; `storageFailed`.
  public func resolve(
    _ text: String, isProtected: Bool
  ) async throws(AccountError) -> TokenPrincipal {
    guard isProtected else {
      // Counted, so that a flood of such requests does not become one of writes.
      if (try? await rateLimiter.countWrongToken()) != nil {
        await audit.recordRefusal(.unencryptedToken, .tokenUsed, by: nil, about: "not encrypted")
      }
      throw .unencryptedToken
    }
    guard let secret = AccessTokenSecret(text), let found = try await find(secret) else {
      return try await refuse()
    }
    await recordUse(of: found.token)
    return TokenPrincipal(found.token, of: found.account)
  }

  /// Records that a token was used for something that it may not do: it may be stolen.
  public func recordRefusal(of principal: TokenPrincipal, to action: String) async {
    await audit.record(
      .tokenUsed, by: AuditActor(principal), about: action,
      outcome: .refused(.tokenMayNot("")))
  }

  private func find(
    _ secret: AccessTokenSecret
  ) async throws(AccountError) -> (token: AccessToken, account: Account)? {
    guard let found = try await store.accessToken(digest: secret.digest),
      !found.token.isOver(at: moment()),
      !state.withLock({ $0.revoked.contains(found.token.id) })
    else { return nil }
    return found
  }

  private func refuse() async throws(AccountError) -> TokenPrincipal {
    do throws(AccountError) {
      try await rateLimiter.countWrongToken()
    } catch {
      // An attempt that could not be counted is refused all the same.
      throw error.code == .tooManyTries ? error : .invalidToken
    }
    await audit.recordRefusal(.invalidToken, .tokenUsed, by: nil)
    throw .invalidToken
  }

  private func recordUse(of token: AccessToken) async {
    let now = clock.now()
    let isDue = state.withLock { state in
      let last = state.useWritten[token.id] ?? token.lastUse?.date ?? .distantPast
      // Also when the clock was set back.
      guard abs(now.timeIntervalSince(last)) >= Self.useInterval else { return false }
      state.useWritten[token.id] = now
      return true
    }
    guard isDue else { return }
    do throws(AccountError) {
      try await store.setLastUse(
        TokenUse(date: now, address: Origin.current.address), of: token.id)
    } catch {
      // A full disk must not stop a script. The first use after another `useInterval` tries again.
    }
  }

  // MARK: Watching

  /// Whether `text` still is the token of `principal` with the same rights; false, too, if the store cannot be read.
  /// Not a use of the token.
  public func isOpen(_ text: String, for principal: TokenPrincipal) async -> Bool {
    await end(of: text, as: principal) != nil
  }

  /// Calls `onEnd` once, as soon as `text` no longer is the token of `principal` with the same rights: it was revoked
  /// or expired by either clock, or the role or age limit of its account has changed. Misses the end if the clock was
  /// set back; `isOpen` finds it.
  public func watch(
    _ text: String, for principal: TokenPrincipal, onEnd: @escaping @Sendable () -> Void
  ) async -> SessionEndMonitor.Watch {
    await monitor.watch(
      { $0.concerns(principal) },
      check: { [weak self] in await self?.end(of: text, as: principal) }, onEnd: onEnd)
  }

  private func end(of text: String, as principal: TokenPrincipal) async -> SessionEnd? {
    guard let secret = AccessTokenSecret(text), let found = try? await find(secret),
      TokenPrincipal(found.token, of: found.account) == principal
    else { return nil }
    return found.token.end
  }

  private func moment() -> Moment { Moment(date: clock.now(), steady: steady.now()) }
}
