import Accounts
import JSON
import NIOHTTP1
import Testing
import Validation
import WebRemote

@Suite struct ValidationRouteTests {
  @Test("C1 C2 · strangers are served the rules that registering keeps, with their version")
  func rules() async throws {
    try await LivingRoom.open { (room) async throws in
      let answer = try await room.stranger.send(.GET, "/api/validation")
      #expect(answer.status == 200)
      #expect(answer.json["format"]?.integer == RuleSet.format)
      let rules = try RuleSet(#require(answer.json["rules"]))
      #expect(rules == room.gate.rules)
      #expect(rules.version == 1)

      let refused = rules.report(on: "passwordpassword", in: .password)
      let code = try #require(try await room.gate.open()).text
      let registering = try await room.stranger.send(
        .POST, "/api/accounts",
        [
          "setupCode": .string(code), "name": "Anna", "email": "anna@example.org",
          "password": "passwordpassword",
        ])
      #expect(registering.status == 422)
      #expect(registering.json["error"]?["field"] == "password")
      #expect(registering.json["error"]?["hint"]?.string == refused.firstMessage)
    }
  }

  @Test("C1 C6 · the blocklist that a page needs to give the same answers is served too")
  func blocklist() async throws {
    try await LivingRoom.open { (room) async throws in
      let answer = try await room.stranger.send(.GET, "/api/validation/blocklist")
      let entries = try #require(answer.json["entries"]?.array).compactMap(\.string)
      #expect(entries == Blocklist.entries.map { String($0) })
    }
  }
}
