import Devices
import HomeTheater
import Synchronization
import TestSupport
import Testing

@Suite("Library")
struct LibraryTests {
  @Test("E9 · keeps at most 32 MiB of a player's catalogue, and reports the cut")
  func boundedCatalogue() async throws {
    // No order and no search reads an id, so that the test takes no long turn of the shared actor.
    let end = String(repeating: "x", count: 1 << 20)
    let items = (0..<40).map { CatalogueItem(id: "\($0) \(end)", title: "song \($0)") }
    let lines = Mutex<[String]>([])
    let facade = HomeTheaterFacade(
      devices: [FakeDevice("cd", .cdPlayer, items: items), FakeDevice("other", .cdPlayer)],
      plan: TheaterPlan(), positions: MemoryPositions(),
      log: { line in lines.withLock { $0.append(line) } })
    try await facade.scanLibrary()
    let kept = await facade.entries(.songs)
    #expect(kept.count == 31)
    #expect(lines.withLock { $0 }.count { $0.contains("the first 31 items are kept") } == 1)
  }
}
