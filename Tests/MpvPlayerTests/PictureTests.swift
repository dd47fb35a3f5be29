import Devices
import JSON
import PluginTestSupport
import TestSupport
import Testing

@testable import MpvPlayer

@Suite("MpvPlayer: picture", .timeLimit(.minutes(3)))
struct PictureTests {
  /// A red and a blue film of a minute, with sound: none is over before a busy machine has looked at it.
  private static let films = Result {
    let folder = try TemporaryFolder()
    for color in ["red", "blue"] {
      try TestFilms.ffmpeg([
        "-f", "lavfi", "-i", "color=\(color):s=160x90:r=5:d=60", "-f", "lavfi", "-i",
        "sine=440:r=48000:d=60", "-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p",
        "-g", "5", "-c:a", "flac", try folder.file("films/\(color).mkv"),
      ])
    }
    return folder
  }

  @Test(
    "E9 · shows each film in full screen in its own colours, and nothing after the last one"
  )
  func colors() async throws {
    let screen = try VirtualScreen()
    defer { screen.end() }
    let films = try Self.films.get().path(of: "films")
    let player = try await PlayerBench(
      .dvdPlayer,
      [
        "folders": [.string(films)], "videoOutput": "x11",
        "display": .string(screen.display),
      ])
    try await player.play("films/red.mkv")
    try await player.perform("pause")
    #expect(await eventually { screen.shows(.init(red: 255, green: 0, blue: 0)) })
    try await player.play("films/blue.mkv")
    try await player.perform("pause")
    #expect(await eventually { screen.shows(.init(red: 0, green: 0, blue: 255)) })
    try await player.perform("stop")
    #expect(await eventually { !screen.shows(.init(red: 0, green: 0, blue: 255)) })
    await player.end()
  }

  @Test("E9 · fails when the display cannot be opened, instead of playing without a picture")
  func noDisplay() async throws {
    let films = try Self.films.get().path(of: "films")
    let player = try await PlayerBench(
      .dvdPlayer,
      ["folders": [.string(films)], "videoOutput": "x11", "display": ":64999"])
    let refusal = await player.refusal(of: ["play": ["item": "films/red.mkv"]])
    #expect(refusal?.contains("the picture cannot be shown") == true, "\(refusal ?? "it plays")")
    #expect(player.playback?.status == .failed)
    await player.end()
  }
}
