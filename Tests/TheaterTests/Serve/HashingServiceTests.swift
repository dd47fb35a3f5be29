import Accounts
import Devices
import HomeTheater
import InMemoryDevices
import Jobs
import TestSupport
import Testing

@testable import theater

@Suite(.timeLimit(.minutes(2))) struct HashingServiceTests {
  @Test("E5a · one password is hashed at a time while an activity is on, two before and after it")
  func workers() async throws {
    let facade = HomeTheaterFacade(
      amp: InMemoryAmplifier("amp"), tuner: InMemoryTuner("tuner"),
      dvd: InMemoryDVDPlayer("dvd", films: []),
      cd: InMemoryCDPlayer("cd", songs: [CatalogueItem(id: "s1", title: "Opening", duration: 60)]),
      projector: InMemoryProjector("projector"), lights: InMemoryLights("lights"),
      screen: InMemoryScreen("screen"), popper: InMemoryPopcornPopper("popper"))
    let session = facade.session(for: .owner("ann"))
    let hashes = PasswordHasher.queue()
    let service = HashingService(hashes: hashes, theater: facade)
    let run = Task { try await service.run() }
    #expect(hashes.workers == 2)
    try await session.listenToCD(song: "Opening")
    #expect(await eventually { hashes.workers == 1 })
    try await session.endCD()
    #expect(await eventually { hashes.workers == 2 })
    run.cancel()
    _ = await run.result
  }
}
