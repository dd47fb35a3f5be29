import Devices
import Foundation
import MediaFolders
import TestSupport
import Testing

@testable import LibavPlayer

/// Music as people have it: names without tags, discs in folders, and files that are no music.
@Suite("A collection of music")
struct CollectionTests {
  private static func song(_ path: String, in folder: TemporaryFolder) async throws {
    _ = try await Tone(frames: 11_025, frequencies: [440]).encoded(path, [], in: folder)
  }

  @Test("E9 · lists music in WebM, AC-3 and DTS, and says which files it leaves out and why")
  func kinds() async throws {
    let folder = try TemporaryFolder()
    let sound = ["-v", "error", "-f", "lavfi", "-i", "sine=440:r=48000:d=1"]
    let picture = ["-f", "lavfi", "-i", "color=red:s=64x64:r=25:d=1"]
    try await run("ffmpeg", sound + ["-c:a", "libopus", folder.path + "/a.webm"])
    try await run("ffmpeg", sound + ["-c:a", "ac3", folder.path + "/b.ac3"])
    try await run(
      "ffmpeg", sound + ["-c:a", "dca", "-strict", "-2", folder.path + "/c.dts"])
    try await run(
      "ffmpeg", sound + picture + ["-c:a", "libopus", "-c:v", "libvpx", folder.path + "/film.webm"])
    try folder.write("d.flac.part", [1])
    try folder.write("@eaDir/e.flac", [1])
    let library = MediaLibrary.inProcess
    for _ in 1...2 {
      let (items, skipped) = try await library.scan(folder.path)
      #expect(items.map(\.title) == ["a", "b", "c"])
      let reasons = Dictionary(
        skipped.failures.map { ($0.subject, $0.detail) }, uniquingKeysWith: { first, _ in first })
      #expect(
        reasons == ["film.webm": "it is a film", "d.flac.part": "its download has not ended"])
    }
  }

  @Test("E9 · keeps the numbers of titles, and lists the discs of an album one after the other")
  func names() async throws {
    let folder = try TemporaryFolder()
    let paths = [
      "24K Magic.flac", "99 Luftballons.flac", "Album/CD 1/01 One.flac", "Album/CD 1/02 Two.flac",
      "Album/CD 2/01 Three.flac", "Album/CD 10/01 Four.flac", "Zug/9 Nine.flac", "Zug/10 Ten.flac",
    ]
    for path in paths.reversed() { try await Self.song(path, in: folder) }
    let (items, _) = try await MediaLibrary.inProcess.scan(folder.path)
    #expect(items.map { String($0.id.split(separator: "/", maxSplits: 1)[1]) } == paths)
    #expect(
      items.map(\.title) == [
        "24K Magic", "99 Luftballons", "One", "Two", "Three", "Four", "Nine", "Ten",
      ])
    #expect(items.map(\.disc) == [nil, nil, 1, 1, 2, 10, nil, nil])
  }
}
