import Devices
import JSON
import Scenes
import Synchronization
import TestSupport
import Testing

@Suite struct SceneRunnerTests {
  /// Three lamps, a projector, a screen, a popper, a player and an amplifier that carry out commands at
  /// once, unless a test holds one.
  private final class Bench: Sendable {
    let journal = CommandJournal()
    let clock = ManualClock()
    let devices: [DeviceID: FakeDevice]
    private let recorded = Mutex<[RunChange]>([])

    init() {
      let roles: [(DeviceID, Role)] = [
        ("lights", .lights), ("lamp", .lights), ("bulb", .lights), ("projector", .projector),
        ("screen", .screen), ("popper", .popcornPopper), ("dvd", .dvdPlayer), ("amp", .amplifier),
      ]
      devices = Dictionary(
        uniqueKeysWithValues: roles.map { [journal, clock] in
          ($0.0, FakeDevice($0.0, $0.1, journal: journal, clock: clock))
        })
    }

    /// The changes, as `"1.2 running"`; the run's own changes without an id.
    var changes: [String] {
      recorded.withLock { $0 }.map { change in
        change.node.map { "\($0.id) \($0.status.rawValue)" } ?? change.status.rawValue
      }
    }

    func device(_ id: DeviceID) throws -> FakeDevice { try #require(devices[id]) }

    func plan(_ steps: [Step]) async throws -> ScenePlan {
      var snapshots: [DeviceID: DeviceSnapshot] = [:]
      for (id, device) in devices { snapshots[id] = await device.snapshot() }
      return try ScenePlanner(roles: devices.mapValues(\.role)).plan(
        Scene(name: "evening", steps: steps), arguments: [:], snapshots: snapshots,
        policy: PlanPolicy(volumeLimit: nil))
    }

    /// Begins a run of the plan.
    ///
    /// - Parameters:
    ///   - beforeSnapshot: Called before the runner reads the snapshot of a device.
    ///   - change: Called with each change.
    func run(
      _ plan: ScenePlan, beforeSnapshot: @escaping @Sendable (DeviceID) async -> Void = { _ in },
      change: @escaping @Sendable (RunChange) -> Void = { _ in }
    ) -> Run {
      let devices = devices
      let run = Run(id: "run-1", plan: plan) { news in
        self.recorded.withLock { $0.append(news) }
        change(news)
      }
      run.start(
        with: SceneRunner(
          clock: clock,
          snapshot: {
            await beforeSnapshot($0)
            return await devices[$0]?.snapshot()
          }
        ) { (command) async throws(DeviceError) -> Devices.Confirmation in
          guard let device = devices[command.device] else {
            throw DeviceError(.unavailable, "no such device")
          }
          return try await device.perform(command.command, until: command.until)
        })
      return run
    }

    func run(_ steps: [Step]) async throws -> Run { run(try await plan(steps)) }
  }

  private static func statuses(_ report: RunReport) -> [String] {
    report.nodes.map { "\($0.id) \($0.status.rawValue)" }
  }

  @Test("E17 · publishes each change of a node by itself, and keeps all nodes in the report")
  func changes() async throws {
    let bench = Bench()
    let run = try await bench.run([
      .make("lights", .lights, ["dim": 10]),
      .sequence([.make("lights", .lights, ["dim": 10]), .make("popper", .popcornPopper, "pop")]),
    ])
    let report = await run.finished()
    #expect(
      bench.changes == [
        "running", "1 running", "1 done", "2 running", "2.1 skipped", "2.2 running", "2.2 done",
        "2 done", "done",
      ])
    #expect(Self.statuses(report) == ["1 done", "2 done", "2.1 skipped", "2.2 done"])
    #expect(
      report.json == [
        "id": "run-1", "scene": "evening", "status": "done",
        "steps": [
          [
            "id": "1", "kind": "command", "device": "lights", "command": ["dim": 10],
            "status": "done", "seconds": 0,
          ],
          ["id": "2", "kind": "sequence", "status": "done", "seconds": 0],
          [
            "id": "2.1", "kind": "command", "device": "lights", "command": ["dim": 10],
            "status": "skipped",
          ],
          [
            "id": "2.2", "kind": "command", "device": "popper", "command": "pop",
            "status": "done", "seconds": 0,
          ],
        ],
      ])
  }

  @Test("E12 · parallel steps run at the same time, and the next step waits for the last of them")
  func parallel() async throws {
    let bench = Bench()
    for id in ["lights", "lamp"] as [DeviceID] { try await bench.device(id).hold("dim") }
    let run = try await bench.run([
      .parallel([
        .make("lights", .lights, ["dim": 10]), .make("lamp", .lights, ["dim": 20]),
        .sequence([.make("bulb", .lights, "on")]),
      ]),
      .make("popper", .popcornPopper, "on"),
    ])
    try await bench.device("lights").waitForHeldCommand()
    try await bench.device("lamp").waitForHeldCommand()
    #expect(await eventually { bench.journal.lines.contains(#"bulb "on""#) })
    try await bench.device("lights").release()
    #expect(!bench.journal.lines.contains(#"popper "on""#))
    try await bench.device("lamp").release()
    #expect(await run.finished().status == .done)
    #expect(bench.journal.lines.last == #"popper "on""#)
  }

  @Test("E17 · a failed branch cancels the others, and waits until they have stopped")
  func failedBranch() async throws {
    let bench = Bench()
    try await bench.device("projector").hold("on")
    try await bench.device("lamp").hold("dim")
    try await bench.device("lamp").fail("dim", with: DeviceError(.failed, "the bulb is broken"))
    let run = try await bench.run([
      .parallel([
        .sequence([.make("projector", .projector, "on"), .make("popper", .popcornPopper, "on")]),
        .make("lamp", .lights, ["dim": 20]), .wait(.seconds(60)),
      ]),
      .make("bulb", .lights, "on"),
    ])
    try await bench.device("projector").waitForHeldCommand()
    try await bench.device("lamp").waitForHeldCommand()
    await bench.clock.waitForSleepers()
    try await bench.device("lamp").release()
    let report = await run.finished()
    #expect(
      Self.statuses(report) == [
        "1 failed", "1.1 cancelled", "1.1.1 cancelled", "1.1.2 waiting", "1.2 failed",
        "1.3 cancelled", "2 waiting",
      ])
    #expect(report.status == .failed)
    #expect(report.error?.step == "1.2")
    #expect(report.error?.device == "lamp")
    #expect(report.error?.message == "the bulb is broken")
  }

  @Test("E17 · does not send a command whose device is still being read when another branch fails")
  func failedMeanwhile() async throws {
    let bench = Bench()
    try await bench.device("lamp").fail("on", with: DeviceError(.failed, "the bulb is broken"))
    try await bench.device("bulb").report(.brightness, 10)
    let plan = try await bench.plan([
      .parallel([.make("bulb", .lights, ["dim": 10]), .make("lamp", .lights, "on")])
    ])
    try await bench.device("bulb").report(.brightness, 80)
    let (failure, failed) = AsyncStream<Void>.makeStream()
    let run = bench.run(plan) { id in
      guard id == "bulb" else { return }
      // Waits until the lamp has failed, which also cancels this task.
      for await _ in failure {}
    } change: {
      if $0.node?.status == .failed { failed.finish() }
    }
    let report = await run.finished()
    #expect(Self.statuses(report) == ["1 failed", "1.1 waiting", "1.2 failed"])
    #expect(bench.journal.lines == [#"lamp "on""#])
  }

  @Test("E17 · a group with `onFailure: continue` may fail, and the scene goes on")
  func continuing() async throws {
    let bench = Bench()
    try await bench.device("lamp").fail("on", with: DeviceError(.unavailable, "no answer"))
    let run = try await bench.run([
      .sequence(
        [.make("lamp", .lights, "on"), .make("bulb", .lights, "on")], onFailure: .continue),
      .make("lights", .lights, "on"),
    ])
    let report = await run.finished()
    #expect(report.status == .done)
    #expect(report.error == nil)
    #expect(Self.statuses(report) == ["1 failed", "1.1 failed", "1.2 waiting", "2 done"])
  }

  @Test("E17 · a command that ends with its cancelled run is cancelled, and has no error")
  func cancelledCommand() async throws {
    let bench = Bench()
    try await bench.device("lamp").hold("on")
    let run = try await bench.run([.make("lamp", .lights, "on")])
    try await bench.device("lamp").waitForHeldCommand()
    await run.cancel()
    let report = await run.finished()
    #expect(Self.statuses(report) == ["1 cancelled"])
    #expect(report.nodes.map(\.error) == [nil])
    #expect(report.status == .cancelled)
  }

  @Test("E12 · a scene that continues past failures continues without a lost amplifier")
  func lostAmplifier() async throws {
    let bench = Bench()
    try await bench.device("amp").fail("on", with: DeviceError(.unavailable, "unplugged"))
    let on = try await bench.run(
      [
        .make("amp", .amplifier, "on", onFailure: .continue), .make("projector", .projector, "on"),
      ]
    ).finished()
    #expect(Self.statuses(on) == ["1 failed", "2 done"])
    #expect(on.status == .done)
    // A step that stops the scene at a failure still does.
    let stopped = try await bench.run(
      [.make("amp", .amplifier, "on"), .make("projector", .projector, "off")]
    ).finished()
    #expect(Self.statuses(stopped) == ["1 failed", "2 waiting"])
  }

  @Test("E12 · a wait takes its time on the controller's clock, and is cancelled with the run")
  func waiting() async throws {
    let bench = Bench()
    let first = try await bench.run([.wait(.seconds(2)), .make("lights", .lights, "on")])
    await bench.clock.waitForSleepers()
    #expect(bench.journal.lines.isEmpty)
    bench.clock.advance(by: .seconds(2))
    let report = await first.finished()
    #expect(report.nodes.map(\.seconds) == [2, 0])
    let second = try await bench.run([.wait(.seconds(3600)), .make("lamp", .lights, "on")])
    await bench.clock.waitForSleepers()
    await second.cancel()
    let cancelled = await second.finished()
    #expect(cancelled.status == .cancelled)
    #expect(Self.statuses(cancelled) == ["1 cancelled", "2 waiting"])
  }

  @Test("a person wins over a scene: it leaves out what the person has changed meanwhile")
  func person() async throws {
    let bench = Bench()
    let run = try await bench.run([
      .wait(.seconds(2)), .make("lights", .lights, ["dim": 10]), .make("lamp", .lights, "on"),
      .make("amp", .amplifier, ["volume": 40]), .make("amp", .amplifier, "stereo"),
      .make("dvd", .dvdPlayer, "on"), .make("dvd", .dvdPlayer, ["play": ["item": "f1"]]),
    ])
    await bench.clock.waitForSleepers()
    run.giveWay(to: try Command(["dim": 80], role: .lights), on: "lights")
    run.giveWay(to: try Command(["volume": 15], role: .amplifier), on: "amp")
    run.giveWay(to: try Command("mute", role: .amplifier), on: "amp")
    run.giveWay(to: try Command("off", role: .dvdPlayer), on: "dvd")
    bench.clock.advance(by: .seconds(2))
    let report = await run.finished()
    #expect(report.status == .done)
    #expect(bench.journal.lines == [#"lamp "on""#, #"amp "stereo""#])
    #expect(
      report.nodes.map { $0.omission != nil } == [false, true, false, true, false, true, true])
    #expect(report.nodes[1].json["reason"] == "person" && report.nodes[2].json["reason"] == nil)
  }

  @Test("E11 · a wait for a run can be ended early or cancelled, and the run goes on")
  func endedWaits() async throws {
    let bench = Bench()
    let run = try await bench.run([.wait(.seconds(2))])
    let before = run.beginWait()
    before.end()
    #expect(await before.finished().status == .running)
    let during = run.beginWait()
    async let ended = during.finished()
    during.end()
    #expect(await ended.status == .running)
    let cancelled = Task { await run.finished() }
    cancelled.cancel()
    #expect(await cancelled.value.status == .running)
    let whole = run.beginWait()
    await bench.clock.waitForSleepers()
    bench.clock.advance(by: .seconds(2))
    #expect(await whole.finished().status == .done)
    #expect(await run.beginWait().finished().status == .done)
  }

  @Test("E12 · a run carries out the plan of a dry run, and checks again before it skips a command")
  func samePlan() async throws {
    let bench = Bench()
    try await bench.device("lights").report(.brightness, 10)
    try await bench.device("lamp").report(.brightness, 10)
    let plan = try await bench.plan([
      .make("lights", .lights, ["dim": 10]), .make("lamp", .lights, ["dim": 10]),
      .make("lamp", .lights, ["dim": 10], always: true),
    ])
    #expect(plan.json["steps"]?.array?.map { $0["action"] } == ["skip", "skip", "send"])
    // The lamp changes between the plan and its run.
    try await bench.device("lamp").report(.brightness, 80)
    let report = await bench.run(plan).finished()
    #expect(Self.statuses(report) == ["1 skipped", "2 done", "3 done"])
    #expect(bench.journal.lines == [#"lamp {"dim":10}"#, #"lamp {"dim":10}"#])
  }
}
