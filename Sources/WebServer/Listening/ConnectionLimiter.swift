import NIOCore
import Synchronization

/// The places for connections at one listener. When all are taken, a newcomer gets that of the
/// connection that has kept us waiting for longest, for a request as a whole or for taking its answer:
/// whoever only holds connections open, or is slow with them, keeps nobody out.
final class ConnectionLimiter: Sendable {
  /// A connection that has a place.
  struct Place: Sendable, Hashable {
    fileprivate let number: Int
  }

  private struct Holder {
    /// Where it comes from; `nil` for this machine's own.
    let source: [UInt8]?
    let channel: any Channel
    /// Since when it keeps us waiting, counted in changes; `nil` while a request is answered.
    var restingSince: Int?
  }

  private struct State {
    var changes = 0
    var holders: [Int: Holder] = [:]
  }

  private let most: Int
  private let mostFromOneAddress: Int
  private let state = Mutex(State())

  init(_ limits: ConnectionLimits) {
    most = limits.connections
    mostFromOneAddress = limits.connectionsFromOneAddress
  }

  /// How many are taken.
  var count: Int { state.withLock { $0.holders.count } }

  /// A place for a new connection; `nil` where there is none for it.
  func take(_ channel: any Channel) -> Place? {
    let source = channel.remoteAddress?.connectionSource
    let (place, leaving) = state.withLock { state -> (Place?, (any Channel)?) in
      if let source {
        guard state.holders.values.count(where: { $0.source == source }) < mostFromOneAddress
        else { return (nil, nil) }
      }
      var leaving: (any Channel)?
      if state.holders.count >= most {
        let resting = state.holders.compactMap { number, holder in
          holder.restingSince.map { (number: number, since: $0) }
        }
        guard let longest = resting.min(by: { $0.since < $1.since }) else { return (nil, nil) }
        leaving = state.holders.removeValue(forKey: longest.number)?.channel
      }
      state.changes += 1
      let number = state.changes
      state.holders[number] = Holder(source: source, channel: channel, restingSince: number)
      return (Place(number: number), leaving)
    }
    leaving?.close(promise: nil)
    return place
  }

  /// A whole request has come and its answer is taken, or we wait for the connection.
  func isAnswering(_ place: Place, _ isAnswering: Bool) {
    state.withLock { state in
      state.changes += 1
      state.holders[place.number]?.restingSince = isAnswering ? nil : state.changes
    }
  }

  /// The connection is closed.
  func leave(_ place: Place) {
    _ = state.withLock { $0.holders.removeValue(forKey: place.number) }
  }
}

extension SocketAddress {
  /// Whether it is this machine's own, which no other can reach. A Unix socket is.
  package var isLoopback: Bool {
    guard let bytes = addressBytes else { return true }
    return bytes.count == 4 ? bytes.first == 127 : bytes == Self.loopback
  }

  /// What counts as one address: for IPv6 the network (64 bits), of which one machine has all
  /// addresses; `nil` for this machine's own, which a proxy or tunnel shares among many.
  var connectionSource: [UInt8]? {
    guard !isLoopback, let bytes = addressBytes else { return nil }
    return bytes.count == 4 ? bytes : Array(bytes.prefix(8))
  }

  /// 4 or 16 bytes; `nil` for a Unix socket.
  private var addressBytes: [UInt8]? {
    ipAddress?.split(separator: "%").first.flatMap { AddressText.bytes(of: String($0)) }
  }

  private static let loopback = [UInt8](repeating: 0, count: 15) + [1]
}
