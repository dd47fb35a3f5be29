import Foundation
import Testing

@testable import LibavPlayer

@Suite("Folders as discs")
struct ScanTests {
  private func tagged(_ name: String, _ tags: [String], in folder: TemporaryFolder) async throws {
    _ = try await Tone(frames: 11_025, frequencies: [440]).encoded(
      name, tags.flatMap { ["-metadata", $0] }, in: folder)
  }

  @Test("E9 · songs come disc by disc, in the order of their numbers, then of their names")
  func order() async throws {
    let folder = try TemporaryFolder()
    try await tagged("Disc 10/z.flac", ["track=1", "disc=1"], in: folder)
    try await tagged("Disc 10/a.mp3", ["track=1", "disc=2"], in: folder)
    try await tagged("Disc 10/m.ogg", ["track=2", "disc=1"], in: folder)
    try await tagged("Disc 2/10 ten.flac", [], in: folder)
    try await tagged("Disc 2/9 nine.flac", [], in: folder)
    let scan = try FolderScan(MediaFolder(folder.path))
    #expect(
      scan.songs.map(\.id) == [
        "Disc 2/9 nine.flac", "Disc 2/10 ten.flac", "Disc 10/z.flac", "Disc 10/m.ogg",
        "Disc 10/a.mp3",
      ])
    #expect(scan.songs.map(\.title).prefix(2) == ["nine", "ten"])
    #expect(scan.skipped.isEmpty)
  }

  @Test("E9 · a song is listed with title, artist, album, number, length, kind and channels")
  func fields() async throws {
    let folder = try TemporaryFolder()
    let tags = ["title=Über allem", "artist=Us", "album=Now", "track=4/9", "disc=1"]
    for kind in ["flac", "mp3", "ogg", "opus", "m4a"] {
      try await tagged("one.\(kind)", tags, in: folder)
    }
    let songs = try FolderScan(MediaFolder(folder.path)).songs
    #expect(Set(songs.map(\.format)) == ["flac", "mp3", "vorbis", "opus", "aac"])
    for song in songs {
      #expect(song.title == "Über allem")
      #expect(song.artist == "Us")
      #expect(song.album == "Now")
      #expect(song.track == 4)
      #expect(song.channels == 1)
      #expect(abs((song.duration ?? 0) - 0.25) < 0.06)
    }
  }

  @Test("A scan since the last one opens only what has changed, and tells what is there")
  func incremental() async throws {
    let folder = try TemporaryFolder()
    try await tagged("a.flac", [], in: folder)
    let media = try MediaFolder(folder.path)
    let first = try FolderScan(media)
    #expect(try FolderScan(media, since: first.newest).songs.isEmpty)
    try await tagged("b.flac", [], in: folder)
    let second = try FolderScan(media, since: first.newest)
    #expect(second.songs.map(\.id) == ["b.flac"])
    #expect(Set(second.present) == ["a.flac", "b.flac"])
    #expect(second.newest > first.newest)
  }

  @Test("A file that was moved in with an old date is still found as new")
  func movedIn() async throws {
    let outside = try TemporaryFolder()
    let folder = try TemporaryFolder()
    try await tagged("old.flac", [], in: outside)
    try await run("touch", ["-d", "2001-01-01", outside.path + "/old.flac"])
    let media = try MediaFolder(folder.path)
    try await tagged("first.flac", [], in: folder)
    let newest = try FolderScan(media).newest
    try await run("mv", [outside.path + "/old.flac", folder.path])
    #expect(try FolderScan(media, since: newest).songs.map(\.id) == ["old.flac"])
  }

  @Test("Damaged files are skipped with a message, the others are listed")
  func damaged() async throws {
    let folder = try TemporaryFolder()
    try await tagged("good.flac", [], in: folder)
    try folder.write("empty.flac", [])
    try folder.write("noise.mp3", Array(repeating: 7, count: 5_000))
    try folder.write("cover.jpg", [1, 2, 3])
    try folder.write(".hidden.flac", [1, 2, 3])
    let scan = try FolderScan(MediaFolder(folder.path))
    #expect(scan.songs.map(\.id) == ["good.flac"])
    #expect(Set(scan.skipped.map(\.subject)) == ["empty.flac", "noise.mp3"])
    #expect(scan.skipped.allSatisfy { !$0.detail.isEmpty && !$0.hint.isEmpty })
  }

  @Test("Links that stay inside are followed; links that lead out are refused")
  func links() async throws {
    let outside = try TemporaryFolder()
    let folder = try TemporaryFolder()
    try await tagged("secret.flac", [], in: outside)
    try await tagged("disc/own.flac", [], in: folder)
    try await run("ln", ["-s", outside.path + "/secret.flac", folder.path + "/leak.flac"])
    try await run("ln", ["-s", outside.path, folder.path + "/out"])
    try await run("ln", ["-s", "disc/own.flac", folder.path + "/alias.flac"])
    try await run("ln", ["-s", "..", folder.path + "/disc/loop"])
    let media = try MediaFolder(folder.path)
    let scan = try FolderScan(media)
    #expect(Set(scan.songs.map(\.id)) == ["disc/own.flac", "alias.flac"])
    #expect(scan.skipped.map(\.kind) == [.outside])
    for way in ["leak.flac", "out/secret.flac", "../\(outside.path)/secret.flac", "disc/loop/.."] {
      let failure = #expect(throws: MediaFailure.self) { try media.resolve(way) }
      #expect([.outside, .missing].contains(failure?.kind))
    }
    #expect(try media.resolve("disc/own.flac") == media.root + "/disc/own.flac")
  }

  @Test("Pipes and folders that are called like music are never opened", .timeLimit(.minutes(5)))
  func pipes() async throws {
    let folder = try TemporaryFolder()
    try await run("mkfifo", [folder.path + "/pipe.flac"])
    try await run("mkdir", [folder.path + "/folder.flac"])
    let library = MediaLibrary.inProcess
    let (items, skipped) = try await library.scan(folder.path)
    #expect(items.isEmpty)
    #expect(skipped.isEmpty)
    let name = try MediaFolder(folder.path).name
    for item in ["pipe.flac", "folder.flac"] {
      let failure = #expect(throws: MediaFailure.self) { try library.resolve("\(name)/\(item)") }
      #expect(failure?.kind == .unsupported)
    }
  }

  @Test("A folder that has vanished is named, with what to do")
  func vanished() throws {
    let path = try TemporaryFolder().path
    let failure = #expect(throws: MediaFailure.self) { try MediaFolder(path) }
    #expect(failure?.kind == .missing)
    #expect(failure?.message.contains(path) == true)
  }

  @Test("A folder that vanishes after it was opened gives an empty list and a message")
  func vanishesLater() async throws {
    let folder = try TemporaryFolder()
    try await tagged("a.flac", [], in: folder)
    let media = try MediaFolder(folder.path)
    try FileManager.default.removeItem(atPath: folder.path)
    let scan = try FolderScan(media)
    #expect(scan.songs.isEmpty)
    #expect(scan.skipped.count == 1)
    #expect(throws: MediaFailure.self) { try media.resolve("a.flac") }
  }

  @Test(
    "Names are in the order that people expect",
    arguments: [
      ("2", "10"), ("Track 9", "track 10"), ("a", "B"), ("01 a", "1 b"), ("a", "a1"), ("", "x"),
      ("99999999999999999999998", "99999999999999999999999"), ("ä1", "ä02"),
    ])
  func natural(first: String, second: String) {
    #expect(NaturalOrder.precedes(first, second))
    #expect(!NaturalOrder.precedes(second, first))
    #expect(!NaturalOrder.precedes(first, first))
  }

  @Test("A file without tags gets a title from its name")
  func titles() {
    #expect(Song.title(ofFile: "disc/01 - Morning.flac") == "Morning")
    #expect(Song.title(ofFile: "99.flac") == "99")
    #expect(Song.title(ofFile: "7 Seconds.mp3") == "Seconds")
    #expect(Song.title(ofFile: "A.B.ogg") == "A.B")
  }

  @Test(
    "Tags are one line without control characters",
    arguments: [
      ("a\u{1b}[31mb", "a [31mb"), (" x \n y ", "x y"), ("\u{0}", ""),
    ])
  func tidy(raw: String, clean: String) {
    #expect(Tags.tidy(raw) == clean)
  }
}
