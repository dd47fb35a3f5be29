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

/// Times how long the devices that the activities need are missing, and how long their players do not go on.
@TheaterActor
final class LossMonitor {
  /// How long a device may be missing: a plugin that restarts, or a device that is replaced, is back sooner.
  nonisolated static let patience = Duration.seconds(30)

  private let house: House
  private let directory: DeviceDirectory
  private let clock: any TheaterClock
  private let timer: DeadlineTimer
  private var deadlines = Deadlines<Loss>()
  /// Called for each loss that has lasted for its time.
  private var act: (@TheaterActor @Sendable (Loss) async -> Void)?

  nonisolated init(house: House, directory: DeviceDirectory, clock: any TheaterClock) {
    self.house = house
    self.directory = directory
    self.clock = clock
    timer = DeadlineTimer(clock)
    timer.start(at: nil) { [weak self] _ in await self?.callDue() }
  }

  /// Starts the time of each loss that is new, and ends that of losses that are over.
  ///
  /// - Parameter act: Called once for a loss that has lasted for its time.
  func update(then act: @escaping @TheaterActor @Sendable (Loss) async -> Void) {
    update(house.state.usedRooms.reduce(into: []) { $0.formUnion(losses(in: $1)) }, then: act)
  }

  /// Ends the time of all losses.
  func cancelAll() { update([]) { _ in } }

  private func update(
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

  private func callDue() -> Duration? {
    let act = act
    // A task of its own, because the end of an activity takes time.
    for loss in deadlines.removeDue(at: clock.now()) { Task { await act?(loss) } }
    if deadlines.next == nil { self.act = nil }
    return deadlines.next
  }

  /// The losses of an activity; none while it begins or ends.
  func losses(in room: RoomID) -> Set<Loss> {
    let state = house[room]
    guard let activity = state.session.activity,
      [.running, .failed].contains(state.session.report.status)
    else { return [] }
    var losses = Set(
      activity.endsWithout.filter { id in
        guard directory[id] != nil, let snapshot = directory.snapshot(of: id) else { return true }
        return !snapshot.isReachable
      }.map { Loss(room: room, kind: .missing($0)) })
    if let player = activity.player {
      house[room].condition.update(
        directory[player] == nil ? nil : directory.snapshot(of: player), at: clock.now())
      if let since = house[room].condition.stuckSince, case .end(let time) = activity.whenFailed {
        losses.insert(Loss(room: room, kind: .stuck(player, until: since + time)))
      }
    }
    return losses
  }

  /// The reason why an activity ends.
  func error(of loss: Loss, in activity: Activity) -> TheaterError {
    let end = "so \"\(activity.name)\" ended"
    switch loss.kind {
    case .missing(let device):
      return TheaterError(
        .deviceFailed, "it was missing for \(Self.patience.words), \(end)",
        hint: "See the state and the log of the device.", device: device)
    case .stuck(let player, _):
      var time = Duration.zero
      if case .end(let limit) = activity.whenFailed { time = limit }
      let failure = house[loss.room].session.report.error?.message
      return TheaterError(
        .deviceFailed,
        "it did not play for \(time.words), \(end)\(failure.map { ": \($0)" } ?? "")",
        hint: "Start it again to go on where it stopped; the log of the device may say more.",
        device: player)
    }
  }
}
