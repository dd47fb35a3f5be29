import APIClient
import Accounts
import JSON
import NIOHTTP1
import Testing
import Validation
import WebServer

@Suite struct ValidationRouteTests {
  @Test("C1 C2 · serves the validation rules and their version without a session")
  func rules() async throws {
    try await TestServer.open { (room) async throws in
      let answer = try await room.stranger.send(.GET, "/api/v1/validation")
      #expect(answer.status == 200)
      #expect(answer.json["format"]?.integer == RuleSet.format)
      let rules = try RuleSet(#require(answer.json["rules"]))
      #expect(rules == room.accountService.rules)
      #expect(rules.version == 1)

      let refused = rules.report(on: "passwordpassword", in: .password)
      let code = try #require(try await room.accountService.open()).text
      let registering = try await room.stranger.send(
        .POST, "/api/v1/accounts",
        [
          "setupCode": .string(code), "name": "Anna", "email": "anna@example.org",
          "password": "passwordpassword",
        ])
      #expect(registering.status == 422)
      #expect(registering.json["error"]?["field"] == "password")
      #expect(registering.json["error"]?["hint"]?.string == refused.firstMessage)
    }
  }

  @Test("B5 · serves the forms of accounts, with kinds and groups")
  func forms() async throws {
    try await TestServer.open { (room) async throws in
      let forms = try await room.stranger.send(.GET, "/api/v1/validation").json["forms"]
      #expect(
        forms?.array?.compactMap { $0["name"]?.string }
          == ["registration", "contacts", "accessToken"])
      let registration = forms?.array?.first
      #expect(registration?["fields"]?.array?.last?["kind"] == "toggle")
      let contacts = forms?.array?.dropFirst().first
      #expect(
        contacts?["groups"]?.array?.last
          == ["name": "sendCode", "fields": ["phone"], "controls": ["sendCode"]])
      let days: JSON = ["number": ["from": 1, "to": 730]]
      #expect(forms?.array?.last?["fields"]?.array?.last?["kind"] == days)
    }
  }

  @Test("tells an entrance whether the first owner is awaited, and how codes are sent")
  func entrance() async throws {
    try await TestServer.open { (room) async throws in
      func health() async throws -> JSON {
        try await room.stranger.send(.GET, "/api/v1/health").json
      }
      _ = try await room.accountService.open()
      #expect(try await health()["needsOwner"] == true)
      _ = try await room.owner()
      #expect(try await health()["needsOwner"] == false)
      #expect(
        try await health()["delivers"]
          == .array(room.accountService.channels.map { .string($0.key) }))
    }
  }

  @Test("C8 E7 · tells whether an address is free only to the holder of a valid code")
  func answers() async throws {
    try await TestServer.open { (room) async throws in
      let code = try #require(try await room.accountService.open()).text
      func ask(_ body: JSON) async throws -> ControllerResponse {
        try await room.stranger.send(.POST, "/api/v1/validation/answers", body)
      }
      func free(_ email: String, _ code: String, _ kind: String = "invitation") async throws
        -> ControllerResponse
      {
        try await ask([
          "question": "emailFree", "text": .string(email), kind: .string(code),
        ])
      }
      #expect(try await free("ann@example.org", code, "setupCode").json["answer"] == true)
      let owner = try await room.owner()
      let closed = try await free("ann@example.org", code, "setupCode")
      #expect(closed.status == 409 && closed.json["error"]?["code"] == "setupClosed")

      let invitation = try #require(
        try await owner.send(.POST, "/api/v1/invitations").json["code"]?.string)
      for (email, isFree) in [
        ("ann@example.org", false), ("ANN@example.org", false), ("ben@example.org", true),
      ] {
        #expect(try await free(email, invitation).json["answer"]?.bool == isFree, "\(email)")
      }
      // The code stays good, and without one known and unknown addresses are answered alike.
      let known = try await free("ann@example.org", "AAAA-AAAA-AAAA-AAAA-AAAA")
      let unknown = try await free("ben@example.org", "AAAA-AAAA-AAAA-AAAA-AAAA")
      #expect(known.status == 403 && unknown.status == 403 && known.body == unknown.body)
      #expect(try await free("nonsense", invitation).status == 422)
      #expect(
        try await ask([
          "question": "weather", "text": "x", "invitation": .string(invitation),
        ]).status == 422)
      #expect(try await ask(["question": "emailFree", "text": "ann@example.org"]).status == 422)
      let registered = try await room.stranger.send(
        .POST, "/api/v1/accounts",
        [
          "invitation": .string(invitation), "name": "Ben", "email": "ben@example.org",
          "password": .string(TestServer.password),
        ])
      #expect(registered.status == 201)
      #expect(
        try await free("eve@example.org", invitation).json["error"]?["code"] == "codeInvalid")
    }
  }

  @Test("C1 C6 · serves the password blocklist without a session")
  func blocklist() async throws {
    try await TestServer.open { (room) async throws in
      let answer = try await room.stranger.send(.GET, "/api/v1/validation/blocklist")
      let entries = try #require(answer.json["entries"]?.array).compactMap(\.string)
      #expect(entries == Blocklist.entries.map { String($0) })
    }
  }
}
