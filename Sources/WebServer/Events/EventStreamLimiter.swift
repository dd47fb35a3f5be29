import Accounts
import HTTPTypes
import Synchronization

/// Bounds the open event streams: in all, of each session, and of each account or guest pass, which
/// may have many sessions. A stream lasts for hours and costs a connection with its buffers.
///
/// Of all streams some are kept for members and owners, and some of these for owners, so that guests, however many
/// passes there are, keep nobody out.
package final class EventStreamLimiter: Sendable {
  /// As many as a browser opens to one host at once.
  static let mostOfOneSession = 6
  static let mostOfOneHolder = 8
  /// The most in all unless configured.
  package static let standard = 64
  /// The most in all.
  let most: Int

  /// The right to one open stream; released when it is deallocated.
  final class Slot: Sendable {
    private let limiter: EventStreamLimiter
    private let owner: Owner

    fileprivate init(_ limiter: EventStreamLimiter, _ owner: Owner) {
      self.limiter = limiter
      self.owner = owner
    }

    deinit { limiter.release(owner) }
  }

  /// The session or access token of a stream.
  enum Credential: Hashable, Sendable {
    case session(SessionID)
    case token(TokenID)
  }

  fileprivate struct Owner: Hashable {
    let credential: Credential
    /// The account or guest pass of the session or token.
    let holder: AccountID
    let role: AccountRole
  }

  private let open = Mutex<[Owner: Int]>([:])

  package init(most: Int = standard) { self.most = most }

  /// The number of open streams.
  package var count: Int { open.withLock { $0.values.reduce(0, +) } }

  /// Acquires a slot for a stream.
  ///
  /// - Parameters:
  ///   - holder: The account or guest pass of the session or token.
  ///   - role: The role of the session or token. Those of guests and members leave some slots free.
  /// - Throws: 429 `tooManyStreams`.
  func acquire(
    _ credential: Credential, of holder: AccountID, as role: AccountRole
  ) throws(APIError) -> Slot {
    let owner = Owner(credential: credential, holder: holder, role: role)
    let isFree = open.withLock { open in
      let ofHolder = open.filter { $0.key.holder == owner.holder }.values.reduce(0, +)
      guard ofHolder < Self.mostOfOneHolder, open[owner, default: 0] < Self.mostOfOneSession,
        hasRoom(for: owner.role, among: open)
      else { return false }
      open[owner, default: 0] += 1
      return true
    }
    guard isFree else { throw .tooManyStreams }
    return Slot(self, owner)
  }

  /// Whether another stream of a role leaves the slots that are kept for higher roles.
  private func hasRoom(for role: AccountRole, among open: [Owner: Int]) -> Bool {
    func count(_ roles: Set<AccountRole>) -> Int {
      open.reduce(0) { $0 + (roles.contains($1.key.role) ? $1.value : 0) }
    }
    guard count([.owner, .member, .guest]) < most else { return false }
    return switch role {
    case .owner: true
    case .member: count([.member, .guest]) < most - keptForOwners
    case .guest:
      count([.member, .guest]) < most - keptForOwners
        && count([.guest]) < most - keptForOwners - keptForMembers
    }
  }

  private var keptForOwners: Int { most / 8 }
  private var keptForMembers: Int { most / 4 }

  private func release(_ owner: Owner) {
    open.withLock { open in
      let left = open[owner, default: 1] - 1
      open[owner] = left > 0 ? left : nil
    }
  }
}

extension APIError {
  static let tooManyStreams = APIError(
    .tooManyRequests, "tooManyStreams", "too many streams of events are open",
    hint: "Close some; \(EventStreamLimiter.mostOfOneSession) a session are possible, and "
      + "\(EventStreamLimiter.mostOfOneHolder) an account or guest pass. Some of all are kept for "
      + "members and owners.")
}
