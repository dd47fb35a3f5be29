import Devices
import Platform

/// A fault that ends the activity when it lasts for too long.
struct Loss: Sendable, Hashable {
  enum Kind: Sendable, Hashable {
    /// A device that the activity needs is missing.
    case missing(DeviceID)
    /// The player of the activity does not go on; the activity ends at this time.
    case stuck(DeviceID, until: Duration)
  }

  /// The room of the activity.
  let room: RoomID
  let kind: Kind
}

/// Times how long the losses of an activity have lasted.
@TheaterActor
final class LossTimers {
  /// How long a device may be missing: a plugin that restarts, or a device that is replaced, is back sooner.
  nonisolated static let patience = Duration.seconds(30)

  private let clock: any TheaterClock
  private let timer: DeadlineTimer
  private var deadlines = Deadlines<Loss>()
  /// Called for each loss that has lasted for its time.
  private var act: (@TheaterActor @Sendable (Loss) async -> Void)?

  nonisolated init(clock: any TheaterClock) {
    self.clock = clock
    timer = DeadlineTimer(clock)
    timer.start(at: nil) { [weak self] _ in await self?.callDue() }
  }

  /// Starts the time of each loss that is new, and ends that of losses that are over.
  ///
  /// - Parameter act: Called once for a loss that has lasted for its time.
  func update(
    _ losses: Set<Loss>, then act: @escaping @TheaterActor @Sendable (Loss) async -> Void
  ) {
    let before = deadlines
    deadlines.keep { losses.contains($0) }
    for loss in losses where deadlines[loss] == nil {
      switch loss.kind {
      case .missing: deadlines[loss] = clock.now() + Self.patience
      case .stuck(_, let time): deadlines[loss] = time
      }
    }
    self.act = losses.isEmpty ? nil : act
    if deadlines != before { timer.wake() }
  }

  /// Ends the time of all losses.
  func cancelAll() { update([]) { _ in } }

  private func callDue() -> Duration? {
    let act = act
    // A task of its own, because the end of an activity takes time.
    for loss in deadlines.removeDue(at: clock.now()) { Task { await act?(loss) } }
    if deadlines.next == nil { self.act = nil }
    return deadlines.next
  }
}
