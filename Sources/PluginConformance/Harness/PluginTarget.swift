import Devices
import Foundation
import JSON
import PluginHost
import PluginProtocol

/// A plugin to check: its program, its manifest and the options of its devices.
package struct PluginTarget: Sendable {
  package let plugin: CataloguedPlugin
  /// Whether the manifest was read from a file. Without one, no case checks it.
  package let hasManifest: Bool
  /// A folder with music for the case that scans one; `nil` for a new one with a short silent file.
  package let mediaFolder: String?
  /// Variables of this process, of which the plugin is given those that its manifest names.
  let environment: [String: String]
  private let options: @Sendable (Role) throws -> JSON

  /// - Parameters:
  ///   - environment: This process's variables.
  ///   - options: Returns the options with which a device of a role opens. Called for each device.
  package init(
    _ plugin: CataloguedPlugin, hasManifest: Bool = true, mediaFolder: String? = nil,
    environment: [String: String] = ProcessInfo.processInfo.environment,
    options: @escaping @Sendable (Role) throws -> JSON
  ) {
    self.plugin = plugin
    self.hasManifest = hasManifest
    self.mediaFolder = mediaFolder
    self.environment = environment
    self.options = options
  }

  package var manifest: Manifest { plugin.manifest }

  /// The options with which a device of the role opens.
  package func options(of role: Role) throws -> JSON { try options(role) }

  /// The defaults of the schema's properties, which the controller fills in before it opens a device.
  package static func defaults(_ schema: JSON) -> JSONObject {
    var object = JSONObject()
    for (key, property) in schema["properties"]?.object ?? [:] {
      if let value = property["default"] { object[key] = value }
    }
    return object
  }

  /// The same plugin, started with further arguments.
  func with(arguments: [String]) -> PluginTarget {
    let manifest = Manifest(
      id: manifest.id, version: manifest.version, title: manifest.title,
      protocolVersion: manifest.protocolVersion, command: manifest.command + arguments,
      environment: manifest.environment, roles: manifest.roles)
    return PluginTarget(
      CataloguedPlugin(manifest: manifest, folder: plugin.folder), hasManifest: hasManifest,
      mediaFolder: mediaFolder, environment: environment, options: options)
  }
}

/// A role of a plugin to check.
package struct RoleTarget: Sendable {
  package let role: Role
  package let target: PluginTarget

  package init(role: Role, target: PluginTarget) {
    self.role = role
    self.target = target
  }

  /// A command that every device of the role accepts when it was just opened, with the value that it
  /// settles at.
  var firstCommand: (name: String, key: StateKey, value: JSON) {
    role == .screen ? ("up", .position, "up") : ("on", .power, "on")
  }

  /// Whether the state of a report follows from the first command: the settled value, or a transition
  /// to it, such as a lamp that warms.
  func followsFirstCommand(_ state: DeviceState) -> Bool {
    state[firstCommand.key] == firstCommand.value || role.transition(in: state) != nil
  }
}
