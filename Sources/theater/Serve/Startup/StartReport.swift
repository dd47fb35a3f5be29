import Devices
import PluginHost
import TheaterConfiguration
import WebServer

/// The controller's message after its start: devices, addresses, and the next command.
struct StartReport: Sendable {
  let loaded: LoadedConfiguration
  let plugins: PluginHost
  let paths: ApplicationPaths
  let listening: ListenerConfiguration
  /// `nil` without TLS.
  let certificate: CertificateFiles.LoadedCertificate?
  /// The code for the first owner; `nil` if there is an owner.
  let setupCode: String?

  /// The report as text.
  ///
  /// - Parameter port: The open TCP port.
  func text(port: Int?) async -> String {
    var columns = Columns(["device", "role", "plugin", "status"])
    for binding in loaded.configuration.devices {
      let device = plugins.devices.first { $0.id == binding.id }
      columns.add(
        binding.id.name, binding.role.title, binding.plugin,
        Self.status(await device?.snapshot().availability))
    }
    let number = port.map { "\($0)" } ?? "?"
    let name = listening.host.contains(":") ? "[\(listening.host)]" : listening.host
    let isEveryAddress = ["0.0.0.0", "::"].contains(listening.host)
    let page = "\(listening.scheme)://\(isEveryAddress ? "localhost" : name):\(number)"
    var lines = columns.lines
    lines += ["", "listening on \(listening.scheme)://\(name):\(number) and \(paths.socket)"]
    if let certificate { lines += CertificateLines.report(certificate) }
    if listening.protection == .insecure {
      lines.append("WITHOUT TLS: everyone on the network can read passwords")
    }
    if let setupCode {
      lines += [
        "", "setup code: \(setupCode)",
        "next: open \(page)/register#\(setupCode) in a browser",
        "  or: \(ProgramName.name) register --setup-code \(setupCode)",
      ]
    } else {
      lines += ["next: open \(page) in a browser", "  or: \(ProgramName.name) login"]
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

/// A certificate as text.
enum CertificateLines {
  /// The lines for the start report.
  static func report(_ loaded: CertificateFiles.LoadedCertificate) -> [String] {
    let certificate = loaded.certificate
    var lines = [
      "certificate: \(origin(certificate)), valid until \(certificate.lastDay)",
      "  SHA-256 \(certificate.fingerprint)",
    ]
    if let replaced = loaded.replaced {
      lines.append("  it is new; until now it was \(replaced)")
    }
    if !certificate.isOwners {
      lines.append("  at the first visit, compare it with the one that a browser or terminal shows")
    }
    return lines
  }

  /// The maker of the certificate.
  static func origin(_ certificate: ServerCertificate) -> String {
    certificate.isOwners ? "your own" : "made by this theater"
  }
}
