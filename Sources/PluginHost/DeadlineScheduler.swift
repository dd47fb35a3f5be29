import Devices
import Synchronization

/// Wakes whoever asked for a time, from one long-lived task for the whole host.
///
/// Commands come and go far more often than their deadlines pass. Whoever waits keeps its own list
/// of what is due and asks here only for its earliest time; a time that is not needed any more just
/// finds nothing to do.
package final class DeadlineScheduler: Sendable {
  /// Names one of those who are woken.
  package struct Key: Sendable, Hashable { fileprivate let number: Int }

  private struct State {
    var next = 0
    var sleepers: [Key: @Sendable () -> Void] = [:]
    var due: [Key: Duration] = [:]
    /// The times for which a child of the task sleeps.
    var alarms: Set<Duration> = []
  }

  package let clock: any TheaterClock
  private let state = Mutex(State())
  private let changes: AsyncStream<Void>
  private let change: AsyncStream<Void>.Continuation

  package init(clock: any TheaterClock) {
    self.clock = clock
    (changes, change) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  /// Adds someone to wake; `wake` is called on the timetable's task and must not wait.
  package func add(_ wake: @escaping @Sendable () -> Void) -> Key {
    state.withLock { state in
      state.next += 1
      let key = Key(number: state.next)
      state.sleepers[key] = wake
      return key
    }
  }

  /// Forgets someone.
  package func remove(_ key: Key) {
    state.withLock { state in
      state.sleepers[key] = nil
      state.due[key] = nil
    }
  }

  /// Asks to be woken at `time`, or earlier if an earlier time was asked for already.
  package func wake(_ key: Key, at time: Duration) {
    let isEarliest = state.withLock { state in
      guard state.sleepers[key] != nil else { return false }
      if let already = state.due[key], already <= time { return false }
      state.due[key] = time
      return state.alarms.allSatisfy { time < $0 }
    }
    if isEarliest { change.yield() }
  }

  /// Wakes people until its task is cancelled.
  package func run() async {
    await withDiscardingTaskGroup { group in
      for await _ in changes {
        for wake in takeDue(at: clock.now()) { wake() }
        // Each child sleeps for one time, and only for one that is earlier than all others, so
        // there are never many. One that wakes for nothing, or too early, does no harm.
        guard let next = takeNextAlarm() else { continue }
        group.addTask {
          try? await self.clock.sleep(until: next)
          self.state.withLock { _ = $0.alarms.remove(next) }
          self.change.yield()
        }
      }
      group.cancelAll()
    }
  }

  private func takeDue(at now: Duration) -> [@Sendable () -> Void] {
    state.withLock { state in
      let due = state.due.filter { $0.value <= now }.sorted { $0.value < $1.value }
      for entry in due { state.due[entry.key] = nil }
      return due.compactMap { state.sleepers[$0.key] }
    }
  }

  private func takeNextAlarm() -> Duration? {
    state.withLock { state in
      guard let next = state.due.values.min(), state.alarms.allSatisfy({ next < $0 }) else {
        return nil
      }
      state.alarms.insert(next)
      return next
    }
  }
}
