import Devices
import JSON

/// The search for optical drives, in `/sys/block`.
package struct DriveSearch: DeviceSearch {
  package let kind = DiscoveryKind.drives
  private let files: SystemFiles

  /// - Parameter root: The folder that stands for `/`.
  package init(root: String = "") { files = SystemFiles(root: root) }

  /// At most 16 drives; none without `/sys/block`.
  package func run() async -> DiscoveryResult {
    let drives = files.names("/sys/block").filter { name in
      name.hasPrefix("sr") && (1...3).contains(name.count - 2)
        && name.dropFirst(2).allSatisfy { ("0"..."9").contains($0) }
    }
    return DiscoveryResult(
      findings: drives.prefix(16).map { name in
        let words = ["vendor", "model"].compactMap { files.line("/sys/block/\(name)/device/\($0)") }
        return DiscoveryFinding(
          .drives, id: "drive:/dev/\(name)",
          title: words.isEmpty ? "Optical drive" : "Optical drive \(words.joined(separator: " "))",
          place: "/dev/\(name)", roles: [.dvdPlayer, .cdPlayer], plugin: "MpvPlayer",
          options: ["drive": .string("/dev/\(name)")])
      })
  }
}

/// The search for displays: those of the session, and connectors of the graphics cards.
package struct DisplaySearch: DeviceSearch {
  package let kind = DiscoveryKind.displays
  private let files: SystemFiles
  private let environment: @Sendable (String) -> String?

  /// - Parameters:
  ///   - root: The folder that stands for `/`.
  ///   - environment: Returns the value of a variable.
  package init(root: String = "", environment: @escaping @Sendable (String) -> String?) {
    files = SystemFiles(root: root)
    self.environment = environment
  }

  package func run() async -> DiscoveryResult {
    let session = [("DISPLAY", "X11"), ("WAYLAND_DISPLAY", "Wayland")].compactMap {
      variable, title -> DiscoveryFinding? in
      guard let name = environment(variable), Self.isName(name) else { return nil }
      return DiscoveryFinding(
        .displays, id: "display:\(name)", title: "\(title) display \(name)",
        place: "the variable \(variable)", roles: [.dvdPlayer], plugin: "MpvPlayer",
        options: ["display": .string(name)])
    }
    return DiscoveryResult(findings: session + connectors)
  }

  /// The connectors with a display: `card0-HDMI-A-1` is the connector HDMI-A-1. It keeps the name of its card if more
  /// than one card has a display: mpv takes the first of these unless a card is named.
  private var connectors: [DiscoveryFinding] {
    let connected = files.names("/sys/class/drm").prefix(64).compactMap { name in
      let parts = name.split(separator: "-", maxSplits: 1).map(String.init)
      guard parts.count == 2, parts[0].hasPrefix("card"), Self.isName(parts[1]),
        !parts[1].hasPrefix("Writeback"),
        files.line("/sys/class/drm/\(name)/status") == "connected"
      else { return nil as (name: String, card: String, connector: String)? }
      return (name, parts[0], parts[1])
    }
    let hasOneCard = Set(connected.map(\.card)).count == 1
    return connected.map { name, _, short in
      let connector = hasOneCard ? short : name
      let mode = (files.text("/sys/class/drm/\(name)/modes") ?? "").split(separator: "\n").first
      let size = mode.map { " with " + String($0).boundedLine(maximumBytes: 20) } ?? ""
      return DiscoveryFinding(
        .displays, id: "connector:\(connector)", title: "Display at \(connector)\(size)",
        place: "/sys/class/drm/\(name)", roles: [.dvdPlayer], plugin: "MpvPlayer",
        options: ["videoOutput": "drm", "display": .string(connector)],
        notes: ["For a machine without a desktop: no other program may show a picture there."])
    }
  }

  private static func isName(_ text: String) -> Bool {
    (1...64).contains(text.utf8.count)
      && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "_.:-".contains($0)) }
  }
}
