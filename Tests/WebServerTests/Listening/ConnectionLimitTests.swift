import Devices
import APIClient
import Accounts
import HomeTheater
import JSON
import NIOCore
import NIOEmbedded
import NIOHTTP1
import ServiceLifecycle
import Synchronization
import TestSupport
import Testing

@testable import WebServer

// The time limit ends a test in which the server never closes the connection.
@Suite(.timeLimit(.minutes(2))) struct ConnectionLimitTests {
  private static func listener(_ change: (inout ConnectionLimits) -> Void) -> Listener {
    var limits = ConnectionLimits.standard
    change(&limits)
    return .port(0, of: "127.0.0.1", limits: limits)
  }

  /// Sends `start`, then `drop` every 5 ms, until the server closes the connection.
  private static func drip(_ room: TestServer, _ start: String, _ drop: String) async throws {
    try await room.connection { inbound, outbound in
      try? await outbound.write(ByteBuffer(string: start))
      await withDiscardingTaskGroup { group in
        group.addTask {
          while !Task.isCancelled {
            guard (try? await outbound.write(ByteBuffer(string: drop))) != nil else { return }
            try? await Task.sleep(for: .milliseconds(5))
          }
        }
        // Reads until the server closes the connection.
        do {
          for try await _ in inbound {}
        } catch {}
        group.cancelAll()
      }
    }
  }

  @Test("F5 · closes a connection whose head arrives too slowly")
  func slowHead() async throws {
    let listener = Self.listener { $0.firstHead = .milliseconds(250) }
    try await TestServer.open(listener) { room in
      try await Self.drip(room, "GET /api/v1/health HTTP/1.1\r\nX-Slow: ", "a")
      #expect(try await room.stranger.send(.GET, "/api/v1/health").status == 200)
    }
  }

  @Test("F5 · closes a connection whose body arrives too slowly")
  func slowBody() async throws {
    let listener = Self.listener { $0.body = .milliseconds(250) }
    try await TestServer.open(listener) { room in
      let head = """
        POST /api/v1/sessions HTTP/1.1\r\nHost: 127.0.0.1:\(room.port)\r
        Content-Type: application/json\r\nContent-Length: 60000\r\n\r\n
        """
      try await Self.drip(room, head, " ")
      #expect(try await room.stranger.send(.GET, "/api/v1/health").status == 200)
    }
  }

  @Test("F5 · closes a connection without requests")
  func silence() async throws {
    let listener = Self.listener { $0.firstHead = .milliseconds(100) }
    try await TestServer.open(listener) { room in
      let answer = try await room.sendRaw("")
      #expect(answer.text.isEmpty)
    }
  }

  @Test("F5 · drops a client that reads nothing, and frees its slot")
  func slowReader() async throws {
    let listener = Self.listener { $0.stalledAnswer = .milliseconds(250) }
    try await TestServer.open(listener) { room in
      let token = try await room.owner().token ?? ""
      let events = room.theater.events
      let filler = JSON.string(String(repeating: "x", count: 8192))
      try await room.connection { inbound, outbound in
        try await outbound.write(room.listening(token))
        var parts = inbound.makeAsyncIterator()
        _ = try await parts.next()
        #expect(room.streams.count == 1)
        // Nothing more is read: the buffers of this process and of the kernel fill up.
        let isFree = await eventually {
          for _ in 0..<EventLog.capacity { events.publish(.other(.configuration, filler)) }
          return room.streams.count == 0
        }
        #expect(isFree)
      }
    }
  }

  /// Heads beyond one of the limits.
  enum LargeHead: String, CaseIterable {
    case longLine, longTarget, manyLines, muchInAll

    func text(_ host: String) -> String {
      let start = "GET /api/v1/health HTTP/1.1\r\nHost: \(host)\r\n"
      func lines(_ count: Int, _ length: Int) -> String {
        (0..<count).map { "X\($0): \(String(repeating: "y", count: length))\r\n" }.joined()
      }
      return switch self {
      case .longLine: start + lines(1, 9000) + "\r\n"
      case .longTarget:
        "GET /\(String(repeating: "x", count: 20_000)) HTTP/1.1\r\nHost: \(host)\r\n\r\n"
      case .manyLines: start + lines(80, 1) + "\r\n"
      case .muchInAll: start + lines(8, 4000) + "\r\n"
      }
    }
  }

  @Test(
    "F5 · refuses heads with long lines, long targets or many lines",
    arguments: LargeHead.allCases)
  func largeHeads(head: LargeHead) async throws {
    try await TestServer.open(Self.listener { _ in }) { room in
      let answer = try await room.sendRaw(head.text("127.0.0.1:\(room.port)"))
      #expect(answer.status == 431)
    }
  }

  @Test("F5 · stops reading an endless body, and reads none that is declared too large")
  func largeBodies() async throws {
    try await TestServer.open(Self.listener { $0.firstHead = .milliseconds(500) }) { room in
      let head =
        "POST /api/v1/sessions HTTP/1.1\r\nHost: 127.0.0.1:\(room.port)\r\n"
        + "Content-Type: application/json\r\n"
      let declared = try await room.sendRaw(
        "\(head)Connection: close\r\nContent-Length: 10000000000\r\n\r\n{")
      #expect(declared.status == 413)
      // One byte above the limit, and no end.
      let chunk = "10000\r\n\(String(repeating: " ", count: 0x10000))\r\n"
      let start = "\(head)Transfer-Encoding: chunked\r\n\r\n"
      let endless = try await room.sendRaw(start + chunk + "1\r\n \r\n")
      #expect(endless.status == 413)
      // The server closes while the client still sends, which may lose the answer.
      _ = try await room.sendRaw(start + String(repeating: chunk, count: 40))
      #expect(try await room.stranger.send(.GET, "/api/v1/health").status == 200)
    }
  }

  @Test(
    "F5 · refuses a request whose end is ambiguous, with 400 and before anything that follows it",
    arguments: [
      "Content-Length: 4\r\nTransfer-Encoding: chunked",
      "Transfer-Encoding: chunked\r\nContent-Length: 4",
      "Content-Length: 4\r\nTransfer-Encoding: gzip", "Content-Length: 4\r\nContent-Length: 40",
      "Content-Length: 4\r\nContent-Length: 4", "Content-Length: +4", "Content-Length: -4",
      "Content-Length: 4, 4", "Content-Length: 0x4", "Content-Length:",
      "Transfer-Encoding: gzip", "Transfer-Encoding: identity", "Transfer-Encoding: xchunked",
      "Transfer-Encoding: \"chunked\"", "Transfer-Encoding: chunked;a=b", "Transfer-Encoding:",
      "Transfer-Encoding: chunked, identity", "Transfer-Encoding: gzip, chunked",
      "Transfer-Encoding: chunked, chunked", "Transfer-Encoding: \u{0B}chunked",
      "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked",
      "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity",
      "Transfer-Encoding: identity\r\nTransfer-Encoding: chunked",
      "Transfer-Encoding : chunked", "Transfer-Encoding:\r\n chunked", "X: y\r\n folded: z",
      "X: y\rTransfer-Encoding: chunked", "X: y\nTransfer-Encoding: chunked",
    ])
  func twoEnds(lines: String) async throws {
    try await TestServer.open(Self.listener { $0.body = .milliseconds(300) }) { room in
      let host = "Host: 127.0.0.1:\(room.port)"
      for start in ["GET /api/v1/health", "POST /api/v1/sessions"] {
        let answer = try await room.sendRaw(
          "\(start) HTTP/1.1\r\n\(host)\r\nContent-Type: application/json\r\n\(lines)\r\n\r\n"
            + "0\r\n\r\nGET /api/v1/health HTTP/1.1\r\n\(host)\r\nConnection: close\r\n\r\n")
        #expect(answer.statuses == [400], "\(start): \(answer.text)")
        #expect(answer.json["error"]?["code"] == "malformed", "\(start): \(answer.text)")
        #expect(answer.headers("connection") == ["close"], "\(start)")
        #expect(room.log.alarms.isEmpty, "\(room.log.lines)")
      }
    }
  }

  @Test(
    "F5 · answers nothing that follows malformed chunks",
    arguments: [
      "0x2\r\n{}\r\n0\r\n\r\n", "-2\r\n{}\r\n0\r\n\r\n", "2 \r\n{}\r\n0\r\n\r\n",
      "2\r\n{}xx\r\n0\r\n\r\n", "2\n{}\n0\n\n", "zz\r\n{}\r\n0\r\n\r\n",
      "2\r\n{}\r\n0\r\nTransfer-Encoding: gzip\r\n\r\n",
      "2\r\n{}\r\n0\r\nContent-Length: 5\r\n\r\n",
    ])
  func malformedChunks(body: String) async throws {
    try await TestServer.open(Self.listener { _ in }) { room in
      let host = "Host: 127.0.0.1:\(room.port)"
      // A GET is answered before its body is read.
      let cases = [("GET /api/v1/health", [200, 400]), ("POST /api/v1/sessions", [400])]
      for (start, statuses) in cases {
        let answer = try await room.sendRaw(
          "\(start) HTTP/1.1\r\n\(host)\r\nContent-Type: application/json\r\n"
            + "Transfer-Encoding: chunked\r\n\r\n\(body)"
            + "GET /api/v1/openapi.json HTTP/1.1\r\n\(host)\r\n\r\n")
        #expect([statuses, [400]].contains(answer.statuses), "\(start): \(answer.text)")
      }
    }
  }

  @Test("F5 · refuses a transfer coding in HTTP/1.0 with 400, and accepts chunks in any case")
  func codingsOfVersions() async throws {
    try await TestServer.open(Self.listener { _ in }) { room in
      let fields = "Host: 127.0.0.1:\(room.port)\r\nConnection: close\r\n"
      let old = try await room.sendRaw(
        "GET /api/v1/health HTTP/1.0\r\n\(fields)Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n")
      #expect(old.statuses == [400], "\(old.text)")
      let new = try await room.sendRaw(
        "GET /api/v1/health HTTP/1.1\r\n\(fields)Transfer-Encoding: ChunKed\r\n\r\n0\r\n\r\n")
      #expect(new.statuses == [200], "\(new.text)")
    }
  }

  /// Ways to occupy a connection without progress.
  enum StalledRequest: String, CaseIterable {
    case head = "GET /api/v1/hea"
    case body = """
      POST /api/v1/sessions HTTP/1.1\r\nHost: 127.0.0.1:PORT\r
      Content-Type: application/json\r\nContent-Length: 6000\r\n\r\n{
      """
  }

  @Test(
    "F5 · serves new clients although stalled requests use all connections",
    arguments: StalledRequest.allCases)
  func manyConnections(request: StalledRequest) async throws {
    let listener = Self.listener { $0.connections = 4 }
    try await TestServer.open(listener) { room in
      let start = request.rawValue.replacing("PORT", with: "\(room.port)")
      let (opened, isOpen) = AsyncStream<Void>.makeStream()
      var connections = opened.makeAsyncIterator()
      try await withThrowingTaskGroup(of: Int.self) { group in
        for _ in 0..<6 {
          group.addTask {
            try await room.connection { inbound, outbound in
              try? await outbound.write(ByteBuffer(string: start))
              isOpen.yield()
              var count = 0
              do {
                for try await part in inbound { count += part.readableBytes }
              } catch {}
              return count
            }
          }
          _ = await connections.next()
        }
        for _ in 0..<10 {
          let answer = try await room.sendRaw(lines: [
            "GET /api/v1/health HTTP/1.1", "Host: 127.0.0.1:\(room.port)",
          ])
          #expect(answer.status == 200)
        }
        await room.services.triggerGracefulShutdown()
        for try await count in group { #expect(count == 0) }
      }
    }
  }

  @Test("F5 · replaces a connection that does not take its answer when all are in use")
  func manyReaders() async throws {
    let listener = Self.listener { $0.connections = 4 }
    try await TestServer.open(listener) { room in
      let ask = "GET /api/v1/validation/blocklist HTTP/1.1\r\nHost: 127.0.0.1:\(room.port)\r\n\r\n"
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<4 {
          group.addTask {
            try? await room.connection { inbound, outbound in
              try? await outbound.write(ByteBuffer(string: String(repeating: ask, count: 60)))
              var parts = inbound.makeAsyncIterator()
              _ = try? await parts.next()
              // Reads nothing more, so that only the server can end the connection.
              try? await Task.sleep(for: .seconds(60))
            }
          }
        }
        let isServed = await eventually {
          let answer = try? await room.sendRaw(lines: [
            "GET /api/v1/health HTTP/1.1", "Host: 127.0.0.1:\(room.port)",
          ])
          return answer?.status == 200
        }
        #expect(isServed)
        group.cancelAll()
      }
    }
  }
}

@Suite struct ConnectionGuardTests {
  /// Records whether the connection is dropped.
  private final class DropRecorder: ChannelOutboundHandler {
    typealias OutboundIn = Any
    var isDropped = false

    func triggerUserOutboundEvent(
      context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?
    ) {
      if event is ConnectionDrop { isDropped = true }
    }
  }

  private static func open() throws -> (EmbeddedChannel, DropRecorder) {
    let recorder = DropRecorder()
    let channel = EmbeddedChannel()
    try channel.pipeline.syncOperations.addHandlers(
      [recorder, ConnectionGuard(ConnectionLimiter(.standard), .standard)])
    try channel.writeInbound(
      HTTPServerRequestPart.head(
        HTTPRequestHead(version: .http1_1, method: .GET, uri: "/api/v1/health")))
    try channel.writeInbound(HTTPServerRequestPart.end(nil))
    return (channel, recorder)
  }

  private static let part = HTTPServerResponsePart.body(.byteBuffer(ByteBuffer(string: "x")))

  @Test("F5 · drops a connection that takes nothing of an answer for 30 s")
  func stalled() throws {
    let (channel, recorder) = try Self.open()
    // Unflushed bytes wait like bytes that the kernel does not take.
    channel.write(Self.part, promise: nil)
    channel.embeddedEventLoop.advanceTime(by: .seconds(29))
    channel.flush()
    channel.write(Self.part, promise: nil)
    channel.write(Self.part, promise: nil)
    channel.embeddedEventLoop.advanceTime(by: .seconds(29))
    #expect(!recorder.isDropped)
    channel.embeddedEventLoop.advanceTime(by: .seconds(1))
    #expect(recorder.isDropped)
    _ = try channel.finish(acceptAlreadyClosed: true)
  }

  @Test(
    "F5 · writes a large answer in parts of 16 KiB, each with its own deadline")
  func largeAnswer() throws {
    let (channel, _) = try Self.open()
    let answer = ByteBuffer(bytes: (0..<300_000).map { UInt8(truncatingIfNeeded: $0 / 7) })
    try channel.writeOutbound(HTTPServerResponsePart.body(.byteBuffer(answer)))
    var sent = ByteBuffer()
    while case .body(.byteBuffer(var part))? = try channel.readOutbound(
      as: HTTPServerResponsePart.self)
    {
      #expect(part.readableBytes <= 16 * 1024)
      sent.writeBuffer(&part)
    }
    #expect(sent == answer)
    _ = try channel.finish(acceptAlreadyClosed: true)
  }

  @Test("F5 · drops an ended connection after half a second")
  func ending() throws {
    for hasUnsent in [false, true] {
      let (channel, recorder) = try Self.open()
      if hasUnsent { channel.write(Self.part, promise: nil) }
      channel.triggerUserOutboundEvent(ConnectionEnding(), promise: nil)
      channel.embeddedEventLoop.advanceTime(by: .milliseconds(499))
      #expect(!recorder.isDropped)
      channel.embeddedEventLoop.advanceTime(by: .milliseconds(1))
      #expect(recorder.isDropped)
      _ = try channel.finish(acceptAlreadyClosed: true)
    }
  }

  @Test(
    "F5 · waits for an open answer when the server stops, and then half a second")
  func stopping() throws {
    let (channel, recorder) = try Self.open()
    channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
    channel.embeddedEventLoop.advanceTime(by: .seconds(20))
    #expect(!recorder.isDropped)
    channel.write(HTTPServerResponsePart.end(nil), promise: nil)
    channel.flush()
    channel.embeddedEventLoop.advanceTime(by: .milliseconds(500))
    #expect(recorder.isDropped)
    _ = try channel.finish(acceptAlreadyClosed: true)
  }

  @Test("ends the watch of a connection once when the server stops, also a watch that begins later")
  func watchAtStop() throws {
    let (channel, _) = try Self.open()
    let ends = Mutex(0)
    channel.watchInput { ends.withLock { $0 += 1 } }
    #expect(ends.withLock { $0 } == 0)
    channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
    #expect(ends.withLock { $0 } == 1)
    channel.watchInput { ends.withLock { $0 += 1 } }
    #expect(ends.withLock { $0 } == 2)
    _ = try channel.finish(acceptAlreadyClosed: true)
    #expect(ends.withLock { $0 } == 2)
  }
}

@Suite struct ConnectionLimiterTests {
  private func limits(_ connections: Int, fromOne: Int = 2) -> ConnectionLimits {
    var limits = ConnectionLimits.standard
    limits.connections = connections
    limits.connectionsFromOneAddress = fromOne
    return limits
  }

  private func channel(from address: String) throws -> EmbeddedChannel {
    let channel = EmbeddedChannel()
    channel.remoteAddress = try SocketAddress(ipAddress: address, port: 50_000)
    return channel
  }

  @Test("F5 · limits the connections of one address, but not of this machine")
  func oneAddress() throws {
    let limiter = ConnectionLimiter(limits(10))
    #expect(limiter.acquire(try channel(from: "192.0.2.1")) != nil)
    #expect(limiter.acquire(try channel(from: "192.0.2.1")) != nil)
    #expect(limiter.acquire(try channel(from: "192.0.2.1")) == nil)
    #expect(limiter.acquire(try channel(from: "192.0.2.2")) != nil)
    for _ in 0..<4 { #expect(limiter.acquire(try channel(from: "127.0.0.1")) != nil) }
    #expect(limiter.count == 7)
  }

  @Test("F5 · counts the addresses of one IPv6 network as one")
  func oneNetwork() throws {
    let limiter = ConnectionLimiter(limits(10))
    #expect(limiter.acquire(try channel(from: "2001:db8:0:1::1")) != nil)
    #expect(limiter.acquire(try channel(from: "2001:db8:0:1:ffff::2")) != nil)
    #expect(limiter.acquire(try channel(from: "2001:db8:0:1:1:2:3:4")) == nil)
    #expect(limiter.acquire(try channel(from: "2001:db8:0:2::1")) != nil)
  }

  @Test("F5 · counts a mapped IPv4 address as that address, and ::ffff:127.0.0.1 as this machine")
  func mappedAddresses() throws {
    let limiter = ConnectionLimiter(limits(10))
    #expect(limiter.acquire(try channel(from: "::ffff:192.0.2.1")) != nil)
    #expect(limiter.acquire(try channel(from: "192.0.2.1")) != nil)
    #expect(limiter.acquire(try channel(from: "::ffff:192.0.2.1")) == nil)
    #expect(limiter.acquire(try channel(from: "::ffff:192.0.2.2")) != nil)
    for _ in 0..<4 { #expect(limiter.acquire(try channel(from: "::ffff:127.0.0.1")) != nil) }
    #expect(limiter.count == 7)
  }

  @Test("F5 · never replaces a connection that is being answered")
  func answered() throws {
    let limiter = ConnectionLimiter(limits(2, fromOne: 9))
    let first = try #require(limiter.acquire(try channel(from: "192.0.2.1")))
    let second = try #require(limiter.acquire(try channel(from: "192.0.2.1")))
    limiter.setAnswering(first, true)
    limiter.setAnswering(second, true)
    #expect(limiter.acquire(try channel(from: "192.0.2.3")) == nil)
    limiter.setAnswering(second, false)
    #expect(limiter.acquire(try channel(from: "192.0.2.3")) != nil)
    #expect(limiter.count == 2)
    limiter.release(first)
    #expect(limiter.count == 1)
  }
}

@Suite struct EventStreamLimiterTests {
  @Test("F5 · limits a session to six event streams")
  func sixStreams() async throws {
    try await TestServer.open { room in
      let owner = try await room.owner()
      let other = try await room.logIn("ann@example.org")
      let opened = AsyncStream<Void>.makeStream()
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<EventStreamLimiter.mostOfOneSession {
          group.addTask {
            defer { opened.continuation.finish() }
            _ = try await owner.listen(opened: { opened.continuation.yield() }) { _ in true }
          }
        }
        var count = 0
        for await _ in opened.stream {
          count += 1
          if count == EventStreamLimiter.mostOfOneSession { break }
        }
        let refusal = try await owner.listen { _ in true }
        #expect(refusal?.status == 429)
        #expect(refusal?.json["error"]?["code"] == "tooManyStreams")
        let welcome = try await other.listen { _ in false }
        #expect(welcome == nil)
        // Logging out ends the streams and frees their slots.
        _ = try await owner.send(.DELETE, "/api/v1/sessions/current")
        try await group.waitForAll()
      }
      #expect(await eventually { room.streams.count == 0 })
    }
  }

  @Test("F5 · limits all sessions to 64 event streams, or as configured", arguments: [64, 500])
  func all(most: Int) throws {
    let limiter = most == 64 ? EventStreamLimiter() : EventStreamLimiter(most: most)
    let kept = try (0..<most).map {
      try limiter.acquire(.session(SessionID("s\($0)")), of: AccountID("a\($0)"), as: .owner)
    }
    #expect(throws: APIError.self) {
      _ = try limiter.acquire(.session(SessionID("another")), of: AccountID("another"), as: .owner)
    }
    #expect(kept.count == limiter.count)
  }

  @Test("F5 · limits an account or guest pass to eight event streams")
  func oneHolder() throws {
    let limiter = EventStreamLimiter()
    var kept = try (0..<EventStreamLimiter.mostOfOneHolder).map {
      try limiter.acquire(.session(SessionID("s\($0)")), of: AccountID("guest"), as: .owner)
    }
    #expect(throws: APIError.self) {
      _ = try limiter.acquire(.session(SessionID("another")), of: AccountID("guest"), as: .owner)
    }
    let owner = try limiter.acquire(.session(SessionID("o")), of: AccountID("owner"), as: .owner)
    #expect(limiter.count == kept.count + 1)
    kept.removeLast()
    kept.append(
      try limiter.acquire(.session(SessionID("another")), of: AccountID("guest"), as: .owner))
    withExtendedLifetime((kept, owner)) {}
  }
}
