import Foundation
import JSON
import PluginHost

/// Asks a plugin's program something that it answers with one line of JSON and ends:
/// `--self-check`, `--list-devices`.
struct PluginQuestion: Sendable {
  private let plugin: CataloguedPlugin

  init(_ plugin: CataloguedPlugin) { self.plugin = plugin }

  /// The answer's JSON, its texts cut.
  func ask(_ question: String) async throws(LaunchError) -> JSON {
    try await ProcessLauncher.ask(question, of: plugin, environment: Environment.all)
  }
}

/// The variables of this program's environment.
enum Environment {
  static var all: [String: String] { ProcessInfo.processInfo.environment }
}
