import Devices
import TestSupport
import Testing

@testable import HomeTheater

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

  /// A library that nothing scans yet.
  private static func library(of players: [any Device]) -> Library {
    Library(
      directory: DeviceDirectory(devices: players, plan: TheaterPlan()), events: EventLog(),
      clock: ManualClock(),
      log: { _ in })
  }

  @TheaterActor
  private static func songs(in library: Library) -> [String] {
    library.catalogue.entries(.songs).map(\.item.id)
  }

  @Test("E9 · a scan that ends after a newer one does not replace its songs")
  func olderScan() async throws {
    let player = SlowPlayer()
    let library = Self.library(of: [player])
    await withDiscardingTaskGroup { group in
      group.addTask { await library.run() }
      await library.observe(await player.snapshot(), of: player)
      #expect(await eventually { await player.scanCount == 1 })
      async let reports = library.scanAll()
      #expect(await eventually { await player.scanCount == 2 })
      await player.finishScan(1, with: [CatalogueItem(id: "new", title: "New")])
      #expect(await reports.map(\.items) == [1])
      await player.finishScan(0, with: [CatalogueItem(id: "old", title: "Old")])
      group.cancelAll()
    }
    #expect(await Self.songs(in: library) == ["new"])
  }

  @Test("E9 · a player whose scan takes long does not delay the scans of others")
  func slowPlayer() async throws {
    let slow = SlowPlayer()
    let other = FakeDevice(
      "other", .cdPlayer, items: [CatalogueItem(id: "found", title: "Found")])
    let library = Self.library(of: [slow, other])
    await withDiscardingTaskGroup { group in
      group.addTask { await library.run() }
      await library.observe(await slow.snapshot(), of: slow)
      #expect(await eventually { await slow.scanCount == 1 })
      await library.observe(await other.snapshot(), of: other)
      #expect(await eventually { await Self.songs(in: library) == ["found"] })
      await slow.finishScan(0, with: [])
      group.cancelAll()
    }
  }
}

/// A player each of whose scans ends when the test says so.
private actor SlowPlayer: Device, MediaSource {
  nonisolated let id: DeviceID = "slow"
  nonisolated let role = Role.cdPlayer
  private var scans: [CheckedContinuation<[CatalogueItem], Never>] = []

  /// The number of scans that have begun.
  var scanCount: Int { scans.count }

  /// Ends a scan, counted from 0, with these items. Called once for each scan.
  func finishScan(_ number: Int, with items: [CatalogueItem]) {
    if scans.indices.contains(number) { scans[number].resume(returning: items) }
  }

  func listCatalogue(folder: String?) async throws(DeviceError) -> CatalogueListing {
    CatalogueListing(await withCheckedContinuation { scans.append($0) })
  }

  func picture(of item: String) -> ItemPicture? { nil }

  func perform(
    _ command: Command, until: Completion
  ) async throws(DeviceError) -> Devices.Confirmation { .accepted }

  func snapshot() -> DeviceSnapshot { DeviceSnapshot(availability: .available, generation: 1) }

  func snapshots() -> AsyncStream<DeviceSnapshot> { AsyncStream { $0.yield(snapshot()) } }
}
