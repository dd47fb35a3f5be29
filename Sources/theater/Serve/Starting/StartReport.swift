import Devices
import PluginHost
import TheaterConfiguration
import WebServer

/// What the controller says when it is up: every device, the address, and what to type next.
struct StartReport: Sendable {
  let loaded: LoadedConfiguration
  let plugins: PluginHost
  let folders: ApplicationPaths
  let door: ListenerConfiguration
  /// `nil` where TLS is not spoken.
  let certificate: CertificateFiles.Kept?
  /// The code for the first owner; `nil` where there is one.
  let setupCode: String?

  /// The report. - Parameter port: The TCP port that was opened.
  func text(port: Int?) async -> String {
    var columns = Columns(["device", "role", "plugin", "status"])
    for binding in loaded.configuration.devices {
      let device = plugins.devices.first { $0.id == binding.id }
      columns.add(
        binding.id.name, binding.role.title, binding.plugin,
        Self.status(await device?.snapshot().availability))
    }
    let name = door.host.contains(":") ? "[\(door.host)]" : door.host
    var lines = columns.lines
    lines += [
      "",
      "listening on \(door.scheme)://\(name):\(port.map { "\($0)" } ?? "?") and \(folders.socket)",
    ]
    if let certificate { lines += CertificateLines.report(certificate) }
    if door.protection == .insecure {
      lines.append("WITHOUT TLS: everybody on the network can read passwords")
    }
    if let setupCode {
      lines += [
        "", "setup code: \(setupCode)",
        "next: \(Invocation.name) register --setup-code \(setupCode)",
      ]
    } else {
      lines += ["next: \(Invocation.name) login, then \(Invocation.name) films"]
    }
    return lines.joined(separator: "\n")
  }

  private static func status(_ availability: Availability?) -> String {
    switch availability {
    case .available: "ready"
    case .starting: "starting"
    case .unavailable(let reason): "unavailable: \(reason)"
    case nil: "unknown"
    }
  }
}
