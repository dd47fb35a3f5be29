import Devices
import Scenes

/// The devices that may still carry out a command of a run that has ended: the command was on its way when
/// the run was cancelled, or nothing has confirmed it.
///
/// A report of such a device may be older than the effect of the command, so it makes no command needless.
struct UncertainDevices {
  /// The turn in which the newest command of each device became uncertain.
  private var turns: [DeviceID: Int] = [:]

  var ids: Set<DeviceID> { Set(turns.keys) }

  /// Adds the device of an unconfirmed command, unless the device reports the effect.
  ///
  /// - Parameter state: The present state of the device; `nil` if the theater has lost it.
  mutating func insert(after planned: PlannedCommand, seeing state: DeviceState?, turn: Int) {
    let command = planned.command
    if let state, command.spec.settled.isMet(by: state, argument: command.argument) { return }
    turns[planned.device] = turn
  }

  /// Removes the devices that have carried out a command of a completed run which began in `turn`: devices
  /// perform their commands in order, so the commands of earlier turns are over.
  mutating func remove(after report: RunReport, turn: Int) {
    guard report.status == .done else { return }
    for node in report.nodes where node.status == .done || node.status == .accepted {
      guard let planned = node.command else { continue }
      if let uncertain = turns[planned.device], uncertain < turn { turns[planned.device] = nil }
    }
  }
}

extension RunReport {
  /// The commands that were sent and that no report has confirmed.
  var unconfirmedCommands: [PlannedCommand] {
    nodes.compactMap { node -> PlannedCommand? in
      switch node.status {
      case .running, .accepted, .failed, .cancelled: node.command
      case .waiting, .done, .skipped: nil
      }
    }
  }
}
