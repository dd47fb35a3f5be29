import Devices
import Platform

/// Forwards the reports of the devices to the parts of the theater that use them.
final class DeviceObserver: Sendable {
  private let directory: DeviceDirectory
  private let events: EventLog
  private let cables: CableReconciler
  private let chainLevels: ChainLevels
  private let library: Library
  private let activities: ActivityController
  private let enforcer: AgeLimitEnforcer
  private let observers = TaskTable<DeviceID>(executor: ArrivalExecutor.shared)

  init(
    directory: DeviceDirectory, events: EventLog, cables: CableReconciler,
    chainLevels: ChainLevels, library: Library, activities: ActivityController,
    enforcer: AgeLimitEnforcer
  ) {
    self.directory = directory
    self.events = events
    self.cables = cables
    self.chainLevels = chainLevels
    self.library = library
    self.activities = activities
    self.enforcer = enforcer
  }

  /// Observes the devices until the task is cancelled.
  func run() async { await observers.run() }

  /// Observes a device in place of the one of the same name.
  func observe(_ device: any Device) {
    // The task runs on the thread on which a report arrives: waking another one takes longer.
    observers.set(
      device.id,
      to: { [weak self] in
        for await snapshot in await device.snapshots() { await self?.observe(snapshot, of: device) }
      })
  }

  /// Observes a device no longer.
  func forget(_ device: DeviceID) { observers.set(device, to: nil) }

  private func observe(_ snapshot: DeviceSnapshot, of device: any Device) async {
    // A device that was replaced may still have a report on its way.
    guard directory.contains(device) else { return }
    cables.observe(snapshot, of: device.id)
    let before = directory.snapshot(of: device.id)
    guard snapshot != before else { return }
    if device.role.category == nil {
      record(snapshot, of: device)
      chainLevels.observe(snapshot, after: before, of: device)
    } else {
      await observePlayer(snapshot, of: device, before: before)
    }
    if snapshot.isReachable != before?.isReachable || snapshot.generation != before?.generation {
      await activities.updateLosses()
    }
  }

  private func record(_ snapshot: DeviceSnapshot, of device: any Device) {
    directory.record(snapshot, of: device.id)
    events.publish(.device(directory.description(of: device), snapshot))
  }

  @TheaterActor
  private func observePlayer(
    _ snapshot: DeviceSnapshot, of player: any Device, before: DeviceSnapshot?
  ) async {
    record(snapshot, of: player)
    library.observe(snapshot, of: player)
    guard let reading = snapshot.state.readings[.playback],
      reading != before?.state.readings[.playback]
    else { return }
    if let playback = snapshot.state.playback { enforcer.observe(playback, of: player) }
    await activities.observe(snapshot, of: player)
    activities.updateLosses()
  }
}
