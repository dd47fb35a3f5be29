import Devices
import JSON

/// A device that a plugin is to serve, as the configuration says.
package struct HostedDevice: Sendable, Hashable {
  package let id: DeviceID
  package let role: Role
  /// The plugin's id.
  package let plugin: String
  /// Checked against the plugin's schema, with secrets and defaults filled in.
  package let options: JSON
  /// Devices of one plugin share a process unless their labels differ.
  package let process: String?
  /// The texts of the secrets among the options, for hiding them in what the plugin says.
  package let secrets: [String]

  package init(
    id: DeviceID, role: Role, plugin: String, options: JSON = [:], process: String? = nil,
    secrets: [String] = []
  ) {
    self.id = id
    self.role = role
    self.plugin = plugin
    self.options = options
    self.process = process
    self.secrets = secrets
  }
}
