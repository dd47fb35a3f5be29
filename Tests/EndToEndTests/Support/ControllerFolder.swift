import Foundation
import TestSupport

/// The temporary folder of a controller: its XDG folders, its plugins, and what a test adds.
enum ControllerFolder {
  private static let variables = [
    "XDG_STATE_HOME": "state", "XDG_DATA_HOME": "data", "XDG_RUNTIME_DIR": "run",
    "XDG_CONFIG_HOME": "config", "XDG_CACHE_HOME": "cache",
  ]

  /// Makes a folder with the plugins of this build, laid out as `make` does.
  ///
  /// - Parameter more: The names of further folders in it.
  static func make(plugins: [String], more: [String] = []) throws -> TemporaryFolder {
    let temporary = try TemporaryFolder()
    let folder = temporary.url
    let files = FileManager.default
    for name in variables.values + plugins.map({ "plugins/\($0)" }) + more {
      try files.createDirectory(
        at: folder.appendingPathComponent(name), withIntermediateDirectories: true,
        attributes: [.posixPermissions: 0o700])
    }
    for name in plugins {
      let plugin = folder.appendingPathComponent("plugins/\(name)")
      try files.copyItem(
        at: Program.project.appendingPathComponent("Plugins/\(name)/manifest.json"),
        to: plugin.appendingPathComponent("manifest.json"))
      try files.createSymbolicLink(
        at: plugin.appendingPathComponent(name),
        withDestinationURL: Program.products.appendingPathComponent(name))
    }
    return temporary
  }

  /// The environment of programs that use the folder.
  static func environment(of folder: URL) -> [String: String] {
    ProcessInfo.processInfo.environment.merging(
      variables.mapValues { folder.appendingPathComponent($0).path }
    ) { $1 }
  }
}
