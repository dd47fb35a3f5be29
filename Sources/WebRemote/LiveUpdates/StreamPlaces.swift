import Accounts
import HTTPTypes
import Synchronization

/// The places for listeners of events, in all and for each session: a stream lasts for hours, and
/// each costs a connection and its buffers.
package final class StreamPlaces: Sendable {
  /// As many as a browser opens to one host at once.
  static let mostOfOneSession = 6
  static let most = 64

  /// A place, for as long as somebody keeps this.
  final class Place: Sendable {
    private let places: StreamPlaces
    private let session: SessionID

    fileprivate init(_ places: StreamPlaces, _ session: SessionID) {
      self.places = places
      self.session = session
    }

    deinit { places.give(session) }
  }

  private let taken = Mutex<[SessionID: Int]>([:])

  package init() {}

  /// How many are taken.
  package var count: Int { taken.withLock { $0.values.reduce(0, +) } }

  /// A place for one more stream of this session.
  func take(_ session: SessionID) throws(APIError) -> Place {
    let isFree = taken.withLock { taken in
      guard taken.values.reduce(0, +) < Self.most,
        taken[session, default: 0] < Self.mostOfOneSession
      else { return false }
      taken[session, default: 0] += 1
      return true
    }
    guard isFree else { throw .tooManyStreams }
    return Place(self, session)
  }

  private func give(_ session: SessionID) {
    taken.withLock { taken in
      let left = taken[session, default: 1] - 1
      taken[session] = left > 0 ? left : nil
    }
  }
}

extension APIError {
  static let tooManyStreams = APIError(
    .tooManyRequests, "tooManyStreams", "too many streams of events are open",
    hint: "Close some; \(StreamPlaces.mostOfOneSession) a session are possible.")
}
