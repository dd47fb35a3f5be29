import Foundation
import MediaFolders
import TestSupport
import Testing

@testable import LibavPlayer

@Suite("Several artists")
struct ArtistTests {
  private func artist(of path: String, in folder: TemporaryFolder) throws -> String? {
    try FolderScan(MediaFolder(folder.path)).songs.first?.artist
  }

  @Test("E9 · several tags of FLAC and Ogg become one list", arguments: ["flac", "ogg", "opus"])
  func comments(kind: String) async throws {
    let folder = try TemporaryFolder()
    // ffmpeg writes this text as it is; libav joins several tags in the same way.
    let path = try await Tone(frames: 22_050).encoded(
      "a.\(kind)", ["-metadata", "artist=First;Second;First"], in: folder)
    #expect(try artist(of: path, in: folder) == "First, Second")
  }

  @Test("E9 · the values of ID3v2.4 become one list", arguments: [0, 1, 2, 3] as [UInt8])
  func id3(encoding: UInt8) async throws {
    let folder = try TemporaryFolder()
    let path = try await Tone(frames: 22_050).encoded("a.mp3", ["-id3v2_version", "0"], in: folder)
    let sound = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    let text: [UInt8] =
      switch encoding {
      case 1: [0xFF, 0xFE] + "First\0Second".utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
      case 2: "First\0Second".utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
      default: Array("First\0Second".utf8)
      }
    let frame = Array("TPE1".utf8) + [0, 0, 0, UInt8(text.count + 1), 0, 0, encoding] + text
    let tag = Array("ID3".utf8) + [4, 0, 0, 0, 0, 0, UInt8(frame.count)] + frame
    try folder.write("a.mp3", tag + sound)
    #expect(try artist(of: path, in: folder) == "First, Second")
  }

  @Test("E9 · the values of MP4 become one list")
  func mp4() async throws {
    let folder = try TemporaryFolder()
    let path = try await Tone(frames: 22_050).encoded(
      "a.m4a", ["-metadata", "artist=First"], in: folder)
    var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    func atom(_ name: [UInt8], _ body: [UInt8]) -> [UInt8] {
      let size = UInt32(body.count + 8)
      return (0..<4).map { UInt8(size >> (24 - 8 * $0) & 0xFF) } + name + body
    }
    func data(_ text: String) -> [UInt8] {
      atom(Array("data".utf8), [0, 0, 0, 1, 0, 0, 0, 0] + Array(text.utf8))
    }
    let name: [UInt8] = [0xA9] + Array("ART".utf8)
    let old = atom(name, data("First"))
    let place = try #require(bytes.indices.first { bytes[$0...].starts(with: old) })
    let new = atom(name, data("First") + data("Second"))
    bytes.replaceSubrange(place..<(place + old.count), with: new)
    // The atoms around it grow by as much; the sound is in front of them.
    for outer in ["moov", "udta", "meta", "ilst"] {
      let mark = Array(outer.utf8)
      let index = try #require(bytes.indices.last { $0 < place && bytes[$0...].starts(with: mark) })
      let size = bytes[(index - 4)..<index].reduce(0) { $0 << 8 | Int($1) } + new.count - old.count
      for byte in 0..<4 { bytes[index - 4 + byte] = UInt8(size >> (24 - 8 * byte) & 0xFF) }
    }
    try folder.write("a.m4a", bytes)
    #expect(try artist(of: path, in: folder) == "First, Second")
  }

  @Test(
    "Names keep what separates no artists",
    arguments: [
      ("Simon &amp; Garfunkel", "Simon &amp; Garfunkel"), ("AC/DC", "AC/DC"), (";", ";"),
      ("Tyler, The Creator", "Tyler, The Creator"), ("A; B", "A, B"), ("A;;B;", "A, B"),
    ])
  func names(text: String, joined: String) {
    #expect(Tags.joined(Tags.values(text)) == joined)
  }
}
