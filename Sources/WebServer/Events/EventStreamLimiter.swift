import Accounts
import HTTPTypes
import Synchronization

/// The places for listeners of events, in all, for each session, and for each account or guest pass,
/// which may have many sessions: a stream lasts for hours, and each costs a connection and its buffers.
package final class EventStreamLimiter: Sendable {
  /// As many as a browser opens to one host at once.
  static let mostOfOneSession = 6
  /// Nobody takes the places of all.
  static let mostOfOneHolder = 8
  static let most = 64

  /// A place, for as long as somebody keeps this.
  final class Place: Sendable {
    private let places: EventStreamLimiter
    private let listener: Listener

    fileprivate init(_ places: EventStreamLimiter, _ listener: Listener) {
      self.places = places
      self.listener = listener
    }

    deinit { places.give(listener) }
  }

  fileprivate struct Listener: Hashable {
    let session: SessionID
    let holder: AccountID
  }

  private let taken = Mutex<[Listener: Int]>([:])

  package init() {}

  /// How many are taken.
  package var count: Int { taken.withLock { $0.values.reduce(0, +) } }

  /// A place for one more stream of this session, which is this account's or guest pass's.
  func take(_ session: SessionID, of holder: AccountID) throws(APIError) -> Place {
    let listener = Listener(session: session, holder: holder)
    let isFree = taken.withLock { taken in
      let ofHolder = taken.filter { $0.key.holder == holder }.values.reduce(0, +)
      guard taken.values.reduce(0, +) < Self.most, ofHolder < Self.mostOfOneHolder,
        taken[listener, default: 0] < Self.mostOfOneSession
      else { return false }
      taken[listener, default: 0] += 1
      return true
    }
    guard isFree else { throw .tooManyStreams }
    return Place(self, listener)
  }

  private func give(_ listener: Listener) {
    taken.withLock { taken in
      let left = taken[listener, default: 1] - 1
      taken[listener] = left > 0 ? left : nil
    }
  }
}

extension APIError {
  static let tooManyStreams = APIError(
    .tooManyRequests, "tooManyStreams", "too many streams of events are open",
    hint: "Close some; \(EventStreamLimiter.mostOfOneSession) a session are possible, and "
      + "\(EventStreamLimiter.mostOfOneHolder) an account or guest pass.")
}
