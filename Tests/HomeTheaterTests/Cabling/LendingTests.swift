import Devices
import JSON
import Synchronization
import TestSupport
import Testing

/// Cables of the kind `alsa`: the amplifier lends its PCM to the player whose input is selected.
@Suite(.timeLimit(.minutes(5))) struct LendingTests {
  private let log: LogLines
  private let theater: Theater

  /// The lines of the log.
  private final class LogLines: Sendable {
    let lines = Mutex<[String]>([])
  }

  init() {
    let log = LogLines()
    self.log = log
    theater = Theater { line in log.lines.withLock { $0.append(line) } }
  }

  /// Runs `body` in a theater whose DVD player has no cable kind but `alsa`.
  private func live(
    lending pcm: String? = "hw:0,0", _ body: @Sendable (Theater) async throws -> Void
  ) async throws {
    await theater["dvd"].setCables([.alsa])
    await theater["amp"].setCables([.pcm, .alsa])
    await theater["amp"].setLentPCM(pcm)
    try await theater.live(body)
  }

  /// The requests that lend, plug and unplug the PCM, in order.
  private var requests: [String] {
    theater.journal.lines.filter {
      $0.hasPrefix("amp lend") || $0.hasPrefix("dvd plug") || $0.hasPrefix("dvd unplug")
    }
  }

  private func select(_ input: String, on amp: FakeDevice) async {
    await amp.report(.power, "on")
    await amp.report(.input, .string(input))
  }

  private func sends(_ expected: [String]) async -> Bool {
    await eventually { requests == expected }
  }

  @Test("F1 F4 · a PCM is lent once; the player has it while its input is selected, and no longer")
  func selection() async throws {
    try await live { theater in
      let amp = theater["amp"]
      #expect(await sends(["amp lend dvd"]))
      await select("dvd", on: amp)
      #expect(await sends(["amp lend dvd", "dvd plug hw:0,0"]))
      await select("cd", on: amp)
      #expect(await sends(["amp lend dvd", "dvd plug hw:0,0", "dvd unplug"]))
      await select("dvd", on: amp)
      #expect(await eventually { requests.suffix(1) == ["dvd plug hw:0,0"] })
      await amp.report(.power, "off")
      #expect(
        await sends([
          "amp lend dvd", "dvd plug hw:0,0", "dvd unplug", "dvd plug hw:0,0", "dvd unplug",
        ]))
      // The other player still gets a `pcm` cable.
      #expect(await eventually { await theater["cd"].plugged.count == 1 })
    }
  }

  @Test("F1 F4 · does not plug the PCM while the input of the amplifier is only assumed")
  func assumed() async throws {
    try await live { theater in
      let amp = theater["amp"]
      await amp.report(.power, "on")
      await amp.report(.input, "dvd", provenance: .assumed)
      #expect(await sends(["amp lend dvd"]))
      await amp.report(.input, "dvd")
      #expect(await sends(["amp lend dvd", "dvd plug hw:0,0"]))
    }
  }

  @Test("F4 · unplugs the PCM of a lost amplifier at once, and requests it again after the restart")
  func sinkRestarts() async throws {
    try await live { theater in
      let amp = theater["amp"]
      await select("dvd", on: amp)
      #expect(await sends(["amp lend dvd", "dvd plug hw:0,0"]))
      await amp.setAvailability(.unavailable("it is started anew"))
      #expect(await sends(["amp lend dvd", "dvd plug hw:0,0", "dvd unplug"]))
      await amp.restart()
      await amp.setAvailability(.available)
      #expect(
        await sends([
          "amp lend dvd", "dvd plug hw:0,0", "dvd unplug", "amp lend dvd", "dvd plug hw:0,0",
        ]))
    }
  }

  @Test("F4 · a player that restarts gets the PCM again")
  func sourceRestarts() async throws {
    try await live { theater in
      await select("dvd", on: theater["amp"])
      #expect(await sends(["amp lend dvd", "dvd plug hw:0,0"]))
      await theater["dvd"].restart()
      #expect(
        await sends(["amp lend dvd", "dvd plug hw:0,0", "amp lend dvd", "dvd plug hw:0,0"]))
    }
  }

  @Test("F4 · reports once that the amplifier lends nothing, and requests the PCM again later")
  func refused() async throws {
    try await live(lending: nil) { theater in
      #expect(await sends(["amp lend dvd"]))
      await theater.clock.waitForSleepers(1)
      await theater["amp"].setLentPCM("hw:1")
      theater.clock.advance(by: .seconds(1))
      #expect(await sends(["amp lend dvd", "amp lend dvd"]))
      await select("dvd", on: theater["amp"])
      #expect(await eventually { requests.last == "dvd plug hw:1" })
    }
    let lines = log.lines.withLock { $0 }
    #expect(lines.count == 1)
    #expect(lines.first?.contains("cable dvd → amp (dvd): ") == true)
    #expect(lines.first?.contains("nothing is lent") == true)
  }
}
