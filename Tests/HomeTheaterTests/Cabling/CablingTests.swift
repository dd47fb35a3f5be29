import Devices
import HomeTheater
import JSON
import Synchronization
import TestSupport
import Testing

@Suite struct CablingTests {
  @Test("F4 · plugs every cable at the start, and again after either end restarts")
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

  @Test("F4 · replugs only the player that requests a new connection")
  func requestedAgain() async throws {
    try await Theater().live { theater in
      #expect(await eventually { await theater["dvd"].plugged.count == 1 })
      #expect(await eventually { await theater["cd"].plugged.count == 1 })
      await theater["dvd"].requestPlug()
      #expect(await eventually { await theater["dvd"].plugged.count == 2 })
      #expect(await theater["cd"].plugged.count == 1)
    }
  }

  @Test("F4 · reports once per start that two ends have no cable kind in common")
  func nothingInCommon() async throws {
    let log = Mutex<[String]>([])
    let theater = Theater { line in log.withLock { $0.append(line) } }
    await theater["dvd"].setCables([.alsa])
    try await theater.live { theater in
      #expect(await eventually { await theater["cd"].plugged.count == 1 })
      #expect(await eventually { log.withLock { $0.count } == 1 })
      await theater["dvd"].restart()
      #expect(await eventually { log.withLock { $0.count } == 2 })
      #expect(await theater["dvd"].plugged.isEmpty)
    }
    let line =
      "cable dvd → amp (dvd): no cable fits both ends: the player has alsa, the amplifier pcm"
    #expect(log.withLock { $0.allSatisfy { $0.hasPrefix(line) } })
  }

  @Test("F4 · retries a failed plug after one second")
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
