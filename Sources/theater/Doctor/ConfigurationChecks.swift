import Glibc
import JSON
import PluginHost
import PluginProtocol
import TheaterConfiguration
import TheaterLoader
import WebServer

/// Checks the folders for state and sockets.
struct FolderCheck {
  let paths: ApplicationPaths
  /// The free space below which a notice is given, in bytes.
  private static let scarce: UInt64 = 100 * 1024 * 1024

  /// The findings on the folders and on the free disk space.
  func findings() -> [Finding] {
    var findings: [Finding] = []
    for (subject, path) in [("state folder", paths.state), ("runtime folder", paths.runtime)] {
      do throws(ExitError) {
        try ApplicationPaths.make(privately: path)
        findings.append(
          access(path, W_OK) == 0
            ? .good(subject, path)
            : .bad(subject, "\(path) cannot be written", remedy: "sudo chown \"$USER\" \(path)"))
      } catch {
        findings.append(.bad(subject, error.text, remedy: nil))
      }
    }
    var disk = statvfs()
    if statvfs(paths.state, &disk) == 0 {
      let free = UInt64(disk.f_bavail) * UInt64(disk.f_frsize)
      if free < Self.scarce {
        findings.append(
          .notice(
            "disk", "only \(free / 1024 / 1024) MB are free for accounts and positions",
            remedy: "Free some space on the disk of \(paths.state)."))
      }
    }
    return findings
  }
}

/// Checks the configuration and runs the self-check of each of its plugins.
struct ConfigurationCheck {
  let path: String
  /// The reason why this file is checked, in words; empty if it was named.
  var reason = ""
  let plugins: [String]
  let paths: ApplicationPaths

  /// The findings on the configuration and its plugins.
  func findings() async -> [Finding] {
    let loaded: LoadedConfiguration
    do {
      loaded = try LoadedConfiguration(path: path, plugins: plugins, paths: paths)
    } catch {
      let count = error.problems.count { $0.severity == .error }
      let first = error.problems.first.map { "\($0)" } ?? "it cannot be read"
      return [
        .bad(
          "configuration",
          "\(place) has \(count) \(count == 1 ? "mistake" : "mistakes"): \(first)",
          remedy: "\(ProgramName.name) config check \(path)")
      ]
    }
    var findings = [
      Finding.good("configuration", "\(place), \(loaded.configuration.devices.count) devices")
    ]
    findings += loaded.configuration.warnings.map {
      .notice("configuration", $0.message, remedy: $0.hint)
    }
    findings += loaded.catalogue.problems.map {
      .bad("plugin", "\($0.path): \($0.message)", remedy: $0.hint)
    }
    let used = Set(loaded.configuration.devices.map(\.plugin))
    for id in used.sorted() { findings.append(await check(id, loaded.catalogue[id])) }
    findings += CertificateCheck(settings: loaded.configuration.web, paths: paths).findings()
    return findings
  }

  /// The path, with the reason in parentheses.
  private var place: String { reason.isEmpty ? path : "\(path) (\(reason))" }

  private func check(_ id: String, _ plugin: CataloguedPlugin?) async -> Finding {
    guard let plugin else {
      return .bad(
        "plugin \(id)", "it is not there",
        remedy: "make build, or put it into \(paths.plugins)/\(id)")
    }
    do {
      let answer = try await PluginQuery(plugin).ask("--self-check").printable
      if answer["ok"]?.bool == true {
        return .good("plugin \(id)", "its self-check passed (\(plugin.manifest.version))")
      }
      return .bad(
        "plugin \(id)", answer["message"]?.string ?? "its self-check failed",
        remedy: answer["hint"]?.string)
    } catch {
      return .bad(
        "plugin \(id)", "its self-check: \(error.message)", remedy: "Look at \(plugin.folder).")
    }
  }
}

/// Checks the controller's TLS certificate.
struct CertificateCheck {
  let settings: WebSettings
  let paths: ApplicationPaths

  /// The finding with the certificate's fingerprint, to compare with the one in a browser; none if
  /// there is no certificate.
  func findings() -> [Finding] {
    do throws(CertificateError) {
      guard let certificate = try certificate() else { return [] }
      return [finding(certificate)]
    } catch {
      return [.bad("certificate", error.message, remedy: error.hint)]
    }
  }

  private func certificate() throws(CertificateError) -> ServerCertificate? {
    if case .files(let certificate, let key) = settings.tls {
      return try CertificateFiles.loadOwners(certificate: certificate, key: key)
    }
    return try CertificateFiles.load(at: paths.certificate)
  }

  private func finding(_ certificate: ServerCertificate) -> Finding {
    let text =
      "\(CertificateLines.origin(certificate)), valid until \(certificate.lastDay), "
      + "SHA-256 \(certificate.fingerprint)"
    // The controller renews its own certificate.
    guard certificate.isOwners else { return .good("certificate", text) }
    switch certificate.validity() {
    case .good: return .good("certificate", text)
    case .endsSoon: return .notice("certificate", text, remedy: "Renew it soon.")
    case .notValid: return .bad("certificate", "it is not valid now: \(text)", remedy: "Renew it.")
    }
  }
}
