import Dispatch
import Foundation

/// The time of day, for what expires and what is shown; whole milliseconds, so that a store gives
/// back what it got.
package struct WallClock: Sendable {
  package typealias Sleep = @Sendable (Date) async throws -> Void

  private let read: @Sendable () -> Date
  private let wait: Sleep

  /// - Parameters:
  ///   - read: tells the time; a test hands in its own.
  ///   - sleep: waits until that time has come; as long as it is away by `read`, unless said
  ///     otherwise.
  package init(_ read: @escaping @Sendable () -> Date, sleep: @escaping Sleep) {
    self.read = read
    wait = sleep
  }

  package init(_ read: @escaping @Sendable () -> Date) {
    self.init(read) { date in
      try await Waiting.sleep(for: .seconds(date.timeIntervalSince(read())))
    }
  }

  /// The clock of the machine.
  package static let system = WallClock {
    Date()
  } sleep: { date in
    try await DayTimer.sleep(until: date)
  }

  /// The time now, rounded to a millisecond.
  package func now() -> Date { Date(milliseconds: read().milliseconds) }

  /// Waits until `date` has come, be it because the clock is set.
  /// - Throws: when the task is cancelled.
  package func sleep(until date: Date) async throws { try await wait(date) }
}

/// The system's timer for a time of day. Unlike one that counts it strikes too when somebody sets
/// the clock past that time (timerfd_create(2), `CLOCK_REALTIME`).
private enum DayTimer {
  static func sleep(until date: Date) async throws {
    let (strikes, bell) = AsyncStream<Void>.makeStream()
    let timer = DispatchSource.makeTimerSource()
    timer.setEventHandler { bell.finish() }
    let (seconds, rest) = max(0, date.milliseconds).quotientAndRemainder(dividingBy: 1000)
    timer.schedule(
      wallDeadline: DispatchWallTime(
        timespec: timespec(tv_sec: Int(seconds), tv_nsec: Int(rest) * 1_000_000)))
    timer.activate()
    defer { timer.cancel() }
    for await _ in strikes {}
    if Task.isCancelled { throw CancellationError() }
  }
}

/// Waiting for a length of time, on the clock that counts suspension too.
enum Waiting {
  static func sleep(for time: Duration) async throws {
    // The one place where this module waits for time itself; tests inject their own.
    try await Task.sleep(for: time, clock: .continuous)
  }
}

extension Date {
  /// Takes milliseconds since 1970, the form in which stores keep dates.
  package init(milliseconds: Int64) {
    self.init(timeIntervalSince1970: Double(milliseconds) / 1000)
  }

  /// Milliseconds since 1970, clamped to what an integer holds.
  package var milliseconds: Int64 {
    let value = (timeIntervalSince1970 * 1000).rounded()
    return Int64(exactly: value) ?? (value < 0 ? .min : .max)
  }
}
