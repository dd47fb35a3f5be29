import Devices
import HomeTheater
import TestSupport
import Testing

@Suite("Library scan")
struct ScanTests {
  @Test("E9 · a player that can read nothing is reported and keeps its catalogue")
  func failure() async throws {
    try await Theater().live { theater in
      // A player is also scanned when it becomes available; this waits for that scan.
      _ = try await theater.facade.scanLibrary()
      let songs = await theater.facade.entries(.songs)
      let error = DeviceError(.unavailable, "its process has ended", hint: "It starts again.")
      await theater["cd"].failScan(with: error)
      let report = try await theater.facade.scanLibrary().first { $0.player == "cd" }
      #expect(report?.items == 0)
      #expect(report?.problems.first?.folder == nil)
      #expect(report?.problems.first?.message == "its process has ended")
      #expect(report?.problems.first?.hint == "It starts again.")
      #expect(await theater.facade.entries(.songs) == songs)
      await theater["cd"].failScan(with: nil)
      await theater["cd"].setItems([])
      let empty = try await theater.facade.scanLibrary().first { $0.player == "cd" }
      #expect(empty?.category == .songs && empty?.items == 0 && empty?.problems == [])
      #expect(await theater.facade.entries(.songs).count == songs.count - 1)
    }
  }

  @Test("E9 · a disc or file that is new is listed after a scan")
  func newSongs() async throws {
    try await Theater().live { theater in
      _ = try await theater.facade.scanLibrary()
      let before = await theater.facade.entries(.songs).count
      await theater["cd"].setItems(
        (1...5).map { CatalogueItem(id: "song-\($0)", title: "Song \($0)") })
      let reports = try await theater.facade.scanLibrary()
      #expect(reports.map(\.player) == ["cd", "dvd", "tuner"])
      #expect(reports.first?.items == 5)
      #expect(await theater.facade.entries(.songs).count == before - 1 + 5)
    }
  }
}
