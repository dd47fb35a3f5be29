import Devices
import Foundation
import JSON
import MediaFolders
import PluginTestSupport
import TestSupport
import Testing

@testable import LibavPlayer

@Suite("The CD player with cut files", .realTime)
struct EarlyEndTests {
  private func cut(_ name: String, to share: Double, in folder: TemporaryFolder) async throws {
    let path = try await Tone(frames: 44_100 * 20).encoded(name, [], in: folder)
    let size = try Data(contentsOf: URL(fileURLWithPath: path)).count
    try await run("truncate", ["-s", "\(Int(Double(size) * share))", path])
  }

  @Test("E10 · a cut song is reported as failed where it ends, and the next song plays")
  func goesOn() async throws {
    let folder = try TemporaryFolder()
    try await cut("d/1.flac", to: 0.5, in: folder)
    _ = try await Tone(frames: 22_050).encoded("d/2.flac", [], in: folder)
    let bench = try await PlayerBench(folder)
    try await bench.controller.play(bench.item("d/1.flac"))
    try await bench.controller.wait("ended") { $0.playback?.status == .ended }
    let failures = bench.controller.playbacks.filter { $0.status == .failed }
    let failure = try #require(failures.first)
    #expect(failures.count == 1)
    #expect(failure.item == bench.item("d/1.flac"))
    #expect(abs(failure.position - 10) < 1)
    #expect(failure.duration == 20)
    #expect(failure.reason?.contains("cut off") == true)
    #expect(bench.controller.playback?.item == bench.item("d/2.flac"))
  }

  @Test(
    "E10 · the last song fails where it ends, and play tries it again there",
    arguments: ["flac", "wav", "ogg"])
  func last(kind: String) async throws {
    let folder = try TemporaryFolder()
    try await cut("d/1.\(kind)", to: 0.5, in: folder)
    let bench = try await PlayerBench(folder)
    try await bench.controller.play(bench.item("d/1.\(kind)"))
    try await bench.controller.wait("failed") { $0.playback?.status == .failed }
    let failure = try #require(bench.controller.playback)
    #expect(abs(failure.position - 10) < 1.5)
    #expect(!bench.controller.playbacks.contains { $0.status == .ended })
    try await bench.controller.perform("play")
    let again = try #require(bench.controller.playbacks.last { $0.status == .opening })
    #expect(abs(again.position - failure.position) < 0.01)
    try await bench.controller.wait("failed again") { $0.playback?.status == .failed }
  }

  @Test(
    "a file that is truncated while it plays fails", arguments: ["wav", "flac", "mp3", "m4a"])
  func whilePlaying(kind: String) async throws {
    let folder = try TemporaryFolder()
    let path = try await Tone(frames: 44_100 * 30).encoded(
      "d/1.\(kind)", kind == "m4a" ? ["-movflags", "+faststart"] : [], in: folder)
    let size = try Data(contentsOf: URL(fileURLWithPath: path)).count
    let bench = try await PlayerBench(folder, limit: 10_000)
    try await bench.controller.play(bench.item("d/1.\(kind)"))
    try await bench.sink.wait("sound") { $0.frames >= 10_000 }
    try await run("truncate", ["-s", "\(size / 2)", path])
    bench.sink.continueReading()
    try await bench.controller.wait("failed") { $0.playback?.status == .failed }
    #expect((bench.controller.playback?.position ?? 99) < 20)
    #expect(!bench.controller.playbacks.contains { $0.status == .ended })
  }

  @Test("play waits for folders that are still to be named, and for a limited time")
  func waitsForFolders() async throws {
    let own = try TemporaryFolder()
    let other = try TemporaryFolder()
    _ = try await Tone(frames: 22_050).encoded("d/1.flac", [], in: own)
    _ = try await Tone(frames: 22_050).encoded("d/2.flac", [], in: other)
    let item = "\(try MediaFolder(other.path).name)/d/2.flac"
    let clock = ManualClock()
    let bench = try await PlayerBench(own, clock: clock)
    async let playing: Void = bench.controller.play(item)
    await clock.waitForSleepers()
    _ = try await bench.controller.scan(other.path)
    clock.advance(by: .milliseconds(100))
    try await playing
    #expect(bench.controller.playback?.item == item)
  }
}
