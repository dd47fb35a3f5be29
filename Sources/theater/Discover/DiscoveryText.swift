import Devices
import Discovery
import JSON
import PluginHost

/// The outcome of searches as text.
enum DiscoveryText {
  /// - Parameter devices: The configured devices, after which the entries are named.
  static func text(_ result: DiscoveryResult, devices: ConfiguredDevices) -> String {
    var blocks = result.findings.map { text($0, devices) }
    if blocks.isEmpty { blocks = ["Nothing was found."] }
    if !result.problems.isEmpty {
      blocks.append(result.problems.map { "! \($0)" }.joined(separator: "\n"))
    }
    return blocks.joined(separator: "\n\n")
  }

  /// Returns the title and place of a finding, its roles, its notes, and the entry for one role.
  private static func text(_ finding: DiscoveryFinding, _ devices: ConfiguredDevices) -> String {
    var lines = ["\(finding.title), \(finding.place)", "  id \(finding.id)"]
    if finding.roles.count > 1 {
      lines.append("  for \(finding.roles.map(\.rawValue).joined(separator: ", "))")
    }
    lines += finding.notes.map { "  \($0)" }
    if let role = devices.role(of: finding) {
      let name = JSON.string(devices.name(of: finding, for: role)).text()
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
