import Devices
import Foundation
import JSON
import MediaFolders
import Platform
import PluginProtocol
import TestSupport
import Testing

@testable import MpvPlayer

/// A collection of films as people have it: names of releases, samples, discs, parts, links and subtitles.
@Suite("MpvPlayer: a collection of films", .timeLimit(.minutes(3)))
struct CollectionTests {
  private static func copy(_ film: String, to path: String, in folder: TemporaryFolder) throws {
    try FileManager.default.copyItem(
      atPath: try TestFilms.make().path + "/\(film).mkv", toPath: try folder.file(path))
  }

  @Test("E9 · lists films by their titles, and says which files it leaves out and why")
  func collection() async throws {
    let folder = try TemporaryFolder()
    let release = "Night.Ferry.2019.1080p.BluRay.x264-GRP"
    for path in [
      "\(release)/\(release).mkv", "\(release)/Sample/grp-sample.mkv", "Ärger (2004).mkv",
      "Zug 10.mkv", "Zug 9.mkv", "Zug 9-trailer.mkv", "Zug 9/Extras/a.mkv", "@eaDir/b.mkv",
      "#recycle/c.mkv", "lost+found/d.mkv",
    ] {
      try Self.copy("blue", to: "films/\(path)", in: folder)
    }
    try Self.copy("blue", to: "elsewhere/e.mkv", in: folder)
    try folder.write("films/Zug 11.mkv.part", [1])
    try folder.write("films/notes.txt", [1])
    let manager = FileManager.default
    try manager.createSymbolicLink(
      atPath: folder.path(of: "films/More"), withDestinationPath: folder.path(of: "elsewhere"))
    try manager.createSymbolicLink(
      atPath: folder.path(of: "films/Again"), withDestinationPath: release)
    let player = try await PlayerBench(
      .dvdPlayer, ["folders": [.string(folder.path(of: "films"))]])
    let page = try await player.page()
    #expect(page.items.map(\.title) == ["Ärger (2004)", "Night Ferry (2019)", "Zug 9", "Zug 10"])
    let reasons = Dictionary(
      page.leftOut.map { ($0.file, $0.reason) }, uniquingKeysWith: { first, _ in first })
    #expect(reasons["\(release)/Sample/grp-sample.mkv"] == "it is a sample")
    #expect(reasons["Zug 9-trailer.mkv"] == "it is a trailer")
    #expect(reasons["Zug 9/Extras/a.mkv"] == "it is an extra of a film")
    #expect(reasons["Zug 11.mkv.part"] == "its download has not ended")
    #expect(reasons["More"]?.contains("outside") == true)
    #expect(reasons["Again"]?.contains("link to a folder") == true)
    #expect(page.leftOutCount == 6)
    let item = "films/\(release)/\(release).mkv"
    try await player.play(item)
    #expect(player.attribute("title") == "Night Ferry (2019)")
    #expect(await player.refusal(of: ["play": ["item": "films/Zug 9-trailer.mkv"]]) != nil)
    await player.end()
  }

  @Test("E10 · a film in two files is one film, and goes on with the second")
  func parts() async throws {
    let folder = try TemporaryFolder()
    try Self.copy("blue", to: "films/Night Ferry (2019) CD1.mkv", in: folder)
    try Self.copy("blue", to: "films/Night Ferry (2019) CD2.mkv", in: folder)
    let player = try await PlayerBench(
      .dvdPlayer, ["folders": [.string(folder.path(of: "films"))]])
    let items = try await player.scan()
    #expect(items.map(\.title) == ["Night Ferry (2019)"])
    #expect(abs((items.first?.duration ?? 0) - 4) < 0.2)
    let item = try #require(items.first?.id)
    #expect(items.first?.hasPicture == true)
    #expect(try await player.picture(of: item) != nil)
    try await player.play(item, from: 1.5)
    #expect(player.playback?.item == item && player.attribute("title") == "Night Ferry (2019)")
    try await player.wait("the second part plays") { ($0.playback?.position ?? 0) > 0 }
    try await player.wait("it ends") { $0.playback?.status == .ended }
    #expect(abs((player.playback?.position ?? 0) - 4) < 0.2)
    await player.end()
  }

  @Test("plays a DVD whose folder is named in any case", arguments: ["Video_TS", "video_Ts"])
  func dvd(name: String) async throws {
    let folder = try TemporaryFolder()
    try TestFilms.makeDVD(in: folder)
    try FileManager.default.moveItem(
      atPath: folder.path(of: "discs/Ferry/VIDEO_TS"),
      toPath: folder.path(of: "discs/Ferry/\(name)"))
    try FileManager.default.removeItem(atPath: folder.path(of: "discs/Night.iso"))
    let player = try await PlayerBench(
      .dvdPlayer, ["folders": [.string(folder.path(of: "discs"))]])
    #expect(try await player.scan().map(\.id) == ["discs/Ferry"])
    try await player.play("discs/Ferry")
    #expect(player.playback?.status == .playing)
    await player.end()
  }

  @Test("a Blu-ray folder is one medium, and the files in it are none")
  func bluray() async throws {
    let folder = try TemporaryFolder()
    for path in [
      "Ferry/BDMV/index.bdmv", "Ferry/BDMV/STREAM/00000.m2ts", "Ferry/BDMV/STREAM/00001.m2ts",
      "Ferry/BDMV/BACKUP/index.bdmv",
    ] {
      try folder.write("films/\(path)", [1])
    }
    let options = try MpvOptions(["folders": [.string(folder.path(of: "films"))], "drive": ""])
    let library = FilmLibrary(options, isCD: false, setup: MpvSetup(), clock: SystemClock())
    _ = await library.addFolders()
    let medium = try await library.resolve("films/Ferry")
    #expect(medium.source == .bluray(folder.path(of: "films/Ferry").resolved))
    #expect(medium.address == "bd://longest" && medium.device?.property == "bluray-device")
    for item in ["films/Ferry/BDMV", "films/Ferry/BDMV/STREAM/00000.m2ts"] {
      await #expect(throws: (any Error).self) { try await library.resolve(item) }
    }
    var skipped: [String] = []
    _ = try await library.scan(nil) { skipped.append($0.subject) }
    // It is not a real disc, so mpv refuses the one medium.
    #expect(skipped == ["films/Ferry"])
  }

  @Test("shows the subtitles of a folder Subs in the wanted language, and plays that sound")
  func subtitles() async throws {
    let folder = try TemporaryFolder()
    try Self.copy("red", to: "films/Red (2019)/Red.2019.mkv", in: folder)
    let text = Array("1\n00:00:00,000 --> 00:00:03,000\nHello\n".utf8)
    for name in ["2_English.srt", "3_German.srt"] {
      try folder.write("films/Red (2019)/Subs/\(name)", text)
    }
    let options: JSONObject = [
      "folders": [.string(folder.path(of: "films"))], "audioLanguages": ["de-AT"],
      "subtitles": true, "subtitleLanguages": ["de"],
    ]
    let player = try await PlayerBench(.dvdPlayer, options)
    try await player.play("films/Red (2019)/Red.2019.mkv")
    #expect(player.attribute("audioLanguage")?.string?.hasPrefix("d") == true)
    #expect(player.attribute("subtitleLanguage") == "de")
    await player.end()
    let other = try await PlayerBench(
      .dvdPlayer, ["folders": [.string(folder.path(of: "films"))]])
    try await other.play("films/Red (2019)/Red.2019.mkv")
    #expect(other.attribute("audioLanguage") == "eng" && other.attribute("subtitleLanguage") == "")
    await other.end()
  }

  @Test(
    "takes the subtitles of a film, and not those of another one whose name begins alike",
    arguments: [
      ("Alien.en.srt", true), ("Alien.srt", true), ("Alien-forced.srt", true),
      ("Aliens.en.srt", false), ("Alien 3.en.srt", false), ("Alien English.srt", true),
      ("Alie.srt", false),
    ])
  func similarNames(file: String, isOwn: Bool) {
    let others = ["Alien", "Aliens", "Alien 3"]
    #expect(SubtitleFiles.belongs(file, to: "Alien", beside: others) == isOwn)
  }

  @Test("E9 · a recording whose clock does not begin at 0 has its duration and its still")
  func clock() async throws {
    let folder = try TemporaryFolder()
    // The first half is red, the second blue: a still of the end would be blue.
    try TestFilms.ffmpeg([
      "-f", "lavfi", "-i", "color=red:s=160x90:r=25:d=10", "-f", "lavfi", "-i",
      "color=blue:s=160x90:r=25:d=10", "-filter_complex", "concat=n=2", "-c:v", "mpeg4", "-g", "12",
      "-output_ts_offset", "50000", try folder.file("films/Recording.mkv"),
    ])
    let player = try await PlayerBench(
      .dvdPlayer, ["folders": [.string(folder.path(of: "films"))]])
    let items = try await player.scan()
    #expect(abs((items.first?.duration ?? 0) - 20) < 0.2)
    let picture = try #require(try await player.picture(of: "films/Recording.mkv"))
    let file = try folder.write("still.jpg", picture.bytes)
    let pixel = folder.path(of: "pixel.rgb")
    try TestFilms.ffmpeg([
      "-i", file, "-vf", "scale=1:1", "-pix_fmt", "rgb24", "-f", "rawvideo", pixel,
    ])
    let color = [UInt8](try Data(contentsOf: URL(fileURLWithPath: pixel)))
    #expect(color.count == 3 && color[0] > 150 && color[2] < 90, "\(color)")
    try await player.play("films/Recording.mkv", from: 19)
    try await player.wait("it ends") { $0.playback?.status == .ended }
    await player.end()
  }
}

extension String {
  /// The path without links.
  fileprivate var resolved: String { URL(fileURLWithPath: self).resolvingSymlinksInPath().path }
}
