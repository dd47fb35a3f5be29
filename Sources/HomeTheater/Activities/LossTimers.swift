import Devices
import Platform

/// Times how long devices that an activity needs have been missing.
@TheaterActor
final class LossTimers {
  /// How long a device may be missing: a plugin that restarts, or a device that is replaced, is back sooner.
  nonisolated static let patience = Duration.seconds(30)

  private let clock: any TheaterClock
  private var timers: [DeviceID: Task<Void, Never>] = [:]

  nonisolated init(clock: any TheaterClock) { self.clock = clock }

  /// Starts a timer for each device that is missing now, and ends the timers of all others.
  ///
  /// - Parameter act: Called once for a device that has been missing for `patience`.
  func update(
    _ missing: Set<DeviceID>, then act: @escaping @TheaterActor @Sendable (DeviceID) async -> Void
  ) {
    for (device, timer) in timers where !missing.contains(device) {
      timer.cancel()
      timers[device] = nil
    }
    for device in missing where timers[device] == nil {
      timers[device] = Task { [clock] in
        try? await clock.sleep(for: Self.patience)
        // The device may have come back just after the sleep ended.
        guard !Task.isCancelled else { return }
        timers[device] = nil
        await act(device)
      }
    }
  }

  /// Cancels all timers.
  func cancelAll() { update([]) { _ in } }
}
