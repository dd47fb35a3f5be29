import APIClient
import Foundation
import Glibc
import JSON
import NIOHTTP1
import TestSupport
import Testing

/// Volume, mute, station and brightness across restarts of the controller.
@Suite(.serialized) struct StoredSettingsTests {
  /// The stored value of a device's setting, as JSON; empty without one.
  private static func stored(_ key: String, of device: String, in folder: URL) async -> String {
    let database = folder.appendingPathComponent("state/theater/theater.sqlite").path
    let outcome = try? await Program.tool(
      "sqlite3", "-readonly", database,
      "SELECT value FROM deviceSetting WHERE device = '\(device)' AND key = '\(key)'")
    return outcome?.output.trimmingCharacters(in: .whitespacesAndNewlines) ?? ""
  }

  private enum End: CaseIterable { case stopped, killed }

  // MARK: Heard

  /// The recorded sound of a song that is begun by a scene without a volume.
  private func listen(in room: LiveController) async throws -> Recording? {
    #expect(await eventually { await room.titles("songs").contains("tone") }, "\(room.log)")
    try await room.expect("listen", "tone", "--from-start")
    #expect(
      await eventually {
        (try? await room.state("/status"))?["activity"]?["status"] == "idle"
      }, "the song does not end: \(room.log)")
    return room.newestRecording
  }

  private func withTone(
    startupVolume: Int?, _ body: (LiveController) async throws -> Void
  ) async throws {
    try await withLiveController(
      arrange: { (configuration, _) in
        guard let startupVolume else { return }
        configuration.set(
          "startupVolume", at: ["devices", "amp", "options"], .integer(startupVolume))
      }
    ) { room in
      try await room.makeTone("tone.flac", seconds: 2, left: 440, right: 660)
      try await room.registerOwner()
      try await room.expect("device", "amp", "on")
      try await body(room)
    }
  }

  private func restart(_ room: LiveController, _ end: End) async throws {
    switch end {
    case .stopped: await room.close()
    case .killed: await room.crash()
    }
    try room.start()
    #expect(await eventually { (try? await room.theater("status"))?.status == 0 }, "\(room.log)")
    try await room.waitForDevices()
  }

  @Test(
    "a volume of 20 % is heard as 20 % after a restart, not for a moment louder", .realTime,
    arguments: [nil, 100])
  func heardVolume(startupVolume: Int?) async throws {
    for end in End.allCases {
      try await withTone(startupVolume: startupVolume) { room in
        try await room.expect("device", "amp", "volume", "20")
        #expect(
          await eventually { await Self.stored("volume", of: "amp", in: room.folder) == "20" })
        try await restart(room, end)
        let heard = try #require(try await listen(in: room))
        // (v / 100)³ of a sine with an amplitude of one half.
        let amplitude = 0.5 * pow(0.2, 3)
        #expect(abs(heard.amplitude(of: 440, in: 0) / amplitude - 1) < 0.1)
        let peak = heard.channels.flatMap(\.self).map(abs).max() ?? 1
        #expect(peak < 1.2 * amplitude, "peak \(peak)")
      }
    }
  }

  @Test("a muted amplifier is silent after a restart", .realTime)
  func heardMute() async throws {
    try await withTone(startupVolume: nil) { room in
      try await room.expect("device", "amp", "volume", "20")
      try await room.expect("device", "amp", "mute")
      #expect(await eventually { await Self.stored("muted", of: "amp", in: room.folder) == "true" })
      try await restart(room, .killed)
      let heard = try await listen(in: room)
      #expect(heard?.sounding(0).isEmpty != false)
      let state = try await room.device("amp")?["state"]
      #expect(state?["muted"]?["value"] == true && state?["volume"]?["value"] == 20)
    }
  }

  // MARK: Reported

  /// Two amplifiers, one of which refuses a volume while it is off, lights and a tuner.
  private static func theater() throws -> SmallTheater {
    let theater = try SmallTheater(more: [
      "devices": [
        "amp": ["role": "amplifier", "plugin": "Simulated", "options": ["startupVolume": 100]],
        "other": ["role": "amplifier", "plugin": "Stubborn"],
        "lights": ["role": "lights", "plugin": "Simulated", "options": ["speed": 0]],
        "tuner": ["role": "tuner", "plugin": "Simulated"],
      ]
    ])
    try theater.addPlugin("Stubborn")
    return theater
  }

  private struct User {
    let client: ControllerClient

    func perform(_ device: String, _ command: JSON) async throws {
      let body: JSON = command.string.map { .object([$0: .null]) } ?? command
      let answer = try await client.send(.POST, "/api/v1/devices/\(device)/commands", body)
      #expect(answer.status < 300, "\(device) \(command): \(answer.json)")
    }

    func value(_ device: String, _ key: String) async -> JSON? {
      let answer = try? await client.send(.GET, "/api/v1/devices/\(device)")
      return answer?.json["state"]?[key]?["value"]
    }

    func expect(
      _ device: String, _ key: String, _ value: JSON, _ location: SourceLocation = #_sourceLocation
    ) async {
      let isSo = await eventually(within: 20) { await self.value(device, key) == value }
      let found = await self.value(device, key)
      #expect(isSo, "\(device) \(key): \(String(describing: found))", sourceLocation: location)
    }

    /// Waits until every device can be reached.
    func waitForDevices() async {
      #expect(
        await eventually {
          let devices = try? await client.send(.GET, "/api/v1/devices").json["devices"]?.array
          return devices?.allSatisfy { $0["availability"] == "available" } == true
        })
    }
  }

  @Test(
    "two amplifiers, a tuner and lights get their settings at the next on; nothing is turned on")
  func reported() async throws {
    let theater = try Self.theater()
    #expect(try await theater.start())
    _ = try await theater.registerOwner()
    let user = User(client: theater.client(token: try await theater.logIn()))
    await user.waitForDevices()
    for device in ["amp", "other", "tuner"] { try await user.perform(device, "on") }
    try await user.perform("amp", ["volume": 71])
    try await user.perform("other", ["volume": 12])
    try await user.perform("other", "mute")
    try await user.perform("tuner", ["fm": 104.5])
    try await user.perform("lights", ["dim": 30])
    #expect(
      await eventually { await Self.stored("brightness", of: "lights", in: theater.folder) == "30" }
    )
    await theater.crash()
    #expect(try await theater.start())
    await user.waitForDevices()
    for device in ["amp", "other", "tuner", "lights"] { await user.expect(device, "power", "off") }
    for device in ["amp", "other", "tuner"] { try await user.perform(device, "on") }
    await user.expect("amp", "volume", 71)
    await user.expect("other", "volume", 12)
    await user.expect("other", "muted", true)
    await user.expect("amp", "muted", false)
    await user.expect("tuner", "frequency", 104.5)
    // A swap to the other plugin, with its limit of 40 %, and back.
    let plugin = "/api/v1/devices/amp/plugin"
    _ = try await user.client.send(
      .POST, plugin, ["plugin": "Simulated", "options": ["startupVolume": 40]])
    await user.expect("amp", "volume", 40)
    _ = try await user.client.send(
      .POST, plugin, ["plugin": "Simulated", "options": ["startupVolume": 100]])
    await user.expect("amp", "volume", 71)
    await theater.close()
  }

  @Test("a removed lock file lets no second controller in, and other commands still work")
  func removedLock() async throws {
    let theater = try SmallTheater()
    #expect(try await theater.start())
    _ = try await theater.registerOwner()
    for lock in ["state/theater/theater.lock", "run/theater/theater.lock"] {
      try FileManager.default.removeItem(atPath: theater.path(lock))
    }
    let second = try await theater.theater(
      "serve", "--config", theater.path("devices.json"), "--port", "0", "--plugins",
      theater.path("plugins"))
    #expect(second.status == 1)
    #expect(second.errors.contains("a controller uses the state folder"), "\(second.errors)")
    let backup = try await theater.theater("backup", "create")
    #expect(backup.status == 0, "\(backup.errors)")
    let restore = try await theater.theater("backup", "restore")
    #expect(restore.status == 1, "\(restore.output)")
    #expect((try? await theater.client().send(.GET, "/api/v1/health").status) == 200)
    await theater.close()
  }
}
