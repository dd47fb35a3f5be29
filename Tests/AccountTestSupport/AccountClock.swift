import Accounts
import Foundation
import Synchronization

/// The clocks of a machine, which stand still until a test moves them.
package final class AccountClock: Sendable {
  private struct Times {
    var date = Date(timeIntervalSince1970: 1_800_000_000)
    var boot = 1
    var sinceBoot: Int64 = 100_000
  }
  private let times = Mutex(Times())
  private let sleepers = Mutex<[Int: AsyncStream<Void>.Continuation]>([:])
  private let nextSleeper = Mutex(0)

  package init() {}

  /// The time of day.
  package var wall: WallClock {
    WallClock {
      self.now
    } sleep: { date in
      try await self.wait { self.now >= date }
    }
  }
  /// The time since the machine was started.
  package var steady: SteadyClock {
    SteadyClock {
      self.steadyNow
    } sleep: { time in
      try await self.wait { self.steadyNow.milliseconds >= time.milliseconds }
    }
  }
  /// The number of tasks that wait for a time.
  package var waiting: Int { sleepers.withLock { $0.count } }
  package var now: Date { times.withLock { $0.date } }
  package var steadyNow: SteadyTime {
    times.withLock { SteadyTime(boot: "boot \($0.boot)", milliseconds: $0.sinceBoot) }
  }

  /// Advances both clocks by `seconds`.
  package func advance(_ seconds: TimeInterval) {
    times.withLock {
      $0.date = $0.date.addingTimeInterval(seconds)
      $0.sinceBoot += Int64(seconds * 1000)
    }
    wake()
  }

  /// Sets the time of day only.
  package func set(_ date: Date) {
    times.withLock { $0.date = date }
    wake()
  }

  /// Restarts the machine: the steady clock begins again.
  package func reboot() {
    times.withLock {
      $0.boot += 1
      $0.sinceBoot = 20_000
    }
  }

  private func wake() {
    for sleeper in sleepers.withLock({ Array($0.values) }) { sleeper.yield() }
  }

  private func wait(until isReached: @Sendable () -> Bool) async throws {
    let (moves, sleeper) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    let number = nextSleeper.withLock { number in
      number += 1
      return number
    }
    sleepers.withLock { $0[number] = sleeper }
    defer { sleepers.withLock { $0[number] = nil } }
    if isReached() { return }
    for await _ in moves where isReached() { return }
    throw CancellationError()
  }
}
