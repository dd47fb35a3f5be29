import Devices
import JSON
import Scenes
import Synchronization
import TestSupport
import Testing

@testable import HomeTheater

/// The film needs its player and the amplifier, and no other device.
@Suite struct LossTests {
  private static let patience = LossMonitor.patience

  /// Begins a film in a theater whose film needs two devices.
  private static func film(
    needing devices: Set<DeviceID> = ["dvd", "amp"],
    log: @escaping @Sendable (String) -> Void = { _ in },
    _ body: @Sendable (Theater) async throws -> Void
  ) async throws {
    var plan = TheaterPlan.evening
    plan.activities["film"]?.endsWithout = devices
    try await Theater(plan: plan, log: log).live { theater in
      let begun = try await theater.facade.begin("film", item: "f1", fromStart: false, user: "ann")
      _ = await begun.run.finished()
      #expect(await eventually { await theater.facade.report.status == .running })
      theater.journal.clear()
      try await body(theater)
    }
  }

  /// Waits for a second sleeper: the first one saves the position.
  private static func waitForTimer(_ theater: Theater) async {
    #expect(await eventually { theater.clock.sleeperCount == 2 })
  }

  @Test("E11 F6 · a film ends when a device that it needs stays missing, and says why")
  func ends() async throws {
    let log = Mutex<[String]>([])
    try await Self.film(log: { line in log.withLock { $0.append(line) } }) { theater in
      await theater["amp"].setAvailability(.unavailable("unplugged"))
      await theater["amp"].fail("off", with: DeviceError(.unavailable, "unplugged"))
      await Self.waitForTimer(theater)
      theater.clock.advance(by: Self.patience - .seconds(1))
      #expect(await theater.facade.report.status == .running)
      theater.clock.advance(by: .seconds(1))
      #expect(await eventually { await theater.facade.report.status == .idle })
      #expect(theater.journal.lines.last == #"dvd "off""#)
      let report = await theater.facade.report
      #expect(report.error?.device == "amp")
      #expect(report.error?.message == "it was missing for 30 s, so \"film\" ended")
      #expect(log.withLock { $0 } == ["amp: it was missing for 30 s, so \"film\" ended"])
      // The next activity begins without the old reason.
      await theater["amp"].setAvailability(.available)
      let next = try await theater.facade.begin("film", item: "f1", fromStart: true, user: "ann")
      #expect(await next.run.finished().status == .done)
      #expect(await theater.facade.report.error == nil)
    }
  }

  @Test("F6 · a device that is back in time ends nothing, and gets the whole time again")
  func back() async throws {
    try await Self.film { theater in
      for _ in 1...3 {
        await theater["amp"].setAvailability(.unavailable("restarting"))
        await Self.waitForTimer(theater)
        theater.clock.advance(by: Self.patience - .seconds(1))
        await Self.waitForTimer(theater)
        await theater["amp"].setAvailability(.available)
        #expect(await eventually { theater.clock.sleeperCount == 1 })
      }
      theater.clock.advance(by: .seconds(60))
      #expect(await theater.facade.report.status == .running)
      #expect(theater.journal.lines.isEmpty)
    }
  }

  @Test("F6 · a device whose values are all unknown is missing, although its plugin runs")
  func silent() async throws {
    try await Self.film(needing: ["projector"]) { theater in
      await theater["projector"].report(.power, "on", provenance: .unknown)
      await Self.waitForTimer(theater)
      theater.clock.advance(by: Self.patience)
      #expect(await eventually { await theater.facade.report.status == .idle })
      #expect(await theater.facade.report.error?.device == "projector")
    }
  }

  @Test("a player that fails is not missing: the film stays, although it needs the player")
  func failedPlayer() async throws {
    try await Self.film { theater in
      await theater["dvd"].report(.playback, Playback(.failed, item: "f1", position: 40).json)
      await Self.waitForTimer(theater)
      theater.clock.advance(by: Self.patience * 4)
      #expect(await eventually { theater.clock.sleeperCount == 2 })
      #expect(await theater.facade.report.status == .running)
      #expect(theater.journal.lines.isEmpty)
    }
  }

  @Test(
    "E11 F6 · a film ends although another device fails, too, and keeps the reason",
    arguments: [(["dvd", "amp"], "amp", "off"), (["dvd"], "projector", "off")]
      as [(Set<DeviceID>, DeviceID, String)])
  func several(needed: Set<DeviceID>, other: DeviceID, command: String) async throws {
    let log = Mutex<[String]>([])
    try await Self.film(needing: needed, log: { line in log.withLock { $0.append(line) } }) {
      theater in
      for (id, command) in [("dvd", "stop"), (other, command)] as [(DeviceID, String)] {
        await theater[id].setAvailability(.unavailable("no power"))
        await theater[id].fail(command, with: DeviceError(.unavailable, "no power"))
      }
      await Self.waitForTimer(theater)
      theater.clock.advance(by: Self.patience)
      #expect(await eventually { await theater.facade.report.status == .idle })
      #expect(await theater.facade.report.error?.message.contains("was missing") == true)
      #expect(log.withLock { $0.count } == 1)
      #expect(theater.journal.lines.last == #"dvd "off""#)
    }
  }

  @Test("E11 F6 · a film whose end failed ends when the device that it needs stays missing")
  func failedEnd() async throws {
    try await Self.film { theater in
      await theater["amp"].setAvailability(.unavailable("unplugged"))
      await theater["amp"].fail("off", with: DeviceError(.unavailable, "unplugged"))
      await Self.waitForTimer(theater)
      let end = try await theater.facade.end()
      #expect(await end.finished().status == .failed)
      #expect(await theater.facade.report.status == .failed)
      await Self.waitForTimer(theater)
      theater.clock.advance(by: Self.patience)
      #expect(await eventually { await theater.facade.report.status == .idle })
      #expect(await theater.facade.report.error?.message.contains("was missing") == true)
    }
  }

  @Test("F6 · a film goes on without a device that it does not need")
  func others() async throws {
    try await Self.film { theater in
      await theater["lights"].setAvailability(.unavailable("unplugged"))
      #expect(
        await eventually {
          await theater.facade.directory.snapshot(of: "lights")?.availability
            == .unavailable("unplugged")
        })
      theater.clock.advance(by: .seconds(300))
      #expect(await theater.facade.report.status == .running)
    }
  }

  @Test("F6 · a device that the configuration loses is missing; an edit counts at once")
  func edits() async throws {
    try await Self.film(needing: ["lights"]) { theater in
      let left = theater.devices.filter { $0.key != "lights" }.map { $0.value as any Device }
      var plan = theater.facade.plan
      try await theater.facade.apply(plan, devices: left, by: .owner)
      await Self.waitForTimer(theater)
      plan.activities["film"]?.endsWithout = []
      try await theater.facade.apply(plan, devices: left, by: .owner)
      #expect(await eventually { theater.clock.sleeperCount == 1 })
      plan.activities["film"]?.endsWithout = ["lights"]
      try await theater.facade.apply(plan, devices: left, by: .owner)
      await Self.waitForTimer(theater)
      theater.clock.advance(by: Self.patience)
      #expect(await eventually { await theater.facade.report.status == .idle })
    }
  }
}
