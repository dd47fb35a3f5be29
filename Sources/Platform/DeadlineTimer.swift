import Synchronization

/// Calls one action at the times that it asks for; an earlier time can be given at any moment.
///
/// While nothing is due there is no task, and while it waits there is one, which sleeps.
package final class DeadlineTimer: Sendable {
  /// Does the actions that are due at a time. Returns the time of its next call; nil for none.
  package typealias Tick = @Sendable (_ now: Duration) async -> Duration?

  private enum Phase {
    /// Nothing is due.
    case idle
    /// The task sleeps until this time.
    case waiting(until: Duration)
    /// The task is in `tick`; the earliest time that ``wake(at:)`` was given since then.
    case ticking(due: Duration?)
  }

  private struct State {
    var tick: Tick?
    var phase = Phase.idle
    var task: Task<Void, Never>?
    /// A timer that was stopped does not begin again.
    var isStopped = false
  }

  private let clock: any TheaterClock
  private let state = Mutex(State())

  /// A timer that does nothing before `start`.
  package init(_ clock: any TheaterClock) { self.clock = clock }

  /// Begins to call `tick`.
  ///
  /// - Parameter first: The time of the first call; nil for a call after `wake` only.
  package func start(at first: Duration? = .zero, _ tick: @escaping Tick) {
    state.withLock { if $0.tick == nil, !$0.isStopped { $0.tick = tick } }
    if let first { wake(at: first) }
  }

  /// Calls `tick` at `due`, or earlier; as soon as possible without a time.
  package func wake(at due: Duration = .zero) {
    state.withLock { state in
      guard state.tick != nil else { return }
      switch state.phase {
      case .waiting(let next) where next <= due: break
      case .ticking(let next): state.phase = .ticking(due: min(next ?? due, due))
      case .idle, .waiting:
        state.task?.cancel()
        state.phase = .waiting(until: due)
        // Reading the clock is not worth waking another thread.
        state.task = Task.detached(executorPreference: ArrivalExecutor.shared) {
          await self.run(from: due)
        }
      }
    }
  }

  /// Ends the timer for good; `tick` is not called after this returns.
  ///
  /// - Precondition: `tick` itself does not call it.
  package func stop() async {
    let task = state.withLock { state in
      let task = state.task
      task?.cancel()
      state = State(isStopped: true)
      return task
    }
    await task?.value
  }

  private func run(from first: Duration) async {
    var due = first
    while true {
      if clock.now() < due { try? await clock.sleep(until: due) }
      guard let tick = beginTick() else { return }
      guard let next = endTick(next: await tick(clock.now())) else { return }
      due = next
    }
  }

  private func beginTick() -> Tick? {
    state.withLock { state in
      // The timer was stopped, or another task waits for an earlier time.
      guard !Task.isCancelled, let tick = state.tick else { return nil }
      state.phase = .ticking(due: nil)
      return tick
    }
  }

  private func endTick(next: Duration?) -> Duration? {
    state.withLock { state in
      // The timer was stopped meanwhile.
      guard case .ticking(let woken) = state.phase else { return nil }
      let next = [next, woken].compactMap(\.self).min()
      state.phase = next.map { .waiting(until: $0) } ?? .idle
      if next == nil { state.task = nil }
      return next
    }
  }
}

/// The times at which actions are due, at most one for each key.
package struct Deadlines<Key: Hashable & Sendable>: Sendable, Equatable {
  private var times: [Key: Duration] = [:]

  package init() {}

  /// The earliest time.
  package var next: Duration? { times.values.min() }

  /// The time of a key.
  package subscript(key: Key) -> Duration? {
    get { times[key] }
    set { times[key] = newValue }
  }

  /// Removes all keys but some.
  package mutating func keep(where isKept: (Key) -> Bool) {
    times = times.filter { isKept($0.key) }
  }

  /// Removes and returns the keys that are due, earliest first.
  package mutating func removeDue(at now: Duration) -> [Key] {
    let due = times.filter { $0.value <= now }.sorted { $0.value < $1.value }
    for entry in due { times[entry.key] = nil }
    return due.map(\.key)
  }
}
