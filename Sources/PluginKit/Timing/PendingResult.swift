import Devices
import Synchronization

/// The result of a job that another task or thread does. The first result counts. Safe from any thread.
package final class PendingResult: Sendable {
  private enum State {
    case pending
    case awaited(CheckedContinuation<Result<Void, DeviceError>, Never>)
    case finished(Result<Void, DeviceError>)
  }

  private let state = Mutex(State.pending)

  package init() {}

  /// Whether it has a result.
  package var isFinished: Bool {
    state.withLock { if case .finished = $0 { true } else { false } }
  }

  /// Sets the result, unless there is one.
  package func finish(_ result: Result<Void, DeviceError>) {
    let waiter = state.withLock { state -> CheckedContinuation<Result<Void, DeviceError>, Never>? in
      switch state {
      case .pending:
        state = .finished(result)
        return nil
      case .awaited(let waiter):
        state = .finished(result)
        return waiter
      case .finished: return nil
      }
    }
    waiter?.resume(returning: result)
  }

  /// Waits for the result; call it once. A cancelled task gets `cancelled` at once.
  package func value() async throws(DeviceError) {
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { waiter in
        let result = state.withLock { state -> Result<Void, DeviceError>? in
          if case .finished(let result) = state { return result }
          state = .awaited(waiter)
          return nil
        }
        if let result { waiter.resume(returning: result) }
      }
    } onCancel: {
      finish(.failure(DeviceError(.cancelled, "a newer command took its place")))
    }
    try result.get()
  }
}
