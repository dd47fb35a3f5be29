import Devices
import JSON
import Synchronization
import TestSupport
import Testing

@testable import HomeTheater

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

  @Test("a cable at a device without a facet for it is reported as unsupported")
  func missingEnd() async throws {
    let (lamp, player) = (FakeDevice("amp", .lights), FakeDevice("dvd", .dvdPlayer))
    let failures = Mutex<[DeviceError?]>([])
    let cables = CableReconciler(clock: ManualClock()) { _, error in
      failures.withLock { $0.append(error) }
    }
    cables.apply(
      [CableEdge(from: "dvd", to: "amp", input: "dvd")], devices: ["amp": lamp, "dvd": player],
      snapshots: ["amp": await lamp.snapshot(), "dvd": await player.snapshot()])
    await withDiscardingTaskGroup { group in
      group.addTask { await cables.run() }
      #expect(await eventually { failures.withLock { !$0.isEmpty } })
      group.cancelAll()
    }
    let error = failures.withLock { $0.first } ?? nil
    #expect(error?.code == .unsupported && error?.device == "amp")
    #expect(error?.message == "this \(Role.lights.title) has no cables")
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

  @Test("F4 · a restart of the amplifier ends the pause after failed plugs, and the next is short")
  func restartDuringPause() async throws {
    let theater = Theater()
    await theater["dvd"].failPlugging(5)
    try await theater.live { theater in
      #expect(await eventually { await theater["cd"].plugged.count == 1 })
      for pause in [1, 2, 4, 8] {
        await theater.clock.waitForSleepers(1)
        theater.clock.advance(by: .seconds(pause))
      }
      await theater.clock.waitForSleepers(1)
      #expect(await theater["dvd"].plugged.isEmpty)
      await theater["amp"].restart()
      #expect(await eventually { await theater["dvd"].plugged.map(\.token) == ["token-2"] })
      await theater["dvd"].failPlugging(1)
      await theater["dvd"].restart()
      await theater.clock.waitForSleepers(1)
      theater.clock.advance(by: .seconds(1))
      #expect(await eventually { await theater["dvd"].plugged.count == 2 })
    }
  }

  @Test("F4 · a player whose cable is moved to another input is plugged into the new one last")
  func moved() async throws {
    let (amplifier, player) = (SlowAmplifier(), FakeDevice("dvd", .dvdPlayer))
    let devices: [DeviceID: any Device] = ["amp": amplifier, "dvd": player]
    let snapshots: [DeviceID: DeviceSnapshot] = [
      "amp": await amplifier.snapshot(), "dvd": await player.snapshot(),
    ]
    let cables = CableReconciler(clock: ManualClock()) { _, _ in }
    func apply(input: String) {
      let edge = CableEdge(from: "dvd", to: "amp", input: input)
      cables.apply([edge], devices: devices, snapshots: snapshots)
    }
    apply(input: SlowAmplifier.heldInput)
    await withDiscardingTaskGroup { group in
      group.addTask { await cables.run() }
      await amplifier.waitForRequest()
      apply(input: "aux")
      for _ in 1...100 { await Task.yield() }
      await amplifier.release()
      #expect(await eventually { await player.plugged.last?.path == "aux" })
      #expect(await player.plugged.count <= 2)
      group.cancelAll()
    }
  }
}

/// An amplifier that opens the socket of one input when the test says so.
private actor SlowAmplifier: Device, SoundSink {
  static let heldInput = "dvd"
  nonisolated let id: DeviceID = "amp"
  nonisolated let role = Role.amplifier
  private var request: CheckedContinuation<Void, Never>?
  private var arrival: CheckedContinuation<Void, Never>?

  /// Waits until the socket of the held input is requested.
  func waitForRequest() async {
    if request == nil { await withCheckedContinuation { arrival = $0 } }
  }

  /// Opens the held socket.
  func release() {
    request?.resume()
    request = nil
  }

  func openSocket(input: String) async throws(DeviceError) -> CableSocket {
    if input == Self.heldInput {
      await withCheckedContinuation { continuation in
        request = continuation
        arrival?.resume()
        arrival = nil
      }
    }
    return CableSocket(path: input, token: "token")
  }

  func lend(input: String) -> String { input }

  func perform(_ command: Command, until: Completion) async throws(DeviceError)
    -> Devices.Confirmation
  { .accepted }

  func snapshot() -> DeviceSnapshot {
    DeviceSnapshot(
      availability: .available, capabilities: Capabilities(cables: [.pcm]), generation: 1)
  }

  func snapshots() -> AsyncStream<DeviceSnapshot> { AsyncStream { $0.yield(snapshot()) } }
}
