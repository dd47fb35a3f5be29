import Devices
import Foundation
import JSON
import MediaFolders
import Synchronization
import TestSupport
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
    let songs = scan.songs.sorted(by: Song.precedes)
    #expect(
      songs.map(\.id) == [
        "Disc 2/9 nine.flac", "Disc 2/10 ten.flac", "Disc 10/z.flac", "Disc 10/m.ogg",
        "Disc 10/a.mp3",
      ])
    #expect(songs.map(\.title).prefix(2) == ["nine", "ten"])
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

  @Test("A second scan opens only changed files, and lists all that are present")
  func incremental() async throws {
    let folder = try TemporaryFolder()
    try await tagged("a.flac", [], in: folder)
    let media = try MediaFolder(folder.path)
    let first = try FolderScan(media)
    #expect(try FolderScan(media, known: first.stamps).songs.isEmpty)
    try await tagged("b.flac", [], in: folder)
    let second = try FolderScan(media, known: first.stamps)
    #expect(second.songs.map(\.id) == ["b.flac"])
    #expect(Set(second.present.map(\.path)) == ["a.flac", "b.flac"])
  }

  @Test("A file that was moved in with an old date is still found as new")
  func movedIn() async throws {
    let outside = try TemporaryFolder()
    let folder = try TemporaryFolder()
    try await tagged("old.flac", [], in: outside)
    try await run("touch", ["-d", "2001-01-01", outside.path + "/old.flac"])
    let media = try MediaFolder(folder.path)
    try await tagged("first.flac", [], in: folder)
    // A file with a date in the future must not hide files that are added later.
    try await run("touch", ["-d", "2099-01-01", folder.path + "/first.flac"])
    let known = try FolderScan(media).stamps
    try await run("mv", [outside.path + "/old.flac", folder.path])
    #expect(try FolderScan(media, known: known).songs.map(\.id) == ["old.flac"])
  }

  @Test("A folder that was moved in is found, though its files keep their times")
  func movedFolder() async throws {
    let outside = try TemporaryFolder()
    let folder = try TemporaryFolder()
    try await tagged("album/old.flac", [], in: outside)
    try await tagged("new.flac", [], in: folder)
    let library = MediaLibrary.inProcess
    #expect(try await library.scan(folder.path).items.map(\.title) == ["new"])
    try await run("mv", [outside.path + "/album", folder.path])
    #expect(try await library.scan(folder.path).items.map(\.title) == ["new", "old"])
  }

  @Test(
    "A rescan finds a new title in a file of the same size and time, and removed or broken files")
  func changed() async throws {
    let folder = try TemporaryFolder()
    for name in ["a", "b", "c"] { try await tagged("\(name).flac", ["title=One"], in: folder) }
    try await tagged("other.flac", ["title=Two"], in: folder)
    let library = MediaLibrary.inProcess
    #expect(try await library.scan(folder.path).items.count == 4)
    let path = folder.path
    try await run("touch", ["-r", path + "/a.flac", path + "/other.flac"])
    try await run("mv", [path + "/other.flac", path + "/a.flac"])
    try await run("rm", [path + "/b.flac"])
    try folder.write("c.flac", Array("no music any more".utf8))
    let (items, skipped) = try await library.scan(path)
    #expect(items.map(\.title) == ["Two"])
    #expect(skipped.failures.map(\.subject) == ["c.flac"])
    // A file known to be broken is not read again, but named.
    #expect(try await library.scan(path).1 == skipped)
    try await tagged("c.flac", ["title=Three"], in: folder)
    #expect(try await library.scan(path).1.isEmpty)
  }

  @Test("After a scan that used up its time or bytes, the next one reads the rest")
  func limits() async throws {
    let folder = try TemporaryFolder()
    for name in ["a", "b", "c"] { try await tagged("\(name).flac", [], in: folder) }
    let media = try MediaFolder(folder.path)
    let none = try FolderScan(media, limits: ScanLimits(nanoseconds: 0))
    #expect(none.songs.isEmpty && none.present.isEmpty)
    #expect(none.skipped.failures.first?.message.contains("3 of its files were not read") == true)
    let first = try FolderScan(media, limits: ScanLimits(bytes: 1))
    #expect(first.songs.count == 1)
    #expect(first.skipped.failures.first?.message.contains("2 of its files were not read") == true)
    let rest = try FolderScan(media, known: first.stamps)
    #expect(Set((first.songs + rest.songs).map(\.id)) == ["a.flac", "b.flac", "c.flac"])
    let few = FolderWalk(media, mostFiles: 2)
    #expect(few.files.count == 2)
    #expect(few.skipped.failures.first?.message.contains("only the first 2 files") == true)
  }

  @Test("Finds the first file in natural order without reading the folders after it")
  func first() throws {
    let folder = try TemporaryFolder()
    for name in ["10/b.flac", "2/1/x.txt", "2/a 10.flac", "2/a 9.flac"] {
      try folder.write("media/" + name, [1])
    }
    let media = try MediaFolder(folder.path(of: "media"))
    let seen = Mutex<[String]>([])
    let kind = MediaKind { path in
      seen.withLock { $0.append(path) }
      return path.hasSuffix(".flac")
    }
    #expect(FolderWalk.first(in: media, kind: kind)?.path == "2/a 9.flac")
    #expect(seen.withLock { $0 } == ["2/1/x.txt", "2/a 9.flac"])
    #expect(FolderWalk.first(in: media, kind: MediaKind { _ in false }) == nil)
  }

  @Test("Names a folder that is nested too deeply")
  func deep() async throws {
    let folder = try TemporaryFolder()
    let path = (1...FolderWalk.deepest).map { "\($0)" }.joined(separator: "/")
    try await tagged(path + "/last.flac", [], in: folder)
    try await tagged(path + "/too deep/lost.flac", [], in: folder)
    let scan = try FolderScan(MediaFolder(folder.path))
    #expect(scan.songs.map(\.id) == [path + "/last.flac"])
    #expect(scan.skipped.failures.map(\.subject) == [path + "/too deep"])
    #expect(scan.skipped.failures.first?.detail.contains("16 folders deep") == true)
  }

  @Test("Counts hidden files among the entries of which it reads a limited number")
  func hiddenEntries() throws {
    let folder = try TemporaryFolder()
    for number in 1...20 { try folder.write(".\(number)", []) }
    let kind = MediaKind { _ in true }
    let media = try MediaFolder(folder.path)
    let walk = FolderWalk(media, kind: kind, mostEntries: 10)
    #expect(walk.files.isEmpty)
    #expect(walk.skipped.failures.first?.detail.contains("only the first 10 entries") == true)
    #expect(FolderWalk(media, kind: kind, mostEntries: 100).skipped.isEmpty)
  }

  @Test("Names the first of many skipped files, and counts all")
  func manySkipped() throws {
    let folder = try TemporaryFolder()
    for number in 1...130 { try folder.write("\(number).mp3", [1, 2, 3]) }
    let scan = try FolderScan(MediaFolder(folder.path))
    #expect(scan.skipped.failures.count == SkippedFiles.most)
    #expect(scan.skipped.count == 130)
  }

  @Test("E9 · files whose names lie about their kind, or say nothing, are listed by their content")
  func wrongNames() async throws {
    let folder = try TemporaryFolder()
    for (kind, name) in [
      ("flac", "really flac.mp3"), ("mp3", "really mp3.flac"), ("ogg", "really ogg.wav"),
      ("wav", "really wav.ogg"), ("m4a", "really aac.mp3"), ("opus", "no ending"),
      ("flac", "backup.flac.old"), ("mp3", "says nothing.xyz"),
    ] {
      try await tagged("made.\(kind)", ["title=\(name)"], in: folder)
      try await run("mv", [folder.path + "/made.\(kind)", folder.path + "/" + name])
    }
    try folder.write("readme", Array("This is no music.".utf8))
    try folder.write("cover.jpg", [0xFF, 0xD8, 0xFF, 0xE0])
    let scan = try FolderScan(MediaFolder(folder.path))
    #expect(scan.skipped.isEmpty)
    let formats = Dictionary(uniqueKeysWithValues: scan.songs.map { ($0.id, $0.format) })
    #expect(
      formats == [
        "really flac.mp3": "flac", "really mp3.flac": "mp3", "really ogg.wav": "vorbis",
        "really wav.ogg": "wav", "really aac.mp3": "aac", "no ending": "opus",
        "backup.flac.old": "flac", "says nothing.xyz": "mp3",
      ])
    for song in scan.songs {
      #expect(abs((song.duration ?? 0) - 0.25) < 0.06, "\(song.id)")
      #expect(try open(folder.path + "/" + song.id).next() != nil)
    }
  }

  @Test("E9 · WavPack, Windows Media, AU, Matroska, True Audio, CAF and Wave64 are listed")
  func moreKinds() async throws {
    let folder = try TemporaryFolder()
    for name in ["a.wv", "b.wma", "c.au", "d.mka", "e.tta", "f.w64", "g.caf"] {
      try await tagged(name, ["title=T"], in: folder)
    }
    let scan = try FolderScan(MediaFolder(folder.path))
    #expect(scan.skipped.isEmpty)
    #expect(
      scan.songs.sorted(by: Song.precedes).map(\.format) == [
        "wavpack", "wmav2", "au", "vorbis", "tta", "w64", "caf",
      ])
    for song in scan.songs { #expect(abs((song.duration ?? 0) - 0.25) < 0.06, "\(song.id)") }
  }

  @Test("Media folders with the same last name have items of their own")
  func sameNames() async throws {
    let parent = try TemporaryFolder()
    for (place, title) in [("a", "One"), ("b", "Two"), ("c/b", "Three")] {
      try await tagged("\(place)/Music/disc/1.flac", ["title=\(title)"], in: parent)
    }
    let library = MediaLibrary.inProcess
    var items: [String] = []
    for place in ["a", "b", "c/b", "b"] {
      let (found, _) = try await library.scan("\(parent.path)/\(place)/Music")
      #expect(found.count == 1)
      items += found.map(\.id)
    }
    #expect(
      items.prefix(3) == [
        "Music/disc/1.flac", "Music (b)/disc/1.flac", "Music (c›b)/disc/1.flac",
      ])
    #expect(items.last == items[1], "the second scan finds the same folder")
    for (item, place) in zip(items, ["a", "b", "c/b"]) {
      let song = try library.resolve(item)
      #expect(song.path.hasSuffix("/\(place)/Music/disc/1.flac"))
      #expect(library.listDisc(of: song) == [song])
    }
  }

  @Test("Of two media folders with one name the first keeps it, even if it is mounted later")
  func namesOfMissingFolders() throws {
    let parent = try TemporaryFolder()
    let paths = ["a", "b"].map { "\(parent.path)/\($0)/Music" }
    try parent.write("b/Music/1.flac", [])
    let library = MediaLibrary.inProcess
    let failure = #expect(throws: MediaFailure.self) { try library.add(paths[0]) }
    #expect(failure?.kind == .missing)
    #expect(try library.add(paths[1]).name == "Music (b)")
    try parent.write("a/Music/1.flac", [])
    #expect(try library.add(paths[0]).name == "Music")
    #expect(library.folders.map(\.name) == ["Music (b)", "Music"])
    // The order of the configuration, with both mounted, gives the same names.
    let other = MediaLibrary.inProcess
    #expect(try paths.map { try other.add($0).name } == ["Music", "Music (b)"])
  }

  @Test("A tag of 200 kB of combining marks is cut before anything compares it")
  func hostileTags() async throws {
    let folder = try TemporaryFolder()
    let marks = ["\u{308}", "\u{323}"].map { String(repeating: $0, count: 50_000) }.joined()
    let path = try folder.write(
      "tags.txt",
      Array(";FFMETADATA1\ntitle=a\(marks)\nartist=\u{202E}gnos\u{7}\nalbum=\(marks)\n".utf8))
    let source = try folder.write("source.wav", Tone(frames: 11_025).wav())
    for kind in ["flac", "mp3", "ogg", "m4a"] {
      try await run(
        "ffmpeg",
        ["-v", "error", "-i", source, "-i", path, "-map_metadata", "1", folder.file("x.\(kind)")])
    }
    try await run("rm", [source])
    let scan = try FolderScan(MediaFolder(folder.path))
    #expect(scan.songs.count == 4)
    for song in scan.songs {
      #expect(song.title.utf8.count <= MediaText.longestTag)
      #expect(song.title.unicodeScalars.first == "a" && song.title.isStreamSafe)
      #expect(song.artist == "gnos")
      #expect(song.album?.isStreamSafe == true)
    }
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
    #expect(Set(scan.skipped.failures.map(\.subject)) == ["empty.flac", "noise.mp3"])
    #expect(scan.skipped.failures.allSatisfy { !$0.detail.isEmpty && !$0.hint.isEmpty })
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
    let kinds = Dictionary(
      scan.skipped.failures.map { ($0.subject, $0.kind) }, uniquingKeysWith: { first, _ in first })
    // Links to folders are named, because their files are missing in the list.
    #expect(kinds == ["leak.flac": .outside, "out": .outside, "disc/loop": .unreachable])
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

  @Test("The error of a vanished folder names it")
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
    "Texts of files and stations are single bounded lines without control characters",
    arguments: [
      ("a\u{1b}[31mb", "a[31mb"), (" x\ty\n", "x y"), ("\u{1}", ""), ("a\u{202e}b", "ab"),
      (String(repeating: "ä", count: 500), String(repeating: "ä", count: 148) + "…"),
      (String(repeating: "😀", count: 500), String(repeating: "😀", count: 74) + "…"),
    ])
  func texts(raw: String, clean: String) {
    #expect(MediaText.line(raw) == clean)
  }

  @Test("Text that is not UTF-8 is read as Latin-1, however long it is")
  func latin() {
    #expect(MediaText.line([0x47, 0x72, 0xF6, 0xDF, 0x65]) == "Größe")
    let long = MediaText.line([UInt8](repeating: 0xE4, count: 5_000))
    #expect(long == String(repeating: "ä", count: 148) + "…")
  }
}
