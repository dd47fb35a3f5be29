import Devices
import JSON

/// Replaces the devices and the plan of a running theater.
@TheaterActor
final class PlanInstaller {
  private let directory: DeviceDirectory
  private let observer: DeviceObserver
  private let cables: CableReconciler
  private let levels: LevelMonitor
  private let loudness: LoudnessLimits
  private let library: Library
  private let ageLimits: AgeLimitMonitor
  private let activities: ActivityController
  private let events: EventLog

  nonisolated init(
    directory: DeviceDirectory, observer: DeviceObserver, cables: CableReconciler,
    levels: LevelMonitor, loudness: LoudnessLimits, library: Library,
    ageLimits: AgeLimitMonitor, activities: ActivityController, events: EventLog
  ) {
    self.directory = directory
    self.observer = observer
    self.cables = cables
    self.levels = levels
    self.loudness = loudness
    self.library = library
    self.ageLimits = ageLimits
    self.activities = activities
    self.events = events
  }

  /// Connects the devices with which the theater begins.
  nonisolated func begin() {
    cables.apply(directory.plan.cables, devices: directory.devices, snapshots: [:])
    levels.apply(directory.devices.values)
    for device in directory.devices.values { observer.observe(device) }
  }

  /// Installs another plan and other devices. A device that is the same object as before keeps its state and cable.
  func install(_ plan: TheaterPlan, devices: [any Device]) async {
    let previous = directory.plan
    let (changed, redescribed, removed) = directory.replace(devices: devices, plan: plan)
    for id in removed { observer.forget(id) }
    levels.apply(directory.devices.values)
    var snapshots = directory.snapshots
    for device in changed { snapshots[device.id] = nil }
    cables.apply(plan.cables, devices: directory.devices, snapshots: snapshots)
    for device in changed { loudness.apply(to: device) }
    loudness.remove(removed)
    // After `cables.apply`: a new cable misses the reports that arrive before it is made.
    for device in changed { observer.observe(device) }
    library.apply(plan.library, replacing: previous.library, changed: changed.map(\.id))
    ageLimits.removePlayers(removed)
    for device in redescribed {
      guard let snapshot = directory.snapshot(of: device.id) else { continue }
      events.publish(.device(directory.description(of: device), snapshot))
    }
    publish(changed: changed.map(\.id), removed: removed)
    await activities.apply(plan)
  }

  private func publish(changed: [DeviceID], removed: [DeviceID]) {
    events.publish(
      .other(
        .configuration,
        [
          "status": "applied",
          "changed": .array(changed.map { .string($0.name) }),
          "removed": .array(removed.map { .string($0.name) }),
        ]))
  }
}
