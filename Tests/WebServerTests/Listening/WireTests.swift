import APIClient
import HTTPTypes
import JSON
import NIOCore
import NIOHTTP1
import TestSupport
import TheaterAPI
import Testing

@testable import WebServer

/// Connections byte by byte.
@Suite struct WireTests {
  private static let listener = Listener.port(0, of: "127.0.0.1")

  private static func login(_ room: TestServer, _ line: String) -> String {
    "POST /api/v1/sessions HTTP/1.1\r\nHost: 127.0.0.1:\(room.port)\r\n"
      + "Content-Type: application/json\r\n\(line)\r\n\r\n"
  }

  @Test(
    "A9 · refuses malformed chunks with 400 and logs no failure",
    arguments: [
      ("Transfer-Encoding: gzip", "{}"), ("Transfer-Encoding: chunked", "zz\r\n{}\r\n0\r\n\r\n"),
      ("Transfer-Encoding: chunked", "fffffffffffffffff\r\n{}\r\n0\r\n\r\n"),
      ("Transfer-Encoding: chunked", "2\r\n{}nonsense\r\n0\r\n\r\n"),
    ])
  func unreadableBody(line: String, body: String) async throws {
    try await TestServer.open(Self.listener) { room in
      let answer = try await room.sendRaw(Self.login(room, line) + body)
      #expect(answer.status == 400, "\(answer.text)")
      #expect(room.log.alarms.isEmpty, "\(room.log.lines)")
      #expect(try await room.stranger.send(.GET, "/api/v1/health").status == 200)
    }
  }

  @Test("A9 · logs no failure for an incomplete body")
  func brokenBody() async throws {
    try await TestServer.open(Self.listener) { room in
      for line in ["Content-Length: 100", "Transfer-Encoding: chunked"] {
        let text = Self.login(room, line) + "5\r\n{\"a\":"
        try await room.connection { _, outbound in
          try await outbound.write(ByteBuffer(string: text))
        }
      }
      #expect(
        await eventually {
          room.log.lines.count { $0.contains("the body breaks off") } == 2
        })
      #expect(room.log.alarms.isEmpty, "\(room.log.lines)")
    }
  }

  @Test("A9 · answers HEAD with headers only, directly followed by the next answer")
  func head() async throws {
    try await TestServer.open(Self.listener) { room in
      let host = "Host: 127.0.0.1:\(room.port)\r\n"
      for (path, status) in [
        ("/api/v1/health", 200), ("/api/v1/status", 401), ("/api/v1/nothing", 401),
      ] {
        let answer = try await room.sendRaw(
          "HEAD \(path) HTTP/1.1\r\n\(host)\r\n"
            + "GET /api/v1/health HTTP/1.1\r\n\(host)Connection: close\r\n\r\n")
        #expect(answer.status == status)
        #expect(answer.header("content-length").flatMap { Int($0) }.map { $0 > 0 } == true)
        #expect(answer.header("x-content-type-options") == "nosniff")
        #expect(answer.body.hasPrefix("HTTP/1.1 200"), "\(answer.text)")
      }
    }
  }

  /// Requests that cannot be read as HTTP, and what they are answered.
  enum Unreadable: String, CaseIterable, CustomTestStringConvertible {
    case noRequest, otherProtocol, secondRequest, proxyTarget, fieldName, twoLengths, method
    case longField, longTarget, manyFields, version

    var testDescription: String { rawValue }

    func text(_ host: String) -> String {
      let start = "GET /api/v1/health HTTP/1.1\r\nHost: \(host)\r\n"
      return switch self {
      case .noRequest: "nonsense\r\n\r\n"
      // How TLS begins.
      case .otherProtocol: "\u{16}\u{03}\u{01}\u{02}\u{00}\u{01}\r\n\r\n"
      case .secondRequest: "\(start)\r\nnonsense\r\n\r\n"
      case .proxyTarget: "GET http://\(host)/api/v1/health HTTP/1.1\r\nHost: \(host)\r\n\r\n"
      case .fieldName: "\(start)Bad Name: x\r\n\r\n"
      case .twoLengths: "\(start)Content-Length: 4\r\nContent-Length: 5\r\n\r\n"
      case .method: "FETCH /api/v1/health HTTP/1.1\r\nHost: \(host)\r\n\r\n"
      case .longField: "\(start)X: \(String(repeating: "x", count: 9000))\r\n\r\n"
      case .longTarget: "GET /\(String(repeating: "x", count: 20_000)) HTTP/1.1\r\n\r\n"
      case .manyFields:
        start + (0..<80).map { "X\($0): y\r\n" }.joined() + "\r\n"
      case .version: "GET /api/v1/health HTTP/2.0\r\nHost: \(host)\r\n\r\n"
      }
    }

    var statuses: [Int] {
      switch self {
      case .secondRequest: [200, 400]
      case .longField, .longTarget, .manyFields: [431]
      case .version: [505]
      default: [400]
      }
    }
  }

  @Test(
    "A9 · answers malformed HTTP once, with an error of the usual form",
    arguments: Unreadable.allCases)
  func unreadable(request: Unreadable) async throws {
    try await TestServer.open(Self.listener) { room in
      let answer = try await room.sendRaw(request.text("127.0.0.1:\(room.port)"))
      #expect(answer.statuses == request.statuses, "\(answer.text)")
      let start = try #require(answer.text.ranges(of: #/HTTP/1\.1 \d{3}/#).last)
      let refusal = RawAnswer(text: String(answer.text[start.lowerBound...]))
      #expect(refusal.json["error"]?["code"]?.string?.isEmpty == false)
      #expect(refusal.json["error"]?["message"]?.string?.isEmpty == false)
      #expect(refusal.json["error"]?["hint"]?.string?.isEmpty == false)
      #expect(refusal.header("content-type") == "application/json")
      #expect(refusal.header("content-length") == "\(refusal.body.utf8.count)")
      #expect(refusal.header("x-content-type-options") == "nosniff")
      #expect(refusal.headers("connection") == ["close"])
      #expect(room.log.alarms.isEmpty, "\(room.log.lines)")
    }
  }

  @Test("A9 · answers HEAD on every GET route with the same header fields and no body")
  func headOfRoutes() async throws {
    try await TestServer.open(Self.listener) { room in
      let owner = try await room.owner()
      let fields = ["Host: 127.0.0.1:\(room.port)", "Authorization: Bearer \(owner.token ?? "")"]
      let paths = room.routes.filter { $0.method == .get && $0.fullPath != "/api/v1/events" }.map {
        $0.fullPath.replacing("devices/{id}", with: "devices/lights").replacing("{id}", with: "x")
      }
      #expect(paths.count > 20)
      for path in paths {
        let whole = try await room.sendRaw(lines: ["GET \(path) HTTP/1.1"] + fields)
        let head = try await room.sendRaw(lines: ["HEAD \(path) HTTP/1.1"] + fields)
        #expect(head.status == whole.status, "\(path)")
        #expect(head.body.isEmpty, "\(path): \(head.text)")
        for name in ["content-length", "content-type", "cache-control", "x-frame-options"] {
          #expect(head.header(name) == whole.header(name), "\(path): \(name)")
        }
      }
      for path in ["/api/v1/watch", "/api/v1/nothing", "/api/v1/accounts/x/role"] {
        let head = try await room.sendRaw(lines: ["HEAD \(path) HTTP/1.1"] + fields)
        #expect(head.status == (path == "/api/v1/nothing" ? 404 : 405))
        #expect(head.body.isEmpty)
      }
    }
  }

  @Test("A9 · opens no stream for HEAD on the events")
  func headOfEvents() async throws {
    try await TestServer.open(Self.listener) { room in
      let token = try await room.owner().token ?? ""
      let host = "Host: 127.0.0.1:\(room.port)\r\n"
      let ask = "HEAD /api/v1/events HTTP/1.1\r\n\(host)Authorization: Bearer \(token)\r\n\r\n"
      // More often than there are places.
      let answer = try await room.sendRaw(
        String(repeating: ask, count: 20)
          + "GET /api/v1/health HTTP/1.1\r\n\(host)Connection: close\r\n\r\n")
      #expect(answer.status == 200)
      #expect(answer.header("content-type") == "text/event-stream")
      #expect(answer.header("content-length") == nil)
      #expect(answer.text.ranges(of: "HTTP/1.1 200").count == 21, "\(answer.text)")
      #expect(!answer.text.contains("\r\n0\r\n"), "\(answer.text)")
      #expect(answer.text.contains("pluginsUp"))
      #expect(room.streams.count == 0)
      let stranger = try await room.sendRaw(
        lines: ["HEAD /api/v1/events HTTP/1.1", "Host: 127.0.0.1:\(room.port)"])
      #expect(stranger.status == 401)
    }
  }

  @Test("A9 · answers a method that the path lacks with 405 and Allow, an unknown method with 501")
  func otherMethods() async throws {
    try await TestServer.open { room in
      let owner = try await room.owner()
      for method in [HTTPMethod.TRACE, .OPTIONS, .PATCH, .POST] {
        let answer = try await owner.send(method, "/api/v1/status")
        #expect(answer.status == 405, "\(method)")
        #expect(answer.header("allow") == "GET, HEAD")
        #expect(try await owner.send(method, "/api/v1/nothing").status == 404)
        #expect(try await room.stranger.send(method, "/api/v1/status").status == 401)
        #expect(try await room.stranger.send(method, "/api/v1/nothing").status == 401)
      }
      #expect(
        try await owner.send(.TRACE, "/api/v1/sessions").header("allow")
          == "DELETE, GET, HEAD, POST")
      for method in [HTTPMethod.PROPFIND, .LOCK, .MKCOL, .SOURCE] {
        for path in ["/api/v1/status", "/api/v1/nothing"] {
          let answer = try await owner.send(method, path)
          #expect(answer.status == 501, "\(method)")
          #expect(answer.json["error"]?["code"] == "notImplemented")
          #expect(try await room.stranger.send(method, path).status == 401)
        }
      }
      #expect(room.log.alarms.isEmpty, "\(room.log.lines)")
    }
  }
}
