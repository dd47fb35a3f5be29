import Devices
import Foundation
import JSON
import Logging
@testable import PluginHost
import PluginKit
import PluginProtocol
import TestSupport
import Testing

/// A host with one scripted device in memory, and a clock that is moved by hand.
struct HostBench {
  let clock = ManualClock()
  /// For the sockets of devices.
  private let folder: TemporaryFolder
  let launcher: MemoryLauncher
  let host: PluginHost
  let device: any Device

  init<Command: RoleCommand>(
    _ role: Command.Type, _ script: DeviceScript, offer: Manifest.RoleOffer = .init(),
    options: JSON = [:], settings: DeviceSettingsCache = DeviceSettingsCache([:])
  ) throws {
    try self.init(role, offer: offer, options: options, settings: settings) { context in
      ScriptedDevice<Command>(context: context, script: script)
    }
  }

  /// - Parameter make: Makes the device of a process.
  init<Command: RoleCommand, Device: PluginDevice>(
    _ role: Command.Type, offer: Manifest.RoleOffer = .init(), options: JSON = [:],
    settings: DeviceSettingsCache = DeviceSettingsCache([:]),
    making make: @escaping @Sendable (DeviceContext) -> Device
  ) throws where Device.Command == Command {
    let maker = DeviceMaker(make)
    folder = try TemporaryFolder()
    launcher = MemoryLauncher([
      "Scripted": Plugin(id: "Scripted", version: "1", devices: [maker])
    ])
    let manifest = Manifest(
      id: "Scripted", version: "1", command: ["./Scripted"], roles: [Command.role: offer])
    host = PluginHost(
      catalogue: PluginCatalogue(plugins: [.init(manifest: manifest, folder: "/nowhere")]),
      devices: [HostedDevice(id: "it", role: Command.role, plugin: "Scripted", options: options)],
      runtimeDirectory: folder.path, launcher: launcher, settings: settings, clock: clock,
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

  /// The commands of the device that are not over.
  var commandsInHand: CommandsInHand {
    (device as? DeviceProxy)?.commandsInHand ?? .none
  }

  /// Waits until the commands that are not over are as `condition` wants them.
  func waitForCommands(
    _ sourceLocation: SourceLocation = #_sourceLocation,
    where condition: @escaping @Sendable (CommandsInHand) -> Bool
  ) async {
    let isSo = await eventually { condition(commandsInHand) }
    #expect(isSo, "in hand: \(commandsInHand)", sourceLocation: sourceLocation)
  }

  /// Gives a command in a child task and goes on when `waiting` is what waits to be sent.
  func submit(
    to group: inout ThrowingTaskGroup<Void, any Error>, leaving waiting: [JSON],
    _ body: @escaping @Sendable () async throws -> Void
  ) async {
    group.addTask { try await body() }
    await waitForCommands { $0.waiting.map(\.json) == waiting }
  }
}
