import Foundation
import Platform

/// Measures the time since the machine was started, for security; `WallClock` is for display.
public struct SteadyClock: Sendable {
  /// Returns at a time; throws when its task is cancelled.
  public typealias Sleep = @Sendable (SteadyTime) async throws -> Void

  private let read: @Sendable () -> SteadyTime
  private let wait: Sleep

  /// - Parameters:
  ///   - read: Returns the time; tests use their own.
  ///   - sleep: Waits until a time of this boot; by default for the difference to `read`.
  public init(_ read: @escaping @Sendable () -> SteadyTime, sleep: @escaping Sleep) {
    self.read = read
    wait = sleep
  }

  /// A clock that reads its time with `read`, and sleeps by the system's monotonic clock.
  public init(_ read: @escaping @Sendable () -> SteadyTime) {
    self.init(read) { time in
      try await SystemClock().sleep(for: .milliseconds(time.milliseconds - read().milliseconds))
    }
  }

  /// The clock of the machine.
  public static let system = SteadyClock {
    SteadyTime(boot: boot, milliseconds: MonotonicClock.nowIncludingSleep / 1_000_000)
  }

  /// The time now.
  public func now() -> SteadyTime { read() }

  /// Waits until `time`; forever when it is of another boot.
  /// - Throws: when the task is cancelled.
  public func sleep(until time: SteadyTime) async throws {
    guard time.boot == now().boot else {
      return try await SystemClock().sleep(for: .seconds(1 << 32))
    }
    try await wait(time)
  }

  /// The boot id that Linux generates at each start (random(4)). If it cannot be read, every start of
  /// the controller counts as a boot, which makes waits longer, never shorter.
  private static let boot: String = {
    let file = try? String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)
    let id = file?.trimmingCharacters(in: .whitespacesAndNewlines) ?? ""
    return id.isEmpty ? UUID().uuidString : id
  }()
}
