import Devices
import JSON
import PluginTestSupport
import TestSupport
import Testing

@testable import MpvPlayer

@Suite("MpvPlayer: picture", .timeLimit(.minutes(3)))
struct PictureTests {
  /// A red and a blue film with sound. Each lasts a minute, so that it does not end before a busy machine has read its
  /// colour.
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
    "shows each film in full screen in its own colours, and nothing after the last one",
    arguments: ["x11", "gpu"])
  func colors(output: String) async throws {
    let screen = try VirtualScreen()
    defer { screen.end() }
    let films = try Self.films.get().path(of: "films")
    let player = try await PlayerBench(
      .dvdPlayer,
      [
        "folders": [.string(films)], "videoOutput": .string(output),
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

  /// A red film of a minute. Its subtitles fill the picture: the English ones are yellow, the German ones green.
  private static let subtitled = Result {
    let folder = try TemporaryFolder()
    let inputs = try [("eng", "00FFFF"), ("ger", "00FF00")].flatMap { (language, color) in
      let text = """
        [Script Info]
        ScriptType: v4.00+
        PlayResX: 640
        PlayResY: 360
        [V4+ Styles]
        Format: Name, Fontname, Fontsize, Alignment, MarginL, MarginR, MarginV
        Style: Default,Sans,20,7,0,0,0
        [Events]
        Format: Start, End, Style, Text
        Dialogue: 0:00:00.00,0:01:00.00,Default,{\\pos(0,0)\\c&H\(color)&\\bord0\\shad0\\p1}m 0 0 l 640 0 640 360 0 360

        """
      return ["-i", try folder.write("\(language).ass", Array(text.utf8))]
    }
    try TestFilms.ffmpeg(
      ["-f", "lavfi", "-i", "color=red:s=160x90:r=5:d=60"] + inputs + [
        "-map", "0", "-map", "1", "-map", "2", "-c:v", "libx264", "-preset", "ultrafast",
        "-pix_fmt", "yuv420p", "-g", "5", "-c:s", "ass", "-metadata:s:s:0", "language=eng",
        "-metadata:s:s:1", "language=ger", try folder.file("films/subtitled.mkv"),
      ])
    return folder
  }

  @Test(
    "shows the subtitles of the preferred language, and none unless they are wanted",
    arguments: [("de", 0, 255), ("en", 255, 255), (nil, 255, 0)] as [(String?, UInt8, UInt8)])
  func subtitles(language: String?, red: UInt8, green: UInt8) async throws {
    let screen = try VirtualScreen()
    defer { screen.end() }
    var options: JSONObject = [
      "folders": [.string(try Self.subtitled.get().path(of: "films"))], "videoOutput": "x11",
      "display": .string(screen.display), "subtitles": .bool(language != nil),
    ]
    if let language { options["subtitleLanguages"] = [.string(language)] }
    let player = try await PlayerBench(.dvdPlayer, options)
    try await player.play("films/subtitled.mkv")
    #expect(
      player.attribute("subtitleLanguage")
        == (language == "de" ? "ger" : language == "en" ? "eng" : ""))
    #expect(player.attribute("subtitleTracks") == "eng, ger")
    #expect(await eventually { screen.shows(.init(red: red, green: green, blue: 0)) })
    await player.end()
  }

  @Test("fails when the display cannot be opened, instead of playing without a picture")
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

  @Test("F1 · names the reason of a failed film although mpv sends it after the end of the film")
  func lateReason() async throws {
    let folder = try TemporaryFolder()
    try folder.write("films/broken.mkv", [0])
    let mpv = try LateMpv()
    defer { withExtendedLifetime(mpv) {} }
    let player = try await PlayerBench(
      .dvdPlayer, ["folders": [.string(folder.path(of: "films"))]], program: mpv.program)
    let refusal = await player.refusal(of: ["play": ["item": "films/broken.mkv"]])
    #expect(refusal?.contains("the picture cannot be shown") == true, "\(refusal ?? "it plays")")
    #expect(refusal?.contains("Error opening/initializing the selected video_out") == true)
    await player.end()
  }
}
