import MediaFolders
import Synchronization

/// The result of a job on a thread. The first result counts, so that a cancelled command need not wait
/// for a disk that hangs. Safe from any thread.
final class Promise<Value: Sendable>: Sendable {
  private enum State {
    case pending
    case awaited(CheckedContinuation<Result<Value, MediaFailure>, Never>)
    case fulfilled(Result<Value, MediaFailure>)
  }
  private let state = Mutex(State.pending)

  /// Sets the result, unless there is one.
  func fulfil(_ result: Result<Value, MediaFailure>) {
    let waiting: CheckedContinuation<Result<Value, MediaFailure>, Never>? = state.withLock {
      state in
      switch state {
      case .pending:
        state = .fulfilled(result)
        return nil
      case .awaited(let continuation):
        state = .fulfilled(result)
        return continuation
      case .fulfilled: return nil
      }
    }
    waiting?.resume(returning: result)
  }

  /// Waits for the result; call it once.
  func value() async -> Result<Value, MediaFailure> {
    await withCheckedContinuation { continuation in
      let result: Result<Value, MediaFailure>? = state.withLock { state in
        if case .fulfilled(let result) = state { return result }
        state = .awaited(continuation)
        return nil
      }
      if let result { continuation.resume(returning: result) }
    }
  }
}
