import Devices
import HomeTheater
import JSON
import PluginProtocol

/// A valid configuration, as `devices.json` describes it. Reading returns a whole configuration or
/// throws all errors of the file.
package struct TheaterConfiguration: Sendable, Hashable {
  /// The devices, in the order of the file.
  package var devices: [DeviceBinding]
  /// Scenes, activities, library and cables.
  package var plan: TheaterPlan
  /// Delivery of messages, and rules for names, addresses and passwords.
  package var accounts: AccountSettings
  /// Absolute paths of folders that hold further plugins.
  package var pluginFolders: [String]
  /// The address and TLS settings of the HTTP listener.
  package var web: WebSettings
  /// Warnings; the controller starts in spite of them.
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

/// One device of the configuration: its role, plugin and options.
package struct DeviceBinding: Sendable, Hashable {
  /// The key in `devices.json`.
  package var id: DeviceID
  /// A role that the plugin's manifest offers, unless the plugin cannot be used.
  package var role: Role
  /// The id of the plugin's manifest.
  package var plugin: String
  /// Checked against the manifest's schema, with defaults and sealed secrets.
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
  package private(set) var manifests: [String: Manifest] = [:]
  /// The valid options of each role, or the mistake in their schema, by plugin; a schema is read once.
  private var options: [String: [Role: Result<SchemaNode, OptionSchemaError>]] = [:]
  /// The reasons why installed plugins cannot be used, by id. Their devices are bound without a
  /// check of their options, and are unavailable.
  package var faults: [String: String]

  /// - Parameters:
  ///   - manifests: Of two with the same id the first is used.
  ///   - faults: The reasons why plugins cannot be used, by id.
  package init(_ manifests: [Manifest] = [], faults: [String: String] = [:]) {
    self.faults = faults
    for manifest in manifests where self.manifests[manifest.id] == nil {
      self[manifest.id] = manifest
    }
  }

  /// The manifest of a plugin; `nil` if it is not known.
  package subscript(id: String) -> Manifest? {
    get { manifests[id] }
    set {
      manifests[id] = newValue
      options[id] = newValue?.roles.mapValues { offer in
        Result { () throws(OptionSchemaError) in try OptionSchema.shape(offer.options) }
      }
    }
  }

  /// Every id, sorted.
  var ids: [String] { Set(manifests.keys).union(faults.keys).sorted() }

  /// Returns the valid options of a plugin's devices in a role; `nil` if the plugin has no such role.
  ///
  /// - Throws: The first mistake in the manifest's schema.
  func options(of id: String, role: Role) throws(OptionSchemaError) -> SchemaNode? {
    try options[id]?[role]?.get()
  }
}
