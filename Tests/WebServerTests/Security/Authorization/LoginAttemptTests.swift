import APIClient
import AccountTestSupport
import Accounts
import Foundation
import JSON
import NIOHTTP1
import TestSupport
import Testing
import WebServer

/// The limits on login attempts from the network, at the listener.
@Suite struct LoginAttemptTests {
  private static let listener = Listener.port(0, of: "127.0.0.1")

  @Test("answers repeated wrong passwords with 429 and the wait, for that source only")
  func presentPassword() async throws {
    try await TestServer.open(Self.listener) { room in
      let owner = try await room.owner()
      let thief = NetworkClient(room: room, address: "127.0.0.2", token: owner.token)
      let guess: JSON = [
        "password": "not the right one", "newPassword": "another evening with friends",
      ]
      let removal: JSON = ["password": "not the right one"]
      for _ in 0..<2 {
        #expect(try await thief.post("/api/v1/account/password", guess).status == 401)
        let removed = try await thief.post("/api/v1/account/second-factor/removal", removal)
        #expect(removed.status == 401)
      }
      #expect(try await thief.post("/api/v1/account/password", guess).status == 401)
      for (path, body) in [
        ("/api/v1/account/password", guess), ("/api/v1/account/second-factor/removal", removal),
        ("/api/v1/sessions/current/proof", removal),
      ] {
        let waiting = try await thief.post(path, body)
        #expect(waiting.status == 429, "\(path)")
        #expect(waiting.json["error"]?["code"] == "tooManyTries")
        #expect(waiting.header("retry-after") == "1")
      }
      room.accountClock.advance(1)
      #expect(try await thief.post("/api/v1/account/password", guess).status == 401)
      let longer = try await thief.post("/api/v1/account/password", guess)
      #expect(longer.header("retry-after") == "2")
      // The person at the machine does not wait, and is told of the change.
      let changed = try await owner.send(
        .POST, "/api/v1/account/password",
        [
          "password": .string(TestServer.password), "newPassword": "another evening with friends",
        ])
      #expect(changed.status == 204)
      #expect(room.sentMessages.messages.last?.destination.text == "ann@example.org")
      #expect(room.sentMessages.messages.last?.text.contains("was changed") == true)
    }
  }

  @Test("limits wrong codes for each source, but not for known devices")
  func codes() async throws {
    try await TestServer.open(Self.listener) { room in
      _ = try await room.owner()
      let login = try await room.stranger.send(
        .POST, "/api/v1/sessions",
        ["email": "ann@example.org", "password": .string(TestServer.password)])
      let guess: JSON = [
        "request": .string(String(repeating: "0", count: 32)), "code": "123456",
        "newPassword": "another evening with friends",
      ]
      var stranger = NetworkClient(room: room, address: "127.0.0.2")
      let path = "/api/v1/password-resets/confirmation"
      for _ in 0..<30 { #expect(try await stranger.post(path, guess).status == 403) }
      let waiting = try await stranger.post(path, guess)
      #expect(waiting.status == 429)
      #expect(waiting.header("retry-after") == "1")
      let other = NetworkClient(room: room, address: "127.0.0.3")
      #expect(try await other.post(path, guess).status == 403)
      stranger.device = login.json["device"]?.string
      #expect(try await stranger.post(path, guess).status == 403)
    }
  }

  @Test("limits codes for each source, so that others can still request one")
  func sends() async throws {
    try await TestServer.open(Self.listener) { room in
      let owner = try await room.owner()
      let verification = try await owner.send(.POST, "/api/v1/account/email")
      let confirmed = try await owner.send(
        .POST, "/api/v1/account/email/confirmation",
        [
          "request": verification.json["request"] ?? .null,
          "code": .string(try #require(room.sentMessages.code)),
        ])
      #expect(confirmed.status == 200)
      let login = try await room.stranger.send(
        .POST, "/api/v1/sessions",
        ["email": "ann@example.org", "password": .string(TestServer.password)])

      var stranger = NetworkClient(room: room, address: "127.0.0.2")
      let ann: JSON = ["email": "ann@example.org"]
      let path = "/api/v1/password-resets"
      #expect(try await stranger.post(path, ann).status == 202)
      #expect(try await stranger.post(path, ann).status == 429)
      for person in 1..<30 {
        let body: JSON = ["email": .string("person\(person)@example.org")]
        #expect(try await stranger.post(path, body).status == 202)
      }
      // This source gets no more codes, whichever account it asks for.
      for body in [["email": "nobody@example.org"], ann] as [JSON] {
        let refused = try await stranger.post(path, body)
        #expect(refused.status == 429)
        #expect(refused.json["error"]?["code"] == "tooEarly")
        #expect(refused.header("retry-after") == "3600")
      }
      let sent = room.sentMessages.messages.count
      #expect(
        try await NetworkClient(room: room, address: "127.0.0.3").post(path, ann).status == 202)
      #expect(try await room.stranger.send(.POST, path, ann).status == 202)
      stranger.device = login.json["device"]?.string
      #expect(try await stranger.post(path, ann).status == 202)
      #expect(room.sentMessages.messages.count == sent + 3)
    }
  }

  @Test(
    "records the user of requests through the socket, not of those through the port")
  func origins() async throws {
    try await TestServer.open(Self.listener) { room in
      let owner = try await room.owner()
      _ = try await NetworkClient(room: room, address: "127.0.0.2").post(
        "/api/v1/sessions", ["email": "ann@example.org", "password": "not the right one"])
      let entries = try await owner.send(.GET, "/api/v1/audit").json["entries"]?.array ?? []
      #expect(entries.first?["address"] == .string("local (uid \(getuid()))"))
      #expect(entries.last?["address"] == "127.0.0.2")
    }
  }
}
