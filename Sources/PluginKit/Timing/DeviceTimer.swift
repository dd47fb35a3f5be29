import Devices
import Platform
import Synchronization

/// The task of a device for changes that take time: a lamp warms, a screen travels.
package final class DeviceTimer: Sendable {
  private enum Phase {
    /// ``wake(at:)`` was called since the last tick.
    case changed
    case idle
    /// Waits for the signal, or until the time; `nil` is for the signal alone.
    case waiting(AsyncStream<Never>.Continuation, until: Duration?)
  }

  private let clock: any TheaterClock
  private let phase = Mutex(Phase.idle)
  private let task = Mutex<Task<Void, Never>?>(nil)

  /// A timer that does nothing before `start`.
  package init(_ clock: any TheaterClock) { self.clock = clock }

  /// Begins to call `tick` with the time: at once, after each `wake`, and whenever it is due.
  ///
  /// - Parameter tick: Does the actions that are due. Returns the time of its next call; nil for none.
  package func start(_ tick: @escaping @Sendable (Duration) async -> Duration?) {
    let clock = clock
    task.withLock { task in
      guard task == nil else { return }
      // Reading the clock is not worth waking another thread.
      task = Task(executorPreference: ArrivalExecutor.shared) {
        while !Task.isCancelled {
          let next = await tick(clock.now())
          await self.wait(until: next)
        }
      }
    }
  }

  /// Calls `tick` when an action is due at `due`, or earlier; as soon as possible without a time.
  package func wake(at due: Duration = .zero) {
    phase.withLock { phase in
      switch phase {
      case .waiting(_, let next?) where next <= due: break
      case .waiting(let signal, _):
        signal.finish()
        phase = .changed
      case .idle: phase = .changed
      case .changed: break
      }
    }
  }

  /// Ends the task; `tick` is not called after this returns.
  package func stop() async {
    let running = task.withLock { task in
      defer { task = nil }
      return task
    }
    running?.cancel()
    await running?.value
  }

  private func wait(until deadline: Duration?) async {
    let (signals, signal) = AsyncStream<Never>.makeStream()
    let mustWait = phase.withLock { phase in
      if case .changed = phase {
        phase = .idle
        return false
      }
      phase = .waiting(signal, until: deadline)
      return true
    }
    guard mustWait else { return }
    await withDiscardingTaskGroup { group in
      if let deadline {
        group.addTask {
          try? await self.clock.sleep(until: deadline)
          signal.finish()
        }
      }
      for await _ in signals {}
      group.cancelAll()
    }
    phase.withLock { phase in phase = .idle }
  }
}
