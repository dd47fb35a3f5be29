import Devices
import Platform
import Synchronization

/// One execution of a plan. Its report changes with each node; any task can await its end or cancel
/// it.
public final class Run: Sendable {
  private struct State {
    var report: RunReport
    /// The settings that a person has changed since the run began; `nil` for all of the device.
    var chosen: [DeviceID: [Set<StateKey>?: Int]] = [:]
    /// The devices that another room has begun to use since then.
    var taken: Set<DeviceID> = []
    var task: Task<Void, Never>?
    var isOver = false
    var followers: [AsyncStream<RunChange>.Continuation] = []
    /// The continuations of the open waits, by key; `nil` until `Wait.finished` suspends.
    var waiting: [Int: CheckedContinuation<Void, Never>?] = [:]
    var nextKey = 0

    /// Passes a change of a node to the followers, in the order of the changes, and returns it.
    mutating func publish(_ change: RunChange) -> RunChange {
      followers.removeAll { follower in
        if case .terminated = follower.yield(change) { true } else { false }
      }
      return change
    }

    /// Passes the end of the run to the followers.
    mutating func finishFollowers() {
      for follower in followers {
        follower.yield(RunChange(report))
        follower.finish()
      }
      followers = []
    }
  }
  /// The run's id, such as `run-1`: unique until the controller is started again.
  public let id: String
  private let state: Mutex<State>
  private let plan: ScenePlan
  private let changed: @Sendable (RunChange) -> Void

  /// A run that has not begun.
  ///
  /// - Parameter changed: Receives each change, in order for each node.
  public init(
    id: String, plan: ScenePlan, changed: @escaping @Sendable (RunChange) -> Void = { _ in }
  ) {
    self.id = id
    self.plan = plan
    self.changed = changed
    state = Mutex(State(report: RunReport(id: id, plan: plan)))
  }

  /// The present state of every node.
  public var report: RunReport { state.withLock { $0.report } }

  /// The saved position in seconds at which it resumes its item; `nil` if it resumes none.
  public var resumedAt: Double? { plan.resumedAt }

  /// Whether it has not ended.
  public var isUnderWay: Bool { state.withLock { $0.report.status == .running } }

  /// The nodes that have begun or ended so far, and every change from now on, in order. The last one is the end of the
  /// run, once its effects on the theater are there, as of `finished()`. Ends early when the following task is
  /// cancelled; the run goes on.
  public var changes: AsyncStream<RunChange> {
    AsyncStream { follower in
      state.withLock { state in
        for node in state.report.nodes where node.status != .waiting {
          follower.yield(RunChange(state.report, node: node))
        }
        state.followers.append(follower)
        if state.isOver { state.finishFollowers() }
      }
    }
  }

  /// Carries out the plan in a task of its own. Called once.
  ///
  /// - Parameters:
  ///   - ended: Called when the last node has ended, before `finished()` returns.
  package func start(
    with runner: SceneRunner, ended: @escaping @Sendable (Run) async -> Void = { _ in }
  ) {
    changed(RunChange(report))
    let task = Task(executorPreference: ArrivalExecutor.shared) {
      await runner.run(self.plan, as: self)
      await ended(self)
      let waiting = self.state.withLock { state in
        state.isOver = true
        state.finishFollowers()
        defer { state.waiting = [:] }
        return state.waiting.values.compactMap(\.self)
      }
      for continuation in waiting { continuation.resume() }
    }
    state.withLock { $0.task = task }
  }

  /// Waits for the end of the run. Returns at once when the waiting task is cancelled; the run goes
  /// on.
  @discardableResult
  public func finished() async -> RunReport { await beginWait().finished() }

  /// Begins to wait for the end of the run.
  public func beginWait() -> Wait {
    let key = state.withLock { state in
      state.nextKey += 1
      if !state.isOver { state.waiting.updateValue(nil, forKey: state.nextKey) }
      return state.nextKey
    }
    return Wait(run: self, key: key)
  }

  /// A wait for the end of a run, which any task can end early.
  public struct Wait: Sendable {
    fileprivate let run: Run
    fileprivate let key: Int

    /// Ends the wait; the run goes on.
    public func end() {
      let continuation = run.state.withLock { $0.waiting.removeValue(forKey: key) }
      continuation??.resume()
    }

    /// Returns at the end of the run, or when the wait is ended or its task cancelled. Called once.
    @discardableResult
    public func finished() async -> RunReport {
      await withTaskCancellationHandler {
        await withCheckedContinuation { continuation in
          let isEnded = run.state.withLock { state in
            guard state.waiting[key] != nil else { return true }
            state.waiting.updateValue(continuation, forKey: key)
            return false
          }
          if isEnded { continuation.resume() }
        }
      } onCancel: {
        end()
      }
      return run.report
    }
  }

  /// Cancels the nodes that have not ended, and waits until they have stopped. Does nothing after
  /// the end.
  public func cancel() async {
    // `ended` may cancel this run: waiting for its task there would never end.
    guard state.withLock({ $0.report.status == .running }) else { return }
    let task = state.withLock { $0.task }
    task?.cancel()
    _ = await task?.value
  }

  /// Records a command that a person has given a device meanwhile. The run leaves out its later commands that would
  /// change the same settings: a person wins over a scene.
  package func giveWay(to command: Command, on device: DeviceID) {
    state.withLock { $0.chosen[device, default: [:]][command.changedKeys, default: 0] += 1 }
  }

  /// Withdraws a command of a person that the device has refused.
  package func withdraw(_ command: Command, on device: DeviceID) {
    state.withLock { state in
      guard let count = state.chosen[device]?[command.changedKeys] else { return }
      state.chosen[device]?[command.changedKeys] = count > 1 ? count - 1 : nil
    }
  }

  /// Leaves out all later commands for these devices: the activity of another room uses them from now on.
  package func leave(_ devices: Set<DeviceID>) {
    state.withLock { $0.taken.formUnion(devices) }
  }

  /// Why a command is left out; `nil` if it is not.
  func omission(of planned: PlannedCommand) -> NodeReport.Omission? {
    state.withLock { state in
      if state.taken.contains(planned.device) { return .room }
      let changed = planned.command.changedKeys ?? [.power]
      // A device that a person has turned off is left alone; to turn one off changes its power only.
      let isChosen = state.chosen[planned.device, default: [:]].keys.contains { chosen in
        chosen.map { !$0.isDisjoint(with: changed) } ?? true
      }
      return isChosen ? .person : nil
    }
  }

  /// Changes the report of one node and publishes it.
  func update(_ node: PlanNode, _ change: (inout NodeReport) -> Void) {
    let published = state.withLock { state in
      change(&state.report.nodes[node.index])
      return state.publish(RunChange(state.report, node: state.report.nodes[node.index]))
    }
    changed(published)
  }

  /// Sets the final status of the report and publishes it.
  func end(as status: RunReport.Status, error: TheaterError? = nil) {
    let published = state.withLock { state in
      state.report.status = status
      state.report.error = error
      return RunChange(state.report)
    }
    changed(published)
  }
}

extension Command {
  /// The keys that the command changes; `nil` for all of the device, which it turns off.
  fileprivate var changedKeys: Set<StateKey>? {
    if self == role.off { return nil }
    var keys = Set(spec.replaces)
    if let key = spec.settled.key { keys.insert(key) }
    if case .setting(let key) = spec.manner { keys.insert(key) }
    if spec.effect != nil { keys.insert(.playback) }
    return keys
  }
}
