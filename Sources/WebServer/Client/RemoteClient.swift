import Glibc
import JSON
import NIOCore
import NIOHTTP1
import NIOPosix

/// Asks a controller, over its Unix socket or its port. Each request has a connection of its own;
/// one thread serves them all, and it starts with the first. Over a socket nothing is sent before it
/// is known that the socket and the process behind it belong to this user.
package struct RemoteClient: Sendable {
  package let address: RemoteAddress
  /// The secret of the session; `nil` before login.
  package var token: String?
  /// The secret of a device that has logged in before; it opens nothing.
  package var device: String?

  /// By what a person recognises this client in the list of sessions: `theater/1 (livingroom)`.
  private static let userAgent = "theater/1 (\(hostName()))"

  /// The name of this machine; only letters, digits, hyphens and dots of it.
  private static func hostName() -> String {
    var name = [CChar](repeating: 0, count: 256)
    guard gethostname(&name, name.count - 1) == 0 else { return "" }
    let bytes = name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    return String(decoding: bytes, as: UTF8.self).filter {
      $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == ".")
    }
  }

  private static let threads = MultiThreadedEventLoopGroup(numberOfThreads: 1)

  package init(_ address: RemoteAddress, token: String? = nil) {
    self.address = address
    self.token = token
  }

  /// Asks once and takes the whole answer.
  ///
  /// - Parameters:
  ///   - path: The path and query, percent-encoded.
  ///   - wait: How long the answer may wait for the end of what is asked, in seconds.
  package func send(
    _ method: HTTPMethod, _ path: String, _ body: JSON? = nil, wait: Int? = nil,
    headers: HTTPHeaders = [:]
  ) async throws(RemoteFailure) -> RemoteAnswer {
    var headers = headers
    if let wait { headers.add(name: "prefer", value: "wait=\(wait)") }
    var bytes: [UInt8]?
    if let body {
      bytes = Array(body.text().utf8)
      headers.add(name: "content-type", value: "application/json")
    }
    return try await send(method, path, bytes: bytes, headers: headers)
  }

  /// Asks once with these bytes as the body.
  package func send(
    _ method: HTTPMethod, _ path: String, bytes: [UInt8]?, headers: HTTPHeaders = [:]
  ) async throws(RemoteFailure) -> RemoteAnswer {
    try await exchange(method, path, bytes, headers) { head, parts in
      var body: [UInt8] = []
      while let part = try await parts.next() {
        switch part {
        case .head: continue
        case .body(let buffer): body.append(contentsOf: buffer.readableBytesView)
        case .end:
          return RemoteAnswer(
            status: Int(head.status.code), headers: head.headers, body: body)
        }
      }
      throw RemoteFailure.broken("the answer ended too early")
    }
  }

  /// Listens to what happens until `each` wants no more, or the controller ends the stream.
  ///
  /// - Parameters:
  ///   - id: The last event that is known already.
  ///   - opened: Called when the controller has accepted, before the first event.
  ///   - each: Returns whether to go on.
  /// - Returns: The refusal, where the controller refused.
  package func listen(
    after id: String? = nil, opened: () async -> Void = {},
    _ each: (ServerSentEvent) async throws -> Bool
  ) async throws(RemoteFailure) -> RemoteAnswer? {
    var headers: HTTPHeaders = ["accept": "text/event-stream"]
    if let id { headers.add(name: "last-event-id", value: id) }
    return try await exchange(.GET, "/api/v1/events", nil, headers) { head, parts in
      var refusal: [UInt8] = []
      var parser = ServerSentEventParser()
      if head.status == .ok { await opened() }
      while let part = try await parts.next(), case .body(let buffer) = part {
        guard head.status == .ok else {
          refusal.append(contentsOf: buffer.readableBytesView)
          continue
        }
        for event in parser.take(buffer.readableBytesView) where try await !each(event) {
          return nil
        }
      }
      guard head.status != .ok else { return nil }
      return RemoteAnswer(status: Int(head.status.code), headers: head.headers, body: refusal)
    }
  }

  // MARK: The connection

  private typealias Connection = NIOAsyncChannel<HTTPClientResponsePart, RequestPart>
  private typealias Parts = NIOAsyncChannelInboundStream<HTTPClientResponsePart>.AsyncIterator

  private func exchange<Value>(
    _ method: HTTPMethod, _ path: String, _ body: [UInt8]?, _ headers: HTTPHeaders,
    _ take: (HTTPResponseHead, inout Parts) async throws -> Value
  ) async throws(RemoteFailure) -> Value {
    do {
      let connection = try await connect()
      return try await connection.executeThenClose { inbound, outbound in
        if case .socket(let path) = address {
          try await SocketOwner.checkPeer(of: connection.channel, at: path)
        }
        var request = [RequestPart.head(head(method, path, body, headers))]
        if let body { request.append(.body(ByteBuffer(bytes: body))) }
        request.append(.end(nil))
        // A controller may answer and close before it has taken everything: its answer counts, and
        // a connection that broke has none.
        try? await outbound.write(contentsOf: request)
        var parts = inbound.makeAsyncIterator()
        guard case .head(let head)? = try await parts.next() else {
          throw RemoteFailure.broken("there is no answer")
        }
        return try await take(head, &parts)
      }
    } catch let error as RemoteFailure {
      throw error
    } catch {
      throw RemoteFailure(error, at: address)
    }
  }

  private func head(
    _ method: HTTPMethod, _ path: String, _ body: [UInt8]?, _ headers: HTTPHeaders
  ) -> HTTPRequestHead {
    var headers = headers
    headers.add(name: "host", value: "localhost")
    if !headers.contains(name: "user-agent") {
      headers.add(name: "user-agent", value: Self.userAgent)
    }
    headers.add(name: "connection", value: "close")
    if let token { headers.add(name: "authorization", value: "Bearer \(token)") }
    if let device { headers.add(name: "theater-device", value: device) }
    if let body { headers.add(name: "content-length", value: String(body.count)) }
    return HTTPRequestHead(version: .http1_1, method: method, uri: path, headers: headers)
  }

  private func connect() async throws -> Connection {
    let bootstrap = ClientBootstrap(group: Self.threads).connectTimeout(.seconds(5))
    if case .socket(let path) = address { try SocketOwner.check(path) }
    return switch address {
    case .socket(let path):
      try await bootstrap.connect(unixDomainSocketPath: path, channelInitializer: Self.prepare)
    case .port(let host, let port):
      try await bootstrap.connect(host: host, port: port, channelInitializer: Self.prepare)
    }
  }

  private static func prepare(_ channel: any Channel) -> EventLoopFuture<Connection> {
    channel.eventLoop.makeCompletedFuture {
      let pipeline = channel.pipeline.syncOperations
      try pipeline.addHTTPClientHandlers()
      try pipeline.addHandler(RequestBytes())
      return try NIOAsyncChannel(wrappingChannelSynchronously: channel)
    }
  }
}

/// A part of a request that may cross tasks; NIO's own may hold a file.
private typealias RequestPart = HTTPPart<HTTPRequestHead, ByteBuffer>

/// Turns our parts of a request into NIO's.
private final class RequestBytes: ChannelOutboundHandler {
  typealias OutboundIn = RequestPart
  typealias OutboundOut = HTTPClientRequestPart

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    let part: HTTPClientRequestPart =
      switch unwrapOutboundIn(data) {
      case .head(let head): .head(head)
      case .body(let bytes): .body(.byteBuffer(bytes))
      case .end(let trailers): .end(trailers)
      }
    context.write(wrapOutboundOut(part), promise: promise)
  }
}

extension RemoteFailure {
  /// Says in our words what NIO answered.
  fileprivate init(_ error: any Error, at address: RemoteAddress) {
    switch error {
    case let error as IOError where Self.meansNobody.contains(error.errnoCode):
      self = .notRunning(address)
    case is NIOConnectionError: self = .notRunning(address)
    case let error as IOError: self = .broken(error.description)
    default: self = .broken("\(error)")
    }
  }

  private static let meansNobody: Set<CInt> = [ECONNREFUSED, ENOENT, ENOTSOCK, ENOTDIR]
}
