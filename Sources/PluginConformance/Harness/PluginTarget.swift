import Devices
import Foundation
import JSON
import PluginHost
import PluginProtocol

/// A plugin to check: its program, its manifest and the options of its devices.
package struct PluginTarget: Sendable {
  /// The manifest and the folder of the plugin.
  package let plugin: CataloguedPlugin
  /// Whether the manifest was read from a file. Without one, no case checks it.
  package let hasManifest: Bool
  /// A folder with music for the case that scans one; `nil` for a new one with a short silent file.
  package let mediaFolder: String?
  /// The longest wait for an answer and for the effect of a command, in tests; `nil` for those of the check.
  package var longestWait: Duration?
  /// What the cases must not do to the devices.
  package var restrictions = CheckRestrictions()
  /// Variables of this process. The plugin gets those that its manifest names.
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

  /// The manifest, read from the file or made for a program without one.
  package var manifest: Manifest { plugin.manifest }

  /// Returns the options with which a device of the role opens.
  ///
  /// - Throws: The error of the closure given to `init`.
  package func options(of role: Role) throws -> JSON { try options(role) }

  /// Returns the defaults of the schema's properties. The controller adds them to the options before it opens a
  /// device.
  package static func defaults(_ schema: JSON) -> JSONObject {
    var object = JSONObject()
    for (key, property) in schema["properties"]?.object ?? [:] {
      if let value = property["default"] { object[key] = value }
    }
    return object
  }

  /// Returns the same plugin with additional arguments.
  func with(arguments: [String]) -> PluginTarget {
    with(command: manifest.command + arguments)
  }

  /// Returns the same plugin, started with another command.
  func with(command: [String]) -> PluginTarget {
    let manifest = Manifest(
      id: manifest.id, version: manifest.version, title: manifest.title,
      protocolVersion: manifest.protocolVersion, command: command,
      environment: manifest.environment, roles: manifest.roles)
    var target = PluginTarget(
      CataloguedPlugin(manifest: manifest, folder: plugin.folder), hasManifest: hasManifest,
      mediaFolder: mediaFolder, environment: environment, options: options)
    target.longestWait = longestWait
    target.restrictions = restrictions
    return target
  }
}

/// A role of a plugin to check.
package struct RoleTarget: Sendable {
  /// A role of the plugin's manifest.
  package let role: Role
  /// The plugin with the options for this role.
  package let target: PluginTarget

  package init(role: Role, target: PluginTarget) {
    self.role = role
    self.target = target
  }

  /// The first command of the role's table, with the state key that it changes and the value after the change.
  /// Every newly opened device accepts it, because the first trait of a role turns the device on or moves it.
  var firstCommand: (name: String, key: StateKey, value: JSON) {
    let name = role.commands[0].name
    return (name, role.stateKeys[0], .string(name))
  }

  /// Returns whether a reported state shows the first command: its final value, or a transition to it, such as a
  /// warming lamp.
  func followsFirstCommand(_ state: DeviceState) -> Bool {
    state[firstCommand.key] == firstCommand.value || role.transition(in: state) != nil
  }
}
