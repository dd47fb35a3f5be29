import Devices
import JSON
import PluginHost
import TheaterConfiguration
import TheaterLoader
import WebServer

/// The controller's message after its start: addresses and the next command, then the devices.
struct StartReport: Sendable {
  let loaded: LoadedConfiguration
  let plugins: PluginHost
  let paths: ApplicationPaths
  let listening: ListenerConfiguration
  /// `nil` without TLS.
  let certificate: CertificateFiles.LoadedCertificate?
  /// The code for the first owner; `nil` if there is an owner.
  let setupCode: String?

  /// The addresses, and what to do next.
  ///
  /// - Parameter port: The open TCP port.
  func text(port: Int) -> String {
    let page = page(port)
    var lines = ["listening on \(origin(port)) and \(paths.socket)"]
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
    let count = loaded.configuration.devices.count
    if count > 0 {
      lines += ["", "Waiting for \(count == 1 ? "1 device" : "\(count) devices")…"]
    }
    return lines.joined(separator: "\n")
  }

  /// The addresses for programs.
  func addresses(port: Int) -> JSON {
    var object: JSONObject = [
      "address": .string(page(port)), "socket": .string(paths.socket), "port": .integer(port),
    ]
    if let certificate {
      object["fingerprint"] = .string(certificate.certificate.fingerprint)
    }
    if let setupCode { object["setupCode"] = .string(setupCode) }
    return .object(object)
  }

  /// The devices with their status.
  func deviceTable() async -> String {
    var columns = Columns(["device", "role", "plugin", "status"])
    for (binding, status) in await statuses() {
      columns.add(binding.id.name, binding.role.title, binding.plugin, status)
    }
    return columns.text
  }

  /// The devices with their status, for programs.
  func devices() async -> JSON {
    let devices = await statuses().map { binding, status -> JSON in
      [
        "id": .string(binding.id.name), "role": .string(binding.role.rawValue),
        "plugin": .string(binding.plugin), "status": .string(status),
      ]
    }
    return ["devices": .array(devices)]
  }

  private func statuses() async -> [(DeviceBinding, String)] {
    var statuses: [(DeviceBinding, String)] = []
    for binding in loaded.configuration.devices {
      let device = plugins.devices.first { $0.id == binding.id }
      statuses.append((binding, Self.status(await device?.snapshot().availability)))
    }
    return statuses
  }

  /// The address on which the controller listens.
  private func origin(_ port: Int) -> String {
    let name = listening.host.contains(":") ? "[\(listening.host)]" : listening.host
    return "\(listening.scheme)://\(name):\(port)"
  }

  /// The address for a browser on this machine.
  private func page(_ port: Int) -> String {
    ["0.0.0.0", "::"].contains(listening.host)
      ? "\(listening.scheme)://localhost:\(port)" : origin(port)
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
