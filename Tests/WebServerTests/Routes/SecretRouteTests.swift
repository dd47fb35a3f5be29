import APIClient
import AccountTestSupport
import JSON
import NIOHTTP1
import TestSupport
import Testing
import WebServer

@Suite(.timeLimit(.minutes(2))) struct SecretRouteTests {
  private static let path = "/api/v1/secrets/projector"
  private static let body: JSON = ["text": "caramel corn"]

  @Test("F5 F6 · an owner saves a secret, which neither an answer nor a log nor an event shows")
  func save() async throws {
    try await TestServer.open { room in
      let owner = try await room.owner()
      #expect(try await owner.send(.PUT, Self.path, Self.body).status == 204)
      #expect(room.secrets.texts == ["projector": "caramel corn"])
      let audit = try await owner.send(.GET, "/api/v1/audit").json
      let entry = audit["entries"]?.array?.first { $0["deed"] == "secretSaved" }
      #expect(entry?["subject"] == "projector")
      let status = try await owner.send(.GET, "/api/v1/status").json
      for text in [audit.text(), status.text()] + room.log.lines {
        #expect(!text.contains("caramel"))
      }
      // There is no way to read it.
      #expect(try await owner.send(.GET, Self.path).status == 405)
    }
  }

  @Test("F5 F6 · only an owner with a fresh proof saves a secret")
  func permissions() async throws {
    try await TestServer.open { room in
      let owner = try await room.owner()
      let member = try await room.member(invitedBy: owner)
      for (client, status) in [(room.stranger, 401), (member, 403)] {
        #expect(try await client.send(.PUT, Self.path, Self.body).status == status)
      }
      room.accountClock.advance(6 * 60)
      let refused = try await owner.send(.PUT, Self.path, Self.body)
      #expect(refused.status == 403 && refused.json["error"]?["code"] == "proofNeeded")
      #expect(room.secrets.texts.isEmpty)
    }
  }

  @Test(
    "F5 · refuses a secret without a text, and one that cannot be written, without repeating it",
    arguments: [
      ("projector", [:], 422), ("projector", ["text": ""], 422), ("projector", ["text": 7], 422),
      ("projector", ["text": .string(String(repeating: "x", count: 1001))], 422),
      ("refused", ["text": "caramel corn"], 409),
    ] as [(String, JSON, Int)])
  func refused(name: String, body: JSON, status: Int) async throws {
    try await TestServer.open { room in
      let answer = try await room.owner().send(.PUT, "/api/v1/secrets/\(name)", body)
      #expect(answer.status == status)
      #expect(answer.json["error"]?["message"]?.string?.contains("caramel") == false)
      #expect(room.secrets.texts.isEmpty)
    }
  }
}
