import Foundation
import JSON
import Platform
import TestSupport
import Testing

@testable import MpvPlayer

/// The ids of a file system that opens every spelling of a name.
@Suite(
  "MpvPlayer: file systems that ignore case", .timeLimit(.minutes(1)),
  .enabled(if: DeadShare.isInstalled, DeadShare.reason))
struct IgnoredCaseTests {
  @Test("plays the listed spelling of a film or DVD folder only")
  func spellings() async throws {
    let share = try DeadShare(ignoresCase: true) { folder in
      for path in ["a/x.mkv", "Ferry/VIDEO_TS/VIDEO_TS.IFO"] {
        let file = URL(fileURLWithPath: folder + "/" + path)
        try FileManager.default.createDirectory(
          at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data([1]).write(to: file)
      }
    }
    defer { share.end() }
    #expect(FileManager.default.fileExists(atPath: share.path + "/A/X.MKV"))
    let options = try MpvOptions(["folders": [.string(share.path)], "drive": "", "streams": []])
    let library = FilmLibrary(options, isCD: false, setup: MpvSetup(), clock: SystemClock())
    _ = await library.addFolders()
    for item in ["share/a/x.mkv", "share/Ferry"] {
      #expect((try? await library.resolve(item)) != nil, "\(item)")
    }
    for item in ["share/a/X.mkv", "share/A/x.mkv", "share/a/x.MKV", "share/ferry", "share/FERRY"] {
      #expect((try? await library.resolve(item)) == nil, "\(item)")
    }
  }
}
