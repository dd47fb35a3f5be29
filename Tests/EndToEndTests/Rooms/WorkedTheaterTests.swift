import Foundation
import JSON
import TestSupport
import Testing

/// The theaters of `docs/theaters`, with simulated devices in place of those that are not here.
@Suite("Worked theaters", .timeLimit(.minutes(3))) struct WorkedTheaterTests {
  /// A configuration of `docs/theaters` whose devices are simulated but for those of `kept`.
  private static func configuration(
    _ name: String, keeping kept: Set<String> = []
  ) throws -> Configuration {
    let file = Program.project.appendingPathComponent("docs/theaters/\(name).json")
    var configuration = Configuration(json: try JSON(parsing: Data(contentsOf: file)))
    for (device, entry) in configuration.json["devices"]?.object ?? [:]
    where !kept.contains(device) {
      var simulated = entry.object ?? [:]
      simulated["plugin"] = "Simulated"
      simulated["options"] = ["speed": 0]
      configuration.set(device, at: ["devices"], .object(simulated))
    }
    configuration.set(
      "pluginFolders", at: [], [.string(Program.project.appendingPathComponent("Examples").path)])
    configuration.set("folders", at: ["library"], [])
    return configuration
  }

  @Test("a receiver behind the sound card: level, input, volume, knob and power at the device")
  func receiver() async throws {
    let example = Program.project.appendingPathComponent("Examples/NetworkReceiver/receiver.py")
    let receiver = try RunningProgram("python3", ["-B", "-u", example.path, "0"])
    defer { receiver.end() }
    let words = try receiver.line().split(whereSeparator: { ": .".contains($0) })
    let port = try #require(words.last.flatMap { Int($0) })
    try await withLiveController(arrange: { configuration, _ in
      configuration = try Self.configuration("receiver", keeping: ["receiver", "card", "music"])
      configuration.set("host", at: ["devices", "receiver", "options"], "127.0.0.1")
      configuration.set("port", at: ["devices", "receiver", "options"], .integer(port))
      configuration.set("options", at: ["devices", "card"], ["device": "capture"])
      let music = Program.project.appendingPathComponent("Samples/Music").path
      configuration.set("folders", at: ["devices", "music", "options"], [.string(music)])
    }) { room in
      try await room.registerOwner()
      func becomes(_ device: String, _ key: String, _ value: JSON) async -> Bool {
        await eventually { await room.value(key, of: device) == value }
      }
      #expect(await eventually { await !room.titles("songs").isEmpty }, "\(room.log)")
      let song = try #require(await room.titles("songs").first)
      let name = try #require(
        try await room.state("/rooms")["rooms"]?.array?.first?["name"]?.string)
      try await room.expect("listen", song)
      try await room.waitForActivity("running", in: name)
      #expect(await becomes("card", "volume", 100), "\(room.log)")
      #expect(await becomes("receiver", "volume", 35))
      #expect(await room.value("input", of: "receiver") == "pc")
      #expect(await room.value("input", of: "card") == "music")
      try await room.expect("volume", "25")
      #expect(await becomes("receiver", "volume", 25))
      #expect(await room.value("volume", of: "card") == 100)
      // At the device: the knob from 0 to 80, and the input.
      receiver.send("volume 40")
      #expect(await becomes("receiver", "volume", 50), "\(room.log)")
      try await room.post("/activities/games")
      #expect(await becomes("receiver", "input", "console"), "\(room.log)")
      #expect(await becomes("card", "power", "off"))
      try await room.waitForActivity("running", in: name)
      receiver.send("power")
      #expect(await becomes("receiver", "power", "off"))
      try await room.post("/end")
      try await room.waitForActivity("idle", in: name)
    }
  }

  @Test("two rooms: a film in one, a song in the other, and the lamp between them")
  func twoRooms() async throws {
    try await withLiveController(arrange: { configuration, _ in
      configuration = try Self.configuration("two-rooms")
    }) { room in
      try await room.registerOwner()
      let film = try #require(await room.titles("films").first)
      let song = try #require(await room.titles("songs").first)
      try await room.expect("watch", film)
      try await room.post("/activities/kitchen-songs", ["item": .string(song)])
      for name in ["lounge", "kitchen"] { try await room.waitForActivity("running", in: name) }
      try await room.expect("volume", "20", "--room", "kitchen")
      #expect(await eventually { await room.value("volume", of: "kitchen-amp") == 20 })
      #expect(await room.value("volume", of: "lounge-amp") == 50)
      try await room.post("/rooms/lounge/end")
      try await room.waitForActivity("idle", in: "lounge")
      #expect(await room.activity(in: "kitchen")?["status"] == "running")
      #expect(await room.value("power", of: "lounge-amp") == "off")
      #expect(await room.value("brightness", of: "passage-lamp") == 100)
      try await room.post("/activities/kitchen-station", ["item": "Lantern Radio"])
      try await room.waitForActivity("running", in: "kitchen")
      #expect(await eventually { await room.value("input", of: "kitchen-amp") == "radio" })
      try await room.post("/rooms/kitchen/end")
      try await room.waitForActivity("idle", in: "kitchen")
      #expect(await room.value("power", of: "passage-lamp") == "off")
    }
  }
}
