import Foundation
import JSON
import TestSupport
import Testing

@Suite(.serialized, .realTime) struct SoundTests {
  @Test(
    "F4 E13 · a song reaches the sound card with its pitch, the level of the volume curve, and its channels"
  )
  func song() async throws {
    try await withLiveController { room in
      try await room.makeTone("tone.flac", seconds: 2, left: 440, right: 660)
      try await room.registerOwner()
      #expect(await eventually { await room.titles("songs").contains("tone") })
      for volume in [50, 25] {
        try await room.expect("device", "amp", "on")
        try await room.expect("device", "amp", "volume", "\(volume)")
        try await room.expect("listen", "tone", "--from-start")
        #expect(
          await eventually {
            (try? await room.state("/status"))?["activity"]?["status"] == "idle"
          }, "the song does not end: \(room.log)")
        let heard = try #require(room.newestRecording)
        #expect(heard.channels.count == 2)
        #expect(
          abs(heard.seconds - 2) < 0.2,
          "heard \(room.recordings.map { Recording($0)?.seconds ?? 0 }) s, \(room.log)")
        #expect(abs(heard.frequency(0) - 440) <= 1)
        #expect(abs(heard.frequency(1) - 660) <= 1)
        // (v / 100)³ of a sine with an amplitude of one half.
        let amplitude = 0.5 * pow(Double(volume) / 100, 3)
        #expect(abs(heard.amplitude(of: 440, in: 0) / amplitude - 1) < 0.05)
        #expect(abs(heard.amplitude(of: 660, in: 1) / amplitude - 1) < 0.05)
        #expect(heard.amplitude(of: 660, in: 0) < amplitude / 50)
      }
    }
  }
}
