import Accounts
import HTTPTypes
import Synchronization

/// Bounds the open event streams: in all, of each session, and of each account or guest pass, which
/// may have many sessions. A stream lasts for hours and costs a connection with its buffers.
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

  fileprivate struct Owner: Hashable {
    let session: SessionID
    let holder: AccountID
  }

  private let open = Mutex<[Owner: Int]>([:])

  package init(most: Int = standard) { self.most = most }

  /// The number of open streams.
  package var count: Int { open.withLock { $0.values.reduce(0, +) } }

  /// Acquires a slot for a stream.
  ///
  /// - Parameter holder: The account or guest pass of the session.
  /// - Throws: 429 `tooManyStreams`.
  func acquire(_ session: SessionID, of holder: AccountID) throws(APIError) -> Slot {
    let owner = Owner(session: session, holder: holder)
    let isFree = open.withLock { open in
      let ofHolder = open.filter { $0.key.holder == holder }.values.reduce(0, +)
      guard open.values.reduce(0, +) < most, ofHolder < Self.mostOfOneHolder,
        open[owner, default: 0] < Self.mostOfOneSession
      else { return false }
      open[owner, default: 0] += 1
      return true
    }
    guard isFree else { throw .tooManyStreams }
    return Slot(self, owner)
  }

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
      + "\(EventStreamLimiter.mostOfOneHolder) an account or guest pass.")
}
