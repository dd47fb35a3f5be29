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
    var task: Task<Void, Never>?
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
  private let state = Mutex(State())

  init(clock: any TheaterClock) { self.clock = clock }

  /// Registers a stream.
  ///
  /// - Parameter tick: Called after each interval. The calls for all streams are made one after the
  ///   other, in no fixed order.
  func add(_ tick: @escaping @Sendable () async -> Void) -> Registration {
    let key = state.withLock { state in
      state.nextKey += 1
      state.ticks[state.nextKey] = tick
      // Detached, because the task serves later streams too and must outlive this request.
      if state.task == nil { state.task = Task.detached { await self.run() } }
      return state.nextKey
    }
    return Registration(self, key)
  }

  private func remove(_ key: Int) {
    let ended = state.withLock { state -> Task<Void, Never>? in
      state.ticks[key] = nil
      return state.ticks.isEmpty ? state.task.take() : nil
    }
    ended?.cancel()
  }

  private func run() async {
    while !Task.isCancelled,
      (try? await clock.sleep(for: Self.interval)) != nil
    {
      for tick in state.withLock({ Array($0.ticks.values) }) { await tick() }
    }
  }
}
