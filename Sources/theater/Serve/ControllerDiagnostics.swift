import Devices
import HomeTheater
import JSON
import PluginHost
import PluginProtocol
import TheaterConfiguration
import TheaterLoader
import WebServer

/// The diagnostics of plugins and sound devices for the API.
struct ControllerDiagnostics: Diagnostics {
  let plugins: PluginHost
  let runtime: TheaterRuntime
  let doctor: DoctorRuns

  func doctor() async -> JSON {
    await doctor.report {
      let plugins = await plugins.statuses().map { $0.json.printable }
      let plan = await runtime.current.configuration.plan
      var devices: [JSON] = []
      for device in self.plugins.devices {
        let description = plan.description(of: device.id, role: device.role)
        devices.append(await device.snapshot().json(of: description, now: .zero).printable)
      }
      return ControllerCheck.findings(plugins: plugins, devices: devices)
    }
  }

  func plugins() async -> JSON {
    ["plugins": .array(await plugins.statuses().map(\.json))]
  }

  func audioDevices() async throws(TheaterError) -> JSON {
    let loaded = await runtime.current
    let amplifier = loaded.configuration.devices.first { $0.role.has(.input) }
    guard let amplifier, let plugin = loaded.catalogue[amplifier.plugin] else {
      throw TheaterError(
        .notFound, "there is no amplifier with a plugin",
        hint: "Add one to \"devices\" in devices.json.")
    }
    do {
      return try await PluginQuery(plugin).ask("--list-devices")
    } catch {
      throw TheaterError(
        .deviceFailed, "the plugin \(amplifier.plugin) lists no sound devices: \(error.message)",
        hint: "Only an amplifier that plays through this machine's sound devices can list them.",
        device: amplifier.id)
    }
  }
}

extension PluginStatus {
  /// The status as the API shows it.
  var json: JSON {
    var object: JSONObject = [
      "id": .string(plugin), "version": .string(version),
      "roles": .array(roles.map { .string($0.rawValue) }),
      "status": .string(condition.description),
      "devices": .array(devices.map { .string($0.name) }), "restarts": .integer(restarts),
    ]
    if let process { object["process"] = .string(process) }
    if let pid { object["pid"] = .integer(Int(pid)) }
    if pid != nil {
      object["messages"] = [
        "sent": .integer(messages.sent), "received": .integer(messages.received),
      ]
    }
    if let memory { object["memory"] = .integer(memory) }
    if !log.isEmpty { object["log"] = .array(log.map { .string($0) }) }
    if let lastMessage { object["message"] = .string(lastMessage) }
    return .object(object)
  }
}

/// Runs the checks of `theater doctor` in the controller, once for all requests that wait: each run
/// starts the self-checks of all plugins.
actor DoctorRuns {
  private let machine: MachineCheck
  private var current: Task<[Finding], Never>?

  init(_ machine: MachineCheck) { self.machine = machine }

  /// Returns the component `DoctorReport` of the API.
  ///
  /// - Parameter running: Returns the findings on the running controller.
  func report(running: @escaping @Sendable () async -> [Finding]) async -> JSON {
    let machine = machine
    let run = current ?? Task { await machine.findings() + running() }
    current = run
    let findings = await run.value
    if current == run { current = nil }
    return ["checks": .array(findings.map(\.check))]
  }
}
