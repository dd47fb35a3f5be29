import JSON
import TestSupport
import Testing

/// Every command of the source at the terminal, and what its device reports then.
@Suite(.timeLimit(.minutes(5))) struct DeviceCommandTests {
  /// One command, with the key and the value of its effect.
  struct Row: CustomStringConvertible {
    let words: [String]
    let key: String
    let values: [JSON]
    var description: String { words.joined(separator: " ") }

    init(_ words: String, _ key: String, _ values: JSON...) {
      self.words = words.split(separator: " ").map(String.init)
      self.key = key
      self.values = values
    }
  }

  private static let rows: [String: [Row]] = [
    "popper": [
      Row("on", "power", "on"), Row("pop", "popping", "popping", "done"),
      Row("off", "power", "off"),
    ],
    "lights": [
      Row("on", "brightness", 100), Row("dim 30", "brightness", 30), Row("off", "power", "off"),
    ],
    "dvd": [
      Row("on", "power", "on"), Row("play night-ferry", "playback", "playing"),
      Row("pause", "playback", "paused"), Row("stop", "playback", "stopped"),
      Row("surroundAudio", "audio", "surround"), Row("twoChannelAudio", "audio", "twoChannel"),
      Row("eject", "tray", "open"), Row("off", "power", "off"),
    ],
    "projector": [
      Row("on", "power", "on"), Row("tvMode", "picture", "tv"),
      Row("wideScreenMode", "picture", "wideScreen"), Row("off", "power", "off"),
    ],
    "cd": [
      Row("on", "power", "on"), Row("play first-bus", "playback", "playing"),
      Row("pause", "playback", "paused"), Row("stop", "playback", "stopped"),
      Row("eject", "tray", "open"), Row("off", "power", "off"),
    ],
    "amp": [
      Row("on", "power", "on"), Row("input dvd", "input", "dvd"), Row("input cd", "input", "cd"),
      Row("input tuner", "input", "tuner"), Row("surround", "mode", "surround"),
      Row("stereo", "mode", "stereo"), Row("volume 33", "volume", 33), Row("off", "power", "off"),
    ],
    "screen": [Row("down", "position", "down"), Row("up", "position", "up")],
    "tuner": [
      Row("on", "power", "on"), Row("am 810", "frequency", 810), Row("fm 98.5", "frequency", 98.5),
      Row("frequency 101.25", "frequency", 101.25), Row("off", "power", "off"),
    ],
  ]

  @Test("E15 · every command has its effect, at the terminal", arguments: rows.keys.sorted())
  func effects(device: String) async throws {
    try await withLiveController(arrange: { configuration, _ in
      for device in ["amp", "cd"] {
        configuration.set("plugin", at: ["devices", device], "Simulated")
        configuration.set("options", at: ["devices", device], ["speed": 0])
      }
    }) { room in
      try await room.registerOwner()
      for row in Self.rows[device] ?? [] {
        try await room.expect(["device", device] + row.words)
        let value = try await room.device(device)?["state"]?[row.key]?["value"]
        let reported = row.key == "playback" ? value?["state"] : value
        #expect(row.values.contains { $0 == reported }, "\(row): \(reported ?? .null)")
      }
    }
  }
}
