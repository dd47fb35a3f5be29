import Accounts
import NIOCore
import Synchronization

/// Bounds the open connections of a listener. When all slots are in use, a new connection replaces the
/// one that has been idle or slow for longest: its client has not sent a whole request, or does not read the answer.
/// Connections whose request is being answered are never replaced.
final class ConnectionLimiter: Sendable {
  /// The right to one open connection.
  struct Slot: Sendable, Hashable {
    fileprivate let number: Int
  }

  private struct Holder {
    /// The remote address or network; `nil` for this machine.
    let source: [UInt8]?
    let channel: any Channel
    /// The change since which the connection is idle; `nil` while a request is answered.
    var idleSince: Int?
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

  /// The number of open connections.
  var count: Int { state.withLock { $0.holders.count } }

  /// Acquires a slot for a new connection; `nil` if none is free and none can be freed.
  func acquire(_ channel: any Channel) -> Slot? {
    let source = channel.remoteAddress?.connectionSource
    let (slot, replaced) = state.withLock { state -> (Slot?, (any Channel)?) in
      if let source {
        guard state.holders.values.count(where: { $0.source == source }) < mostFromOneAddress
        else { return (nil, nil) }
      }
      var replaced: (any Channel)?
      if state.holders.count >= most {
        let idle = state.holders.compactMap { number, holder in
          holder.idleSince.map { (number: number, since: $0) }
        }
        guard let longest = idle.min(by: { $0.since < $1.since }) else { return (nil, nil) }
        replaced = state.holders.removeValue(forKey: longest.number)?.channel
      }
      state.changes += 1
      let number = state.changes
      state.holders[number] = Holder(source: source, channel: channel, idleSince: number)
      return (Slot(number: number), replaced)
    }
    replaced?.close(promise: nil)
    return slot
  }

  /// Records whether a complete request is being answered, or the connection is idle from now on.
  func setAnswering(_ slot: Slot, _ isAnswering: Bool) {
    state.withLock { state in
      state.changes += 1
      state.holders[slot.number]?.idleSince = isAnswering ? nil : state.changes
    }
  }

  /// Releases the slot of a closed connection.
  func release(_ slot: Slot) {
    _ = state.withLock { $0.holders.removeValue(forKey: slot.number) }
  }
}

extension SocketAddress {
  /// Whether it is an address of this machine that no other machine reaches, or a Unix socket. A mapped
  /// IPv4 address is none, so that a listener on `::ffff:127.0.0.1` uses TLS.
  package var isLoopback: Bool {
    guard let bytes = addressBytes else { return true }
    return bytes.count == 4 ? bytes.first == 127 : bytes == Self.loopback
  }

  /// The bytes of a peer that count as one address; `nil` for this machine, where a proxy may stand for
  /// many clients.
  var connectionSource: [UInt8]? {
    guard let peer = ipAddress.flatMap({ PeerAddress($0) }), !peer.isLoopback else { return nil }
    return peer.source
  }

  /// 4 or 16 bytes; `nil` for a Unix socket.
  private var addressBytes: [UInt8]? {
    ipAddress?.split(separator: "%").first.flatMap { AddressText.bytes(of: String($0)) }
  }

  private static let loopback = [UInt8](repeating: 0, count: 15) + [1]
}

/// The limits of connections, in number, time and bytes.
package struct ConnectionLimits: Sendable {
  /// The most open connections.
  package var connections = 256
  /// The most open connections from one address; those from this machine do not count.
  package var connectionsFromOneAddress = 64
  /// From accepting the connection (TLS included) to the complete head of its first request.
  package var firstHead = TimeAmount.seconds(10)
  /// From the head of a request to the end of its body.
  package var body = TimeAmount.seconds(30)
  /// From an answer to the complete head of the next request.
  package var idle = TimeAmount.seconds(75)
  /// How long a client may take nothing of an answer that waits for it.
  package var stalledAnswer = TimeAmount.seconds(30)
  /// From the end of an event stream, or of the server, to the reset of its connections: time for the
  /// client to read the rest and to close.
  package var closing = TimeAmount.milliseconds(500)
  /// The most bytes of answers that the kernel buffers for a client that does not read.
  package var systemBuffer = 128 * 1024
  /// The most bytes of a refused body that are read and discarded, so that the client gets the answer
  /// before the connection closes.
  package var refusedBody = 1024 * 1024

  /// The limits of docs/security.md.
  package static let standard = ConnectionLimits()

  package init() {}
}
