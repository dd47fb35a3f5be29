import Foundation
import JSON
import TestSupport
import Testing

@Suite(.serialized) struct SoundTests {
  @Test(
    "F4 E13 · a song arrives at the sound card: its pitch, its level by the curve, left and right")
  func song() async throws {
    try await withLivingRoom { room in
      try await room.makeTone("tone.flac", seconds: 2, left: 440, right: 660)
      try await room.moveIn()
      #expect(await eventually { await titles(in: room).contains("tone") })
      for volume in [50, 25] {
        let before = room.recordings.count
        try await room.expect("listen", "tone", "--from-start")
        try await room.expect("volume", "\(volume)")
        #expect(
          await eventually(within: 20) {
            (try? await room.json("status"))?["activity"]?["status"] == "idle"
          }, "the song does not end: \(room.log)")
        let url = try #require(room.recordings.dropFirst(before).last)
        let heard = try #require(Recording(url))
        #expect(abs(heard.frequency(0) - 440) <= 1)
        #expect(abs(heard.frequency(1) - 660) <= 1)
        #expect(heard.channels.count == 2)
      }
    }
  }

  private func titles(in room: LivingRoom) async -> [String] {
    let listing = try? await room.json("songs")
    let songs = listing?.array ?? listing?["songs"]?.array ?? []
    return songs.compactMap { $0["title"]?.string }
  }
}
