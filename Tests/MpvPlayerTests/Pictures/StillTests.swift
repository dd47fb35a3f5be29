import Devices
import Foundation
import JSON
import Platform
import TestSupport
import Testing

@testable import MpvPlayer

/// Stills that a real mpv makes of generated films, picture files beside films, and the cache of pictures.
@Suite("MpvPlayer: stills", .timeLimit(.minutes(3)))
struct StillTests {
  private static let fake = Program.project.appending(path: "Tests/Fixtures/fake_mpv.py").path
  private static let jpeg: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0]

  /// Makes the pictures of a folder of films or songs.
  private func pictures(
    of films: String, cache: String? = nil, program: String = "mpv", fault: String? = nil,
    isCD: Bool = false, clock: any TheaterClock = SystemClock()
  ) throws -> ItemPictures {
    var setup = MpvSetup()
    setup.program = program
    setup.variables["FAULT"] = fault
    let library = FilmLibrary(try MpvOptions([:]), isCD: isCD, setup: setup, clock: clock)
    try library.add(films)
    return ItemPictures(
      library: library, isCD: isCD, stills: StillMaker(setup: setup, clock: clock),
      cache: cache.map { PictureCache(folder: $0) })
  }

  /// Returns the red, green and blue (0 to 255) of the pixel in the middle of a picture of 640×360.
  private func color(of picture: ItemPicture?) throws -> [UInt8] {
    let folder = try TemporaryFolder()
    let file = try folder.write("picture", try #require(picture).bytes)
    let pixels = folder.path(of: "pixels")
    try TestFilms.ffmpeg(["-i", file, "-f", "rawvideo", "-pix_fmt", "rgb24", pixels])
    let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: pixels)))
    try #require(bytes.count == 640 * 360 * 3)
    return Array(bytes[(180 * 640 + 320) * 3..<(180 * 640 + 321) * 3])
  }

  /// Makes a folder with a copy of the blue film under these names.
  private func films(_ names: String...) throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    let film = URL(fileURLWithPath: try TestFilms.make().folder.path(of: "films/blue.mkv"))
    for name in names {
      try FileManager.default.copyItem(
        at: film, to: URL(fileURLWithPath: try folder.file("films/\(name)")))
    }
    return folder
  }

  @Test("E9 · has a still of each film, and its list says so; a paused film stays paused")
  func player() async throws {
    let player = try await PlayerBench(
      .dvdPlayer, ["folders": [.string(try TestFilms.make().path)]])
    let items = try await player.scan()
    #expect(items.map(\.hasPicture) == [true, true])
    try await player.play("films/red.mkv", from: 1)
    try await player.perform("pause")
    let red = try color(of: await player.picture(of: "films/red.mkv"))
    let blue = try color(of: await player.picture(of: "films/blue.mkv"))
    #expect(red[0] > 200 && red[1] < 50 && red[2] < 50, "\(red)")
    #expect(blue[0] < 50 && blue[1] < 50 && blue[2] > 200, "\(blue)")
    #expect(try await player.picture(of: "disc") == nil)
    #expect(player.playback?.status == .paused)
    #expect(player.processes.count == 1, "only the one that plays is left")
    await player.end()
  }

  @Test("E9 · a DVD has a still in the shape in which it is shown")
  func dvd() async throws {
    let folder = try TemporaryFolder()
    try TestFilms.makeDVD(in: folder)
    let pictures = try pictures(of: folder.path(of: "discs"))
    for item in ["discs/Ferry", "discs/Night.iso"] {
      let green = try color(of: await pictures.picture(of: item))
      #expect(green[0] < 60 && green[1] > 90 && green[2] < 60, "\(item): \(green)")
    }
  }

  @Test("E9 · the cover inside a song is its picture; a song without one has none")
  func songs() async throws {
    let folder = try TemporaryFolder()
    let cover = folder.path(of: "cover.png")
    try TestFilms.ffmpeg([
      "-f", "lavfi", "-i", "color=red:s=64x64", "-frames:v", "1", "-c:v", "png", cover,
    ])
    let tone = ["-f", "lavfi", "-i", "sine=440:d=1"]
    try TestFilms.ffmpeg(
      tone + ["-i", cover, "-map", "0", "-map", "1", "-c:a", "flac", "-disposition:v"]
        + ["attached_pic", try folder.file("songs/with.flac")])
    try TestFilms.ffmpeg(tone + ["-c:a", "flac", try folder.file("songs/without.flac")])
    try folder.write("songs/cover.jpg", Self.jpeg)
    let pictures = try pictures(of: folder.path(of: "songs"), isCD: true)
    let items = try await pictures.library.scan(folder.path(of: "songs")) { _ in }
    #expect(items.map(\.id) == ["songs/with.flac", "songs/without.flac"])
    #expect(items.map(\.hasPicture) == [true, false])
    #expect(await pictures.picture(of: "songs/with.flac") != nil)
    #expect(await pictures.picture(of: "songs/without.flac") == nil)
  }

  @Test("a picture beside the only film of a folder comes first, before all that of its name")
  func beside() async throws {
    let folder = try films("a/Ferry.mkv", "b/one.mkv", "b/two.mkv")
    let pictures = try pictures(of: folder.path(of: "films"), program: "/nonexistent/mpv")
    func bytes(of item: String) async -> [UInt8]? {
      await pictures.picture(of: "films/\(item)")?.bytes
    }
    #expect(await bytes(of: "a/Ferry.mkv") == nil)
    for (name, byte) in [("cover.jpeg", 1), ("folder.jpg", 2), ("poster.webp", 3)] {
      // The bytes decide the format of a picture, not its name.
      try folder.write("films/a/\(name)", Self.jpeg + [UInt8(byte)])
      try folder.write("films/b/\(name)", Self.jpeg)
      #expect(await bytes(of: "a/Ferry.mkv") == Self.jpeg + [UInt8(byte)], "\(name)")
    }
    try folder.write("films/a/Ferry.jpg", Self.jpeg + [4])
    #expect(await bytes(of: "a/Ferry.mkv") == Self.jpeg + [4])
    #expect(await bytes(of: "b/one.mkv") == nil, "a folder of several films")
    try folder.write("films/b/two.png", Self.jpeg + [5])
    #expect(await bytes(of: "b/two.mkv") == Self.jpeg + [5])
  }

  @Test("passes over files that are too large, no pictures, or links out of the media folder")
  func unusable() async throws {
    let folder = try films("Ferry.mkv")
    let outside = try folder.write("outside.jpg", Self.jpeg)
    let large = Self.jpeg + [UInt8](repeating: 0, count: ItemPicture.mostBytes)
    try folder.write("films/Ferry.jpg", large)
    try folder.write("films/Ferry.png", Array("<svg onload=alert(1)>".utf8))
    try FileManager.default.createSymbolicLink(
      atPath: folder.path(of: "films/Ferry.webp"), withDestinationPath: outside)
    mkfifo(folder.path(of: "films/Ferry.jpeg"), 0o600)
    let pictures = try pictures(of: folder.path(of: "films"), program: "/nonexistent/mpv")
    #expect(await pictures.picture(of: "films/Ferry.mkv") == nil)
  }

  @Test("an item out of the media folders has no picture")
  func traversal() async throws {
    let folder = try films("Ferry.mkv", "../secret.mkv")
    try FileManager.default.createSymbolicLink(
      atPath: folder.path(of: "films/link.mkv"),
      withDestinationPath: folder.path(of: "secret.mkv"))
    let pictures = try pictures(of: folder.path(of: "films"))
    for item in [
      "films/../secret.mkv", "films/link.mkv", "../secret.mkv", folder.path(of: "secret.mkv"), "",
      "films/", "films/none.mkv", "films/Ferry.mkv\0", "stream/x", "disc", "dvd://", "secret.mkv",
    ] {
      #expect(await pictures.picture(of: item) == nil, "\(item)")
    }
  }

  @Test("a still is made once, under a name that does not tell the film")
  func cached() async throws {
    let folder = try films("Ferry.mkv")
    let (path, cache) = (folder.path(of: "films"), folder.path(of: "caches/theater/pictures"))
    let first = try pictures(of: path, cache: cache)
    let made = try #require(await first.picture(of: "films/Ferry.mkv"))
    let files = try FileManager.default.contentsOfDirectory(atPath: cache)
    #expect(files.count == 1 && files.allSatisfy { $0.count == 64 && $0.allSatisfy(\.isHexDigit) })
    let again = try pictures(of: path, cache: cache, program: "/nonexistent/mpv")
    #expect(await again.picture(of: "films/Ferry.mkv") == made)
    // A film that was written to needs a new picture.
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSince1970: 1)], ofItemAtPath: path + "/Ferry.mkv")
    #expect(await again.picture(of: "films/Ferry.mkv") == nil)
    let added = Set(try FileManager.default.contentsOfDirectory(atPath: cache)).subtracting(files)
    #expect(added.map { PictureCache(folder: cache).entry(for: $0) } == [.failed])
  }

  @Test("a file that is no film has no picture, and mpv is not asked again")
  func damaged() async throws {
    let folder = try TemporaryFolder()
    try folder.write("films/text.mkv", Array("this is no film".utf8))
    let cache = folder.path(of: "cache")
    let pictures = try pictures(of: folder.path(of: "films"), cache: cache)
    #expect(await pictures.picture(of: "films/text.mkv") == nil)
    let files = try FileManager.default.contentsOfDirectory(atPath: cache)
    let file = try #require(files.first)
    #expect(FileManager.default.contents(atPath: "\(cache)/\(file)") == Data())
    #expect(PictureCache(folder: cache).entry(for: file) == .noPicture)
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSinceNow: -90_000)], ofItemAtPath: "\(cache)/\(file)")
    #expect(PictureCache(folder: cache).entry(for: file) == nil, "for a day")
  }

  @Test("without a folder that can be written, pictures are made each time")
  func unwritable() async throws {
    let folder = try films("Ferry.mkv")
    for cache in ["/proc/theater/pictures", folder.path(of: "films/Ferry.mkv")] {
      let pictures = try pictures(of: folder.path(of: "films"), cache: cache)
      #expect(await pictures.picture(of: "films/Ferry.mkv") != nil, "\(cache)")
    }
  }

  @Test(
    "an mpv that hangs, crashes or sends garbage is ended; the next try follows after ten minutes",
    arguments: ["deaf", "crash", "close", "garbage", "over"])
  func faults(fault: String) async throws {
    let folder = try films("Ferry.mkv")
    let (path, cache) = (folder.path(of: "films"), folder.path(of: "cache"))
    let faulty = try pictures(
      of: path, cache: cache, program: Self.fake, fault: fault, clock: FastClock(factor: 50))
    #expect(await faulty.picture(of: "films/Ferry.mkv") == nil)
    let files = try FileManager.default.contentsOfDirectory(atPath: cache)
    let file = try #require(files.first)
    #expect(PictureCache(folder: cache).entry(for: file) == .failed)
    let working = try pictures(of: path, cache: cache)
    #expect(await working.picture(of: "films/Ferry.mkv") == nil)
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSinceNow: -660)], ofItemAtPath: "\(cache)/\(file)")
    #expect(await working.picture(of: "films/Ferry.mkv") != nil)
  }

  @Test("a still that is not wanted any more ends with its task")
  func cancelled() async throws {
    let folder = try films("Ferry.mkv")
    let pictures = try pictures(
      of: folder.path(of: "films"), program: Self.fake, fault: "deaf")
    let medium = try await pictures.library.resolve("films/Ferry.mkv")
    let still = Task { await pictures.stills.still(of: medium) }
    still.cancel()
    #expect(await still.value == nil)
  }

  @Test("the cache has a largest size; the oldest pictures go first")
  func largest() throws {
    let folder = try TemporaryFolder()
    var cache = PictureCache(folder: folder.path)
    cache.mostBytes = 3 * 4096
    let picture = try #require(ItemPicture(Self.jpeg))
    for number in 1...5 {
      cache.store(number == 3 ? .noPicture : .picture(picture), for: "key\(number)")
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSinceNow: Double(number - 60))],
        ofItemAtPath: folder.path(of: "key\(number)"))
    }
    let entries = (1...5).map { cache.entry(for: "key\($0)") }
    #expect(entries == [nil, nil, .noPicture, .picture(picture), .picture(picture)])
  }
}
