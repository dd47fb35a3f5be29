import Devices
import Foundation
import JSON
import Platform
import PluginKit
import PluginProtocol
import PluginTestSupport
import TestSupport
import Testing

@testable import MpvPlayer

/// Changes of the sound channels while a real mpv plays, for which it opens its sound output again.
@Suite("MpvPlayer: changes of the channels", .realTime, .timeLimit(.minutes(3)))
struct ChannelChangeTests {
  @Test("changes the channels many times with hardly a silence, each time the same")
  func manyChanges() async throws {
    let folder = try TemporaryFolder()
    let films = folder.path(of: "films")
    try FileManager.default.createDirectory(atPath: films, withIntermediateDirectories: true)
    let tone = [String](repeating: "0.3*sin(2*PI*440*t)", count: 6).joined(separator: "|")
    let sound = "aevalsrc=\(tone):s=48000:c=5.1"
    try TestFilms.tool(
      "ffmpeg",
      [
        "-v", "error", "-f", "lavfi", "-i", "color=red:s=160x90:r=25", "-f", "lavfi", "-i",
        sound, "-t", "60", "-c:v", "libx264", "-preset", "ultrafast",
        "-c:a", "flac", films + "/tone.mkv",
      ])
    let player = try await PlayerBench(.dvdPlayer, ["folders": [.string(films)]])
    try await player.play("films/tone.mkv")
    try await player.wait("the sound plays") { $0.sink.frames > 48_000 }
    let clock = ContinuousClock()
    var times: [Duration] = []
    for number in 1...10 {
      let isStereo = !number.isMultiple(of: 2)
      let start = clock.now
      try await player.perform(isStereo ? "twoChannelAudio" : "surroundAudio")
      try await player.wait("change \(number)") {
        $0.sink.formats.last?.channels == (isStereo ? 2 : 6)
      }
      player.sink.reset()
      try await player.wait("half a second is heard") { $0.sink.waves >= 220 }
      times.append(clock.now - start)
    }
    // Half a second of the tone was heard after each change. mpv alone would first be silent for the second of sound
    // that
    // it had already sent, and longer with each change.
    #expect(times.sorted()[5] < .milliseconds(1100), "\(times)")
    #expect(player.processes.count == 1, "the same mpv")
    await player.end()
  }
}
