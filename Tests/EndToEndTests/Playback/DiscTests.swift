import Foundation
import JSON
import TestSupport
import Testing

/// A disc of five songs, each with its own tone, with the real player and a recording sound card. Its folder is that
/// of an audio book: other songs of a minute have no positions.
@Suite(.serialized) struct DiscTests {
  private static let songs = [
    ("one", 330.0), ("two", 440), ("three", 550), ("four", 660), ("five", 770),
  ]
  /// Lengths in seconds. A test commands the long songs while they play, which may be late on a busy
  /// machine; it waits for the end of the short ones.
  private static let lengths = ["one": 10, "two": 20, "three": 60, "four": 10, "five": 60]

  /// Runs `body` with a controller whose first scan has found the disc.
  private static func withDisc(_ body: (LiveController) async throws -> Void) async throws {
    try await withLiveController(arrange: { (_, folder) in
      let disc = folder.appendingPathComponent("music/An audiobook")
      try FileManager.default.createDirectory(at: disc, withIntermediateDirectories: true)
      for (index, song) in songs.enumerated() {
        try tone(song.1, seconds: lengths[song.0] ?? 10)
          .write(to: disc.appendingPathComponent("\(index + 1) \(song.0).wav"))
      }
    }) { room in
      try await room.registerOwner()
      #expect(
        await eventually { await Set(songs.map(\.0)).isSubset(of: room.titles("songs")) },
        "\(room.log)")
      try await body(room)
    }
  }

  /// A WAV file: one channel of 16 bits, half of full scale, a whole number of periods each second.
  private static func tone(_ frequency: Double, seconds: Int) -> Data {
    func bytes(_ values: [Int], _ width: Int) -> [UInt8] {
      values.flatMap { value in
        (0..<width).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
      }
    }
    let second = Data(
      bytes((0..<44_100).map { Int(16_384 * sin(2 * .pi * frequency * Double($0) / 44_100)) }, 2))
    let count = seconds * second.count
    var file = Data("RIFF".utf8) + bytes([36 + count], 4) + Data("WAVEfmt ".utf8)
    file += bytes([16], 4) + bytes([1, 1], 2) + bytes([44_100, 88_200], 4) + bytes([2, 16], 2)
    file += Data("data".utf8) + bytes([count], 4)
    for _ in 0..<seconds { file += second }
    return file
  }

  /// Waits until the status names this song as playing, from `position` on.
  private static func expect(
    _ song: String, is state: String = "playing", from position: Double = 0,
    in room: LiveController,
    _ location: SourceLocation = #_sourceLocation
  ) async {
    let isPlaying = await eventually {
      guard let status = try? await room.state("/status") else { return false }
      return status["activity"]?["itemTitle"]?.string == song
        && status["playback"]?["state"]?.string == state
        && status["playback"]?["item"]?.string?.hasSuffix(" \(song).wav") == true
        && status["playback"]?["duration"]?.integer == lengths[song]
        && (status["playback"]?["position"]?.number ?? -1) >= position
    }
    let status = try? await room.state("/status")["activity"]
    #expect(
      isPlaying, "\(song) is not \(state): \(status ?? .null) \(room.log)", sourceLocation: location
    )
  }

  /// Expects a tone at the sound card, which was opened for the current song.
  private static func expect(
    tone frequency: Double, in room: LiveController,
    _ location: SourceLocation = #_sourceLocation
  ) async {
    #expect(
      await eventually { (room.newestRecording?.sounding(0).count ?? 0) > 22_050 },
      "nothing sounds", sourceLocation: location)
    // Compares the strength of all tones: a busy machine leaves gaps, which spoil other measures.
    let heard = room.newestRecording
    let strengths = songs.map { heard?.amplitude(of: $0.1, in: 0) ?? 0 }
    let loudest = zip(songs, strengths).max { $0.1 < $1.1 }?.0.1
    #expect(loudest == frequency, "\(strengths)", sourceLocation: location)
    #expect((strengths.max() ?? 0) > 10 * (strengths.sorted().dropLast().last ?? 1))
  }

  @Test("E10 F4 · status and positions follow a disc song by song")
  func songs() async throws {
    try await Self.withDisc { room in
      try await room.expect("listen", "one", "--from-start")
      await Self.expect("one", in: room)
      await Self.expect("two", in: room)
      try await room.expect("next")
      #expect(try await room.state("/status")["activity"]?["itemTitle"] == "three")
      // Paused at its start: later, "previous" would restart the song.
      try await room.expect("pause")
      try await room.expect("seek", "0")
      try await room.expect("previous")
      #expect(try await room.state("/status")["activity"]?["itemTitle"] == "two")
      try await room.expect("next")
      try await room.expect("seek", "5")
      await Self.expect("three", is: "paused", from: 5, in: room)
      try await room.expect("stop")

      // The first song was played to its end, so it starts at its beginning.
      #expect(try await !room.expect("listen", "one").contains("going on"))
      await Self.expect("one", in: room)
      await Self.expect(tone: 330, in: room)
      try await room.expect("stop")
      #expect(try await room.expect("listen", "three").contains("going on at 0:05"))
      await Self.expect("three", from: 5, in: room)
      await Self.expect(tone: 550, in: room)

      // The end of the last song ends the activity.
      try await room.expect("next")
      try await room.expect("next")
      await Self.expect("five", in: room)
      try await room.expect("seek", "58")
      #expect(
        await eventually {
          (try? await room.state("/status"))?["activity"]?["status"] == "idle"
        }, "the disc does not end: \(room.log)")
      #expect(try await !room.expect("listen", "five").contains("going on"))
    }
  }

  @Test("E10 · each song keeps its position after kill -9 of player and controller")
  func killed() async throws {
    try await Self.withDisc { room in
      try await room.expect("listen", "two", "--from-start")
      await Self.expect("two", from: 2, in: room)
      let player = try #require(try await room.pid(of: "LibavPlayer"))
      kill(player, SIGKILL)
      #expect(
        await eventually {
          guard let next = try? await room.pid(of: "LibavPlayer") else { return false }
          return next != player
        })
      await Self.expect("two", from: 2, in: room)
      // A position is saved every four seconds, after the first twentieth of the song, which is three.
      await Self.expect("three", from: 8.5, in: room)
      await room.crash()
      try room.start()
      try #require(await eventually { (try? await room.theater("status"))?.status == 0 })
      try await room.waitForDevices()
      #expect(await eventually { await room.titles("songs").contains("three") })
      #expect(try await room.expect("listen", "three").contains("going on at 0:"))
      await Self.expect("three", from: 1, in: room)
      await Self.expect(tone: 550, in: room)
      try await room.expect("stop")
      #expect(try await !room.expect("listen", "two").contains("going on"))
      await Self.expect("two", in: room)
      await Self.expect(tone: 440, in: room)
    }
  }
}
