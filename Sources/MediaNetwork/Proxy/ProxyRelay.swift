import Glibc
import Platform

/// The two directions of a connection through the proxy. Each holds at most one buffer of unread bytes.
struct ProxyRelay {
  /// The size of a buffer, in bytes.
  private static let size = 65_536

  private let client: Int32
  private let upstream: Int32
  private let limits: ProxyLimits

  /// Both sockets become non-blocking.
  init(client: Int32, upstream: Int32, limits: ProxyLimits) {
    self.client = client
    self.upstream = upstream
    self.limits = limits
    for socket in [client, upstream] { ProxySocket.setBlocking(socket, false) }
  }

  /// Sends a request's head to the server, which reads it at once.
  func sendRequest(_ head: [UInt8]) {
    _ = send(upstream, head, head.count, Int32(MSG_NOSIGNAL))
  }

  /// Passes the server's answer on until its end.
  ///
  /// - Parameter first: Called with the first line, at most 256 bytes.
  func relayAnswer(first: ([UInt8]) -> Void) {
    var flow = Flow(from: upstream, to: client, size: Self.size)
    var line: [UInt8]? = []
    while true {
      let state = flow.move { bytes in
        guard let begun = line else { return true }
        let text = begun + bytes.prefix(256 - begun.count)
        let end = text.firstIndex { $0 == 0x0A || $0 == 0x0D }
        line = end == nil && text.count < 256 ? text : nil
        if line == nil { first(Array(text[..<(end ?? text.count)])) }
        return true
      }
      switch state {
      case .ended: return
      case .broken: return ProxySocket.resetAtClose(client)
      case .waiting: break
      }
      // One request a connection: bytes of a second one end it, and libav makes a new connection.
      guard wait(for: [flow], watchingClient: true) else { return ProxySocket.resetAtClose(client) }
    }
  }

  /// Opens a tunnel and passes bytes on in both directions until both have ended.
  func relayTunnel(opening rest: [UInt8]) {
    relayBoth(
      toClient: Array("HTTP/1.1 200 Connection established\r\n\r\n".utf8), toServer: rest
    ) { _ in true }
  }

  /// Passes bytes on in both directions until both have ended.
  ///
  /// - Parameters:
  ///   - toClient: The first bytes for the client.
  ///   - toServer: The first bytes for the server.
  ///   - isAllowed: Returns whether received bytes of the server may be passed on; otherwise the connection breaks off.
  func relayBoth(
    toClient: [UInt8] = [], toServer: [UInt8] = [], isAllowed: (ArraySlice<UInt8>) -> Bool
  ) {
    var down = Flow(from: upstream, to: client, size: Self.size)
    var up = Flow(from: client, to: upstream, size: Self.size)
    down.begin(with: toClient)
    up.begin(with: toServer)
    var hasEnded = (down: false, up: false)
    while true {
      let states = [
        hasEnded.down ? .ended : down.move(isAllowed: isAllowed), hasEnded.up ? .ended : up.move(),
      ]
      for state in states
      where state == .broken {
        return ProxySocket.resetAtClose(client)
      }
      if !hasEnded.down, down.hasEnded {
        hasEnded.down = true
        shutdown(client, Int32(SHUT_WR))
      }
      if !hasEnded.up, up.hasEnded {
        hasEnded.up = true
        shutdown(upstream, Int32(SHUT_WR))
      }
      // The client has closed, so the rest of the server's answer is dropped.
      if hasEnded.down || (hasEnded.up && down.isEmpty) { return }
      guard wait(for: [down, up], watchingClient: false) else { return }
    }
  }

  /// Waits until a flow can move. Returns false after the time limit, or if a client whose end is watched hangs up or
  /// sends something.
  private func wait(for flows: [Flow], watchingClient: Bool) -> Bool {
    let watched = watchingClient ? Int16(POLLIN) : 0
    var (clientEvents, upstreamEvents) = (watched, Int16(0))
    for flow in flows where !flow.hasEnded {
      let socket = flow.isEmpty ? flow.source : flow.target
      let event = Int16(flow.isEmpty ? POLLIN : POLLOUT)
      if socket == client { clientEvents |= event } else { upstreamEvents |= event }
    }
    // Without a wanted event a socket is left out, because its end would be reported again and again.
    var polls = [
      pollfd(fd: clientEvents == 0 ? -1 : client, events: clientEvents, revents: 0),
      pollfd(fd: upstreamEvents == 0 ? -1 : upstream, events: upstreamEvents, revents: 0),
    ]
    let isClientWaiting = flows.first?.isEmpty == true
    guard poll(&polls, 2, isClientWaiting ? limits.silence : limits.pause) > 0 else { return false }
    let end = watched | Int16(POLLERR | POLLHUP)
    return !watchingClient || polls[0].revents & end == 0
  }
}

/// One direction of a relay: a buffer between two non-blocking sockets.
private struct Flow {
  enum State { case waiting, ended, broken }

  let source: Int32
  let target: Int32
  /// Whether the source has ended and all of its bytes were passed on.
  private(set) var hasEnded = false
  private var buffer: [UInt8]
  /// The bytes of the buffer that the target has not taken.
  private var unread = 0..<0

  init(from source: Int32, to target: Int32, size: Int) {
    self.source = source
    self.target = target
    buffer = [UInt8](repeating: 0, count: size)
  }

  /// Whether every byte was passed on.
  var isEmpty: Bool { unread.isEmpty }

  /// Puts first bytes into the buffer.
  mutating func begin(with bytes: [UInt8]) {
    let count = min(bytes.count, buffer.count)
    buffer.replaceSubrange(..<count, with: bytes.prefix(count))
    unread = 0..<count
  }

  /// Passes bytes on until a socket is not ready.
  ///
  /// - Parameter isAllowed: Returns whether received bytes may be passed on.
  mutating func move(isAllowed: (ArraySlice<UInt8>) -> Bool = { _ in true }) -> State {
    while true {
      while !unread.isEmpty {
        let count = buffer[unread].withUnsafeBytes {
          send(target, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
        guard count > 0 else { return errno == EAGAIN ? .waiting : .broken }
        unread.removeFirst(count)
      }
      let count = recv(source, &buffer, buffer.count, 0)
      guard count > 0 else {
        if count < 0 { return errno == EAGAIN ? .waiting : .broken }
        hasEnded = true
        return .ended
      }
      unread = 0..<count
      guard isAllowed(buffer[unread]) else { return .broken }
    }
  }
}
