import Synchronization

/// An event of the accounts, for the rest of the program: identities, roles and expiry, never a secret
/// (E3).
public enum AccountEvent: Hashable, Sendable {
  /// An account was made, with its role.
  case registered(AccountID, AccountRole)
  /// A session was opened, for this proof.
  case loggedIn(SessionPrincipal, by: LoginProof)
  /// A session has ended; its principal is logged out.
  case loggedOut(SessionPrincipal)
  /// Credentials or addresses of an account have changed.
  case changed(AccountID, AccountRole, AccountChange)
  /// A person was authenticated again: the session has a new token, the old one is void.
  case proven(SessionPrincipal)
  /// An account's role has changed.
  case roleChanged(AccountID, AccountRole)
  /// An account and everything that belongs to it was deleted.
  case removed(AccountID)
  /// An access token was revoked.
  case tokenRevoked(TokenID)

  /// Whether it may affect the session of `principal`.
  func concerns(_ principal: SessionPrincipal) -> Bool {
    switch self {
    case .registered, .loggedIn, .tokenRevoked: false
    case .loggedOut(let who), .proven(let who): who.session == principal.session
    case .changed(let account, _, _), .roleChanged(let account, _), .removed(let account):
      account == principal.account
    }
  }

  /// Whether it may affect the token of `principal`.
  func concerns(_ principal: TokenPrincipal) -> Bool {
    switch self {
    case .registered, .loggedIn, .loggedOut, .proven: false
    case .tokenRevoked(let token): token == principal.token
    case .changed(let account, _, _), .roleChanged(let account, _), .removed(let account):
      account == principal.account
    }
  }
}

/// What has opened a session.
public enum LoginProof: Hashable, Sendable {
  /// A login method that accepted the proof of an account.
  case account(AuthenticatedIdentity)
  /// The code of a guest pass.
  case guestPass

  /// The name of the login method.
  public var method: String {
    switch self {
    case .account(let identity): identity.method
    case .guestPass: "guestPass"
    }
  }
}

/// Publishes account events to any number of subscribers.
public final class AccountEvents: Sendable {
  private struct Listeners {
    var lastID = 0
    var continuations: [Int: AsyncStream<AccountEvent>.Continuation] = [:]
  }

  private let listeners = Mutex(Listeners())

  /// An event source without subscribers.
  public init() {}

  /// The events that a slow subscriber loses.
  public enum Loss: Sendable {
    /// The oldest, when more than 256 wait.
    case oldest
    /// None; for subscribers that read at once and must not miss any.
    case nothing
  }

  /// The events from now on.
  public func subscribe(losing loss: Loss = .oldest) -> AsyncStream<AccountEvent> {
    AsyncStream(
      bufferingPolicy: loss == .nothing ? .unbounded : .bufferingNewest(256)
    ) { continuation in
      let id = listeners.withLock { listeners in
        listeners.lastID += 1
        listeners.continuations[listeners.lastID] = continuation
        return listeners.lastID
      }
      continuation.onTermination = { [weak self] _ in
        self?.listeners.withLock { $0.continuations[id] = nil }
      }
    }
  }

  func publish(_ event: AccountEvent) {
    // Outside the lock, which a subscriber takes when it ends.
    let continuations = listeners.withLock { Array($0.continuations.values) }
    for continuation in continuations { continuation.yield(event) }
  }
}
