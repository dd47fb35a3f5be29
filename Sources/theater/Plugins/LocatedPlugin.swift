import Devices
import Foundation
import JSON
import Platform
import PluginConformance
import PluginHost
import PluginProtocol
import TheaterConfiguration

/// The plugin that an argument of `theater plugin check` names.
struct LocatedPlugin {
  let plugin: CataloguedPlugin
  /// Whether the plugin has a manifest. Without one, its only role is the given one.
  let hasManifest: Bool
  /// The roles to check.
  let roles: [Role]

  /// - Parameters:
  ///   - path: A plugin's folder, its manifest.json, or its program.
  ///   - role: The one role to check; `nil` for all roles of the manifest.
  /// - Throws: `ExitError` with the next action if there is no usable plugin.
  init(_ path: String, role: Role?) throws(ExitError) {
    let file = URL(filePath: path).standardizedFileURL.path
    var isDirectory: ObjCBool = false
    guard FileManager.default.fileExists(atPath: file, isDirectory: &isDirectory) else {
      throw ExitError(.failed, "there is no file or folder \(path)")
    }
    let isFolder = isDirectory.boolValue
    let isManifest = !isFolder && file.hasSuffix("/manifest.json")
    let folder = isFolder ? file : (file as NSString).deletingLastPathComponent
    let program = isFolder || isManifest ? nil : file
    if let plugin = try Self.read(folder, program: program) {
      self.plugin = plugin
      hasManifest = true
      roles = role.map { [$0] } ?? plugin.manifest.orderedRoles
      if let role, plugin.manifest.roles[role] == nil {
        let offered = plugin.manifest.orderedRoles.map(\.rawValue).joined(separator: ", ")
        throw ExitError(
          .failed, "\(plugin.manifest.id) has no role \(role.rawValue)",
          hint: "Its manifest has: \(offered).")
      }
      return
    }
    guard let program, let role else {
      throw ExitError(
        .failed, "there is no manifest.json in \(folder)",
        hint: program == nil
          ? "Name the folder that holds it, or a program together with --role."
          : "Put one beside the program, or name the program's role with --role.")
    }
    let name = (program as NSString).lastPathComponent
    let manifest = Manifest(
      id: name, version: "0", command: [program], environment: ["HOME", "PATH"],
      roles: [role: .init()])
    plugin = CataloguedPlugin(manifest: manifest, folder: folder)
    hasManifest = false
    roles = [role]
  }

  /// Reads the plugin of a folder; `nil` if it has no manifest.
  ///
  /// - Parameter program: The program to start in place of the manifest's own.
  private static func read(_ folder: String, program: String?) throws(ExitError)
    -> CataloguedPlugin?
  {
    guard let result = PluginCatalogue.read(pluginIn: folder) else { return nil }
    switch result {
    case .failure(let problem): throw ExitError(.failed, "\(problem)")
    case .success(let plugin):
      guard let program else { return plugin }
      let given = plugin.manifest
      let manifest = Manifest(
        id: given.id, version: given.version, title: given.title,
        protocolVersion: given.protocolVersion, command: [program] + given.command.dropFirst(),
        environment: given.environment, roles: given.roles)
      return CataloguedPlugin(manifest: manifest, folder: folder)
    }
  }

  /// Returns the plugin for the conformance suite, with options that are validated against its schemas.
  ///
  /// - Parameter restrictions: What the check must not do to the devices.
  /// - Throws: `ExitError` that names the wrong option.
  func target(
    options given: JSONObject, restrictions: CheckRestrictions = CheckRestrictions()
  ) throws(ExitError) -> PluginTarget {
    var options: [Role: JSON] = [:]
    for role in roles { options[role] = try self.options(of: role, given: given) }
    var target = PluginTarget(plugin, hasManifest: hasManifest, environment: Environment.all) {
      [options] role in options[role] ?? [:]
    }
    target.restrictions = restrictions
    return target
  }

  /// Returns the options of a role, with the schema's defaults, and with paths relative to the current folder.
  private func options(of role: Role, given: JSONObject) throws(ExitError) -> JSON {
    guard hasManifest, let schema = plugin.manifest.roles[role]?.options,
      // A case of the suite reports a wrong schema.
      let shape = try? OptionSchema.shape(schema)
    else { return .object(given) }
    let origin = PathOrigin(
      folder: FileManager.default.currentDirectoryPath, home: Console.environment("HOME"))
    let completed = shape.completed(.object(given), from: origin)
    if let problem = shape.problems(with: completed).first {
      throw ExitError(
        .failed, "the options of \(role.rawValue), \(problem.path): \(problem.message)",
        hint: "Give them with --options or --options-file, for one role at a time with --role.")
    }
    return completed
  }
}
