import Devices
import Scenes

/// The devices that may still carry out a command of a run that has ended: the command was on its way when
/// the run was cancelled, or nothing has confirmed it.
///
/// A report of such a device may be older than the effect of the command, so it makes no command needless.
struct UncertainDevices {
  private(set) var ids: Set<DeviceID> = []

  /// Adds the device of an unconfirmed command, unless the device reports the effect.
  ///
  /// - Parameter state: The present state of the device; `nil` if the theater has lost it.
  mutating func insert(after planned: PlannedCommand, seeing state: DeviceState?) {
    let command = planned.command
    if let state, command.spec.settled.isMet(by: state, argument: command.argument) { return }
    ids.insert(planned.device)
  }

  /// Removes the devices that have carried out a command of a completed run: devices perform their commands
  /// in order, so the earlier commands are over.
  mutating func remove(after report: RunReport) {
    guard report.status == .done else { return }
    for node in report.nodes where node.status == .done || node.status == .accepted {
      if let planned = node.command, !planned.isVolumeLimit { ids.remove(planned.device) }
    }
  }
}

extension RunReport {
  /// The commands that were sent and that no report has confirmed. A limit of the volume turns nothing on.
  var unconfirmedCommands: [PlannedCommand] {
    nodes.compactMap { node -> PlannedCommand? in
      switch node.status {
      case .running, .accepted, .failed, .cancelled: node.command
      case .waiting, .done, .skipped: nil
      }
    }.filter { !$0.isVolumeLimit }
  }
}
