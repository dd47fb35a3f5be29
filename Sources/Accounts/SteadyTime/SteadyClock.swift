import Foundation
import Platform

/// Tells the time since the machine was started, for whatever guards a secret; `WallClock` is for
/// what is shown.
package struct SteadyClock: Sendable {
  package typealias Sleep = @Sendable (SteadyTime) async throws -> Void

  private let read: @Sendable () -> SteadyTime
  private let wait: Sleep

  /// - Parameters:
  ///   - read: tells the time; a test hands in its own.
  ///   - sleep: waits until that time of this boot has come; as long as it is away by `read`, unless
  ///     said otherwise.
  package init(_ read: @escaping @Sendable () -> SteadyTime, sleep: @escaping Sleep) {
    self.read = read
    wait = sleep
  }

  package init(_ read: @escaping @Sendable () -> SteadyTime) {
    self.init(read) { time in
      try await Waiting.sleep(for: .milliseconds(time.milliseconds - read().milliseconds))
    }
  }

  /// The clock of the machine.
  package static let system = SteadyClock {
    SteadyTime(boot: boot, milliseconds: MonotonicClock.nowIncludingSleep / 1_000_000)
  }

  /// The time now.
  package func now() -> SteadyTime { read() }

  /// Waits until `time` has come; for ever where it lies in another boot of the machine.
  /// - Throws: when the task is cancelled.
  package func sleep(until time: SteadyTime) async throws {
    guard time.boot == now().boot else { return try await Waiting.sleep(for: .seconds(1 << 32)) }
    try await wait(time)
  }

  /// The boot id that Linux draws at each start (random(4)). Where it cannot be read, every start
  /// of the controller counts as one of the machine: waits grow longer by that, never shorter.
  private static let boot: String = {
    let file = try? String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)
    let id = file?.trimmingCharacters(in: .whitespacesAndNewlines) ?? ""
    return id.isEmpty ? UUID().uuidString : id
  }()
}
