import AccountTestSupport
import APIClient
import Devices
import HomeTheater
import JSON
import NIOHTTP1
import TestSupport
import Testing
import WebServer

@Suite struct ConfigurationRouteTests {
  private static let path = "/api/v1/devices/amp/plugin"

  @Test("F6 · an owner gives a device another plugin, which the audit log records")
  func swap() async throws {
    try await TestServer.open { room in
      let owner = try await room.owner()
      let answer = try await owner.send(.POST, Self.path, ["plugin": "Simulated"])
      #expect(answer.status == 200)
      #expect(
        answer.json == ["device": "amp", "plugin": "Simulated", "saved": false, "changes": []])
      let all = try await owner.send(
        .POST, Self.path,
        [
          "plugin": "ALSAAmplifier", "options": ["device": "hw:1", "buffer": 100],
          "process": "second", "save": true,
        ])
      #expect(all.json["saved"] == true)
      #expect(
        room.configuration.choices == [
          PluginChoice(plugin: "Simulated", options: nil, process: nil, isSaved: false),
          PluginChoice(
            plugin: "ALSAAmplifier", options: ["device": "hw:1", "buffer": 100],
            process: "second", isSaved: true),
        ])
      let audit = try await owner.send(.GET, "/api/v1/audit").json["entries"]?.array ?? []
      let swaps = audit.filter { $0["deed"] == "pluginSwapped" }.map { $0["subject"] }
      #expect(swaps == ["amp: Simulated", "amp: ALSAAmplifier, saved"])
    }
  }

  @Test("F5 F6 · a saved swap, and options that send a secret, need a fresh proof")
  func swapWithoutProof() async throws {
    try await TestServer.open { room in
      let owner = try await room.owner()
      let secret: JSON = ["broker": ["host": "h", "password": ["secret": "projector"]]]
      let bodies: [JSON] = [
        ["plugin": "MQTTDevices", "options": secret], ["plugin": "Simulated", "save": true],
        ["plugin": "MQTTDevices", "options": ["devices": [secret]]],
      ]
      for body in bodies {
        #expect(try await owner.send(.POST, Self.path, body).status == 200)
      }
      room.accountClock.advance(6 * 60)
      for body in bodies {
        let refused = try await owner.send(.POST, Self.path, body)
        #expect(refused.status == 403 && refused.json["error"]?["code"] == "proofNeeded")
      }
      #expect(try await owner.send(.POST, Self.path, ["plugin": "Simulated"]).status == 200)
      #expect(room.configuration.choices.count == bodies.count + 1)
    }
  }

  @Test(
    "F6 · refuses a swap whose request is wrong",
    arguments: [
      ("amp", [:], 422), ("amp", ["plugin": 1], 422), ("amp", ["plugin": "x", "opt": [:]], 422),
      ("amp", ["plugin": "x", "options": []], 422), ("amp", ["plugin": "x", "save": "yes"], 422),
      ("amp", [], 422), ("amplifier", ["plugin": "x"], 404),
    ] as [(String, JSON, Int)])
  func wrongSwap(device: String, body: JSON, status: Int) async throws {
    try await TestServer.open { room in
      let answer = try await room.owner().send(.POST, "/api/v1/devices/\(device)/plugin", body)
      #expect(answer.status == status)
      #expect(answer.json["error"]?["message"]?.string?.isEmpty == false)
      #expect(room.configuration.choices.isEmpty)
    }
  }

  @Test("F6 · refuses a swap that is no JSON with 400")
  func malformedSwap() async throws {
    try await TestServer.open { room in
      let owner = try await room.owner()
      let answer = try await owner.send(
        .POST, Self.path, bytes: Array("{\"plugin\":".utf8),
        headers: ["content-type": "application/json"])
      #expect(answer.status == 400)
      #expect(room.configuration.choices.isEmpty)
    }
  }

  @Test(
    "F6 · says with 409 and 422 why a swap is impossible, with the device",
    arguments: [(.notNow, 409), (.invalid, 422)] as [(TheaterError.Code, Int)])
  func refusedSwap(code: TheaterError.Code, status: Int) async throws {
    try await TestServer.open { room in
      room.configuration.fail(
        with: TheaterError(
          code, "$.devices.amp.options.buffer: expected 20 to 500", hint: "Take 100.",
          device: "amp"))
      let answer = try await room.owner().send(.POST, Self.path, ["plugin": "x"])
      #expect(answer.status == status)
      let error = answer.json["error"]
      #expect(error?["message"] == "$.devices.amp.options.buffer: expected 20 to 500")
      #expect(error?["hint"] == "Take 100." && error?["device"] == "amp")
    }
  }

  @Test("F5 F6 · only owners swap plugins and compare configurations")
  func permissions() async throws {
    try await TestServer.open { room in
      let owner = try await room.owner()
      let member = try await room.member(invitedBy: owner)
      let difference = "/api/v1/configuration/difference"
      for (client, status) in [(room.stranger, 401), (member, 403)] {
        #expect(try await client.send(.POST, Self.path, ["plugin": "x"]).status == status)
        #expect(try await client.send(.GET, difference).status == status)
        #expect(try await client.send(.POST, difference, [:]).status == status)
      }
      #expect(room.configuration.choices.isEmpty)
    }
  }

  @Test("F6 · compares the file, or another text, with the configuration in force")
  func difference() async throws {
    try await TestServer.open { room in
      let owner = try await room.owner()
      let file = try await owner.send(.GET, "/api/v1/configuration/difference")
      #expect(file.status == 200)
      #expect(file.json["problems"]?.array?.first?["message"] == "the file")
      #expect(file.json["changes"]?.array?.first?["keys"] == ["plugin"])
      let text = try await owner.send(.POST, "/api/v1/configuration/difference", ["devices": [:]])
      #expect(text.json["problems"]?.array?.first?["message"] == "14 bytes")
    }
  }

  @Test("F6 · an owner replaces the configuration that was read, and gets what changes")
  func save() async throws {
    try await TestServer.open { room in
      let owner = try await room.owner()
      let before = try await owner.send(.GET, Self.file)
      #expect(before.json["text"] == "{}")
      let hash = try #require(before.json["hash"]?.string)
      #expect(before.header("etag") == "\"\(hash)\"")
      let answer = try await owner.send(
        .PUT, Self.file, bytes: Array("{ }".utf8), headers: Self.headers("\"\(hash)\""))
      #expect(answer.status == 200)
      #expect(answer.json["changes"]?.array?.first?["name"] == "x")
      let after = try await owner.send(.GET, Self.file)
      #expect(after.json["text"] == "{ }")
      #expect(after.json["hash"] == answer.json["hash"])
      let audit = try await owner.send(.GET, "/api/v1/audit").json["entries"]?.array ?? []
      #expect(audit.first { $0["deed"] == "configurationSaved" }?["subject"] == "1 changes")
      // The version of before.
      let late = try await owner.send(
        .PUT, Self.file, bytes: Array("{  }".utf8), headers: Self.headers("\"\(hash)\""))
      #expect(late.status == 409)
      let blind = try await owner.send(
        .PUT, Self.file, bytes: Array("{  }".utf8), headers: ["content-type": "application/json"])
      #expect(blind.status == 428)
      #expect(try await owner.send(.GET, Self.file).json == after.json)
      // An open page that its owner has left may not choose which programs run.
      room.accountClock.advance(6 * 60)
      let unproven = try await owner.send(
        .PUT, Self.file, bytes: Array("{  }".utf8),
        headers: Self.headers("\"\(after.json["hash"]?.string ?? "")\""))
      #expect(unproven.status == 403)
      #expect(unproven.json["error"]?["code"] == "proofNeeded")
    }
  }

  @Test("F6 · a configuration with mistakes changes nothing, and each has its line and path")
  func saveMistakes() async throws {
    try await TestServer.open { room in
      let owner = try await room.owner()
      let hash = try await owner.send(.GET, Self.file).json["hash"]?.string ?? ""
      let answer = try await owner.send(
        .PUT, Self.file, bytes: Array("{bad".utf8), headers: Self.headers("\"\(hash)\""))
      #expect(answer.status == 422)
      let error = answer.json["error"]
      #expect(error?["code"] == "invalidConfiguration")
      #expect(error?["problems"]?.array?.map { $0["path"] } == ["$.devices.amp"])
      #expect(error?["problems"]?.array?.map { $0["line"] } == [1])
      #expect(try await owner.send(.GET, Self.file).json["hash"] == .string(hash))
    }
  }

  private static let file = "/api/v1/configuration"

  private static func headers(_ tag: String) -> HTTPHeaders {
    ["content-type": "application/json", "if-match": tag]
  }

  @Test("F6 · the doctor tells what is wrong, to owners")
  func doctor() async throws {
    try await TestServer.open { room in
      let owner = try await room.owner()
      let answer = try await owner.send(.GET, "/api/v1/doctor")
      #expect(answer.json["checks"]?.array?.map { $0["status"] } == ["ok", "warning"])
      let member = try await room.member(invitedBy: owner)
      #expect(try await member.send(.GET, "/api/v1/doctor").status == 403)
    }
  }

  @Test("F6 · shows a refused edit to owners alone, in the status and in snapshots")
  func refusedEdit() async throws {
    try await TestServer.open { room in
      let owner = try await room.owner()
      let member = try await room.member(invitedBy: owner)
      #expect(try await owner.send(.GET, "/api/v1/status").json["configuration"] == nil)
      let edit: JSON = [
        "errors": 2,
        "problem": [
          "kind": "shape", "severity": "error", "file": "devices.json", "line": 4, "column": 29,
          "path": "$.devices.amp.role", "message": "expected a role",
        ],
      ]
      room.configuration.refuse(edit)
      #expect(try await owner.send(.GET, "/api/v1/status").json["configuration"] == edit)
      #expect(try await member.send(.GET, "/api/v1/status").json["configuration"] == nil)
      for (client, expected) in [(owner, edit), (member, nil)] as [(TestClient, JSON?)] {
        _ = try await client.listen { event in
          guard event.name == "snapshot" else { return true }
          #expect(event.json["configuration"] == expected)
          return false
        }
      }
    }
  }

  @Test("F6 · streams an event for each configuration that is applied or refused")
  func events() async throws {
    try await TestServer.open { room in
      let owner = try await room.owner()
      var seen: [JSON] = []
      _ = try await owner.listen { event in
        if event.name == "snapshot" {
          try await room.theater.apply(
            room.theater.plan, devices: room.devices.values.filter { $0.id != "popper" },
            by: Principal(
              user: nil, permissions: [.administer], activities: nil, volumeLimit: nil,
              ageLimit: nil))
        }
        if event.name == "configuration" { seen.append(event.json) }
        return seen.isEmpty
      }
      #expect(seen == [["status": "applied", "changed": [], "removed": ["popper"]]])
    }
  }
}
