import NIOCore
import NIOPosix
import Testing

/// The unparsed answer over a connection.
struct RawAnswer: Sendable {
  let text: String

  /// The status of the first answer; `nil` where the connection was closed without one.
  var status: Int? {
    guard text.hasPrefix("HTTP/1.1 ") else { return nil }
    return Int(text.dropFirst(9).prefix(3))
  }

  /// The statuses of all answers.
  var statuses: [Int] {
    text.matches(of: #/HTTP/1\.1 (\d{3})/#).compactMap { Int($0.output.1) }
  }

  /// Whether the request was done.
  var isSuccess: Bool { status.map { (200..<300).contains($0) } ?? false }

  /// The value of a header of the first answer, in lower case names.
  func header(_ name: String) -> String? { headers(name).first }

  /// The values of a header that may stand several times.
  func headers(_ name: String) -> [String] {
    let head = text.split(separator: "\r\n\r\n", maxSplits: 1).first ?? ""
    return head.split(separator: "\r\n").dropFirst()
      .map { $0.split(separator: ":", maxSplits: 1) }
      .filter { $0.first?.lowercased() == name }
      .compactMap { $0.last.map { String($0.drop { $0 == " " }) } }
  }

  var body: String {
    text.split(separator: "\r\n\r\n", maxSplits: 1).dropFirst().first.map(String.init) ?? ""
  }
}

extension TestServer {
  /// Sends these very bytes to the port, and takes what comes until the other side closes.
  func sendRaw(_ bytes: [UInt8], from source: String? = nil) async throws -> RawAnswer {
    try await connection(from: source) { inbound, outbound in
      // A server may close before it has taken everything.
      try? await outbound.write(ByteBuffer(bytes: bytes))
      var text: [UInt8] = []
      do {
        for try await part in inbound { text += Array(part.readableBytesView) }
      } catch {}
      return RawAnswer(text: String(decoding: text, as: UTF8.self))
    }
  }

  func sendRaw(_ text: String) async throws -> RawAnswer { try await sendRaw(Array(text.utf8)) }

  /// Sends a request of these lines, without any line that is not given, and asks for the end of the
  /// connection after it.
  func sendRaw(
    lines: [String], body: String = "", from source: String? = nil
  ) async throws -> RawAnswer {
    let length = body.isEmpty ? [] : ["Content-Length: \(body.utf8.count)"]
    let head = (lines + length + ["Connection: close", "", ""]).joined(separator: "\r\n")
    return try await sendRaw(Array((head + body).utf8), from: source)
  }

  /// Sends the head of a request with `Expect: 100-continue`, and its body after the answer 100.
  ///
  /// - Parameter beforeBody: Runs between the answer 100 and the body.
  func rawExpectingContinue(
    head: String, body: String, beforeBody: () async throws -> Void = {}
  ) async throws -> RawAnswer {
    try await connection { inbound, outbound in
      try await outbound.write(ByteBuffer(string: head))
      var text = ""
      var isBodySent = false
      for try await part in inbound {
        text += String(buffer: part)
        guard !isBodySent, text.contains("\r\n\r\n") else { continue }
        isBodySent = true
        #expect(text == "HTTP/1.1 100 Continue\r\n\r\n")
        try await beforeBody()
        try await outbound.write(ByteBuffer(string: body))
      }
      return RawAnswer(text: text)
    }
  }

  /// The request of a listener to events, on the port.
  func listening(_ token: String, query: String = "") -> ByteBuffer {
    ByteBuffer(
      string: "GET /api/v1/events\(query) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n"
        + "Authorization: Bearer \(token)\r\n\r\n")
  }

  /// A connection to the port, for as long as `use` runs.
  /// - Parameter source: an address of this machine from which it goes out, such as 127.0.0.2.
  func connection<Value: Sendable>(
    from source: String? = nil,
    _ use: (NIOAsyncChannelInboundStream<ByteBuffer>, NIOAsyncChannelOutboundWriter<ByteBuffer>)
      async throws -> Value
  ) async throws -> Value {
    var client = ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
    if let source { client = client.bind(to: try SocketAddress(ipAddress: source, port: 0)) }
    let connection =
      try await client
      .connect(host: "127.0.0.1", port: port) { channel in
        channel.eventLoop.makeCompletedFuture {
          try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
        }
      }
    return try await connection.executeThenClose { try await use($0, $1) }
  }
}
