import APIClient
import JSON
import NIOCore
import NIOHTTP1
import TestSupport
import Testing

@testable import WebServer

@Suite struct CookieTests {
  private static let listener = Listener.port(0, of: "127.0.0.1")

  private static func logIn(
    _ room: TestServer, password: String = TestServer.password, _ more: [String] = []
  ) async throws -> RawAnswer {
    try await room.sendRaw(
      lines: [
        "POST /api/v1/sessions HTTP/1.1", "Host: localhost:\(room.port)",
        "Content-Type: application/json",
      ] + more,
      body: #"{"email":"ann@example.org","password":"\#(password)","cookie":true}"#)
  }

  /// `name=value` of what an answer sets.
  private static func cookie(_ answer: RawAnswer) -> String {
    String(answer.header("set-cookie")?.split(separator: ";").first ?? "")
  }

  private static func ask(
    _ room: TestServer, _ line: String, _ more: String...
  ) async throws -> RawAnswer {
    try await room.sendRaw(lines: ["\(line) HTTP/1.1", "Host: localhost:\(room.port)"] + more)
  }

  @Test("A10 N-A3 · logs a page in and out with a cookie that scripts cannot read")
  func wholeVisit() async throws {
    try await TestServer.open(Self.listener) { room in
      _ = try await room.owner()
      let page = ["Origin: http://localhost:\(room.port)", "X-Theater: 1"]
      let answer = try await Self.logIn(room, page)
      #expect(answer.status == 201)
      #expect(!answer.body.contains("token"))
      let set = try #require(answer.header("set-cookie"))
      #expect(set.hasPrefix("theater="))
      for attribute in ["; Path=/", "; HttpOnly", "; SameSite=Strict", "; Max-Age=2592000"] {
        #expect(set.contains(attribute))
      }
      #expect(!set.contains("Domain") && !set.contains("Secure"))
      let cookie = "Cookie: other=1; \(Self.cookie(answer)); more=2"
      let status = try await Self.ask(room, "GET /api/v1/sessions/current", cookie)
      #expect(status.status == 200)
      #expect(status.body.contains("ann@example.org"))
      let out = try await Self.ask(
        room, "DELETE /api/v1/sessions/current", cookie, "X-Theater: 1", page[0])
      #expect(out.status == 204)
      #expect(out.header("set-cookie")?.contains("Max-Age=0") == true)
      #expect(out.header("clear-site-data") == "\"cache\", \"storage\"")
      #expect(try await Self.ask(room, "GET /api/v1/status", cookie).status == 401)
    }
  }

  /// The cookie by which a browser that has logged in is recognised: `theater-device=…`.
  private static func device(_ answer: RawAnswer) -> String? {
    answer.headers("set-cookie").first { $0.hasPrefix("theater-device=") }
      .flatMap { $0.split(separator: ";").first.map(String.init) }
  }

  @Test("keeps a device cookie in the browser beyond the session")
  func knownDevice() async throws {
    try await TestServer.open(Self.listener) { room in
      _ = try await room.owner()
      let answer = try await Self.logIn(room)
      #expect(answer.headers("set-cookie").count == 2)
      #expect(!answer.body.contains("\"device\""))
      let set = try #require(
        answer.headers("set-cookie").first { $0.hasPrefix("theater-device=") })
      for attribute in ["; Path=/", "; HttpOnly", "; SameSite=Strict", "; Max-Age=34560000"] {
        #expect(set.contains(attribute))
      }
      #expect(!set.contains("Domain") && !set.contains("Secure"))
      let device = try #require(Self.device(answer))
      // It opens nothing.
      let token = device.dropFirst("theater-device=".count)
      for line in ["Cookie: \(device)", "Cookie: theater=\(token)"] {
        #expect(try await Self.ask(room, "GET /api/v1/status", line).status == 401)
      }
      let out = try await Self.ask(
        room, "DELETE /api/v1/sessions/current", "Cookie: \(device); \(Self.cookie(answer))",
        "X-Theater: 1")
      #expect(out.status == 204)
      #expect(out.headers("set-cookie").allSatisfy { $0.hasPrefix("theater=;") })
    }
  }

  @Test(
    "exempts known browsers from the delays that failed logins of others cause")
  func knownDevicePasses() async throws {
    try await TestServer.open(Self.listener) { room in
      _ = try await room.owner()
      let device = try #require(Self.device(try await Self.logIn(room)))
      for _ in 0..<5 { _ = try await Self.logIn(room, password: "a guess of a stranger") }
      let page = "X-Theater: 1"
      let stranger = try await Self.logIn(room, [page])
      #expect(stranger.status == 429)
      #expect(stranger.header("set-cookie") == nil)
      for planted in ["theater-device=x", "\(device); \(device)", "__Host-\(device)"] {
        #expect(try await Self.logIn(room, [page, "Cookie: \(planted)"]).status == 429)
      }
      let known = try await Self.logIn(room, [page, "Cookie: \(device)"])
      #expect(known.status == 201)
      #expect(Self.device(known) == device)
      // A program's header says the same.
      let token = device.dropFirst("theater-device=".count)
      #expect(try await Self.logIn(room, ["Theater-Device: \(token)"]).status == 201)
    }
  }

  @Test("F5 · refuses a login by another site's form or script")
  func foreignLogin() async throws {
    try await TestServer.open(Self.listener) { room in
      _ = try await room.owner()
      for more in [
        ["Origin: http://evil.example"], ["Sec-Fetch-Site: cross-site"],
        ["Origin: http://localhost:\(room.port)"], ["Cookie: other=1"],
      ] {
        let answer = try await Self.logIn(room, more)
        #expect(answer.status == 403)
        #expect(answer.header("set-cookie") == nil)
      }
    }
  }

  @Test("F5 · rejects two cookies of the same name")
  func plantedCookie() async throws {
    try await TestServer.open(Self.listener) { room in
      let token = try await room.owner().token ?? ""
      #expect(
        try await Self.ask(room, "GET /api/v1/status", "Cookie: theater=\(token)").status == 200)
      for lines in [
        ["Cookie: theater=\(token); theater=x"], ["Cookie: theater=x; theater=\(token)"],
        ["Cookie: theater=\(token)", "Cookie: theater=x"], ["Cookie: theater="],
        ["Cookie: Theater=\(token)"], ["Cookie: xtheater=\(token)"],
        ["Cookie: __Host-theater=\(token)"], ["Cookie: theater=\"\(token)\""],
      ] {
        let answer = try await room.sendRaw(
          lines: ["GET /api/v1/status HTTP/1.1", "Host: localhost:\(room.port)"] + lines)
        #expect(answer.status == 401, "\(lines)")
      }
    }
  }

  @Test("F5 · prefers the Authorization header to the cookie, even if its token is wrong")
  func tokenFirst() async throws {
    try await TestServer.open(Self.listener) { room in
      let token = try await room.owner().token ?? ""
      let answer = try await Self.ask(
        room, "GET /api/v1/status", "Cookie: theater=\(token)", "Authorization: Bearer wrong")
      #expect(answer.status == 401)
    }
  }

  @Test("F5 · neither sets nor reads cookies on the Unix socket")
  func noBrowserThere() async throws {
    try await TestServer.open { room in
      let token = try await room.owner().token ?? ""
      let refusal = try await room.stranger.send(
        .POST, "/api/v1/sessions",
        ["email": "ann@example.org", "password": .string(TestServer.password), "cookie": true])
      #expect(refusal.status == 422)
      let answer = try await room.stranger.send(
        .GET, "/api/v1/status", headers: ["cookie": "theater=\(token)"])
      #expect(answer.status == 401)
      // A program keeps what makes it known itself.
      let login = try await room.stranger.send(
        .POST, "/api/v1/sessions",
        ["email": "ann@example.org", "password": .string(TestServer.password)])
      #expect(login.json["device"] != nil)
      #expect(login.header("set-cookie") == nil)
    }
  }

  @Test("F5 · opens a page's event stream with its cookie")
  func events() async throws {
    try await TestServer.open(Self.listener) { room in
      let token = try await room.owner().token ?? ""
      try await room.connection { inbound, outbound in
        let lines = [
          "GET /api/v1/events HTTP/1.1", "Host: localhost:\(room.port)", "Cookie: theater=\(token)",
          "Sec-Fetch-Site: same-origin", "Accept: text/event-stream", "", "",
        ]
        try await outbound.write(.init(string: lines.joined(separator: "\r\n")))
        var text = ""
        for try await part in inbound {
          text += String(buffer: part)
          if text.contains("event: snapshot") { break }
        }
        #expect(text.hasPrefix("HTTP/1.1 200 "))
      }
    }
  }
}
