import AsyncHTTPClient
import Glibc
import JSON
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import TheaterAPI

/// An HTTP client of one controller, over its Unix socket or a TCP port. Each request has its own
/// connection. Before anything is sent over a Unix socket, `SocketOwnership` checks that it belongs to this user;
/// with TLS, `PeerCheck` compares the controller's certificate with the confirmed one.
package struct ControllerClient: Sendable {
  /// The socket or port of the controller.
  package let address: ControllerAddress
  /// The session's secret; `nil` before login.
  package var token: String?
  /// The secret of a known device; it grants no access by itself.
  package var device: String?
  private let connections: HTTPConnections

  /// - Parameter connections: Shared by default; with TLS those that accept no certificate.
  package init(
    _ address: ControllerAddress, token: String? = nil, connections: HTTPConnections? = nil
  ) {
    self.address = address
    self.token = token
    self.connections =
      switch address {
      case .socket, .port: connections ?? .shared
      case .tls: connections ?? .tls(pinnedTo: nil)
      }
  }

  /// Sends a request and returns the whole response.
  ///
  /// - Parameters:
  ///   - path: The path and query, percent-encoded.
  ///   - wait: How long the controller may wait for the end of the action before it responds, in
  ///     seconds.
  package func send(
    _ method: HTTPMethod, _ path: String, _ body: JSON? = nil, wait: Int? = nil,
    headers: HTTPHeaders = [:]
  ) async throws(ControllerConnectionError) -> ControllerResponse {
    var headers = headers
    if let wait { headers.add(name: "prefer", value: "wait=\(wait)") }
    if body != nil { headers.add(name: "content-type", value: "application/json") }
    return try await send(
      method, path, bytes: body.map { Array($0.text().utf8) }, headers: headers)
  }

  /// Sends a request with these bytes as its body.
  package func send(
    _ method: HTTPMethod, _ path: String, bytes: [UInt8]?, headers: HTTPHeaders = [:]
  ) async throws(ControllerConnectionError) -> ControllerResponse {
    do {
      let request = request(method, path, bytes, headers)
      try checkSocket()
      return try await collect(
        connections.requests.execute(request, deadline: .now() + connections.longestHead))
    } catch {
      throw ControllerConnectionError(error, at: address)
    }
  }

  /// Receives events until `body` returns false or the controller ends the stream.
  ///
  /// - Parameters:
  ///   - id: The last known event; the stream continues after it.
  ///   - opened: Called when the controller has accepted, before the first event.
  ///   - body: Called with each event; returns whether to continue.
  /// - Returns: The error response if the controller refused the stream, otherwise `nil`.
  /// - Throws: `ControllerConnectionError`, and the errors of `body`.
  package func listen(
    after id: String? = nil, opened: () async -> Void = {},
    _ body: (ServerSentEvent) async throws -> Bool
  ) async throws -> ControllerResponse? {
    var headers: HTTPHeaders = ["accept": "text/event-stream"]
    if let id { headers.add(name: "last-event-id", value: id) }
    let response: HTTPClientResponse
    do {
      let request = request(.GET, PlaybackEndpoint.events.path(), nil, headers)
      try checkSocket()
      response = try await connections.events.execute(request, deadline: .distantFuture)
      guard response.status == .ok else { return try await collect(response) }
    } catch {
      throw ControllerConnectionError(error, at: address)
    }
    await opened()
    var parser = ServerSentEventParser()
    var chunks = response.body.makeAsyncIterator()
    while let events = try await nextEvents(&chunks, &parser) {
      for event in events where try await !body(event) { return nil }
    }
    return nil
  }

  /// The events of the stream's next chunk; `nil` at its end.
  private func nextEvents(
    _ chunks: inout HTTPClientResponse.Body.AsyncIterator, _ parser: inout ServerSentEventParser
  ) async throws(ControllerConnectionError) -> [ServerSentEvent]? {
    do {
      guard let chunk = try await chunks.next() else { return nil }
      return try parser.parse(chunk.readableBytesView)
    } catch {
      throw ControllerConnectionError(error, at: address)
    }
  }

  private func checkSocket() throws(ControllerConnectionError) {
    if case .socket(let path) = address { try SocketOwnership.check(path) }
  }

  private func collect(_ response: HTTPClientResponse) async throws -> ControllerResponse {
    let (maximum, longest) = (connections.maximumBody, connections.longestBody)
    let body = try await withThrowingTaskGroup(of: ByteBuffer.self) { group in
      defer { group.cancelAll() }
      group.addTask { try await response.body.collect(upTo: maximum) }
      group.addTask {
        // The library limits the time between two reads, not that of the whole body.
        try await Task.sleep(for: longest)
        throw HTTPClientError.deadlineExceeded
      }
      guard let body = try await group.next() else { throw CancellationError() }
      return body
    }
    return ControllerResponse(
      status: Int(response.status.code), headers: response.headers,
      body: Array(body.readableBytesView))
  }

  private func request(
    _ method: HTTPMethod, _ path: String, _ body: [UInt8]?, _ headers: HTTPHeaders
  ) -> HTTPClientRequest {
    var request = HTTPClientRequest(url: address.url + path)
    request.method = method
    request.headers = headers
    // The URL of a socket has no host.
    if case .socket = address { request.headers.add(name: "host", value: "localhost") }
    if !headers.contains(name: "user-agent") {
      request.headers.add(name: "user-agent", value: Self.userAgent)
    }
    // One connection for each request: a person may type for longer than the controller keeps an
    // idle connection.
    request.headers.add(name: "connection", value: "close")
    if let token { request.headers.add(name: "authorization", value: "Bearer \(token)") }
    if let device { request.headers.add(name: "theater-device", value: device) }
    if let body { request.body = .bytes(ByteBuffer(bytes: body)) }
    return request
  }

  /// The client's name in the list of sessions: `theater/1 (livingroom)`.
  private static let userAgent = "theater/1 (\(hostName()))"

  /// The name of this machine, reduced to letters, digits, hyphens and dots.
  private static func hostName() -> String {
    var name = [CChar](repeating: 0, count: 256)
    guard gethostname(&name, name.count - 1) == 0 else { return "" }
    let bytes = name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    return String(decoding: bytes, as: UTF8.self).filter {
      $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == ".")
    }
  }
}

extension ControllerConnectionError {
  /// Describes an error of the HTTP library.
  fileprivate init(_ error: any Error, at address: ControllerAddress) {
    switch error {
    case let error as ControllerConnectionError: self = error
    case let error as PeerCheck.OtherCertificate:
      self = .certificate(address, found: error.found, confirmed: error.confirmed)
    case is NIOSSLError, is BoringSSLError: self = Self.withoutTLS(address)
    case let error as IOError where Self.noListener.contains(error.errnoCode):
      self = .notRunning(address)
    // Without an address there was nothing to connect to.
    case let error as NIOConnectionError where error.connectionErrors.isEmpty:
      self = .broken("the host name \(error.host) was not found")
    case is NIOConnectionError: self = .notRunning(address)
    case let error as IOError: self = .broken(error.description)
    case let error as HTTPClientError:
      switch error {
      case .readTimeout: self = .broken("the controller sent nothing for too long")
      case .connectTimeout, .tlsHandshakeTimeout:
        self = .broken(
          "the controller does not accept connections\(address.isEncrypted ? " with TLS" : "")")
      case .deadlineExceeded: self = .broken("the response takes too long")
      case .remoteConnectionClosed: self = .broken("the response ended too early")
      default: self = .broken(error.shortDescription)
      }
    case HTTPParserError.invalidEOFState: self = .broken("the response ended too early")
    case HTTPParserError.headerOverflow: self = .broken("the head of the response is too large")
    case is HTTPParserError: self = .broken("the response is not HTTP")
    case let error as NIOTooManyBytesError:
      self = .broken("the response is larger than \((error.maxBytes ?? 0) >> 20) MiB")
    case let error as ServerSentEventParser.OversizedEvent:
      self = .broken("an event is larger than \(error.limit >> 20) MiB")
    case is CancellationError: self = .broken("the request was cancelled")
    default: self = .broken("\(error)")
    }
  }

  /// The error of a peer with which no TLS connection can be made.
  private static func withoutTLS(_ address: ControllerAddress) -> ControllerConnectionError {
    .untrusted(
      reason: "what answers at \(address) does not speak TLS 1.2 or 1.3",
      hint:
        "Check the address and the port. A controller that is there for its own machine alone speaks plain "
        + "HTTP: use http:// on that machine, or set \"web\": {\"tls\": true} in its devices.json.")
  }

  private static let noListener: Set<CInt> = [ECONNREFUSED, ENOENT, ENOTSOCK, ENOTDIR]
}
