import APIClient
import Devices
import HomeTheater
import JSON
import NIOHTTP1
import TestSupport
import Testing
import WebServer

@Suite struct DeviceRouteTests {
  @Test("F1 · shows the log of a device's plugin to those who may operate it")
  func deviceLog() async throws {
    try await TestServer.open { room in
      let owner = try await room.owner()
      let log = try await owner.send(.GET, "/api/v1/devices/screen/log")
      #expect(
        log.json == [
          "device": "screen", "lines": ["one", "two"], "plugin": "Simulated", "status": "running",
          "message": "two",
        ])
      let none = try await owner.send(.GET, "/api/v1/devices/amp/log")
      #expect(none.json == ["device": "amp", "lines": []])
      #expect(try await owner.send(.GET, "/api/v1/devices/x/log").status == 404)
      let guest = try await room.logIn(withPass: try await room.guestPass(from: owner))
      #expect(try await guest.send(.GET, "/api/v1/devices/screen/log").status == 403)
    }
  }

  @Test("E15 · lists every device with role and state")
  func list() async throws {
    try await TestServer.open { room in
      await room.devices["lights"]?.report(.brightness, 40)
      let devices = try await room.owner().send(.GET, "/api/v1/devices").json["devices"]?.array
      #expect(devices?.count == 8)
      let lights = devices?.first { $0["id"] == "lights" }
      #expect(lights?["role"] == "lights")
      #expect(lights?["state"]?["brightness"]?["value"] == 40)
      #expect(lights?["state"]?["brightness"]?["provenance"] == "reported")
    }
  }

  @Test("E15 · lists the commands of a device from the table of its role", arguments: Role.allCases)
  func commands(role: Role) async throws {
    try await TestServer.open { room in
      let id = try #require(room.devices.first { $0.value.role == role }?.key)
      let device = try await room.owner().send(.GET, "/api/v1/devices/\(id)").json
      let names = device["commands"]?.array?.compactMap { $0["name"]?.string }
      #expect(names == role.commands.map(\.name))
    }
  }

  @Test("E15 · sends a command to its device and returns how its result is known")
  func command() async throws {
    try await TestServer.open { room in
      let owner = try await room.owner()
      let answer = try await owner.send(.POST, "/api/v1/devices/lights/commands", ["dim": 40])
      #expect(answer.status == 200)
      #expect(answer.json == ["confirmation": "observed"])
      let quick = try await owner.send(
        .POST, "/api/v1/devices/lights/commands", ["dim": 30], wait: 0)
      #expect(quick.status == 202)
      #expect(quick.json == ["confirmation": "accepted"])
      #expect(room.journal.lines == ["lights {\"dim\":40}", "lights {\"dim\":30}"])
    }
  }

  @Test(
    "E15 · refuses a wrong command with 422 and what is expected",
    arguments: [
      (["dim": 140], "0 to 100"), ("dimm", "dim"), (["dim": "x"], "0 to 100"), (["on": 1], "alone"),
      ([], "dim"), ([:], "dim"), ("dim", "0 to 100"),
    ] as [(JSON, String)])
  func wrongCommands(body: JSON, told: String) async throws {
    try await TestServer.open { room in
      let answer = try await room.owner().send(.POST, "/api/v1/devices/lights/commands", body)
      #expect(answer.status == 422)
      let error = answer.json["error"]
      #expect(error?["device"] == "lights")
      #expect("\(error ?? .null)".contains(told))
      #expect(room.journal.lines.isEmpty)
    }
  }

  @Test("E15 · maps device errors to 409, 422 and 503")
  func refusals() async throws {
    try await TestServer.open { room in
      let owner = try await room.owner()
      let cases: [(DeviceError.Code, Int)] = [
        (.notNow, 409), (.unsupported, 422), (.refused, 503), (.unavailable, 503), (.timeout, 503),
      ]
      for (code, status) in cases {
        await room.devices["projector"]?.fail(
          "on", with: DeviceError(code, "the lamp is cooling", hint: "Wait a minute."))
        let answer = try await owner.send(.POST, "/api/v1/devices/projector/commands", "on")
        #expect(answer.status == status)
        #expect(answer.json["error"]?["message"] == "the lamp is cooling")
        #expect(answer.json["error"]?["hint"] == "Wait a minute.")
        #expect(answer.json["error"]?["device"] == "projector")
      }
    }
  }

  @Test("E15 · answers 404 for an unknown device and suggests the nearest")
  func unknownDevice() async throws {
    try await TestServer.open { room in
      let answer = try await room.owner().send(.POST, "/api/v1/devices/light/commands", "on")
      #expect(answer.status == 404)
      #expect(answer.json["error"]?["hint"]?.string?.contains("lights") == true)
    }
  }

  @Test(
    "E8 · sends pause, seek, volume and mute to the player and amplifier of the current activity"
  )
  func transport() async throws {
    try await TestServer.open { room in
      let owner = try await room.owner()
      _ = try await owner.send(.POST, "/api/v1/watch", ["item": "Metropolis"], wait: 10)
      room.journal.clear()
      var changes: [JSON?] = []
      let requests: [(String, JSON?)] = [
        ("pause", nil), ("resume", nil), ("next", nil), ("previous", nil), ("seek", ["to": 750]),
        ("seek", ["by": -30]), ("volume", ["to": 40]), ("volume", ["by": 5]),
        ("volume", ["by": -100]), ("volume", ["mute": "toggle"]), ("volume", ["mute": false]),
      ]
      for (word, body) in requests {
        let answer = try await owner.send(.POST, "/api/v1/\(word)", body)
        #expect(answer.status == 200, "\(word)")
        #expect(answer.json["confirmation"]?.string != nil)
        // There is one room.
        #expect(answer.json["room"] == nil)
        #expect(answer.json["category"]?.string == (word == "volume" ? nil : "films"))
        if word == "volume" { changes.append(answer.json["volume"] ?? answer.json["muted"]) }
      }
      #expect(changes == [40, 45, 0, true, false])
      #expect(
        room.journal.lines == [
          "dvd \"pause\"", "dvd \"play\"", "dvd \"next\"", "dvd \"previous\"",
          "dvd {\"seek\":750}", "dvd {\"seek\":720}", "amp {\"volume\":40}", "amp {\"volume\":45}",
          "amp {\"volume\":0}", "amp \"mute\"", "amp \"unmute\"",
        ])
    }
  }

  @Test(
    "refuses invalid seek and volume requests",
    arguments: [
      ("volume", ["to": 101], 422), ("volume", ["to": 4.5], 422), ("volume", [:], 422),
      ("volume", ["to": 1, "by": 1], 422), ("volume", ["mute": "maybe"], 422),
      ("volume", ["by": 101], 422), ("volume", ["by": -1_000_000], 422),
      ("seek", [:], 422), ("seek", ["to": "12:30"], 422), ("seek", ["to": 5], 409),
      ("pause", [:], 409), ("pause", ["x": 1], 422),
    ] as [(String, JSON, Int)])
  func wrongSteering(word: String, body: JSON, status: Int) async throws {
    try await TestServer.open { room in
      let answer = try await room.owner().send(.POST, "/api/v1/\(word)", body)
      #expect(answer.status == status)
      #expect(answer.json["error"]?["message"]?.string?.isEmpty == false)
    }
  }

  @Test("F6 · lets only owners check a configuration")
  func checkConfiguration() async throws {
    try await TestServer.open { room in
      let owner = try await room.owner()
      let answer = try await owner.send(.POST, "/api/v1/configuration/check", ["devices": [:]])
      #expect(answer.json["problems"]?.array?.first?["message"] == "14 bytes")
      let member = try await room.member(invitedBy: owner)
      #expect(try await member.send(.POST, "/api/v1/configuration/check", [:]).status == 403)
      #expect(try await member.send(.GET, "/api/v1/plugins").status == 200)
    }
  }
}
