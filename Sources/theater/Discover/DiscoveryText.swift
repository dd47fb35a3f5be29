import Devices
import Discovery
import JSON
import PluginHost

/// The outcome of searches as text.
enum DiscoveryText {
  /// - Parameter names: The names of the configured devices by role, for the entries.
  static func text(_ result: DiscoveryResult, names: [Role: String]) -> String {
    var blocks = result.findings.map { text($0, names: names) }
    if blocks.isEmpty { blocks = ["Nothing was found."] }
    if !result.problems.isEmpty {
      blocks.append(result.problems.map { "! \($0)" }.joined(separator: "\n"))
    }
    return blocks.joined(separator: "\n\n")
  }

  /// Returns the title and place of a finding, its roles, its notes, and the entry for the likeliest role.
  private static func text(_ finding: DiscoveryFinding, names: [Role: String]) -> String {
    var lines = ["\(finding.title), \(finding.place)", "  id \(finding.id)"]
    if finding.roles.count > 1 {
      lines.append("  for \(finding.roles.map(\.rawValue).joined(separator: ", "))")
    }
    lines += finding.notes.map { "  \($0)" }
    if let role = finding.roles.first {
      let name = JSON.string(names[role] ?? role.rawValue).text()
      lines.append("  \(name): \(JSON.object(finding.entry(for: role)).lineText())")
    }
    return lines.joined(separator: "\n")
  }
}

/// The PCMs and mixers that the amplifier's plugin lists.
enum SoundListing {
  /// The answer of the plugin; `nil` if it is not installed or does not answer.
  static func answer(folders: [String]) async -> JSON? {
    guard let plugin = PluginCatalogue(folders: folders)["ALSAAmplifier"] else { return nil }
    return try? await PluginQuery(plugin).ask("--list-devices")
  }
}
