import Devices
import Foundation
import JSON
import Logging
import Platform
import PluginHost
import TestSupport
import Testing

/// A host with a Python plugin in a temporary folder. A test replaces parts of the plugin, so that
/// it fails as real plugins do.
struct ScriptPlugin {
  private let folder: TemporaryFolder
  var root: URL { folder.url }
  let host: PluginHost
  let device: any Device
  let catalogue: PluginCatalogue
  var runtimeDirectory: String { root.appending(path: "run").path }

  /// - Parameters:
  ///   - behaviour: Python statements that may replace functions such as `answer(request)`.
  ///   - devices: The devices to run, the first of which is `device`.
  ///   - others: The ids of more plugins with the same behaviour.
  init(
    _ behaviour: String = "", devices: [HostedDevice]? = nil, manifest: String? = nil,
    others: [String] = [],
    environment: [String: String] = ProcessInfo.processInfo.environment,
    clock: any TheaterClock = SystemClock(),
    logger: Logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
  ) throws {
    folder = try TemporaryFolder()
    let root = folder.url
    let run = root.appending(path: "run")
    try FileManager.default.createDirectory(at: run, withIntermediateDirectories: true)
    for id in ["Script"] + others {
      let folder = root.appending(path: "plugins/\(id)")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      let texts = [manifest ?? Self.manifest, Self.program + behaviour + "\nserve()\n"]
        .map { $0.replacing("\"Script\"", with: "\"\(id)\"") }
      try Data(texts[0].utf8).write(to: folder.appending(path: "manifest.json"))
      try Self.install(texts[1], as: folder.appending(path: "program"))
    }
    catalogue = PluginCatalogue(folders: [root.appending(path: "plugins").path])
    host = PluginHost(
      catalogue: catalogue,
      devices: devices ?? [HostedDevice(id: "lamp", role: .lights, plugin: "Script")],
      runtimeDirectory: run.path,
      launcher: ProcessLauncher(environment: environment, logger: logger), clock: clock,
      logger: logger)
    device = try #require(host.devices.first)
  }

  /// Lets another process write the file. A child of another test could inherit a descriptor of
  /// this process that is open for writing, and the program would be busy (`ETXTBSY`).
  private static func install(_ text: String, as program: URL) throws {
    let draft = program.appendingPathExtension("draft")
    try Data(text.utf8).write(to: draft)
    _ = try Program.runBlocking("install", ["-m", "755", draft.path, program.path])
  }

  /// Runs the host around `body`.
  func run(_ body: (any Device) async throws -> Void) async throws {
    try await withThrowingDiscardingTaskGroup { group in
      group.addTask { await host.run() }
      await host.waitUntilSettled()
      defer { host.stop() }
      try await body(device)
    }
  }

  /// Waits until the generation of the device, which rises with each new process, is at least
  /// `generation`.
  func waitForGeneration(_ generation: Int) async {
    for await snapshot in await device.snapshots() where snapshot.generation >= generation { break }
  }

  /// Waits until the device cannot be reached, and returns the reason.
  ///
  /// - Parameter action: Runs after the observation has begun, so that a quick restart cannot hide
  ///   the outage.
  func waitUntilUnavailable(after action: () -> Void = {}) async -> String {
    let snapshots = await device.snapshots()
    action()
    for await snapshot in snapshots {
      if case .unavailable(let reason) = snapshot.availability { return reason }
    }
    return ""
  }

  /// The status of the first plugin.
  func status() async throws -> PluginStatus { try #require(await host.statuses().first) }

  static let manifest = """
    {"id": "Script", "version": "1", "protocol": "1.0", "command": ["./program"],
     "environment": ["PATH", "PULSE_*"], "roles": {"lights": {}}}
    """

  /// A manifest for a CD player, whose protocol version has pictures.
  static let playerManifest = """
    {"id": "Script", "version": "1", "protocol": "1.4", "command": ["./program"],
     "environment": ["PATH"], "roles": {"cdPlayer": {}}}
    """

  /// The system's Python if there is one, because wrappers around it start slowly.
  private static let interpreter =
    FileManager.default.isExecutableFile(atPath: "/usr/bin/python3")
    ? "/usr/bin/python3 -IS" : "/usr/bin/env python3"

  private static let program = """
    #!\(interpreter)
    import json, os, sys, time, signal
    def send(message):
        sys.stdout.write(json.dumps(dict(jsonrpc="2.0", **message)) + "\\n")
        sys.stdout.flush()
    def reply(request, result):
        send({"id": request["id"], "result": result})
    def state(device, **values):
        send({"method": "state", "params": {"device": device, "state": values}})
    def begin(): pass
    def perform(request):
        command = request["params"]["command"]
        device = request["params"]["device"]
        if command == "on": state(device, power="on", brightness=100)
        if command == "off": state(device, power="off")
        if isinstance(command, dict): state(device, power="on", brightness=command["dim"])
        reply(request, {})
    def initialize(request):
        reply(request, {"protocol": "1.0", "plugin": "Script", "version": "1"})
    def opening(request):
        state(request["params"]["device"], power="off", brightness=0)
        reply(request, {"capabilities": []})
    def answer(request):
        method = request["method"]
        if method == "initialize": initialize(request)
        elif method == "open": opening(request)
        elif method == "perform": perform(request)
        elif "id" in request: reply(request, {})
    def serve():
        begin()
        for line in sys.stdin: answer(json.loads(line))

    """
}
