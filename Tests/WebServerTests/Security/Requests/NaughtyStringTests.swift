import APIClient
import Foundation
import JSON
import NIOHTTP1
import TestSupport
import Testing
import WebServer

/// Kinds of text that break programs, in every field of a form: each is kept and shown as it was
/// typed, or refused with a message.
@Suite struct NaughtyStringTests {
  static let kinds: [(String, String)] = [
    ("nothing", ""), ("white space", " \t\u{A0}\u{3000}"), ("NUL", "a\0b"),
    ("control characters", "\u{1}\u{8}\u{1B}[31m\u{7F}"), ("line ends", "a\r\nb\u{2028}c\u{85}d"),
    ("right to left", "مرحبا שלום"), ("turned around", "abc\u{202E}txt.exe"),
    ("isolates", "\u{2066}\u{2067}\u{2068}x\u{2069}"), ("zero width", "a\u{200B}\u{200D}\u{FEFF}b"),
    ("only zero width", "\u{200B}\u{2060}"),
    ("many marks", "a" + String(repeating: "\u{301}", count: 30)),
    ("too many marks", "a" + String(repeating: "\u{301}", count: 31)),
    ("composed and not", "Ame\u{301}lie Amélie"), ("emoji", "👩‍👩‍👧‍👦🏳️‍🌈🇨🇭"),
    ("beyond the first plane", "𠜎𝕬\u{10FFFF}"), ("not a character", "\u{FFFE}\u{FFFF}"),
    ("wide and narrow", "ＡＢＣ①ﬃ"), ("dotless i", "İıſK"),
    ("SQL", "'; DROP TABLE account; --"), ("SQL with quotes", "\" OR \"\"=\"' OR 1=1 --"),
    ("script", "<script>alert(1)</script><img src=x onerror=alert(1)>"),
    ("template", "{{7*7}} ${7*7} #{7*7} <%= 7 %>"), ("shell", "$(touch /tmp/x) `id` | rm; &"),
    ("format", "%s%n%d %@ \\u0000 \\x00"), ("path", "../../etc/passwd\\..\\.."),
    ("JSON", "{\"role\":\"owner\"}"), ("words", "null"), ("not a number", "NaN -0 1e999"),
    ("header", "a\r\nSet-Cookie: x=1"), ("two addresses", "ann@example.org,eve@example.org"),
    ("an address in quotes", "\"a b\"@example.org"),
    ("long", String(repeating: "x", count: 20_000)),
    ("long and wide", String(repeating: "漢", count: 10_000)),
  ]

  /// Expects no internal error, and a message for the person.
  private func expectClear(_ answer: ControllerResponse, _ what: String) {
    #expect(answer.status < 500, "\(what): \(answer.status)")
    if !answer.isSuccess {
      #expect(answer.json["error"]?["message"]?.string?.isEmpty == false, "\(what)")
    }
  }

  /// No field is looked at of a body that is not stream-safe.
  private func expectRefusal(_ answer: ControllerResponse, of field: String, _ text: String) {
    let isRead = text.isStreamSafe
    #expect(answer.status == (isRead ? 422 : 400))
    #expect(answer.json["error"]?["field"]?.string == (isRead ? field : nil))
    #expect(isRead || answer.json["error"]?["code"] == "malformed")
  }

  @Test("E7 · stores hostile names as typed or refuses them with a message", arguments: kinds)
  func names(kind: String, text: String) async throws {
    try await TestServer.open { (room) async throws in
      let owner = try await room.owner()
      let code = try await owner.send(.POST, "/api/v1/invitations").json["code"] ?? .null
      let answer = try await room.stranger.send(
        .POST, "/api/v1/accounts",
        [
          "invitation": code, "name": .string(text), "email": "ben@example.org",
          "password": .string(TestServer.password),
        ])
      expectClear(answer, kind)
      guard answer.isSuccess else { return expectRefusal(answer, of: "name", text) }
      let shown = try await room.logIn("ben@example.org").send(.GET, "/api/v1/sessions/current")
      let name = shown.json["user"]?["name"]?.string
      // Unicode form C, without white space around it: to the eye the same.
      #expect(name == text.trimmingCharacters(in: .whitespacesAndNewlines))
    }
  }

  @Test("E1 · uses hostile passwords whole or refuses them with a message", arguments: kinds)
  func passwords(kind: String, text: String) async throws {
    try await TestServer.open { (room) async throws in
      let owner = try await room.owner()
      let code = try await owner.send(.POST, "/api/v1/invitations").json["code"] ?? .null
      // Long enough for the rule, and different from all others in its end alone.
      let password = "correct horse battery " + text
      let answer = try await room.stranger.send(
        .POST, "/api/v1/accounts",
        [
          "invitation": code, "name": "Ben", "email": "ben@example.org",
          "password": .string(password),
        ])
      expectClear(answer, kind)
      guard answer.isSuccess else { return expectRefusal(answer, of: "password", text) }
      func logIn(_ password: String) async throws -> Int {
        try await room.stranger.send(
          .POST, "/api/v1/sessions", ["email": "ben@example.org", "password": .string(password)]
        ).status
      }
      #expect(try await logIn(password) == 201)
      #expect(try await logIn(password + "x") == 401)
    }
  }

  @Test(
    "E1 A8 · refuses hostile e-mail addresses at login and registration with a message",
    arguments: kinds)
  func addresses(kind: String, text: String) async throws {
    try await TestServer.open { (room) async throws in
      let owner = try await room.owner()
      let code = try await owner.send(.POST, "/api/v1/invitations").json["code"] ?? .null
      for email in [text, text + "@example.org", "ben@" + text] {
        let registration = try await room.stranger.send(
          .POST, "/api/v1/accounts",
          [
            "invitation": code, "name": "Ben", "email": .string(email),
            "password": .string(TestServer.password),
          ])
        expectClear(registration, kind)
        let login = try await room.stranger.send(
          .POST, "/api/v1/sessions",
          ["email": .string(email), "password": .string(TestServer.password)])
        expectClear(login, kind)
        // An unusual address that is one may have registered; then it may also log in.
        #expect(login.isSuccess == registration.isSuccess, "\(kind)")
        if registration.isSuccess { return }
      }
    }
  }

  @Test("E7 · refuses 100 KiB in any field without reading it")
  func oversizedFields() async throws {
    try await TestServer.open { (room) async throws in
      _ = try await room.owner()
      let long = JSON.string(String(repeating: "x", count: 100 << 10))
      for field in ["name", "email", "password", "invitation"] {
        var body: JSONObject = [
          "invitation": "0000-0000-0000-0000-0000", "name": "Ben", "email": "ben@example.org",
          "password": .string(TestServer.password),
        ]
        body[field] = long
        let answer = try await room.stranger.send(.POST, "/api/v1/accounts", .object(body))
        #expect(answer.status == 413)
        expectClear(answer, field)
      }
    }
  }
}
