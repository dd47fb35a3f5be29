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

  @Test("F4 · ends that turn out to have no kind of cable in common are said so, once a start")
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

@Suite struct EventTests {
  @Test("E2 · a listener who was away gets what was missed, or is told that a snapshot is due")
  func resuming() async throws {
    let log = EventLog(boot: "boot")
    for number in 1...5 { log.publish(.other(name: "n", .integer(number))) }
    let resumed = log.subscribe(after: "boot-3")
    #expect(resumed.missed?.map(\.sequence) == [4, 5])
    #expect(log.subscribe(after: "boot-5").missed?.isEmpty == true)
    #expect(log.subscribe(after: "another-3").missed == nil)
    #expect(log.subscribe(after: "boot-6").missed == nil)
    #expect(log.subscribe(after: "boot-x").missed == nil)
    #expect(log.subscribe().missed == nil)
    for number in 6...3000 { log.publish(.other(name: "n", .integer(number))) }
    #expect(log.subscribe(after: "boot-3").missed == nil)
    log.publish(.other(name: "n", 0))
    var iterator = resumed.events.makeAsyncIterator()
    // The slow listener lost the oldest, not the newest: the gap shows in the sequence.
    #expect(await iterator.next()?.sequence == 3002 - EventLog.capacity)
  }

  @Test("E2 · a listener that ends while another is told holds nobody up", .timeLimit(.minutes(1)))
  func endingWhileTold() async {
    let log = EventLog(boot: "boot")
    let passes = await HeldTelling.letsListenersEnd { wasTold in
      for await _ in log.subscribe().events { wasTold() }
    } tell: {
      log.publish(.other(name: "n", 0))
    }
    #expect(passes)
  }

  @Test("E2 · each step of a run is told while it happens")
  func runEvents() async throws {
    let theater = Theater()
    let events = theater.facade.events.subscribe().events
    let run = try await theater.facade.popcorn()
    _ = await run.finished()
    theater.facade.events.close()
    var statuses: [RunReport.StepReport.Status?] = []
    for await entry in events {
      if case .run(let report) = entry.event { statuses.append(report.steps.last?.status) }
    }
    #expect(statuses == [.waiting, .waiting, .waiting, .running, .done, .done])
  }

  @Test("E17 · a device that is lost and found again is told")
  func availability() async throws {
    try await Theater().live { theater in
      let events = theater.facade.events.subscribe().events
      await theater["lights"].setAvailability(.unavailable("the plugin is being restarted"))
      for await entry in events {
        guard case .device("lights", _, let snapshot) = entry.event else { continue }
        #expect(snapshot.availability == .unavailable("the plugin is being restarted"))
        break
      }
    }
  }
}
