import APIClient
import AccountTestSupport
import Accounts
import JSON
import NIOHTTP1
import TestSupport
import Testing
import WebServer

/// What an owner's session may change at the controller without a fresh proof: an unattended phone, or a stolen token.
@Suite(.timeLimit(.minutes(2))) struct FreshProofTests {
  private static let swap = "/api/v1/devices/amp/plugin"

  @Test(
    "F5 F6 · every swap but one to Simulated needs a fresh proof, saved or not",
    arguments: [
      ["plugin": "ALSAAmplifier"],
      ["plugin": "ALSAAmplifier", "options": [:]],
      ["plugin": "ALSAAmplifier", "options": ["device": "default"]],
      ["plugin": "ALSAAmplifier", "process": "second"],
      ["plugin": "ALSAAmplifier", "save": false],
      ["plugin": "ALSAAmplifier", "save": true],
      ["plugin": "MpvPlayer", "options": ["folders": ["/"]]],
      ["plugin": "simulated"], ["plugin": "Simulated "], ["plugin": "../Simulated"],
      ["plugin": "Simulated", "save": true],
      ["plugin": "Simulated", "options": ["password": ["secret": "projector"]]],
    ] as [JSON])
  func swaps(body: JSON) async throws {
    try await TestServer.open { room in
      let owner = try await room.owner()
      #expect(try await owner.send(.POST, Self.swap, body).status == 200)
      room.accountClock.advance(6 * 60)
      let refused = try await owner.send(.POST, Self.swap, body)
      #expect(refused.status == 403 && refused.json["error"]?["code"] == "proofNeeded")
      #expect(room.configuration.choices.count == 1)
      let proof = try await owner.send(
        .POST, "/api/v1/sessions/current/proof", ["password": .string(TestServer.password)])
      let proven = TestClient(owner.address, token: proof.json["token"]?.string)
      #expect(try await proven.send(.POST, Self.swap, body).status == 200)
      #expect(room.configuration.choices.count == 2)
    }
  }

  @Test(
    "a swap to Simulated needs no fresh proof",
    arguments: [
      ["plugin": "Simulated"], ["plugin": "Simulated", "options": ["speed": 0]],
      ["plugin": "Simulated", "save": false],
    ] as [JSON])
  func simulated(body: JSON) async throws {
    try await TestServer.open { room in
      let owner = try await room.owner()
      room.accountClock.advance(6 * 60)
      #expect(try await owner.send(.POST, Self.swap, body).status == 200)
    }
  }

  @Test(
    "F5 · a search that connects to a broker or opens a file needs a fresh proof",
    arguments: [
      ["broker": "broker.lan"], ["broker": "127.0.0.1:22", "only": ["mqtt"]],
      ["broker": "broker.lan", "tls": true, "caFile": "/etc/passwd"],
      ["broker": "broker.lan", "user": "u", "password": "p"],
      ["broker": "broker.lan", "user": "u", "secret": "projector"],
    ] as [JSON])
  func searches(body: JSON) async throws {
    try await TestServer.open { room in
      let owner = try await room.owner()
      room.accountClock.advance(6 * 60)
      let refused = try await owner.send(.POST, "/api/v1/discovery", body)
      #expect(refused.status == 403 && refused.json["error"]?["code"] == "proofNeeded")
      #expect(room.discovery.requests.isEmpty)
      #expect(try await owner.send(.POST, "/api/v1/discovery").status == 200)
    }
  }

  @Test("F5 · no route changes the configuration or a secret without a fresh proof")
  func configuration() async throws {
    try await TestServer.open { room in
      let owner = try await room.owner()
      room.accountClock.advance(6 * 60)
      let text = try await owner.send(.GET, "/api/v1/configuration")
      let tag = try #require(text.header("etag"))
      let saved = try await owner.send(
        .PUT, "/api/v1/configuration", ["plugins": ["/tmp"]], headers: ["if-match": tag])
      let secret = try await owner.send(.PUT, "/api/v1/secrets/projector", ["text": "popcorn"])
      for answer in [saved, secret] {
        #expect(answer.status == 403 && answer.json["error"]?["code"] == "proofNeeded")
      }
      #expect(room.secrets.texts.isEmpty)
      #expect(try await owner.send(.GET, "/api/v1/configuration").header("etag") == tag)
    }
  }
}
