import Devices
import JSON
import Synchronization

/// How a run of a scene stands, step by step.
package struct RunReport: Sendable, Hashable {
  package enum Status: String, Sendable, Hashable {
    case running, done, failed, cancelled
  }

  /// One step of it.
  package struct StepReport: Sendable, Hashable {
    package enum Status: String, Sendable, Hashable {
      /// Not yet, now, observed as done, accepted but not confirmed, was true already, did not work.
      case waiting, running, done, accepted, skipped, failed
    }
    package let device: DeviceID
    package let command: JSON
    package var status = Status.waiting
    package var error: TheaterError?
    package var seconds: Double?
  }

  package let id: String
  package let scene: String
  package var status = Status.running
  package var steps: [StepReport]
  /// Why it stopped, if it did.
  package var error: TheaterError?

  package init(
    id: String, scene: String, status: Status = .running, steps: [StepReport],
    error: TheaterError? = nil
  ) {
    self.id = id
    self.scene = scene
    self.status = status
    self.steps = steps
    self.error = error
  }

  /// The run for the API.
  package var json: JSON {
    var object: JSONObject = [
      "id": .string(id), "scene": .string(scene), "status": .string(status.rawValue),
    ]
    if let error { object["error"] = error.json }
    object["steps"] = .array(steps.map(\.json))
    return .object(object)
  }
}

extension RunReport.StepReport {
  package var json: JSON {
    var object: JSONObject = [
      "device": .string(device.name), "command": command, "status": .string(status.rawValue),
    ]
    if let seconds { object["seconds"] = .number((seconds * 1000).rounded() / 1000) }
    if let error { object["error"] = error.json }
    return .object(object)
  }
}

/// A scene on its way: its report grows, and whoever cares can wait for the end or end it early.
package final class Run: Sendable {
  private struct State {
    var report: RunReport
    var task: Task<Void, Never>?
    var isOver = false
    var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
    var nextKey = 0
  }
  private let state: Mutex<State>
  private let changed: @Sendable (RunReport) -> Void

  /// - Parameter changed: Receives the report after each change of it.
  package init(
    id: String, scene: String, steps: [PlannedStep],
    changed: @escaping @Sendable (RunReport) -> Void
  ) {
    let reports = steps.map {
      RunReport.StepReport(device: $0.device.id, command: $0.command.json)
    }
    state = Mutex(State(report: RunReport(id: id, scene: scene, steps: reports)))
    self.changed = changed
  }

  /// How it stands now.
  package var report: RunReport { state.withLock { $0.report } }

  /// Begins, in a task of the run's own; called once.
  package func start(_ body: @escaping @Sendable (Run) async -> Void) {
    changed(report)
    let task = Task(executorPreference: ArrivalExecutor.shared) {
      await body(self)
      let waiting = self.state.withLock { state in
        state.isOver = true
        defer { state.waiting = [:] }
        return Array(state.waiting.values)
      }
      for continuation in waiting { continuation.resume() }
    }
    state.withLock { $0.task = task }
  }

  /// Waits until it has ended, or until whoever waits is cancelled; the run itself goes on then.
  @discardableResult
  package func finished() async -> RunReport {
    let key = state.withLock { state in
      state.nextKey += 1
      return state.nextKey
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isDone = state.withLock { state in
          // Looked at under the lock: a cancellation comes either before this or to the handler.
          if state.isOver || Task.isCancelled { return true }
          state.waiting[key] = continuation
          return false
        }
        if isDone { continuation.resume() }
      }
    } onCancel: {
      state.withLock { $0.waiting.removeValue(forKey: key) }?.resume()
    }
    return report
  }

  /// Gives up what is not done yet and waits until that has ended; nothing if it has ended.
  package func cancel() async {
    // What follows an ended run may cancel it: waiting for its task there would never end.
    guard report.status == .running else { return }
    let task = state.withLock { $0.task }
    task?.cancel()
    _ = await task?.value
  }

  /// Changes the report and tells everyone.
  func update(_ change: (inout RunReport) -> Void) {
    let report = state.withLock { state in
      change(&state.report)
      return state.report
    }
    changed(report)
  }
}
