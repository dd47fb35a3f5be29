import APIClient
import JSON
import NIOCore
import TestSupport
import Testing

@testable import WebServer

/// Whether a connection goes on after an answer, and whether a body comes before one.
@Suite(.timeLimit(.minutes(1))) struct PersistenceTests {
  private static func listener() -> Listener {
    var limits = ConnectionLimits.standard
    // The answer ends a connection here, not the idle time.
    limits.idle = .hours(1)
    limits.body = .hours(1)
    return .port(0, of: "127.0.0.1", limits: limits)
  }

  private static func host(_ room: TestServer) -> String { "Host: 127.0.0.1:\(room.port)\r\n" }

  /// A login of which the body is still to come.
  private static func login(_ room: TestServer, _ body: String, _ lines: String) -> String {
    "POST /api/v1/sessions HTTP/1.1\r\n\(host(room))Content-Type: application/json\r\n"
      + "Content-Length: \(body.utf8.count)\r\n\(lines)\r\n"
  }

  @Test(
    "F5 · ends the connection after an answer to HTTP/1.0",
    arguments: ["", "Connection: keep-alive\r\n"])
  func old(line: String) async throws {
    try await TestServer.open(Self.listener()) { room in
      let answer = try await room.sendRaw(
        "GET /api/v1/health HTTP/1.0\r\n\(Self.host(room))\(line)\r\n")
      #expect(answer.text.hasPrefix("HTTP/1.0 200 OK\r\n"), "\(answer.text)")
      #expect(answer.headers("connection") == ["close"])
      #expect(answer.body.contains("pluginsUp"))
      let refusal = try await room.sendRaw("GET /api/v1/status HTTP/1.0\r\n\(Self.host(room))\r\n")
      #expect(refusal.text.hasPrefix("HTTP/1.0 401 "), "\(refusal.text)")
    }
  }

  @Test("F5 · streams events to HTTP/1.0 without chunks")
  func oldEvents() async throws {
    try await TestServer.open(Self.listener()) { room in
      let token = try await room.owner().token ?? ""
      try await room.connection { inbound, outbound in
        try await outbound.write(
          ByteBuffer(
            string: "GET /api/v1/events HTTP/1.0\r\n\(Self.host(room))"
              + "Authorization: Bearer \(token)\r\n\r\n"))
        var text = ""
        for try await part in inbound {
          text += String(buffer: part)
          if text.contains("\n\n") { break }
        }
        let answer = RawAnswer(text: text)
        #expect(answer.header("transfer-encoding") == nil, "\(text)")
        #expect(answer.body.hasPrefix("id: ") || answer.body.hasPrefix(":"), "\(text)")
      }
    }
  }

  @Test(
    "F5 · closes the connection on request, however it is spelt, and ignores what follows",
    arguments: ["close", "Close", "keep-alive, CLOSE", "close\r\nConnection: TE"])
  func close(value: String) async throws {
    try await TestServer.open(Self.listener()) { room in
      let ask = "GET /api/v1/health HTTP/1.1\r\n\(Self.host(room))"
      let answer = try await room.sendRaw("\(ask)Connection: \(value)\r\n\r\n\(ask)\r\n")
      #expect(answer.status == 200)
      #expect(answer.headers("connection") == ["close"])
      #expect(answer.text.ranges(of: "HTTP/1.1 ").count == 1, "\(answer.text)")
    }
  }

  @Test("F5 · keeps a connection open after an answer")
  func goesOn() async throws {
    try await TestServer.open(Self.listener()) { room in
      let ask = "GET /api/v1/health HTTP/1.1\r\n\(Self.host(room))"
      let answer = try await room.sendRaw("\(ask)\r\n\(ask)\r\n\(ask)Connection: close\r\n\r\n")
      #expect(answer.headers("connection") == [])
      #expect(answer.text.ranges(of: "HTTP/1.1 200").count == 3, "\(answer.text)")
    }
  }

  @Test("F5 · sends 100 before it reads a body that it accepts")
  func wanted() async throws {
    try await TestServer.open(Self.listener()) { room in
      _ = try await room.owner()
      let body = #"{"email": "ann@example.org", "password": "\#(TestServer.password)"}"#
      let answer = try await room.rawExpectingContinue(
        head: Self.login(room, body, "Expect: 100-Continue\r\n"), body: body)
      #expect(answer.statuses == [100, 201] && answer.text.contains("token"), "\(answer.text)")
    }
  }

  /// Requests whose bodies are refused before they come.
  enum Unwanted: String, CaseIterable {
    case stranger = "POST /api/v1/activities/film HTTP/1.1\r\nContent-Length: 20\r\n"
    case nowhere = "POST /api/v1/nothing HTTP/1.1\r\nContent-Length: 20\r\n"
    case foreign =
      "POST /api/v1/sessions HTTP/1.1\r\nOrigin: http://evil.test\r\nContent-Length: 20\r\n"
    case large = """
      POST /api/v1/sessions HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: 70000\r\n
      """
    case noJSON =
      "POST /api/v1/sessions HTTP/1.1\r\nContent-Type: text/plain\r\nContent-Length: 20\r\n"
    case untypedChunks = "POST /api/v1/sessions HTTP/1.1\r\nTransfer-Encoding: chunked\r\n"

    var status: Int {
      switch self {
      case .stranger, .nowhere: 401
      case .foreign: 403
      case .large: 413
      case .noJSON, .untypedChunks: 415
      }
    }
  }

  @Test(
    "F5 · refuses a body before it is sent, and never reads it as another request",
    arguments: Unwanted.allCases)
  func unwanted(request: Unwanted) async throws {
    try await TestServer.open(Self.listener()) { room in
      // After a refusal the server could not tell a body from another request.
      let answer = try await room.sendRaw(
        "\(request.rawValue)\(Self.host(room))Expect: 100-continue\r\n\r\n")
      #expect(answer.status == request.status, "\(answer.text)")
      #expect(answer.headers("connection") == ["close"])
      #expect(answer.text.ranges(of: "HTTP/1.1 ").count == 1, "\(answer.text)")
    }
  }

  @Test("F5 · sends no 100 to HTTP/1.0")
  func oldExpectation() async throws {
    try await TestServer.open(Self.listener()) { room in
      let answer = try await room.sendRaw(
        "POST /api/v1/sessions HTTP/1.0\r\n\(Self.host(room))Content-Type: application/json\r\n"
          + "Content-Length: 2\r\nExpect: 100-continue\r\n\r\n{}")
      #expect(answer.text.hasPrefix("HTTP/1.0 422 "), "\(answer.text)")
    }
  }

  @Test("F5 · answers curl over HTTP/1.0 and after 100")
  func curl() async throws {
    try await TestServer.open(Self.listener()) { room in
      let url = "http://127.0.0.1:\(room.port)/api/v1"
      let old = try await Program.tool(
        "curl", "-sS", "--max-time", "20", "--http1.0", "-w", " %{http_version}", "\(url)/health")
      #expect(old.status == 0 && old.output.hasSuffix("} 1"), "\(old.output)\(old.errors)")
      // Without an answer to its expectation curl would wait for as long as it may.
      let login = try await Program.tool(
        "curl", "-sS", "--max-time", "20", "--expect100-timeout", "3600", "-H",
        "Expect: 100-continue", "-H", "Content-Type: application/json", "-d",
        #"{"email": "ann@example.org", "password": "wrong"}"#, "\(url)/sessions")
      #expect(login.output.contains("wrongCredentials"), "\(login.output)\(login.errors)")
      let refused = try await Program.tool(
        "curl", "-sS", "--max-time", "20", "--expect100-timeout", "3600", "-H",
        "Expect: 100-continue", "-d", "x", "-w", " %{http_code} %{size_upload}", "\(url)/sessions")
      #expect(refused.output.hasSuffix(" 415 0"), "\(refused.output)\(refused.errors)")
    }
  }
}
