import Devices
import JSON
import Scenes

/// Plans scenes, runs them for a principal, and keeps their newest runs.
@TheaterActor
final class SceneEngine {
  private var history = RunHistory()
  private let directory: DeviceDirectory
  private let ageLimits: AgeLimitMonitor
  private let events: EventLog
  private let runner: SceneRunner

  nonisolated init(
    directory: DeviceDirectory, ageLimits: AgeLimitMonitor, events: EventLog,
    clock: any TheaterClock
  ) {
    self.directory = directory
    self.ageLimits = ageLimits
    self.events = events
    runner = SceneRunner(clock: clock)
  }

  /// Returns the scene's steps with its parameters filled in. Nothing is sent.
  func plan(_ scene: Scene, arguments: [String: SceneArgument]) throws(TheaterError)
    -> [PlannedStep]
  {
    try ScenePlanner(devices: directory.devices).plan(scene, arguments: arguments)
  }

  /// Starts a run of planned steps whose limits have been checked. Volumes are limited to the
  /// principal's.
  ///
  /// - Parameters:
  ///   - scene: The scene's name in the report.
  ///   - principal: The requesting user; `nil` for a run of the controller itself, which has no limits
  ///     and counts as no user's choice.
  ///   - isKept: Whether `run(id:)` finds the run.
  ///   - completion: Called at the end of the run, before `Run.finished` returns.
  func start(
    _ steps: [PlannedStep], named scene: String, by principal: Principal?, isKept: Bool = true,
    then completion: @escaping @Sendable (Run) async -> Void = { _ in }
  ) -> Run {
    let steps =
      principal.map { VolumeLimiter(directory: directory).limit(steps, for: $0) } ?? steps
    let run = Run(id: history.nextID(), scene: scene, steps: steps, events: events)
    if isKept { history.add(run) }
    run.start { [runner] run in
      await runner.run(steps, as: run) { (step) throws(DeviceError) in
        try await self.perform(step, by: principal)
      }
      await completion(run)
    }
    return run
  }

  /// Gives a step's device its command. A command that affects the item of a player makes the
  /// principal's age limit the player's, unless the command fails.
  nonisolated func perform(
    _ step: PlannedStep, by principal: Principal?
  ) async throws(DeviceError) -> Confirmation {
    // The device may have been replaced since the step was planned.
    let device = directory[step.device.id] ?? step.device
    // Most commands affect no item and stay off the theater's actor.
    guard let principal, let move = ItemMove(step.command) else {
      return try await device.perform(step.command, until: step.until)
    }
    let choice = await ageLimits.choose(move, on: device.id, by: principal)
    do {
      return try await device.perform(step.command, until: step.until)
    } catch {
      if let choice { await ageLimits.revert(choice, after: error) }
      throw error
    }
  }

  /// Returns one of the newest runs.
  func run(id: String) throws(TheaterError) -> Run {
    guard let run = history[id] else {
      throw TheaterError(.notFound, "there is no run \"\(id.quotation)\"")
    }
    return run
  }
}

/// The newest runs, by id.
private struct RunHistory {
  /// The number of runs kept. Runs that are under way are kept beyond it.
  static let capacity = 100
  private var runs: [(id: String, run: Run)] = []
  private var count = 0

  /// The id of the next run.
  mutating func nextID() -> String {
    count += 1
    return "run-\(count)"
  }

  mutating func add(_ run: Run) {
    runs.append((run.report.id, run))
    guard runs.count > Self.capacity else { return }
    if let old = runs.firstIndex(where: { $0.run.report.status != .running }) {
      runs.remove(at: old)
    }
  }

  subscript(id: String) -> Run? { runs.last { $0.id == id }?.run }
}

extension PlannedStep {
  /// A step that stops or turns off a player, and stops the run if that fails.
  static func stop(_ player: any Device, _ command: Command) -> PlannedStep {
    PlannedStep(device: player, command: command, until: .settled, onFailure: .stop, always: true)
  }
}
