import Devices
import JSON
import PluginProtocol

/// A device that a plugin is to serve, as the configuration says.
package struct HostedDevice: Sendable, Hashable {
  /// The device's name in `devices.json`.
  package let id: DeviceID
  /// The role that the plugin is asked to open it in.
  package let role: Role
  /// The plugin's id.
  package let plugin: String
  /// Checked against the plugin's schema, with secrets and defaults filled in.
  package let options: JSON
  /// Devices of one plugin share a process unless their labels differ.
  package let process: String?
  /// The texts of the secrets among the options, to hide them in the plugin's output.
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

  var processKey: ProcessKey { ProcessKey(plugin: plugin, label: process) }
}

/// Names one plugin process of a configuration.
struct ProcessKey: Sendable, Hashable {
  /// The plugin's id.
  let plugin: String
  /// Keeps devices of one plugin apart.
  let label: String?
}

/// The processes that serve the devices of a configuration. A value that starts nothing.
struct ProcessAssignment: Sendable {
  /// One process, with the devices that it serves.
  struct Process: Sendable {
    let key: ProcessKey
    let plugin: CataloguedPlugin
    /// In the order of the configuration; at least one.
    let devices: [HostedDevice]
  }

  /// Every device, in the order of the configuration.
  let devices: [HostedDevice]
  /// In the order of their first devices.
  private(set) var processes: [Process] = []
  /// The reason why a device has no process.
  private(set) var unserved: [DeviceID: String] = [:]
  /// The plugins that are missing, unused or unusable.
  private(set) var otherPlugins: [PluginStatus] = []
  private let byID: [DeviceID: HostedDevice]

  /// - Parameter devices: Devices with ids that differ.
  init(_ devices: [HostedDevice], catalogue: PluginCatalogue) {
    self.devices = devices
    byID = Dictionary(devices.map { ($0.id, $0) }) { first, _ in first }
    for group in Self.groups(of: devices) { assign(group, catalogue) }
    let used = Set(devices.map(\.plugin))
    otherPlugins +=
      catalogue.plugins.filter { !used.contains($0.manifest.id) }.map(PluginStatus.init(ofUnused:))
    otherPlugins +=
      catalogue.problems.filter { !used.contains($0.folderName) }.map(
        PluginStatus.init(ofUnusable:))
  }

  private mutating func assign(_ group: [HostedDevice], _ catalogue: PluginCatalogue) {
    guard let key = group.first?.processKey else { return }
    guard let plugin = catalogue[key.plugin] else {
      let why = Self.explainMissing(key.plugin, in: catalogue)
      for device in group { unserved[device.id] = why }
      otherPlugins.append(PluginStatus(ofMissing: key, group.map(\.id), why))
      return
    }
    let served = group.filter { plugin.manifest.roles[$0.role] != nil }
    for device in group where plugin.manifest.roles[device.role] == nil {
      unserved[device.id] =
        "the plugin \(plugin.manifest.id) has no \(device.role.title); "
        + "give the device another plugin in devices.json"
    }
    guard !served.isEmpty else { return }
    processes.append(Process(key: key, plugin: plugin, devices: served))
  }

  /// Devices of one plugin and label together, in order of appearance.
  private static func groups(of devices: [HostedDevice]) -> [[HostedDevice]] {
    var groups: [[HostedDevice]] = []
    for device in devices {
      let index = groups.firstIndex { $0.first?.processKey == device.processKey }
      if let index { groups[index].append(device) } else { groups.append([device]) }
    }
    return groups
  }

  private static func explainMissing(_ id: String, in catalogue: PluginCatalogue) -> String {
    if let problem = catalogue.problems.first(where: { $0.folderName == id }) {
      return "the plugin \(id) cannot be used: \(problem)"
    }
    let known = catalogue.plugins.map(\.manifest.id).joined(separator: ", ")
    return "there is no plugin \(id)"
      + (known.isEmpty ? "; no plugin was found at all" : "; there are \(known)")
  }

  // MARK: Changes

  /// Whether `device` is the same in `other`, and served there if it is served here.
  func keeps(_ device: DeviceID, as other: ProcessAssignment) -> Bool {
    byID[device] == other.byID[device] && unserved[device] == other.unserved[device]
  }

  /// The devices that processes have to close before `next` can take effect.
  func removals(for next: ProcessAssignment) -> [ProcessKey: [DeviceID]] {
    var removals: [ProcessKey: [DeviceID]] = [:]
    for process in processes {
      let leaving = process.devices.map(\.id).filter { !keeps($0, as: next) }
      if !leaving.isEmpty { removals[process.key] = leaving }
    }
    return removals
  }

  /// Why a device of this configuration cannot be reached while `next` takes effect, for people.
  func explainLoss(of device: HostedDevice, for next: ProcessAssignment) -> String {
    guard let new = next.byID[device.id] else { return "it was removed from the configuration" }
    if new.role != device.role {
      return "it was replaced by a \(new.role.title) of the same name"
    }
    return new.plugin == device.plugin
      ? "it is being opened again with its new configuration"
      : "it is being swapped to the plugin \(new.plugin)"
  }
}

extension PluginStatus {
  fileprivate init(ofMissing key: ProcessKey, _ devices: [DeviceID], _ why: String) {
    self.init(
      plugin: key.plugin, version: "", roles: [], process: key.label, devices: devices,
      condition: .stopped(by: .load), pid: nil, restarts: 0, memory: nil, lastMessage: why,
      log: [])
  }

  fileprivate init(ofUnusable problem: CatalogueProblem) {
    self.init(
      plugin: problem.folderName, version: "", roles: [], process: nil, devices: [],
      condition: .stopped(by: .load), pid: nil, restarts: 0, memory: nil,
      lastMessage: problem.description, log: [])
  }

  fileprivate init(ofUnused plugin: CataloguedPlugin) {
    self.init(
      plugin: plugin.manifest.id, version: plugin.manifest.version,
      roles: plugin.manifest.orderedRoles, process: nil, devices: [], condition: .disabled,
      pid: nil, restarts: 0, memory: nil, lastMessage: nil, log: [])
  }
}
