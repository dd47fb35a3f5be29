import Devices
import Foundation
import MediaFolders
import TestSupport
import Testing

@testable import LibavPlayer

@Suite("Files that a scan lists")
struct ListedFileTests {
  @Test("E9 · exactly the listed songs can be played, under exactly their ids")
  func ids() async throws {
    let folder = try TemporaryFolder()
    let outside = try TemporaryFolder()
    let flac = [UInt8](
      try Data(
        contentsOf: URL(
          fileURLWithPath: try await Tone(frames: 4_410).encoded("a.flac", [], in: outside))))
    for path in [
      "disc/song.flac", "disc/Émile.flac", "song.xyz", ".hidden.flac", ".trash/song.flac",
      "disc/.hidden.flac", "film.mkv", "notes.txt",
    ] {
      try folder.write(path, flac)
    }
    try folder.write("disc/x.bin", [UInt8](repeating: 7, count: 1_000))
    try await run("ln", ["-s", "disc", folder.path + "/alias"])
    try await run("ln", ["-s", "song.flac", folder.path + "/disc/link.flac"])
    try await run("ln", ["-s", outside.path + "/a.flac", folder.path + "/leak.flac"])
    try await run("ln", ["-s", "disc/song.flac", folder.path + "/link.bin"])
    let library = MediaLibrary.inProcess
    let name = try MediaFolder(folder.path).name
    let spellings = [
      "disc/../disc/song.flac", "./disc/song.flac", "disc/./song.flac", "disc//song.flac",
      "/disc/song.flac", "disc/song.flac/", "disc/song.flac/.", "../\(name)/disc/song.flac",
      ".hidden.flac", ".trash/song.flac", "disc/.hidden.flac", "film.mkv", "notes.txt",
      "disc/x.bin", "alias/song.flac", "leak.flac", "link.bin", "DISC/song.flac",
      "disc/SONG.FLAC", "disc/E\u{301}mile.flac", "disc/song.flac\0", "", ".", "disc", "disc/",
    ]
    for isScanned in [false, true] {
      let items = isScanned ? try await library.scan(folder.path).items.map(\.id) : []
      if isScanned {
        #expect(
          Set(items)
            == Set(
              ["disc/song.flac", "disc/Émile.flac", "disc/link.flac", "song.xyz"].map {
                "\(name)/\($0)"
              }))
      } else {
        _ = try library.add(folder.path)
      }
      for path in ["disc/song.flac", "disc/Émile.flac", "disc/link.flac", "song.xyz"] {
        // The file of a link, so that a link that is changed meanwhile leads nowhere else.
        let file = path == "disc/link.flac" ? "disc/song.flac" : path
        #expect(try library.resolve("\(name)/\(path)").path == folder.path + "/" + file)
      }
      let song = try library.resolve("\(name)/disc/link.flac")
      for other in library.listDisc(of: song) {
        #expect(try library.resolve(other.item) == other)
      }
      for path in spellings {
        #expect(throws: MediaFailure.self, "\(path)") { try library.resolve("\(name)/\(path)") }
      }
    }
  }
}
