import Devices
import JSON
import Platform
import Scenes

/// Plans scenes, runs them for a principal, and keeps their newest runs.
@TheaterActor
final class SceneEngine {
  /// The commands so far that silence each device.
  nonisolated let silencings = SilencingCounter()
  /// The number of plans that were made.
  private(set) var planCount = 0
  private var history = RunHistory()
  private let directory: DeviceDirectory
  private let ageLimits: AgeLimitMonitor
  /// The volume limit of each amplifier.
  nonisolated let loudness: LoudnessLimits
  /// The levels of amplifiers before other ones.
  nonisolated let chainLevels: ChainLevels
  private let events: EventLog
  private let clock: any TheaterClock

  nonisolated init(
    directory: DeviceDirectory, ageLimits: AgeLimitMonitor, events: EventLog,
    clock: any TheaterClock, log: @escaping @Sendable (String) -> Void
  ) {
    chainLevels = ChainLevels(directory: directory, log: log)
    self.directory = directory
    self.ageLimits = ageLimits
    loudness = LoudnessLimits(directory: directory)
    self.events = events
    self.clock = clock
  }

  // MARK: Plans

  /// Fills the arguments into a scene, to check its commands before anything changes.
  func resolve(
    _ scene: Scene, _ arguments: [String: SceneArgument]
  ) throws(TheaterError) -> Scene {
    try planner.resolve(scene, arguments: arguments)
  }

  /// Plans the run of a decision for the present state of its devices. Nothing is sent.
  func plan(
    _ decision: HouseDecision, policy: PlanPolicy
  ) async throws(TheaterError) -> ScenePlan {
    planCount += 1
    var scene = decision.scene
    if decision.goesPastFailures { scene.steps = scene.steps.continuingPastFailures }
    // Made before the devices are asked, because the configuration may lose one of them meanwhile.
    let planner = planner
    // The devices themselves are asked: their latest reports may not have arrived here yet.
    var snapshots = directory.snapshots
    for id in scene.steps.devices { snapshots[id] = await directory[id]?.snapshot() }
    var plan = try planner.plan(scene, snapshots: snapshots, policy: policy)
    plan.kept = decision.kept
    return plan
  }

  private var planner: ScenePlanner { ScenePlanner(roles: directory.devices.mapValues(\.role)) }

  // MARK: Runs

  /// Starts a run of a plan whose limits have been checked.
  ///
  /// - Parameters:
  ///   - principal: The requesting user; `nil` for a run of the controller itself, which has no limits
  ///     and counts as no user's choice.
  ///   - isKept: Whether `run(id:)` finds the run.
  ///   - turnedOff: Called for each device that a step has turned off.
  ///   - completion: Called at the end of the run, before `Run.finished` returns.
  func start(
    _ plan: ScenePlan, by principal: Principal?, isKept: Bool = true,
    turnedOff: @escaping @Sendable (DeviceID) async -> Void = { _ in },
    then completion: @escaping @Sendable (Run) async -> Void = { _ in }
  ) -> Run {
    let run = Run(id: history.nextID(), plan: plan, events: events)
    if isKept { history.add(run) }
    let runner = SceneRunner(
      clock: clock, snapshot: { [directory] id in await directory[id]?.snapshot() },
      reached: { [silencings] planned in silencings.record(planned.command, for: planned.device) }
    ) { (planned) async throws(DeviceError) -> Confirmation in
      let confirmation = try await self.perform(planned, by: principal)
      if planned.command == planned.role.off { await turnedOff(planned.device) }
      return confirmation
    }
    run.start(with: runner, ended: completion)
    return run
  }

  /// Sends a planned command to its device.
  private nonisolated func perform(
    _ planned: PlannedCommand, by principal: Principal?
  ) async throws(DeviceError) -> Confirmation {
    // The device may have been replaced since the plan was made.
    guard let device = directory[planned.device] else {
      throw DeviceError(
        .unavailable, "the device is not configured any more", device: planned.device)
    }
    if let principal {
      try await loudness.prepare(for: planned.command, to: device, by: principal)
    }
    return try await send(planned.command, to: device, until: planned.until, by: principal)
  }

  /// Sends a device a command. A command that affects the item of a player also gives the player the
  /// principal's age limit, which is reverted if the command fails. It runs on the caller's actor, so two
  /// commands of one actor reach the device in their order.
  ///
  /// - Parameter resumes: Whether the command only goes on with the current item, although it names it.
  nonisolated(nonsending) func send(
    _ command: Command, to device: any Device, until: Completion, by principal: Principal?,
    resumes: Bool = false
  ) async throws(DeviceError) -> Confirmation {
    // In a run, most commands affect no item and stay off the theater's actor.
    guard let principal else { return try await device.perform(command, until: until) }
    guard let change = ItemChange(command) else {
      chainLevels.willSend(command, to: device)
      let confirmation: Confirmation
      do {
        confirmation = try await device.perform(command, until: until)
      } catch {
        chainLevels.didFail(device)
        throw error
      }
      try await loudness.confirm(command, to: device)
      await chainLevels.didSend(command, to: device)
      return confirmation
    }
    let choice =
      resumes
      ? await ageLimits.recordResume(on: device.id, by: principal)
      : await ageLimits.recordChoice(change, on: device.id, by: principal)
    do {
      return try await device.perform(command, until: until)
    } catch {
      if let choice { await ageLimits.revert(choice, after: error) }
      throw error
    }
  }

  /// Refuses another run beside the activity when too many are under way.
  func checkRunLimit() throws(TheaterError) {
    guard history.running.count < RunHistory.mostRunning else {
      throw TheaterError(
        .notNow, "\(RunHistory.mostRunning) runs are under way",
        hint: "Cancel one of them, or wait for its end.")
    }
  }

  /// Cancels every kept run that is under way, and waits until all have stopped.
  func cancelAll() async { await Self.cancel(history.running) }

  private static func cancel(_ runs: [Run]) async {
    await withDiscardingTaskGroup { group in
      for run in runs { group.addTask { await run.cancel() } }
    }
  }

  /// The kept runs that are under way, oldest first.
  var runningRuns: [Run] { history.running }

  /// Makes the runs that are under way leave to a person what the person's command changes.
  func recordChoice(_ command: Command, on device: DeviceID) {
    for run in history.running { run.giveWay(to: command, on: device) }
  }

  /// Withdraws such a command after its failure, unless the device may have carried it out.
  func withdrawChoice(_ command: Command, on device: DeviceID, after error: DeviceError) {
    switch error.code {
    case .unsupported, .invalid, .notNow, .refused:
      for run in history.running { run.withdraw(command, on: device) }
    case .failed, .unavailable, .cancelled, .timeout: break
    }
  }

  /// Cancels the runs of a scene that are under way, and waits until they have stopped: a new run takes their place.
  func cancelRuns(of scene: String, except others: [Run]) async {
    // Read again after each wait: another request may have started one meanwhile.
    while let run = history.running.first(where: { run in
      run.report.scene == scene && !others.contains { $0 === run }
    }) {
      await run.cancel()
    }
  }

  /// Cancels the runs under way that command these devices and no others, and waits until all have stopped.
  func cancelRuns(within devices: Set<DeviceID>, except others: [Run]) async {
    let runs = history.running.filter { run in
      let commanded = Set(run.report.nodes.compactMap(\.command?.device))
      return !commanded.isEmpty && commanded.isSubset(of: devices)
        && !others.contains { $0 === run }
    }
    await Self.cancel(runs)
  }

  /// Returns one of the newest runs.
  func run(id: String) throws(TheaterError) -> Run {
    guard let run = history[id] else {
      throw .unknownRun(id)
    }
    return run
  }
}

extension TheaterError {
  static func unknownRun(_ id: String) -> TheaterError {
    TheaterError(.notFound, "there is no run \"\(id.quotation)\"")
  }
}

/// The newest runs, by id.
private struct RunHistory {
  /// The number of runs kept. Runs that are under way are kept beyond it.
  static let capacity = 100
  /// The most runs that may be under way when one is started beside the activity.
  static let mostRunning = 64
  private var runs: [(id: String, run: Run)] = []
  private var count = 0

  /// The id of the next run.
  mutating func nextID() -> String {
    count += 1
    return "run-\(count)"
  }

  mutating func add(_ run: Run) {
    runs.append((run.id, run))
    guard runs.count > Self.capacity else { return }
    if let old = runs.firstIndex(where: { $0.run.report.status != .running }) {
      runs.remove(at: old)
    }
  }

  var running: [Run] { runs.lazy.map(\.run).filter(\.isUnderWay) }

  subscript(id: String) -> Run? { runs.last { $0.id == id }?.run }
}
