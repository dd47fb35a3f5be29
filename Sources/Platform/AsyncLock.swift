import Synchronization

/// A lock for tasks, which wait without blocking a thread. They get it in the order of their calls.
package final class AsyncLock: Sendable {
  private struct State {
    var isHeld = false
    var waiters: [CheckedContinuation<Void, Never>] = []
  }
  private let state = Mutex(State())

  package init() {}

  /// Waits until no other task holds the lock, and takes it. A cancelled task waits too.
  package func acquire() async {
    await withCheckedContinuation { waiter in
      let isFree = state.withLock { state in
        if state.isHeld { state.waiters.append(waiter) }
        defer { state.isHeld = true }
        return !state.isHeld
      }
      if isFree { waiter.resume() }
    }
  }

  /// Passes the lock to the task that has waited longest.
  package func release() {
    let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
      guard state.waiters.isEmpty else { return state.waiters.removeFirst() }
      state.isHeld = false
      return nil
    }
    next?.resume()
  }
}
