import Foundation
import JSON
import Devices
import Platform
import TestSupport
import Testing

@testable import MpvPlayer

/// Scans with a fake mpv that fails (see Tests/Fixtures/fake_mpv.py).
@Suite("MpvPlayer: scans", .timeLimit(.minutes(3)))
struct ScanTests {
  /// Makes a library with two films, which only their names show to be films.
  private func library(
    in folder: TemporaryFolder, fault: String, clock: any TheaterClock = SystemClock()
  ) throws -> FilmLibrary {
    for name in ["a", "b"] { try folder.write("films/\(name).mkv", [1]) }
    var setup = MpvSetup()
    setup.program = Program.project.appending(path: "Tests/Fixtures/fake_mpv.py").path
    setup.variables["FAULT"] = fault
    setup.variables["TRACE"] = folder.path(of: "commands")
    return FilmLibrary(
      try MpvOptions(["folders": [.string(folder.path(of: "films"))]]), isCD: false, setup: setup,
      clock: clock)
  }

  @Test("E9 · a cancelled scan fails, and names no file as unreadable")
  func cancelled() async throws {
    let folder = try TemporaryFolder()
    let library = try library(in: folder, fault: "deaf", clock: FastClock(factor: 50))
    let scan = Task {
      var skipped = 0
      let items = try? await library.scan(nil) { _ in skipped += 1 }
      return (listed: items?.count, skipped: skipped)
    }
    scan.cancel()
    let result = await scan.value
    #expect(result.listed == nil && result.skipped == 0)
  }

  @Test(
    "E9 · lists a film although mpv ended, or failed late, because of the film before it",
    arguments: ["leaves", "late"])
  func filmBefore(fault: String) async throws {
    let folder = try TemporaryFolder()
    var skipped = 0
    let items = try await library(in: folder, fault: fault).scan(nil) { _ in skipped += 1 }
    #expect(items.map(\.id) == ["films/a.mkv", "films/b.mkv"])
    #expect(skipped == 0)
  }

  @Test("E9 · a film at which a process hangs that has read another film is tried once")
  func hangs() async throws {
    let folder = try TemporaryFolder()
    let library = try library(in: folder, fault: "hangs")
    var skipped = 0
    let items = try await library.scan(nil) { _ in skipped += 1 }
    #expect(items.map(\.id) == ["films/a.mkv"])
    #expect(skipped == 1)
    let commands = try String(contentsOfFile: folder.path(of: "commands"), encoding: .utf8)
    #expect(commands.split(separator: "\n").count { $0 == "loadfile" } == 2)
  }

  @Test("E9 · each film at which mpv crashes is left out")
  func crashes() async throws {
    let folder = try TemporaryFolder()
    var skipped = 0
    let items = try await library(in: folder, fault: "crash").scan(nil) { _ in skipped += 1 }
    #expect(items == [] && skipped == 2)
  }
}
