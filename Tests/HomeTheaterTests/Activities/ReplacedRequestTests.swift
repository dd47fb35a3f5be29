import Devices
import JSON
import Scenes
import TestSupport
import Testing

@testable import HomeTheater

/// Positions whose reads and writes wait while the test holds them.
private actor HeldPositions: PositionStore {
  private var isHeld = false
  private var waiting: [CheckedContinuation<Void, Never>] = []

  var isWaiting: Bool { !waiting.isEmpty }
  func hold() { isHeld = true }
  func release() {
    isHeld = false
    for continuation in waiting { continuation.resume() }
    waiting = []
  }

  private func pause() async {
    if isHeld { await withCheckedContinuation { waiting.append($0) } }
  }
  func position(item: String, user: String) async -> Double? {
    await pause()
    return nil
  }
  func save(_ seconds: Double, item: String, user: String) async { await pause() }
  func clear(item: String, user: String) {}
}

/// What other requests, reports and edits do while a request waits for the store of positions.
@Suite struct ReplacedRequestTests {
  /// A theater whose store of positions can be held.
  private struct Bench {
    let theater = Theater()
    let positions = HeldPositions()
    let facade: HomeTheaterFacade

    init() {
      facade = HomeTheaterFacade(
        devices: Array(theater.devices.values), plan: .evening, positions: positions,
        clock: theater.clock)
    }

    /// Begins the film and waits until it plays.
    func film() async throws {
      let film = try await facade.begin("film", item: "f1", fromStart: true, user: "ann")
      #expect(await film.run.finished().status == .done)
    }

    /// Lets the player report, and the facade take the report.
    func report(_ playback: Playback) async throws {
      await theater["dvd"].report(.playback, playback.json)
      _ = try await facade.status()
    }
  }

  @Test("E11 · a request that was replaced while it read a position leaves the newer one alone")
  func replaced() async throws {
    let bench = Bench()
    await bench.positions.hold()
    async let film = refusal { () async throws(TheaterError) in
      try await bench.facade.begin("film", item: "f1", fromStart: false, user: "ann")
    }
    #expect(await eventually { await bench.positions.isWaiting })
    await bench.theater["amp"].hold("on")
    let music = try await bench.facade.begin("music", item: "s1", fromStart: true, user: "ben")
    await bench.theater["amp"].waitForHeldCommand()
    await bench.positions.release()
    #expect(await film?.code == .cancelled)
    await bench.theater["amp"].release()
    #expect(await music.run.finished().status == .done)
    #expect(await bench.facade.report.activity == "music")
  }

  @Test("E11 · the end of a film does not replace a request that is on its way")
  func endMeanwhile() async throws {
    let bench = Bench()
    try await bench.film()
    await bench.positions.hold()
    async let music = bench.facade.begin("music", item: "s1", fromStart: false, user: "ben")
    #expect(await eventually { await bench.positions.isWaiting })
    try await bench.report(Playback(.ended, item: "f1", position: 90, duration: 90))
    await bench.positions.release()
    #expect(try await music.run.finished().status == .done)
    #expect(await bench.facade.report.activity == "music")
  }

  @Test("E11 F6 · an activity ends although the configuration loses a device meanwhile")
  func editDuringEnd() async throws {
    let bench = Bench()
    try await bench.film()
    try await bench.report(Playback(.playing, item: "f1", position: 40, duration: 90))
    await bench.positions.hold()
    async let end = bench.facade.end()
    #expect(await eventually { await bench.positions.isWaiting })
    let left = bench.theater.devices.values.filter { $0.id != "lights" }
    try await bench.facade.apply(.evening, devices: Array(left), by: .owner)
    await bench.positions.release()
    #expect(try await end.finished().status == .done)
    #expect(await bench.facade.report.status == .idle)
  }

  @Test("E11 · a request that cannot be planned leaves what is on as it was, and its end counts")
  func unplannable() async throws {
    let bench = Bench()
    try await bench.film()
    try await bench.report(Playback(.playing, item: "f1", position: 40, duration: 90))
    await bench.positions.hold()
    async let music = refusal { () async throws(TheaterError) in
      try await bench.facade.begin("music", item: "s1", fromStart: true, user: "ben")
    }
    #expect(await eventually { await bench.positions.isWaiting })
    let left = bench.theater.devices.values.filter { $0.id != "cd" }
    try await bench.facade.apply(.evening, devices: Array(left), by: .owner)
    await bench.positions.release()
    #expect(await music?.message.contains("cd") == true)
    #expect(await bench.facade.report.status == .running)
    try await bench.report(Playback(.ended, item: "f1", position: 90, duration: 90))
    #expect(await eventually { await bench.facade.report.status == .idle })
  }
}

@Suite struct ActivityRecoveryTests {
  @Test("E10 · choosing the film that is on goes on where it was a moment ago")
  func chosenAgain() async throws {
    try await Theater().live { theater in
      let first = try await theater.facade.begin("film", item: "f1", fromStart: false, user: "ann")
      _ = await first.run.finished()
      await theater["dvd"].report(
        .playback, Playback(.playing, item: "f1", position: 50, duration: 90).json)
      #expect(
        await eventually {
          await theater.facade.snapshot(of: "dvd")?.state.playback?.position == 50
        })
      let again = try await theater.facade.begin("film", item: "f1", fromStart: false, user: "ann")
      #expect(again.resumedAt == 50)
    }
  }

  @Test("E10 · positions are saved on after the end of a film was cancelled")
  func cancelledEnd() async throws {
    try await Theater().live { theater in
      let film = try await theater.facade.begin("film", item: "f1", fromStart: false, user: "ann")
      _ = await film.run.finished()
      await theater["screen"].hold("up")
      let end = try await theater.facade.end()
      await theater["screen"].waitForHeldCommand()
      _ = try await theater.facade.cancelRun(id: end.id, by: .owner)
      #expect(await theater.facade.report.status == .failed)
      await theater["dvd"].report(
        .playback, Playback(.paused, item: "f1", position: 62, duration: 90).json)
      #expect(await eventually { theater.positions.position(item: "f1", user: "ann") == 62 })
    }
  }

  @Test("E15 · off cancels scenes beside the activity, too")
  func offEndsScenes() async throws {
    var plan = TheaterPlan.evening
    plan.scenes["later"] = Scene(
      name: "later", steps: [.wait(.seconds(60)), TheaterPlan.step("lights", .lights, "on")])
    let theater = Theater(plan: plan)
    let later = try await theater.facade.runScene("later", arguments: [:])
    await theater.clock.waitForSleepers(1)
    #expect(try await theater.facade.turnEverythingOff().finished().status == .done)
    #expect(later.report.status == .cancelled)
    theater.clock.advance(by: .seconds(60))
    #expect(!theater.journal.lines.contains(#"lights "on""#))
  }

  @Test("E15 · a cancelled \"off\" while nothing is on leaves nothing on")
  func cancelledOff() async throws {
    let theater = Theater()
    await theater["projector"].hold("off")
    let run = try await theater.facade.turnEverythingOff()
    await theater["projector"].waitForHeldCommand()
    _ = try await theater.facade.cancelRun(id: run.id, by: .owner)
    #expect(await theater.facade.report.status == .idle)
  }

  @Test("F3 · at most 64 scenes run beside the activity; the next is refused until one has ended")
  func manyScenes() async throws {
    var plan = TheaterPlan.evening
    for number in 0...64 {
      plan.scenes["later\(number)"] = Scene(name: "later\(number)", steps: [.wait(.seconds(60))])
    }
    let theater = Theater(plan: plan)
    var runs: [Run] = []
    for number in 0..<64 {
      runs.append(try await theater.facade.runScene("later\(number)", arguments: [:]))
    }
    let refused = await refusal { () async throws(TheaterError) in
      try await theater.facade.runScene("later64", arguments: [:])
    }
    #expect(refused?.code == .notNow && refused?.message == "64 runs are under way")
    await runs[0].cancel()
    runs.append(try await theater.facade.runScene("later64", arguments: [:]))
    // An activity is begun in any case.
    let film = try await theater.facade.begin("film", item: "f1", fromStart: true, user: "ann")
    #expect(await film.run.finished().status == .done)
    for run in runs { await run.cancel() }
  }

  @Test("F6 · an edit that names another end scene counts for the activity that is on")
  func otherEndScene() async throws {
    try await Theater().live { theater in
      let film = try await theater.facade.begin("film", item: "f1", fromStart: false, user: "ann")
      _ = await film.run.finished()
      var plan = TheaterPlan.evening
      plan.scenes["short"] = Scene(
        name: "short", steps: [TheaterPlan.step("lights", .lights, "on")])
      plan.activities["film"]?.end = "short"
      try await theater.facade.apply(plan, devices: Array(theater.devices.values), by: .owner)
      theater.journal.clear()
      let run = try await theater.facade.end()
      #expect(await theater.journal(of: run) == [#"lights "on""#])
    }
  }

  @Test("F6 · a player that the configuration has lost and got back is no error any more")
  func playerIsBack() async throws {
    try await Theater().live { theater in
      let film = try await theater.facade.begin("film", item: "f1", fromStart: false, user: "ann")
      _ = await film.run.finished()
      let all = Array(theater.devices.values)
      try await theater.facade.apply(
        .evening, devices: all.filter { $0.id != "dvd" }, by: .owner)
      #expect(await theater.facade.report.error?.device == "dvd")
      try await theater.facade.apply(.evening, devices: all, by: .owner)
      #expect(await theater.facade.report.error == nil)
    }
  }

  @Test("A10 · nothing is commanded after a shutdown")
  func quietAfterShutDown() async throws {
    var plan = TheaterPlan.evening
    plan.activities["film"]?.endsWithout = ["amp"]
    try await Theater(plan: plan).live { theater in
      await theater["projector"].hold("on")
      let film = try await theater.facade.begin("film", item: "f1", fromStart: false, user: "ann")
      await theater["projector"].waitForHeldCommand()
      await theater["amp"].setAvailability(.unavailable("unplugged"))
      #expect(
        await eventually { await theater.facade.snapshot(of: "amp")?.isReachable == false })
      await theater.facade.shutDown()
      _ = await film.run.finished()
      theater.journal.clear()
      // A timer that is left over would sleep now.
      #expect(await !eventually(within: 1) { theater.clock.sleeperCount > 0 })
      theater.clock.advance(by: LossMonitor.patience)
      #expect(theater.journal.lines.isEmpty)
    }
  }
}
