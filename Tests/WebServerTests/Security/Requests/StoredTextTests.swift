import APIClient
import Foundation
import JSON
import NIOHTTP1
import TestSupport
import Testing
import WebServer

/// The 200 texts in every text that people send and the API returns later.
@Suite struct StoredTextTests {
  /// A client without the check against the document, which would take a process for each answer.
  private static func client(_ client: TestClient) -> ControllerClient {
    ControllerClient(client.address, token: client.token)
  }

  /// Expects 422 with a message about the field.
  private static func expectRefusal(
    _ answer: ControllerResponse, of field: String, _ payload: StoredPayload
  ) {
    #expect(answer.status == 422, "\(payload)")
    #expect(answer.json["error"]?["field"]?.string == field, "\(payload)")
    #expect(answer.json["error"]?["message"]?.string?.isEmpty == false, "\(payload)")
  }

  @Test("the file has 200 different texts")
  func file() throws {
    let texts = try StoredPayload.all().map(\.text)
    #expect(texts.count == 200)
    #expect(Set(texts.map { Array($0.unicodeScalars) }).count == 200)
  }

  @Test("an account's name is returned as it was typed, or refused")
  func accountNames() async throws {
    try await TestServer.open { room in
      let owner = Self.client(try await room.owner())
      var stored = 0
      for payload in try StoredPayload.all() {
        let answer = try await owner.send(
          .POST, "/api/v1/account/name", ["name": .string(payload.text)])
        guard answer.isSuccess else {
          Self.expectRefusal(answer, of: "name", payload)
          continue
        }
        stored += 1
        let name = try await owner.send(.GET, "/api/v1/sessions/current").json["user"]?["name"]
        #expect(
          name?.string == payload.text.trimmingCharacters(in: .whitespacesAndNewlines), "\(payload)"
        )
      }
      #expect(stored > 150)
    }
  }

  @Test("a guest pass's name is returned as it was typed, or refused")
  func passNames() async throws {
    try await TestServer.open { room in
      let owner = Self.client(try await room.owner())
      var stored: [String] = []
      for payload in try StoredPayload.all() {
        let answer = try await owner.send(
          .POST, "/api/v1/guests", ["activities": ["film"], "name": .string(payload.text)])
        guard answer.isSuccess else {
          Self.expectRefusal(answer, of: "name", payload)
          continue
        }
        stored.append(payload.text.trimmingCharacters(in: .whitespacesAndNewlines))
      }
      let passes = try await owner.send(.GET, "/api/v1/guests").json["guests"]?.array ?? []
      #expect(passes.compactMap { $0["name"]?.string }.sorted() == stored.sorted())
      #expect(stored.count > 150)
    }
  }

  @Test("no text is the name of an activity, scene, device, run or session by accident")
  func names() async throws {
    try await TestServer.open { room in
      let owner = Self.client(try await room.owner())
      for payload in try StoredPayload.all() {
        let encoded = payload.text.utf8.map { "%" + ($0 < 16 ? "0" : "") + String($0, radix: 16) }
          .joined()
        for path in [
          "activities/\(encoded)", "scenes/\(encoded)/runs", "runs/\(encoded)/cancellation",
        ] {
          let answer = try await owner.send(.POST, "/api/v1/\(path)", [:])
          #expect(answer.status == 404, "\(payload)")
          #expect(answer.body.count < 2_000, "\(payload)")
        }
      }
      #expect(room.journal.lines.isEmpty)
    }
  }

  @Test("the name of a client program is one line without disturbing characters")
  func clients() async throws {
    try await TestServer.open { room in
      _ = try await room.owner()
      var count = 0
      for payload in try StoredPayload.all() {
        // Others cannot stand in a header; the server refuses them before the session.
        guard payload.text.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F })
        else {
          continue
        }
        let answer = try await ControllerClient(room.stranger.address).send(
          .POST, "/api/v1/sessions",
          ["email": "ann@example.org", "password": .string(TestServer.password)],
          headers: ["user-agent": "theater/1 (\(payload.text)"])
        #expect(answer.status == 201, "\(payload): \(answer.json)")
        guard let token = answer.json["token"]?.string else { continue }
        let session = ControllerClient(room.stranger.address, token: token)
        let sessions = try await session.send(.GET, "/api/v1/sessions").json["sessions"]?.array
        let label = sessions?.first { $0["current"] == true }?["device"]?.string
        #expect(label?.hasPrefix("theater") == true && (label?.count ?? 0) <= 80, "\(payload)")
        #expect(label == label?.boundedLine(maximumBytes: 400), "\(payload)")
        _ = try await session.send(.DELETE, "/api/v1/sessions/current")
        count += 1
      }
      #expect(count > 150)
    }
  }
}
