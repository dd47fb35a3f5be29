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

/// Playback of films and songs by a real mpv, without a picture, over a real cable.
@Suite("MpvPlayer: playback", .realTime, .timeLimit(.minutes(3)))
struct PlaybackTests {
  private static func bench(_ options: JSONObject = [:]) async throws -> PlayerBench {
    var all: JSONObject = ["folders": [.string(try TestFilms.make().path)]]
    for (key, value) in options { all[key] = value }
    return try await PlayerBench(.dvdPlayer, all)
  }

  @Test("plays the sound of two films from the first frame to the last")
  func whole() async throws {
    let player = try await Self.bench()
    for _ in 1...2 {
      player.sink.reset()
      try await player.play("films/red.mkv")
      #expect(player.playback?.status == .playing)
      try await player.wait("it ends") { $0.playback?.status == .ended }
      #expect(player.playback?.position == player.playback?.duration)
      let format = try #require(player.sink.formats.last)
      #expect(format.rate == 48_000)
      // 3 s of sound are 144,000 frames. Half a second of silence follows.
      #expect((144_000...172_000).contains(player.sink.frames), "\(player.sink.frames)")
      // The film has 1,320 waves. 9 waves last 20 ms.
      #expect((1310...1325).contains(player.sink.waves), "\(player.sink.waves)")
      try await player.perform("stop")
    }
    await player.end()
    #expect(player.processes.isEmpty)
  }

  @Test("E10 · pauses, resumes, seeks, goes to chapters, and reports the attributes of the film")
  func commands() async throws {
    let player = try await Self.bench()
    try await player.play("films/red.mkv", from: 1.2)
    #expect((1.1...1.5).contains(player.playback?.position ?? 0))
    #expect(player.attribute("title") == "Red")
    #expect(player.attribute("resolution") == "160×90")
    #expect(player.attribute("videoCodec") == "h264" && player.attribute("audioCodec") == "flac")
    #expect(player.attribute("hardwareDecoder") == "", "no hardware decodes 160×90 here")
    #expect(player.attribute("chapters") == 3)
    #expect(player.attribute("audioTracks") == "eng, deu")
    try await player.wait("the chapter is reported") {
      $0.attribute("chapter") == 2 && $0.attribute("chapterTitle") == "Part 2"
    }
    try await player.perform("pause")
    let paused = try #require(player.playback)
    #expect(paused.status == .paused && paused.rate == 0)
    try await player.perform(["seek": 2.5])
    #expect(player.playback?.status == .paused)
    #expect(abs((player.playback?.position ?? 0) - 2.5) < 0.1)
    try await player.perform("previous")
    #expect(abs((player.playback?.position ?? 0) - 1) < 0.1, "the chapter before")
    try await player.perform("next")
    #expect(abs((player.playback?.position ?? 0) - 2) < 0.1)
    #expect(await player.refusal(of: "next") == "this is the last chapter")
    try await player.perform("play")
    #expect(player.playback?.status == .playing)
    try await player.wait("it ends") { $0.playback?.status == .ended }
    try await player.perform("stop")
    #expect(player.playback?.status == .stopped)
    #expect(await player.refusal(of: ["seek": 1]) == "nothing is playing")
    try await player.perform("off")
    #expect(player[.power] == "off")
    #expect(player.processes.isEmpty)
    await player.end()
  }

  @Test("E10 · plays a film without sound, and fails for damaged and missing films with a reason")
  func others() async throws {
    let folder = try TemporaryFolder()
    try FileManager.default.copyItem(
      atPath: try TestFilms.make().path + "/blue.mkv", toPath: try folder.file("mixed/blue.mkv"))
    try folder.write("mixed/bad.mkv", (0..<4000).map { UInt8(truncatingIfNeeded: $0 &* 7919 >> 3) })
    try folder.write("secret.mkv", [1])
    let player = try await PlayerBench(
      .dvdPlayer, ["folders": [.string(folder.path(of: "mixed"))]])
    let items = try await player.scan()
    #expect(items.map(\.id) == ["mixed/blue.mkv"])
    #expect(items.first?.duration.map { abs($0 - 2) < 0.1 } == true)
    #expect(player.log.contains { $0.contains("mixed/bad.mkv") && $0.contains("mpv FILE") })
    let damaged = await player.refusal(of: ["play": ["item": "mixed/bad.mkv"]])
    #expect(damaged?.contains("cannot be played") == true, "\(damaged ?? "")")
    #expect(player.playback?.status == .failed)
    for item in ["mixed/none.mkv", "mixed/../secret.mkv", "stream/none", "disc"] {
      #expect(await player.refusal(of: ["play": ["item": .string(item)]]) != nil, "\(item)")
    }
    try await player.play("mixed/blue.mkv")
    #expect(player.playback?.status == .playing)
    #expect(player.attribute("audioCodec") == "")
    await player.end()
  }

  @Test("F1 F4 · accepts a lent PCM while a film without sound plays")
  func lentToSilentFilm() async throws {
    let player = try await Self.bench(["lending": true])
    try await player.play("films/blue.mkv")
    // A pause, so that the film does not end meanwhile.
    try await player.perform("pause")
    #expect(await player.refusal(ofPCM: "null") == nil)
    await player.end()
  }

  @Test("F4 · says that mpv could not open a lent PCM")
  func unusablePCM() async throws {
    let player = try await Self.bench(["lending": true])
    try await player.play("films/red.mkv")
    try await player.perform("pause")
    let refusal = await player.refusal(ofPCM: "missing_card")
    #expect(refusal == "mpv could not open the lent PCM \"missing_card\" within 3 s")
    await player.end()
  }

  @Test("F4 · leaves no folder of its sound behind when the plugin ends")
  func endOfPlugin() async throws {
    signal(SIGPIPE, SIG_IGN)
    let folder = try TemporaryFolder()
    // The plugin finds the ALSA module beside its program. `cp` copies it, so that this process never holds the program
    // open for writing: Linux would refuse to start it.
    let program = folder.path(of: "MpvPlayer")
    try TestFilms.tool("cp", [Program.products.appending(path: "MpvPlayer").path, program])
    try folder.write("alsa/libasound_module_pcm_theater.so", [])
    let runtime = try TemporaryFolder()
    let child = try ChildProcess(
      ProgramStart(
        program, [], environment: ["PATH": "/usr/bin:/bin", "XDG_RUNTIME_DIR": runtime.path],
        input: .pipe, output: .pipe))
    defer {
      child.signal(SIGKILL)
      child.wait()
    }
    let bench = PluginBench(
      connection: StreamConnection(reading: child.output, writing: child.input))
    let options: JSON = ["drive": "", "videoOutput": "null"]
    #expect(await bench.open("player", .dvdPlayer, options) == nil)
    #expect(try FileManager.default.contentsOfDirectory(atPath: runtime.path).count == 1)
    await bench.end()
    #expect(child.wait(killingAfter: 60) == .exited(0))
    #expect(try FileManager.default.contentsOfDirectory(atPath: runtime.path) == [])
  }

  @Test("forgets a film that a scan no longer finds")
  func removedFilm() async throws {
    let folder = try TemporaryFolder()
    let file = try folder.file("films/blue.mkv")
    try FileManager.default.copyItem(
      atPath: try TestFilms.make().path + "/blue.mkv", toPath: file)
    let options = try MpvOptions(["folders": [.string(folder.path(of: "films"))]])
    let library = FilmLibrary(options, isCD: false, setup: MpvSetup(), clock: SystemClock())
    #expect(try await library.scan(nil) { _ in }.map(\.id) == ["films/blue.mkv"])
    #expect(library.duration(of: "films/blue.mkv") != nil)
    try FileManager.default.removeItem(atPath: file)
    #expect(try await library.scan(nil) { _ in } == [])
    #expect(library.duration(of: "films/blue.mkv") == nil)
  }

  @Test("F4 · fails when the audio device cannot be opened, and names the device")
  func unusableDevice() async throws {
    let player = try await Self.bench(["audioDevice": "missing_card"])
    let refusal = await player.refusal(of: ["play": ["item": "films/red.mkv"]])
    #expect(refusal?.contains("missing_card") == true, "\(refusal ?? "it plays")")
    #expect(player.playback?.status == .failed)
    #expect(player.playback?.reason?.contains("missing_card") == true)
    await player.end()
  }

  @Test("plays the wanted language and number of channels")
  func tracks() async throws {
    let player = try await Self.bench(["audioLanguages": ["fr", "de"]])
    try await player.play("films/red.mkv")
    #expect(player.attribute("audioLanguage") == "deu")
    try await player.wait("the tone is heard") { $0.sink.frames > 24_000 }
    #expect(abs(player.sink.frequency - 880) < 30, "\(player.sink.frequency)")
    try await player.perform("twoChannelAudio")
    #expect(player[.audio] == "twoChannel")
    try await player.wait("two channels") { $0.sink.formats.last?.channels == 2 }
    await player.end()
  }

  @Test("sends each channel of surround sound to its speaker, and mixes all for two channels")
  func surround() async throws {
    let folder = try TemporaryFolder()
    // Front left and right, centre, low frequencies, rear left and right: the order of film and cable.
    let tones = [300.0, 400, 500, 100, 700, 800]
    let sources = tones.flatMap { ["-f", "lavfi", "-i", "sine=\($0):r=48000:d=60"] }
    let inputs = tones.indices.map { "[\($0)]" }.joined()
    let speakers = ["FL", "FR", "FC", "LFE", "BL", "BR"]
    let map = speakers.enumerated().map { "\($0).0-\($1)" }.joined(separator: "|")
    try TestFilms.ffmpeg(
      sources + [
        "-filter_complex", "\(inputs)join=inputs=6:channel_layout=5.1:map=\(map)", "-c:a", "flac",
        try folder.file("films/surround.mkv"),
      ])
    let player = try await PlayerBench(
      .dvdPlayer, ["folders": [.string(folder.path(of: "films"))]])
    try await player.play("films/surround.mkv")
    #expect(player.attribute("audioChannels") == 6)
    try await player.wait("six channels are heard") { $0.sink.amplitudes(of: 300)?.count == 6 }
    #expect(player.sink.formats.last?.channels == 6)
    for (channel, tone) in tones.enumerated() {
      let amplitudes = try #require(player.sink.amplitudes(of: tone))
      for (other, amplitude) in amplitudes.enumerated() {
        #expect((amplitude > 0.1) == (other == channel), "\(tone) Hz: \(amplitudes)")
      }
    }
    try await player.perform("twoChannelAudio")
    try await player.wait("two channels are heard") { $0.sink.amplitudes(of: 300)?.count == 2 }
    // The centre is in both; each side has its own front and rear.
    for (tone, sides) in [
      (300.0, [true, false]), (400, [false, true]), (500, [true, true]), (700, [true, false]),
      (800, [false, true]),
    ] {
      let amplitudes = try #require(player.sink.amplitudes(of: tone))
      #expect(amplitudes.map { $0 > 0.01 } == sides, "\(tone) Hz: \(amplitudes)")
    }
    await player.end()
  }

  @Test("plays DVD folders, images of DVDs and the disc in the drive, with chapters")
  func discs() async throws {
    let folder = try TemporaryFolder()
    try TestFilms.makeDVD(in: folder)
    let image = folder.path(of: "discs/Night.iso")
    let player = try await PlayerBench(
      .dvdPlayer, ["folders": [.string(folder.path(of: "discs"))], "drive": .string(image)])
    let items = try await player.scan()
    #expect(items.map(\.id) == ["discs/Ferry", "discs/Night.iso", "disc"])
    #expect(items.map(\.title) == ["Ferry", "Night", "DVD in the drive"])
    #expect(items.prefix(2).allSatisfy { abs(($0.duration ?? 0) - 4) < 0.2 })
    for item in items {
      try await player.play(item.id)
      #expect(player.playback?.item == item.id && player.playback?.status == .playing)
      #expect(player.attribute("chapters") == 2)
      try await player.perform("next")
      #expect(abs((player.playback?.position ?? 0) - 2) < 0.4)
      try await player.wait("it ends, and does not begin again", within: 10) {
        $0.playback?.status == .ended
      }
    }
    try await player.perform("eject")
    #expect(player[.tray] == "open" && player.playback?.status == .stopped)
    try await player.perform("play")
    #expect(player[.tray] == "closed" && player.playback?.item == "disc")
    await player.end()
  }

  @Test("plays a network stream by its name")
  func stream() async throws {
    let server = try FileServer(folder: try TestFilms.make().path)
    defer { server.end() }
    let player = try await PlayerBench(
      .dvdPlayer,
      ["streams": [["name": "Ferry TV", "url": .string("\(server.address)/red.mkv")]]])
    #expect(try await player.scan().map(\.id) == ["stream/Ferry TV"])
    try await player.play("stream/Ferry TV")
    #expect(player.playback?.status == .playing)
    try await player.wait("it is heard") { $0.sink.frames > 4800 }
    await player.end()
  }

  @Test("E10 · plays the songs of a CD in order, and goes to others with next and previous")
  func songs() async throws {
    let folder = try TemporaryFolder()
    for (name, tone) in [("1 one", 300), ("2 two", 500)] {
      try TestFilms.ffmpeg([
        "-f", "lavfi", "-i", "sine=\(tone):d=1.2", "-metadata", "title=Song \(name)",
        "-metadata", "artist=Sine", "-metadata", "album=Tones", "-metadata",
        "track=\(tone / 100)/9", try folder.file("music/disc/\(name).flac"),
      ])
    }
    let player = try await PlayerBench(
      .cdPlayer, ["folders": [.string(folder.path(of: "music"))]])
    let items = try await player.scan()
    #expect(items.map(\.title) == ["Song 1 one", "Song 2 two"] && items[0].artist == "Sine")
    let (one, two) = ("music/disc/1 one.flac", "music/disc/2 two.flac")
    try await player.play(one)
    #expect(player.attribute("title") == "Song 1 one" && player.attribute("artist") == "Sine")
    #expect(player.attribute("album") == "Tones" && player.attribute("track") == 3)
    try await player.perform("next")
    #expect(player.playback?.item == two && player.playback?.status == .playing)
    try await player.perform("previous")
    #expect(player.playback?.item == one && player.playback?.status == .playing)
    try await player.wait("the disc ends") { $0.playback?.status == .ended }
    let reports = player.playbacks
    let end = try #require(reports.lastIndex { $0.item == one })
    #expect(reports[end].position == reports[end].duration && reports[end].rate == 0)
    #expect(reports.last?.item == two)
    await player.end()
  }

  @Test("plays the songs of an album without a gap, and adds silence only after the last one")
  func gapless() async throws {
    let folder = try TemporaryFolder()
    for number in 1...3 {
      try TestFilms.ffmpeg([
        "-f", "lavfi", "-i", "sine=440:r=44100:d=2", try folder.file("music/disc/\(number).flac"),
      ])
    }
    let player = try await PlayerBench(
      .cdPlayer, ["folders": [.string(folder.path(of: "music"))]])
    try await player.play("music/disc/1.flac")
    try await player.wait("the disc ends") { $0.playback?.status == .ended }
    #expect(player.playbacks.last?.item == "music/disc/3.flac")
    // 6 s of sound, and half a second of silence. 9 waves last 20 ms.
    let frames = player.sink.frames
    #expect((264_600...(264_600 + 22_050 + 2_205)).contains(frames), "\(frames)")
    #expect((2631...2643).contains(player.sink.waves), "\(player.sink.waves)")
    await player.end()
  }

  @Test("E10 · fails at a damaged song of a disc, with the reason, and reports that song")
  func damagedSong() async throws {
    let folder = try TemporaryFolder()
    try TestFilms.ffmpeg([
      "-f", "lavfi", "-i", "sine=300:d=0.5", try folder.file("music/disc/1.flac"),
    ])
    try folder.write("music/disc/2.flac", Array(repeating: 7, count: 4000))
    let player = try await PlayerBench(
      .cdPlayer, ["folders": [.string(folder.path(of: "music"))]])
    try await player.play("music/disc/1.flac")
    try await player.wait("it fails") { $0.playback?.status == .failed }
    #expect(player.playback?.item == "music/disc/2.flac")
    #expect(player.playback?.reason?.contains("cannot be played") == true)
    await player.end()
  }
}
