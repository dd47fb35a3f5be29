import Platform
import Synchronization

/// Calls its clients at the times that they ask for, from one long-lived task for the whole host.
///
/// Most commands end before their deadline. So each client keeps its own list of deadlines, and
/// registers only the earliest one here. A call for an obsolete deadline has no effect.
package final class DeadlineScheduler: Sendable {
  /// Identifies a client.
  package struct Key: Sendable, Hashable { fileprivate let number: Int }

  private struct State {
    var next = 0
    var clients: [Key: @Sendable () -> Void] = [:]
    var due: [Key: Duration] = [:]
    /// The times for which a child of the task sleeps.
    var alarms: Set<Duration> = []
  }

  /// The clock of the deadlines.
  package let clock: any TheaterClock
  private let state = Mutex(State())
  private let changes: AsyncStream<Void>
  private let change: AsyncStream<Void>.Continuation

  /// - Parameter clock: Measures the deadlines; tests inject their own.
  package init(clock: any TheaterClock) {
    self.clock = clock
    (changes, change) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  /// Adds a client; `wake` is called on the scheduler's task and must not wait.
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
      state.due[key] = nil
    }
  }

  /// Schedules a call of a client at `time`, or earlier if an earlier time was scheduled already.
  package func schedule(_ key: Key, at time: Duration) {
    let isEarliest = state.withLock { state in
      guard state.clients[key] != nil else { return false }
      if let already = state.due[key], already <= time { return false }
      state.due[key] = time
      return state.alarms.allSatisfy { time < $0 }
    }
    if isEarliest { change.yield() }
  }

  /// Calls clients until its task is cancelled.
  package func run() async {
    await withDiscardingTaskGroup { group in
      for await _ in changes {
        for wake in removeDue(at: clock.now()) { wake() }
        // Each child sleeps for one time, and only for one that is earlier than all others, so
        // there are never many. A wake-up that is early or no longer needed has no effect.
        guard let next = insertNextAlarm() else { continue }
        group.addTask {
          try? await self.clock.sleep(until: next)
          self.state.withLock { _ = $0.alarms.remove(next) }
          self.change.yield()
        }
      }
      group.cancelAll()
    }
  }

  private func removeDue(at now: Duration) -> [@Sendable () -> Void] {
    state.withLock { state in
      let due = state.due.filter { $0.value <= now }.sorted { $0.value < $1.value }
      for entry in due { state.due[entry.key] = nil }
      return due.compactMap { state.clients[$0.key] }
    }
  }

  private func insertNextAlarm() -> Duration? {
    state.withLock { state in
      guard let next = state.due.values.min(), state.alarms.allSatisfy({ next < $0 }) else {
        return nil
      }
      state.alarms.insert(next)
      return next
    }
  }
}
