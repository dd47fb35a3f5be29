import Foundation
import JSON
import Platform
import TestSupport
import Testing

@testable import MpvPlayer

/// The ids that a player accepts: those that a scan lists, and no other spelling of a path.
@Suite("MpvPlayer: listed media")
struct ListedMediumTests {
  private static func library(
    _ folder: TemporaryFolder, isCD: Bool = false
  ) async throws -> FilmLibrary {
    let options = try MpvOptions([
      "folders": [.string(folder.path(of: "films"))], "drive": "",
      "streams": [["name": "Caf\u{E9}", "url": "http://127.0.0.1/x.mkv"]],
    ])
    let library = FilmLibrary(options, isCD: isCD, setup: MpvSetup(), clock: SystemClock())
    _ = await library.addFolders()
    return library
  }

  private static func isPlayable(_ item: String, in library: FilmLibrary) async -> Bool {
    (try? await library.resolve(item)) != nil
  }

  @Test("plays the listed spelling of a film only, and no file that a scan does not list")
  func films() async throws {
    let folder = try TemporaryFolder()
    for path in [
      "films/x.mkv", "films/a/x.mkv", "films/.hidden.mkv", "films/.h/x.mkv", "films/x.bin",
      "films/x.mp3", "films/.x.srt", "films/x.srt", "films/x.jpg", "films/x", "secret.mkv",
      "films/Night.iso",
    ] {
      try folder.write(path, [1])
    }
    let manager = FileManager.default
    for (link, target) in [
      ("films/out.mkv", "../secret.mkv"), ("films/in.mkv", "a/x.mkv"), ("films/link", "a"),
      ("films/dead.mkv", "none.mkv"),
    ] {
      try manager.createSymbolicLink(
        atPath: folder.path(of: link), withDestinationPath: target)
    }
    let library = try await Self.library(folder)
    for item in ["films/x.mkv", "films/a/x.mkv", "films/in.mkv", "films/Night.iso"] {
      #expect(await Self.isPlayable(item, in: library), "\(item)")
    }
    for item in [
      "films/../films/x.mkv", "films/./x.mkv", "films//x.mkv", "films/x.mkv/", "films/a/../x.mkv",
      "films/a/./x.mkv", "films/a//x.mkv", "films/.hidden.mkv", "films/.h/x.mkv", "films/x.bin",
      "films/x.mp3", "films/x.srt", "films/.x.srt", "films/x.jpg", "films/x", "films/a", "films/",
      "films", "films/link/x.mkv", "films/out.mkv", "films/dead.mkv", "films/../secret.mkv",
      "films/x.mkv\u{0}", "/films/x.mkv", "./films/x.mkv", folder.path(of: "films/x.mkv"),
    ] {
      #expect(await !Self.isPlayable(item, in: library), "\(item)")
    }
    #expect(await Self.isPlayable("stream/Caf\u{E9}", in: library))
    for item in ["stream/Cafe\u{301}", "stream/", "stream/caf\u{E9}", "stream/../films/x.mkv"] {
      #expect(await !Self.isPlayable(item, in: library), "\(item)")
    }
  }

  @Test("plays a DVD folder by its own name only, and none whose files are links out of the folder")
  func discs() async throws {
    let folder = try TemporaryFolder()
    for path in [
      "films/Ferry/VIDEO_TS/VIDEO_TS.IFO", "films/Bare/VIDEO_TS.IFO",
      "films/.Hidden/VIDEO_TS/VIDEO_TS.IFO", "films/Linked/VIDEO_TS/VIDEO_TS.IFO",
      "films/Ferry/VIDEO_TS/VTS_01_1.VOB", "secret.vob",
    ] {
      try folder.write(path, [1])
    }
    let manager = FileManager.default
    try manager.createSymbolicLink(
      atPath: folder.path(of: "films/Linked/VIDEO_TS/VTS_01_1.VOB"),
      withDestinationPath: folder.path(of: "secret.vob"))
    try manager.createSymbolicLink(
      atPath: folder.path(of: "films/Alias"), withDestinationPath: "Ferry")
    let library = try await Self.library(folder)
    for item in ["films/Ferry", "films/Bare"] {
      #expect(await Self.isPlayable(item, in: library), "\(item)")
    }
    for item in [
      "films/Ferry/", "films/Ferry/VIDEO_TS", "films/Ferry/VIDEO_TS/VIDEO_TS.IFO",
      "films/Ferry/VIDEO_TS/VTS_01_1.VOB", "films/Bare/VIDEO_TS.IFO", "films/.Hidden",
      "films/Linked", "films/Alias", "films/Bare/../Ferry",
    ] {
      #expect(await !Self.isPlayable(item, in: library), "\(item)")
    }
    // A player of songs plays no films.
    let songs = try await Self.library(folder, isCD: true)
    #expect(await !Self.isPlayable("films/Ferry", in: songs))
  }

  @Test("shows no picture for an id that is not listed")
  func pictures() async throws {
    let folder = try TemporaryFolder()
    try folder.write("films/.hidden.mkv", [1])
    try folder.write("films/x.mkv", [1])
    let library = try await Self.library(folder)
    for item in ["films/.hidden.mkv", "films/../films/x.mkv"] {
      await #expect(throws: (any Error).self) { try await library.locate(item) }
    }
    #expect(try await library.locate("films/x.mkv").path == "x.mkv")
  }

  @Test("loads no subtitles beside a film if one of them is a link out of the media folder")
  func subtitles() async throws {
    let folder = try TemporaryFolder()
    for path in ["films/x.mkv", "films/y.mkv", "films/y.srt", "secret"] {
      try folder.write(path, [1])
    }
    try FileManager.default.createSymbolicLink(
      atPath: folder.path(of: "films/x.en.srt"), withDestinationPath: folder.path(of: "secret"))
    let library = try await Self.library(folder)
    #expect(try await library.resolve("films/x.mkv").hasForeignSubtitles)
    #expect(try await !library.resolve("films/y.mkv").hasForeignSubtitles)
  }
}
