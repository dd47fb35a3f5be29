import Devices
import Platform

/// An executor of plans on the devices of a theater.
public struct SceneRunner: Sendable {
  /// Sends a command to its device and waits for the completion that `PlannedCommand.until` names.
  public typealias Perform = @Sendable (PlannedCommand) async throws(DeviceError) -> Confirmation

  /// Returns the present state of a device; `nil` when there is no such device any more.
  public typealias Snapshot = @Sendable (DeviceID) async -> DeviceSnapshot?

  private let snapshot: Snapshot
  private let reached: @Sendable (PlannedCommand) -> Void
  private let clock: any TheaterClock
  private let perform: Perform

  /// - Parameters:
  ///   - snapshot: Returns the state that decides whether a command is needless.
  ///   - reached: Called with each command that a run comes to, before it is decided whether it is needless.
  ///   - perform: Sends a command.
  public init(
    clock: any TheaterClock, snapshot: @escaping Snapshot,
    reached: @escaping @Sendable (PlannedCommand) -> Void = { _ in }, perform: @escaping Perform
  ) {
    self.snapshot = snapshot
    self.reached = reached
    self.clock = clock
    self.perform = perform
  }

  /// The effect of an ended node on the nodes around it.
  private enum Outcome {
    case completed
    case cancelled
    case failed(TheaterError)
  }

  /// Carries out every node of the plan. Ends early when a failure stops the scene or the task is
  /// cancelled. When it returns, no node runs any more.
  func run(_ plan: ScenePlan, as run: Run) async {
    switch await runInSequence(plan.nodes, run) {
    case .completed: run.end(as: .done)
    case .cancelled: run.end(as: .cancelled)
    case .failed(let error): run.end(as: .failed, error: error)
    }
  }

  private func runInSequence(_ nodes: [PlanNode], _ run: Run) async -> Outcome {
    for node in nodes {
      if Task.isCancelled { return .cancelled }
      let outcome = await execute(node, run)
      guard case .completed = outcome else { return outcome }
    }
    return .completed
  }

  private func runInParallel(_ nodes: [PlanNode], _ run: Run) async -> Outcome {
    await withTaskGroup(of: Outcome.self) { group in
      for node in nodes { group.addTask { await self.execute(node, run) } }
      var result = Outcome.completed
      for await outcome in group {
        switch (result, outcome) {
        case (.failed, _), (_, .completed): break
        case (_, .failed):
          result = outcome
          group.cancelAll()
        case (_, .cancelled): result = .cancelled
        }
      }
      return result
    }
  }

  /// Carries out a node and its members.
  ///
  /// - Returns: A failure only where it stops the nodes around it.
  private func execute(_ node: PlanNode, _ run: Run) async -> Outcome {
    let began = clock.now()
    let outcome: Outcome
    var confirmation = NodeReport.Status.done
    switch node.work {
    case .command(let command, let decision):
      if let omission = run.omission(of: command) {
        run.update(node) {
          $0.status = .skipped
          $0.omission = omission
        }
        return .completed
      }
      reached(command)
      let isNeedless = await isNeedless(command, decision)
      // Another member of a parallel group may have failed meanwhile.
      if Task.isCancelled { return .cancelled }
      if isNeedless {
        run.update(node) { $0.status = .skipped }
        return .completed
      }
      run.update(node) { $0.status = .running }
      do {
        confirmation = try await perform(command) == .observed ? .done : .accepted
        outcome = .completed
      } catch {
        if await wasNeedless(command, after: error) {
          outcome = .completed
        } else {
          outcome = .failed(TheaterError(error, device: command.device, step: node.id))
        }
      }
    case .wait(let duration):
      run.update(node) { $0.status = .running }
      do {
        try await clock.sleep(until: began + duration)
        outcome = .completed
      } catch {
        outcome = .cancelled
      }
    case .sequence(let members):
      run.update(node) { $0.status = .running }
      outcome = await runInSequence(members, run)
    case .parallel(let members):
      run.update(node) { $0.status = .running }
      outcome = await runInParallel(members, run)
    }
    return end(node, run, outcome, confirmation, after: clock.now() - began)
  }

  private func end(
    _ node: PlanNode, _ run: Run, _ outcome: Outcome, _ confirmation: NodeReport.Status,
    after duration: Duration
  ) -> Outcome {
    let isCancelled = Task.isCancelled
    run.update(node) {
      $0.seconds = duration.seconds
      switch outcome {
      case .completed: $0.status = confirmation
      case .cancelled: $0.status = .cancelled
      case .failed where isCancelled: $0.status = .cancelled
      case .failed(let error):
        $0.status = .failed
        $0.error = error
      }
    }
    guard case .failed = outcome else { return outcome }
    if isCancelled { return .cancelled }
    return node.onFailure == .continue ? .completed : outcome
  }

  /// Whether the device already reports the effect of the command. Reads its state again unless the
  /// decision is `send`, because the state may have changed since the plan was made.
  private func isNeedless(_ command: PlannedCommand, _ decision: PlanNode.Decision) async -> Bool {
    if case .send = decision { return false }
    if case .skip = command.decision(seeing: await snapshot(command.device)) { return true }
    return false
  }

  /// Whether a device has refused a command whose effect it reports, such as `stop` for a player that is
  /// off. The command was sent only because an earlier one might have been on its way.
  private func wasNeedless(_ command: PlannedCommand, after error: DeviceError) async -> Bool {
    guard command.isUncertain, error.isAnswer else { return false }
    let snapshot = await snapshot(command.device)
    if case .skip = command.reportedDecision(seeing: snapshot) { return true }
    return false
  }
}

extension DeviceError {
  /// Whether the device itself has refused the command.
  fileprivate var isAnswer: Bool { ![.unavailable, .timeout, .cancelled].contains(code) }
}
