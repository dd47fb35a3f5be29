import Synchronization

/// What the rest of the program may know of accounts: identities, roles and expiry, never a secret
/// (E3).
package enum AccountEvent: Hashable, Sendable {
  case registered(AccountID, AccountRole)
  /// `by`: the name of the login method.
  case loggedIn(SessionPrincipal, by: String)
  case loggedOut(SessionPrincipal)
  /// What a person logs in with is another now.
  case changed(AccountID, AccountRole, AccountChange)
  /// Somebody proved again who they are: the session goes on under a new token, the old one is void.
  case proven(SessionPrincipal)
  /// What somebody may do has changed.
  case roleChanged(AccountID, AccountRole)

  /// Whether it may have changed what a session of `principal` opens.
  func concerns(_ principal: SessionPrincipal) -> Bool {
    switch self {
    case .registered, .loggedIn: false
    case .loggedOut(let who), .proven(let who): who.session == principal.session
    case .changed(let account, _, _), .roleChanged(let account, _): account == principal.account
    }
  }
}

/// Hands events to everyone who listens.
package final class AccountEvents: Sendable {
  private struct Listeners {
    var lastID = 0
    var continuations: [Int: AsyncStream<AccountEvent>.Continuation] = [:]
  }

  private let listeners = Mutex(Listeners())

  package init() {}

  /// What a listener that falls behind loses.
  package enum Loss: Sendable {
    /// The oldest, when more than 256 wait.
    case oldest
    /// Nothing: for who takes each event at once, and may not miss one.
    case nothing
  }

  /// The events from now on.
  package func subscribe(losing loss: Loss = .oldest) -> AsyncStream<AccountEvent> {
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
    // Outside the lock: a listener that ends takes it.
    let continuations = listeners.withLock { Array($0.continuations.values) }
    for continuation in continuations { continuation.yield(event) }
  }
}
