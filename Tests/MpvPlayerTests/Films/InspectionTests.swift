import Foundation
import JSON
import Platform
import TestSupport
import Testing

@testable import MpvPlayer

/// The files of the songs of an album, which mpv plays without a new opening.
@Suite("MpvPlayer: files of songs", .timeLimit(.minutes(2)))
struct InspectionTests {
  /// An end at a second of a minute.
  private static let end = FilmEnd(
    facts: .film, isDisc: false, position: 1, readError: nil, isReadToEnd: nil)

  /// A WAV file without sound that declares this number of bytes, and has `count`.
  private static func wave(declares size: UInt8, count: Int = 64) -> [UInt8] {
    let format: [UInt8] = [16, 0, 0, 0, 1, 0, 1, 0, 64, 31, 0, 0, 64, 31, 0, 0, 1, 0, 8, 0]
    return Array("RIFF".utf8) + [36 + size, 0, 0, 0] + Array("WAVEfmt ".utf8) + format
      + Array("data".utf8) + [size, 0, 0, 0] + [UInt8](repeating: 128, count: count)
  }

  @Test("examines each song, and notices that one has shrunk since it was appended")
  func songs() async throws {
    let folder = try TemporaryFolder()
    for name in ["1", "2", "3"] {
      try folder.write("songs/\(name).wav", Self.wave(declares: 64))
    }
    try folder.write("songs/4.wav", Self.wave(declares: 64, count: 30))
    let options = try MpvOptions(["folders": [.string(folder.path(of: "songs"))], "drive": ""])
    let library = FilmLibrary(options, isCD: true, setup: MpvSetup(), clock: SystemClock())
    _ = await library.addFolders()
    var songs: [Medium] = []
    for name in 1...4 { songs.append(try await library.resolve("songs/\(name).wav")) }
    try await library.prepareInspection(of: songs[0])
    try await library.prepareInspection(ofNext: songs[1])
    try await library.prepareInspection(ofNext: songs[2])
    try folder.write("songs/2.wav", Self.wave(declares: 32, count: 32))
    try folder.write("songs/3.wav", Self.wave(declares: 32, count: 32))
    var found: [FilmEnd.Inspection] = []
    for song in songs { found.append(await library.inspect(song, Self.end)) }
    #expect(found.map(\.extent.completeness) == [.whole, .whole, .whole, .cut])
    #expect(found.map(\.hasShrunk) == [false, true, true, false])
  }
}
