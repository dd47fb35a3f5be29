import Glibc
import JSON
import TheaterAPI

/// Checks the running controller through its API.
struct ControllerCheck {
  let paths: ApplicationPaths

  /// The findings on its plugins and devices.
  func findings() async -> [Finding] {
    do {
      let theater = try RemoteTheater(paths: paths)
      let plugins =
        try await theater.get(SystemEndpoint.plugins.path()).printable["plugins"]?.array ?? []
      let devices =
        try await theater.get(DeviceEndpoint.devices.path()).printable["devices"]?.array ?? []
      return [.good("controller", "it answers at \(paths.socket)")]
        + Self.findings(plugins: plugins, devices: devices)
    } catch {
      let error = ExitError(requestError: error) ?? ExitError(.failed, "\(error)")
      guard error.code == .notLoggedIn else {
        return [.bad("controller", error.text, remedy: "Look at its log.")]
      }
      guard await !FirstAccount.isMissing(in: paths) else {
        return [
          .notice(
            "controller", "it runs; nobody has an account yet", remedy: FirstAccount.command)
        ]
      }
      return [
        .notice(
          "controller", "it runs; log in to check its plugins and devices",
          remedy: "\(ProgramName.name) login")
      ]
    }
  }

  /// The findings on plugins and devices, as the API shows them.
  static func findings(plugins: [JSON], devices: [JSON]) -> [Finding] {
    plugins.compactMap(finding(plugin:)) + devices.compactMap(finding(device:))
  }

  private static func finding(plugin: JSON) -> Finding? {
    guard let status = plugin["status"]?.string, status.hasPrefix("stopped") else { return nil }
    return .bad(
      "plugin \(plugin["id"]?.string ?? "?")",
      status + (plugin["message"]?.string.map { ": \($0)" } ?? ""),
      remedy: "\(ProgramName.name) plugins")
  }

  private static func finding(device: JSON) -> Finding? {
    let id = device["id"]?.string ?? "?"
    if device["availability"]?.string == "unavailable" {
      return .bad("device \(id)", device["reason"]?.string ?? "unavailable", remedy: nil)
    }
    guard let problem = device["attributes"]?["problem"]?["value"]?.string else { return nil }
    return .notice("device \(id)", problem, remedy: "\(ProgramName.name) device \(id)")
  }
}

/// Checks whether the controller's port is free.
enum PortCheck {
  /// The finding on a port of the loopback interface.
  static func finding(_ port: Int) -> Finding {
    let file = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard file >= 0 else { return .bad("port", "no socket can be created", remedy: nil) }
    defer { close(file) }
    // Set by the controller too: a connection in TIME_WAIT does not block the port.
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
        "port", "\(port) cannot be used: \(String(cString: strerror(errno)))",
        remedy: "\(ProgramName.name) serve --port \(port == 8080 ? 8081 : 8080)")
  }
}
