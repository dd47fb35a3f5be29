import Synchronization

/// The one answer to a job on a thread; whoever answers first counts, so that a command that is not
/// wanted any more need not wait for a disk that hangs.
final class Answer<Value: Sendable>: Sendable {
  private enum State {
    case open
    case awaited(CheckedContinuation<Result<Value, MediaFailure>, Never>)
    case given(Result<Value, MediaFailure>)
  }
  private let state = Mutex(State.open)

  /// Gives the answer; the first one counts.
  func give(_ result: Result<Value, MediaFailure>) {
    let waiting: CheckedContinuation<Result<Value, MediaFailure>, Never>? = state.withLock {
      state in
      switch state {
      case .open:
        state = .given(result)
        return nil
      case .awaited(let continuation):
        state = .given(result)
        return continuation
      case .given: return nil
      }
    }
    waiting?.resume(returning: result)
  }

  /// Waits for the answer. A cancelled task gets `cancelled` at once, after `whenCancelled` ran.
  func value(
    of subject: String, whenCancelled: @escaping @Sendable () -> Void
  ) async -> Result<Value, MediaFailure> {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let given: Result<Value, MediaFailure>? = state.withLock { state in
          if case .given(let result) = state { return result }
          state = .awaited(continuation)
          return nil
        }
        if let given { continuation.resume(returning: given) }
      }
    } onCancel: {
      whenCancelled()
      give(.failure(MediaFailure(.cancelled, subject: subject, detail: "a newer command came")))
    }
  }
}
