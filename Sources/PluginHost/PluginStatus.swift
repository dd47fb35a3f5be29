import Devices

/// The number of messages of a process in each direction.
package struct MessageCount: Sendable, Hashable {
  /// From the controller to the plugin.
  package var sent = 0
  /// From the plugin to the controller.
  package var received = 0
}

/// The status of one plugin process, for `theater plugins`.
package struct PluginStatus: Sendable, Hashable {
  /// Whether the plugin runs, and if not, why.
  package enum Condition: Sendable, Hashable {
    case starting
    case running
    /// No device uses it.
    case disabled
    /// It is not running, because of a failure of this kind.
    case stopped(by: Supervision.Failure.Cause)
    /// On request.
    case ended
  }

  /// The id in its manifest.
  package let plugin: String
  /// The version in its manifest.
  package let version: String
  /// The roles in its manifest, in the order of `Role`; empty if the manifest cannot be read.
  package let roles: [Role]
  /// The label `process` of its devices in the configuration, if there is one.
  package let process: String?
  /// The devices that it serves.
  package let devices: [DeviceID]
  /// Whether it runs, waits for a restart or is unusable.
  package let condition: Condition
  /// `nil` while no process runs.
  package let pid: Int32?
  /// The number of restarts.
  package let restarts: Int
  /// The memory in bytes: its proportional share (PSS) if the system reports it.
  package let memory: Int?
  /// The messages of this process so far.
  package var messages = MessageCount()
  /// The last problem, or the last line that it wrote.
  package let lastMessage: String?
  /// The last lines that it wrote to stderr or sent as `log`, oldest first.
  package let log: [String]
}

extension PluginStatus.Condition: CustomStringConvertible {
  package var description: String {
    switch self {
    case .starting: "starting"
    case .running: "running"
    case .disabled: "disabled"
    case .stopped(.load): "stopped by load error"
    case .stopped(.version): "stopped by version error"
    case .stopped(.configuration): "stopped by configuration error"
    case .stopped(.selfCheck): "stopped by self-check error"
    case .stopped(.crash): "stopped by crash"
    case .ended: "ended"
    }
  }
}
