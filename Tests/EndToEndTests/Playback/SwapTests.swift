import Foundation
import JSON
import TestSupport
import Testing

@Suite(.serialized, .realTime) struct SwapTests {
  @Test(
    "F6 E12 · one line of devices.json swaps the simulated amplifier for the ALSA one",
    arguments: ["Simulated", "ALSAAmplifier"])
  func amplifier(plugin: String) async throws {
    let arrange = { (configuration: inout Configuration, _: URL) in
      let options: JSON =
        plugin == "Simulated" ? ["speed": 0] : ["device": "capture", "whenMissing": "fail"]
      configuration.set(
        "amp", at: ["devices"],
        ["role": "amplifier", "plugin": .string(plugin), "options": options])
    }
    try await withLiveController(arrange: arrange) { room in
      try await room.registerOwner()
      let film = try #require(await room.titles("films").first)
      try await room.expect("watch", film)
      let amp = try #require(try await room.device("amp"))
      #expect(amp["state"]?["power"]?["value"] == "on")
      #expect(amp["state"]?["input"]?["value"] == "dvd")
      #expect(amp["state"]?["mode"]?["value"] == "surround")
      #expect(amp["state"]?["volume"]?["value"] == 50)
      let dvd = try #require(try await room.device("dvd"))
      #expect(dvd["state"]?["playback"]?["value"]?["state"] == "playing")
      try await room.expect("stop")
      let off = try #require(try await room.device("amp"))
      #expect(off["state"]?["power"]?["value"] == "off")
    }
  }

  @Test("F2 · the top level holds the files that a newcomer looks for")
  func layout() {
    for name in [
      "Package.swift", "Sources", "Tests", "Plugins", "devices.json", "README.md", "CHANGELOG.md",
      "devices.schema.json", "docs", "Makefile",
    ] {
      let path = Program.project.appendingPathComponent(name).path
      #expect(FileManager.default.fileExists(atPath: path), "\(name) is missing")
    }
  }

  @Test("F4 E12 · each channel of a film in surround comes out of its own speaker")
  func surround() async throws {
    try await withLiveController { room in
      try await room.registerOwner()
      let film = try #require(await room.titles("films").first)
      try await room.expect("watch", film, "--from-start")
      #expect(await eventually { (room.newestRecording?.seconds ?? 0) > 1.5 })
      try await room.expect("stop")
      let heard = try #require(room.newestRecording)
      #expect(heard.channels.count == 6)
      let frequencies = (0..<6).map { heard.frequency($0) }
      // Each channel has its own tone.
      #expect(frequencies.allSatisfy { $0 > 20 }, "\(frequencies)")
      for (index, frequency) in frequencies.enumerated() {
        for other in frequencies[(index + 1)...] {
          #expect(abs(frequency - other) > 5, "\(frequencies)")
        }
      }
    }
  }
}
