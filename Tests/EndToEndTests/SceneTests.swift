import Foundation
import JSON
import TestSupport
import Testing

@Suite(.serialized, .realTime) struct SceneTests {
  /// The commands in the output of a run or plan, in order: `amp volume 50`.
  private static func commands(_ output: String) -> [String] {
    output.split(separator: "\n").compactMap { line in
      guard let sign = line.firstIndex(where: { "✓·→?".contains($0) }) else { return nil }
      let rest = line[line.index(after: sign)...].drop { $0 == " " }
      let end = rest.firstIndex { $0 == ":" || $0 == "(" } ?? rest.endIndex
      return rest[..<end].trimmingCharacters(in: .whitespaces)
    }
  }

  @Test(
    "E11 E12 E13 E14 · the terminal shows each step of the shipped scenes in the order of the source"
  )
  func order() async throws {
    try await withLiveController { room in
      try await room.makeTone("Low Tide.flac", seconds: 60, left: 440)
      try await room.registerOwner()
      try await room.expect("library", "scan")
      let film = try #require(await room.titles("films").first)
      let watch = Self.commands(try await room.expect("watch", film, "--from-start"))
      #expect(
        watch.dropLast() == [
          "popper on", "popper pop", "lights dim 10", "screen down", "projector on", "amp on",
          "amp input dvd", "amp surround", "amp volume 50", "dvd on",
        ])
      #expect(watch.last?.hasPrefix("dvd play ") == true)
      #expect(
        Self.commands(try await room.expect("stop")) == [
          "popper off", "lights on", "screen up", "projector off", "amp off", "dvd stop",
          "dvd eject", "dvd off",
        ])
      let song = try #require(await room.titles("songs").first)
      let listen = Self.commands(try await room.expect("listen", song, "--from-start"))
      #expect(listen.dropLast() == ["amp on", "amp input cd", "amp stereo", "cd on"])
      #expect(listen.last?.hasPrefix("cd play ") == true)
      #expect(
        Self.commands(try await room.expect("stop")) == [
          "amp off", "cd stop", "cd eject", "cd off",
        ])
      for (station, tuned) in [
        ("Lantern Radio", "tuner fm 98.5"), ("91.2 FM", "tuner fm 91.2"),
        ("Old Valley", "tuner am 810"), ("900 AM", "tuner am 900"),
      ] {
        let radio = Self.commands(try await room.expect("radio", station))
        #expect(
          radio == ["amp on", "amp input tuner", "amp stereo", "tuner on", tuned], "\(station)")
        #expect(Self.commands(try await room.expect("stop")) == ["amp off", "tuner off"])
      }
    }
  }

  @Test("E17 · a failed step is named with its device and position, and with what was done before")
  func failedStep() async throws {
    try await withLiveController(arrange: { configuration, _ in
      configuration.set(
        "options", at: ["devices", "projector"], ["speed": 0, "faults": ["refuses": ["on"]]])
    }) { room in
      try await room.registerOwner()
      let film = try #require(await room.titles("films").first)
      let outcome = try await room.theater("watch", film, "--from-start")
      #expect(outcome.status == 1)
      let said = outcome.output + outcome.errors
      let lines = said.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
      for done in ["popper on", "popper pop", "lights dim 10", "screen down"] {
        #expect(lines.contains { $0.hasPrefix("✓ \(done)") }, "\(said)")
      }
      #expect(lines.contains { $0.hasPrefix("✗ step 4, projector on") }, "\(said)")
      #expect(!said.contains("✓ amp on"), "\(said)")
      #expect(try await room.device("screen")?["state"]?["position"]?["value"] == "down")
      #expect(try await room.expect("status").contains("projector"))
      try await room.expect("stop")
      #expect(try await room.device("screen")?["state"]?["position"]?["value"] == "up")
    }
  }

  @Test("F6 · a dry run shows the steps of a scene at the terminal, and sends nothing")
  func plan() async throws {
    try await withLiveController { room in
      try await room.registerOwner()
      let film = try #require(await room.titles("films").first)
      let plan = try await room.expect("scene", "plan", "movie-night", "--film", film)
      #expect(Self.commands(plan).prefix(3) == ["lights dim 5", "screen down", "projector on"])
      let projector = try #require(try await room.device("projector"))
      #expect(projector["state"]?["power"]?["value"] != "on")
      #expect(try await room.theater("scene", "plan", "movie-nigth").status == 1)
    }
  }
}
