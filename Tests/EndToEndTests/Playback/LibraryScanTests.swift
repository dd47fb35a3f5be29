import Foundation
import JSON
import TestSupport
import Testing

@Suite struct LibraryScanTests {
  @Test("E9 A9 · a library scan lists new songs, names unreadable folders and exits with 1")
  func scan() async throws {
    try await withLiveController(arrange: { configuration, folder in
      let folders = ["music", "gone"].map { JSON.string(folder.appendingPathComponent($0).path) }
      configuration.set("folders", at: ["library"], .array(folders))
      let sample = Program.project.appendingPathComponent("Samples/Music/Demo Disc")
      for number in 1...5 {
        let first = try FileManager.default.contentsOfDirectory(atPath: sample.path)
          .filter { $0.hasSuffix(".flac") }.sorted().first
        try FileManager.default.copyItem(
          at: sample.appendingPathComponent(try #require(first)),
          to: folder.appendingPathComponent("music/\(number).flac"))
      }
    }) { room in
      try await room.registerOwner()
      let gone = room.folder.appendingPathComponent("gone")
      let failed = try await room.theater("library", "scan")
      #expect(failed.status == 1, "\(failed.errors)")
      #expect(failed.output.contains("cd: 5 songs\n"), "\(failed.output)")
      #expect(failed.output.contains("  ✗ \(gone.path): "), "\(failed.output)")
      try FileManager.default.createDirectory(at: gone, withIntermediateDirectories: true)
      try FileManager.default.moveItem(
        at: room.folder.appendingPathComponent("music/5.flac"),
        to: gone.appendingPathComponent("new.flac"))
      #expect(try await room.expect("library", "scan").contains("cd: 5 songs\n"))
      let answer = try await room.json("library", "scan")
      let player = answer["players"]?.array?.first { $0["player"] == "cd" }
      #expect(player?["items"] == 5 && player?["problems"] == [])
      #expect(try await room.expect("songs", "--json").contains("gone/new.flac"))
    }
  }
}
