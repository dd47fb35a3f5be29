import Devices
import Platform

/// A fault that ends the activity when it lasts for too long.
enum Loss: Sendable, Hashable {
  /// A device that the activity needs is missing.
  case missing(DeviceID)
  /// The player of the activity does not go on; the activity ends at this time.
  case stuck(DeviceID, until: Duration)
}

/// Times how long the losses of an activity have lasted.
@TheaterActor
final class LossTimers {
  /// How long a device may be missing: a plugin that restarts, or a device that is replaced, is back sooner.
  nonisolated static let patience = Duration.seconds(30)

  private let clock: any TheaterClock
  private var timers: [Loss: Task<Void, Never>] = [:]

  nonisolated init(clock: any TheaterClock) { self.clock = clock }

  /// Starts a timer for each loss that is new, and ends the timers of losses that are over.
  ///
  /// - Parameter act: Called once for a loss that has lasted for its time.
  func update(
    _ losses: Set<Loss>, then act: @escaping @TheaterActor @Sendable (Loss) async -> Void
  ) {
    for (loss, timer) in timers where !losses.contains(loss) {
      timer.cancel()
      timers[loss] = nil
    }
    for loss in losses where timers[loss] == nil {
      let deadline =
        switch loss {
        case .missing: clock.now() + Self.patience
        case .stuck(_, let time): time
        }
      timers[loss] = Task { [clock] in
        try? await clock.sleep(until: deadline)
        // The loss may be over just after the sleep ended.
        guard !Task.isCancelled else { return }
        timers[loss] = nil
        await act(loss)
      }
    }
  }

  /// Cancels all timers.
  func cancelAll() { update([]) { _ in } }
}
