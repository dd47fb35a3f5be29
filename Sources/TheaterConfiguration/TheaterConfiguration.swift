import Devices
import HomeTheater
import JSON
import PluginProtocol

/// A whole theater as `devices.json` describes it. There is no half one: reading gives this or
/// every error of the file.
package struct TheaterConfiguration: Sendable, Hashable {
  /// The devices, in the order of the file.
  package var devices: [DeviceBinding]
  /// Scenes, activities, library and cables.
  package var plan: TheaterPlan
  /// What it says of people.
  package var accounts: AccountSettings
  /// Absolute paths of folders that hold further plugins.
  package var pluginFolders: [String]
  /// Where browsers and programs reach the theater.
  package var web: WebSettings
  /// What a person may want to look at; the theater starts nevertheless.
  package var warnings: [ConfigurationIssue]

  package init(
    devices: [DeviceBinding] = [], plan: TheaterPlan = TheaterPlan(),
    accounts: AccountSettings = AccountSettings(), pluginFolders: [String] = [],
    web: WebSettings = WebSettings(), warnings: [ConfigurationIssue] = []
  ) {
    self.devices = devices
    self.plan = plan
    self.accounts = accounts
    self.pluginFolders = pluginFolders
    self.web = web
    self.warnings = warnings
  }

  /// The device of this name.
  package subscript(id: DeviceID) -> DeviceBinding? { devices.first { $0.id == id } }
}

/// One device of the configuration: what it is for and which plugin drives it.
package struct DeviceBinding: Sendable, Hashable {
  package var id: DeviceID
  package var role: Role
  /// The id of the plugin's manifest.
  package var plugin: String
  /// Checked against the manifest's schema, defaults filled in, secrets sealed.
  package var options: DeviceOptions
  /// Devices of one plugin share a process unless these labels differ.
  package var process: String?

  package init(
    id: DeviceID, role: Role, plugin: String, options: DeviceOptions = DeviceOptions(),
    process: String? = nil
  ) {
    self.id = id
    self.role = role
    self.plugin = plugin
    self.options = options
    self.process = process
  }
}

/// The plugins that a configuration may name.
package struct KnownPlugins: Sendable, Hashable {
  /// By id.
  package var manifests: [String: Manifest]
  /// Plugins that are there but cannot be used, by id, with the reason: their devices are bound,
  /// unchecked, and will be reported as unavailable.
  package var faults: [String: String]

  package init(_ manifests: [Manifest] = [], faults: [String: String] = [:]) {
    self.manifests = Dictionary(manifests.map { ($0.id, $0) }, uniquingKeysWith: { a, _ in a })
    self.faults = faults
  }

  /// Every id, sorted.
  var ids: [String] { Set(manifests.keys).union(faults.keys).sorted() }
}
