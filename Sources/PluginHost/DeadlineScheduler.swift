import Platform
import Synchronization

/// Calls its clients at the times that they ask for, with one timer for the whole host.
///
/// Most commands end before their deadline. So each client keeps its own list of deadlines, and
/// registers only the earliest one here. A call for an obsolete deadline has no effect.
package final class DeadlineScheduler: Sendable {
  /// Identifies a client.
  package struct Key: Sendable, Hashable { fileprivate let number: Int }

  private struct State {
    var next = 0
    var clients: [Key: @Sendable () -> Void] = [:]
    var deadlines = Deadlines<Key>()
  }

  /// The clock of the deadlines.
  package let clock: any TheaterClock
  private let state = Mutex(State())
  private let timer: DeadlineTimer

  /// - Parameter clock: Measures the deadlines; tests inject their own.
  package init(clock: any TheaterClock) {
    self.clock = clock
    timer = DeadlineTimer(clock)
    timer.start(at: nil) { [weak self] now in self?.callDue(at: now) }
  }

  /// Adds a client; `wake` is called on the timer's task and must not wait.
  package func add(_ wake: @escaping @Sendable () -> Void) -> Key {
    state.withLock { state in
      state.next += 1
      let key = Key(number: state.next)
      state.clients[key] = wake
      return key
    }
  }

  /// Removes a client.
  package func remove(_ key: Key) {
    state.withLock { state in
      state.clients[key] = nil
      state.deadlines[key] = nil
    }
  }

  /// Schedules a call of a client at `time`, or earlier if an earlier time was scheduled already.
  package func schedule(_ key: Key, at time: Duration) {
    let isNew = state.withLock { state in
      guard state.clients[key] != nil else { return false }
      if let already = state.deadlines[key], already <= time { return false }
      state.deadlines[key] = time
      return true
    }
    if isNew { timer.wake(at: time) }
  }

  /// Ends all calls.
  package func stop() async { await timer.stop() }

  private func callDue(at now: Duration) -> Duration? {
    let due = state.withLock { state in
      state.deadlines.removeDue(at: now).compactMap { state.clients[$0] }
    }
    for wake in due { wake() }
    return state.withLock { $0.deadlines.next }
  }
}
