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
    "E12 E13 E14 · the terminal shows each step of the shipped scenes in the order of the source")
  func order() async throws {
    try await withLiveController { room in
      try await room.registerOwner()
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
      let station = try #require(await room.titles("stations").first)
      let radio = Self.commands(try await room.expect("radio", station))
      #expect(radio.prefix(4) == ["amp on", "amp input tuner", "amp stereo", "tuner on"])
      #expect(Self.commands(try await room.expect("stop")) == ["amp off", "tuner off"])
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
