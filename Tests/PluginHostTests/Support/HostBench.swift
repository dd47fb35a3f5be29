import Devices
import Foundation
import JSON
import Logging
import PluginHost
import PluginKit
import PluginProtocol
import TestSupport
import Testing

/// A host with one scripted device in memory, and a clock that is moved by hand.
struct HostBench {
  let clock = ManualClock()
  let launcher: MemoryLauncher
  let host: PluginHost
  let device: any Device

  init<Command: RoleCommand>(
    _ role: Command.Type, _ script: DeviceScript, offer: Manifest.RoleOffer = .init(),
    options: JSON = [:]
  ) throws {
    let maker = DeviceMaker { context in ScriptedDevice<Command>(context: context, script: script) }
    launcher = MemoryLauncher(Plugin(id: "Scripted", version: "1", devices: [maker]))
    let manifest = Manifest(
      id: "Scripted", version: "1", command: ["./Scripted"], roles: [Command.role: offer])
    host = PluginHost(
      catalogue: PluginCatalogue(plugins: [.init(manifest: manifest, folder: "/nowhere")]),
      devices: [HostedDevice(id: "it", role: Command.role, plugin: "Scripted", options: options)],
      runtimeDirectory: NSTemporaryDirectory(), launcher: launcher, clock: clock,
      logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    device = try #require(host.devices.first)
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

  /// Waits until everything that was set going has come to rest: all that is left waits for the
  /// clock or for the test.
  func waitUntilIdle() async {
    // Whoever runs on the cooperative pool gets its turn many times over before the last of these;
    // the pauses are for threads that other tests keep from running.
    for _ in 0..<10 {
      for _ in 0..<100 { await Task.yield() }
      try? await Task.sleep(for: .milliseconds(2))
    }
  }

  /// Starts a child task and goes on when it has given its command.
  func submit<Value: Sendable>(
    to group: inout ThrowingTaskGroup<Value, any Error>,
    _ body: @escaping @Sendable () async throws -> Value
  ) async {
    group.addTask { try await body() }
    await waitUntilIdle()
  }
}
