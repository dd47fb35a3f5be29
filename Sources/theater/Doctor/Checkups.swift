import Glibc
import JSON
import PluginHost
import PluginProtocol
import TheaterConfiguration

/// Looks at the folders for state and sockets.
struct FolderCheckup {
  let folders: ApplicationPaths
  /// Less than this is worth a word, in bytes.
  private static let scarce: UInt64 = 100 * 1024 * 1024

  /// What is wrong with them, or that nothing is.
  func findings() -> [Finding] {
    var findings: [Finding] = []
    for (subject, path) in [("state folder", folders.state), ("runtime folder", folders.runtime)] {
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
    if statvfs(folders.state, &disk) == 0 {
      let free = UInt64(disk.f_bavail) * UInt64(disk.f_frsize)
      if free < Self.scarce {
        findings.append(
          .notice(
            "disk", "only \(free / 1024 / 1024) MB are free for accounts and positions",
            remedy: "Make room on the disk of \(folders.state)."))
      }
    }
    return findings
  }
}

/// Looks at the configuration and asks each of its plugins whether it could work here.
struct ConfigurationCheckup {
  let path: String
  let plugins: [String]
  let folders: ApplicationPaths

  /// What is wrong with the configuration and its plugins.
  func findings() async -> [Finding] {
    let loaded: LoadedConfiguration
    do {
      loaded = try LoadedConfiguration(path: path, plugins: plugins, folders: folders)
    } catch {
      let count = error.problems.count { $0.severity == .error }
      let first = error.problems.first.map { "\($0)" } ?? "it cannot be read"
      return [
        .bad(
          "configuration", "\(count) \(count == 1 ? "mistake" : "mistakes"): \(first)",
          remedy: "\(Invocation.name) config check \(path)")
      ]
    }
    var findings = [
      Finding.good("configuration", "\(path), \(loaded.configuration.devices.count) devices")
    ]
    findings += loaded.configuration.warnings.map {
      .notice("configuration", $0.message, remedy: $0.hint)
    }
    findings += loaded.catalogue.problems.map {
      .bad("plugin", "\($0.path): \($0.message)", remedy: $0.hint)
    }
    let used = Set(loaded.configuration.devices.map(\.plugin))
    for id in used.sorted() { findings.append(await check(id, loaded.catalogue[id])) }
    findings += CertificateCheckup(settings: loaded.configuration.web, folders: folders).findings()
    return findings
  }

  private func check(_ id: String, _ plugin: CataloguedPlugin?) async -> Finding {
    guard let plugin else {
      return .bad(
        "plugin \(id)", "it is not there",
        remedy: "make build, or put it into \(folders.plugins)/\(id)")
    }
    do {
      let answer = try await PluginQuestion(plugin).ask("--self-check").printable
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

/// Looks at the controller through its API.
struct ControllerCheckup {
  let folders: ApplicationPaths

  /// What the controller says of its plugins and devices.
  func findings() async -> [Finding] {
    do {
      let theater = try RemoteTheater(folders: folders)
      let plugins = try await theater.get("/api/v1/plugins").printable["plugins"]?.array ?? []
      let devices = try await theater.get("/api/v1/devices").printable["devices"]?.array ?? []
      return [.good("controller", "it answers at \(folders.socket)")]
        + plugins.compactMap(Self.finding(plugin:)) + devices.compactMap(Self.finding(device:))
    } catch {
      let ending = ExitError(error)
      return ending.code == .notLoggedIn
        ? [
          .notice(
            "controller", "it runs, but you are not logged in, so it tells nothing more",
            remedy: "\(Invocation.name) login")
        ]
        : [.bad("controller", ending.text, remedy: "Look at its log.")]
    }
  }

  private static func finding(plugin: JSON) -> Finding? {
    guard let status = plugin["status"]?.string, status.hasPrefix("stopped") else { return nil }
    return .bad(
      "plugin \(plugin["id"]?.string ?? "?")",
      status + (plugin["message"]?.string.map { ": \($0)" } ?? ""),
      remedy: "\(Invocation.name) plugins")
  }

  private static func finding(device: JSON) -> Finding? {
    let id = device["id"]?.string ?? "?"
    if device["availability"]?.string == "unavailable" {
      return .bad("device \(id)", device["reason"]?.string ?? "unavailable", remedy: nil)
    }
    guard let problem = device["attributes"]?["problem"]?["value"]?.string else { return nil }
    return .notice("device \(id)", problem, remedy: "\(Invocation.name) device \(id)")
  }
}

/// Looks whether the port of the controller is free.
enum PortCheckup {
  /// Whether the loopback port `port` is free for the controller.
  static func finding(_ port: Int) -> Finding {
    let file = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard file >= 0 else { return .bad("port", "no socket can be made", remedy: nil) }
    defer { close(file) }
    // As the controller binds: what only lingers does not count.
    var reuse: Int32 = 1
    setsockopt(file, SOL_SOCKET, SO_REUSEADDR, &reuse, socklen_t(MemoryLayout<Int32>.size))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(truncatingIfNeeded: port).bigEndian
    address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
    let result = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(file, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    return result == 0
      ? .good("port", "\(port) is free")
      : .bad(
        "port", "\(port) cannot be had: \(String(cString: strerror(errno)))",
        remedy: "\(Invocation.name) serve --port \(port == 8080 ? 8081 : 8080)")
  }
}
