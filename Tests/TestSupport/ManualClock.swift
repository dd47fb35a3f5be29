import Platform
import Synchronization

// A release links the static Swift libraries, which have no module `Testing`.
#if canImport(Testing)
  import Testing
#endif

/// A clock that stands still until a test moves it.
public final class ManualClock: TheaterClock {
  fileprivate struct Sleeper {
    let deadline: Duration
    let wake: CheckedContinuation<Void, Never>
  }
  fileprivate struct State {
    var now = Duration.zero
    var sleepers: [Int: Sleeper] = [:]
    var cancelled: Set<Int> = []
    var next = 0
    var watchers: [(count: Int, wake: CheckedContinuation<Void, Never>)] = []
  }
  private let state = Mutex(State())

  public init() {}

  /// The number of tasks that sleep.
  public var sleeperCount: Int { state.withLock { $0.sleepers.count } }

  /// The time until the first sleeper wakes; `nil` if no task sleeps.
  public var timeToNextDeadline: Duration? {
    state.withLock { state in
      state.sleepers.values.map(\.deadline).min().map { $0 - state.now }
    }
  }

  public func now() -> Duration { state.withLock { $0.now } }

  public func sleep(until deadline: Duration) async throws(CancellationError) {
    let id = state.withLock { state in
      state.next += 1
      return state.next
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { (wake: CheckedContinuation<Void, Never>) in
        let ready = state.withLock { state -> [CheckedContinuation<Void, Never>] in
          if deadline <= state.now || state.cancelled.remove(id) != nil { return [wake] }
          state.sleepers[id] = Sleeper(deadline: deadline, wake: wake)
          return state.takeSatisfiedWatchers()
        }
        for continuation in ready { continuation.resume() }
      }
    } onCancel: {
      let sleeper = state.withLock { state in
        let sleeper = state.sleepers.removeValue(forKey: id)
        if sleeper == nil { state.cancelled.insert(id) }
        return sleeper
      }
      sleeper?.wake.resume()
    }
    if Task.isCancelled { throw CancellationError() }
  }

  /// Advances the time and resumes the sleepers that are due, earliest first.
  public func advance(by duration: Duration) {
    let due = state.withLock { state in
      state.now += duration
      let due = state.sleepers.filter { $0.value.deadline <= state.now }
      for id in due.keys { state.sleepers.removeValue(forKey: id) }
      return due.values.sorted { $0.deadline < $1.deadline }
    }
    for sleeper in due { sleeper.wake.resume() }
  }

  #if canImport(Testing)
    /// Waits until at least `count` tasks sleep, so that moving time on reaches them; fails the test when they do
    /// not within 60 s.
    public func waitForSleepers(
      _ count: Int = 1, sourceLocation: SourceLocation = #_sourceLocation
    ) async {
      let limit = Task {
        try await Task.sleep(for: .seconds(60))
        Issue.record(
          "\(sleeperCount) tasks sleep where \(count) were expected", sourceLocation: sourceLocation
        )
        giveUpWatching()
      }
      defer { limit.cancel() }
      await withCheckedContinuation { wake in
        let ready = state.withLock { state in
          state.watchers.append((count, wake))
          return state.takeSatisfiedWatchers()
        }
        for continuation in ready { continuation.resume() }
      }
    }
  #endif

  /// Resumes all that wait for sleepers.
  private func giveUpWatching() {
    let watchers = state.withLock { state in
      defer { state.watchers = [] }
      return state.watchers
    }
    for watcher in watchers { watcher.wake.resume() }
  }
}

extension ManualClock.State {
  fileprivate mutating func takeSatisfiedWatchers() -> [CheckedContinuation<Void, Never>] {
    let satisfied = watchers.filter { $0.count <= sleepers.count }.map(\.wake)
    watchers.removeAll { $0.count <= sleepers.count }
    return satisfied
  }
}
