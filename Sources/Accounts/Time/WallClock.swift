import Dispatch
import Foundation
import Platform

/// The time of day, for expiry dates and display; in whole milliseconds, like the stores.
public struct WallClock: Sendable {
  /// Returns at a time of day; throws when its task is cancelled.
  public typealias Sleep = @Sendable (Date) async throws -> Void

  private let read: @Sendable () -> Date
  private let wait: Sleep

  /// - Parameters:
  ///   - read: Returns the time; tests use their own.
  ///   - sleep: Waits until a time; by default for the difference to `read`.
  public init(_ read: @escaping @Sendable () -> Date, sleep: @escaping Sleep) {
    self.read = read
    wait = sleep
  }

  /// A clock that reads its time with `read`, and sleeps by the system's monotonic clock.
  public init(_ read: @escaping @Sendable () -> Date) {
    self.init(read) { date in
      try await SystemClock().sleep(for: .seconds(date.timeIntervalSince(read())))
    }
  }

  /// The clock of the machine.
  public static let system = WallClock {
    Date()
  } sleep: { date in
    try await WallTimer.sleep(until: date)
  }

  /// The time now, rounded to a millisecond.
  public func now() -> Date { Date(milliseconds: read().milliseconds) }

  /// Waits until `date`, also when the clock is set past it.
  /// - Throws: when the task is cancelled.
  public func sleep(until date: Date) async throws { try await wait(date) }
}

/// The system's timer for a time of day, which also fires when the clock is set past that time
/// (timerfd_create(2), `CLOCK_REALTIME`).
private enum WallTimer {
  static func sleep(until date: Date) async throws {
    let (fired, continuation) = AsyncStream<Void>.makeStream()
    let timer = DispatchSource.makeTimerSource()
    timer.setEventHandler { continuation.finish() }
    let (seconds, rest) = max(0, date.milliseconds).quotientAndRemainder(dividingBy: 1000)
    timer.schedule(
      wallDeadline: DispatchWallTime(
        timespec: timespec(tv_sec: Int(seconds), tv_nsec: Int(rest) * 1_000_000)))
    timer.activate()
    defer { timer.cancel() }
    for await _ in fired {}
    if Task.isCancelled { throw CancellationError() }
  }
}

extension Date {
  /// Takes milliseconds since 1970, the form in which dates are stored.
  public init(milliseconds: Int64) {
    self.init(timeIntervalSince1970: Double(milliseconds) / 1000)
  }

  /// Milliseconds since 1970, clamped to what an integer holds.
  public var milliseconds: Int64 {
    let value = (timeIntervalSince1970 * 1000).rounded()
    return Int64(exactly: value) ?? (value < 0 ? .min : .max)
  }
}
