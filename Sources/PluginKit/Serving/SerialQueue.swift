import Synchronization

/// A request to a device that waits.
struct DeviceJob: Sendable {
  /// The id of the request.
  let id: Int
  let request: any DeviceRequest
  /// Whether the controller understands a report in an answer.
  var answersCarryReports = false
}

/// A queue of the jobs of one device; one task takes them in order.
///
/// An `AsyncStream` would do the same, but its generic containers look up their types for every
/// element, which takes longer than the rest of a command's way to the device.
final class SerialQueue: Sendable {
  private struct State {
    var waiting: [DeviceJob] = []
    var reader: CheckedContinuation<DeviceJob?, Never>?
    var isFinished = false
  }

  private let state = Mutex(State())

  /// Adds a job. After `finish` the job is dropped.
  func add(_ job: DeviceJob) {
    let reader = state.withLock { state -> CheckedContinuation<DeviceJob?, Never>? in
      guard !state.isFinished else { return nil }
      if state.reader == nil { state.waiting.append(job) }
      return state.reader.take()
    }
    reader?.resume(returning: job)
  }

  /// Ends the queue after its waiting jobs, or at once.
  func finish(droppingWaitingJobs: Bool = false) {
    let reader = state.withLock { state in
      state.isFinished = true
      if droppingWaitingJobs { state.waiting = [] }
      return state.reader.take()
    }
    reader?.resume(returning: nil)
  }

  /// Waits for the next job; `nil` at the end.
  func next() async -> DeviceJob? {
    await withCheckedContinuation { reader in
      let job: DeviceJob?? = state.withLock { state in
        if !state.waiting.isEmpty { return .some(state.waiting.removeFirst()) }
        if state.isFinished { return .some(nil) }
        state.reader = reader
        return nil
      }
      if let job { reader.resume(returning: job) }
    }
  }
}
