import Platform
import Synchronization

/// The timer for the keep-alives of all open streams. It runs while there are streams.
///
/// One task serves all streams, so a quiet stream needs no task and no sleep of its own.
final class KeepAliveTimer: Sendable {
  /// The interval of comments on streams without events.
  static let interval = Duration.seconds(15)

  private struct State {
    var ticks: [Int: @Sendable () async -> Void] = [:]
    var nextKey = 0
    /// The time of the next keep-alives; `nil` without streams.
    var due: Duration?
  }

  /// The registration of one stream. Its deallocation ends the stream's ticks.
  final class Registration: Sendable {
    private let timer: KeepAliveTimer
    private let key: Int

    fileprivate init(_ timer: KeepAliveTimer, _ key: Int) {
      self.timer = timer
      self.key = key
    }

    deinit { timer.remove(key) }
  }

  private let clock: any TheaterClock
  private let timer: DeadlineTimer
  private let state = Mutex(State())

  init(clock: any TheaterClock) {
    self.clock = clock
    timer = DeadlineTimer(clock)
    timer.start(at: nil) { [weak self] now in await self?.callDue(at: now) }
  }

  /// Registers a stream.
  ///
  /// - Parameter tick: Called after each interval. The calls for all streams are made one after the
  ///   other, in no fixed order.
  func add(_ tick: @escaping @Sendable () async -> Void) -> Registration {
    let (key, due) = state.withLock { state in
      state.nextKey += 1
      state.ticks[state.nextKey] = tick
      let due = state.due ?? clock.now() + Self.interval
      state.due = due
      return (state.nextKey, due)
    }
    timer.wake(at: due)
    return Registration(self, key)
  }

  private func remove(_ key: Int) {
    let wasLast = state.withLock { state in
      state.ticks[key] = nil
      if state.ticks.isEmpty { state.due = nil }
      return state.ticks.isEmpty
    }
    // Ends the sleep.
    if wasLast { timer.wake() }
  }

  private func callDue(at now: Duration) async -> Duration? {
    let ticks = state.withLock { state in
      state.due.map { $0 <= now } == true ? Array(state.ticks.values) : []
    }
    for tick in ticks { await tick() }
    return state.withLock { state in
      if let due = state.due, due <= now { state.due = clock.now() + Self.interval }
      return state.due
    }
  }
}
