import Devices
import JSON
import PluginTestSupport
import TestSupport
import Testing

@testable import MpvPlayer

@Suite("MpvPlayer: picture", .timeLimit(.minutes(3)))
struct PictureTests {
  @Test(
    "E9 · shows each film in full screen in its own colours, and nothing after the last one"
  )
  func colors() async throws {
    let screen = try VirtualScreen()
    defer { screen.end() }
    let films = try TestFilms.make()
    let player = try await PlayerBench(
      .dvdPlayer,
      [
        "folders": [.string(films.path)], "videoOutput": "x11",
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
    let films = try TestFilms.make()
    let player = try await PlayerBench(
      .dvdPlayer,
      ["folders": [.string(films.path)], "videoOutput": "x11", "display": ":64999"])
    let refusal = await player.refusal(of: ["play": ["item": "films/red.mkv"]])
    #expect(refusal?.contains("the picture cannot be shown") == true, "\(refusal ?? "it plays")")
    #expect(player.playback?.status == .failed)
    await player.end()
  }
}
