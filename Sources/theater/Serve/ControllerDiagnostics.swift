import Devices
import HomeTheater
import JSON
import PluginHost
import PluginProtocol
import TheaterConfiguration
import WebServer

/// The diagnostics of plugins and sound devices for the API.
struct ControllerDiagnostics: Diagnostics {
  let plugins: PluginHost
  let runtime: TheaterRuntime

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
        hint: "Only an amplifier that plays on this machine's sound has some.",
        device: amplifier.id)
    }
  }
}

extension PluginStatus {
  /// The status as the API shows it.
  var json: JSON {
    var object: JSONObject = [
      "id": .string(plugin), "version": .string(version),
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
    if !stderr.isEmpty { object["log"] = .array(stderr.map { .string($0) }) }
    if let lastMessage { object["message"] = .string(lastMessage) }
    return .object(object)
  }
}
