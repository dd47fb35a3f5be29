import Devices
import HomeTheater
import JSON
import Synchronization
import TestSupport
import Testing

@Suite struct CablingTests {
  @Test("F4 · every cable is plugged at the start and again after either end starts anew")
  func replugging() async throws {
    try await Theater().live { theater in
      #expect(await eventually { await theater["dvd"].plugged.count == 1 })
      #expect(await eventually { await theater["cd"].plugged.count == 1 })
      await theater["dvd"].restart()
      #expect(await eventually { await theater["dvd"].plugged.count == 2 })
      await theater["amp"].restart()
      #expect(await eventually { await theater["dvd"].plugged.last?.token == "token-2" })
      #expect(await eventually { await theater["cd"].plugged.last?.token == "token-2" })
    }
  }

  @Test("F4 · a player that asks for a new connection is plugged again, and no other one")
  func requestedAgain() async throws {
    try await Theater().live { theater in
      #expect(await eventually { await theater["dvd"].plugged.count == 1 })
      #expect(await eventually { await theater["cd"].plugged.count == 1 })
      await theater["dvd"].requestPlug()
      #expect(await eventually { await theater["dvd"].plugged.count == 2 })
      #expect(await theater["cd"].plugged.count == 1)
    }
  }

  @Test("F4 · reports once that two ends have no cable kind in common")
  func nothingInCommon() async throws {
    let said = Mutex<[String]>([])
    let theater = Theater { line in said.withLock { $0.append(line) } }
    await theater["dvd"].setCables([.alsa])
    try await theater.live { theater in
      #expect(await eventually { await theater["cd"].plugged.count == 1 })
      #expect(await eventually { said.withLock { $0.count } == 1 })
      await theater["dvd"].restart()
      #expect(await eventually { said.withLock { $0.count } == 2 })
      #expect(await theater["dvd"].plugged.isEmpty)
    }
    let line =
      "cable dvd → amp (dvd): no cable fits both ends: the player has alsa, the amplifier pcm"
    #expect(said.withLock { $0.allSatisfy { $0.hasPrefix(line) } })
  }

  @Test("F4 · a cable that does not fit at once is tried again after a second")
  func retrying() async throws {
    let theater = Theater()
    await theater["dvd"].failPlugging(1)
    try await theater.live { theater in
      #expect(await eventually { await theater["cd"].plugged.count == 1 })
      await theater.clock.waitForSleepers(1)
      #expect(await theater["dvd"].plugged.isEmpty)
      theater.clock.advance(by: .seconds(1))
      #expect(await eventually { await theater["dvd"].plugged.count == 1 })
    }
  }
}
