import Devices
import Foundation
import JSON
@testable import PluginHost
import PluginKit
import PluginProtocol
import Platform
import Synchronization
import TestSupport
import Testing

/// A host with several plugins in memory, each with a script for each of its devices.
///
/// The plugins A and B have lights, screens, CD players and amplifiers; the plugin Screens has screens only.
struct SwapBench {
  static let roles: [String: [Role]] = [
    "A": [.lights, .screen, .cdPlayer, .amplifier],
    "B": [.lights, .screen, .cdPlayer, .amplifier], "Screens": [.screen],
  ]
  static let catalogue = PluginCatalogue(
    plugins: roles.sorted { $0.key < $1.key }.map { id, roles in
      let offers = Dictionary(uniqueKeysWithValues: roles.map { ($0, Manifest.RoleOffer()) })
      let manifest = Manifest(id: id, version: "1", command: ["./\(id)"], roles: offers)
      return CataloguedPlugin(manifest: manifest, folder: "/nowhere/\(id)")
    })

  let scripts = Scripts()
  let launcher: MemoryLauncher
  let host: PluginHost
  let log = RecordedLog()
  /// For the sockets of devices.
  private let folder: TemporaryFolder

  init(
    _ devices: [HostedDevice], settings: DeviceSettingsCache = DeviceSettingsCache([:]),
    clock: any TheaterClock = SystemClock()
  ) throws {
    folder = try TemporaryFolder()
    let scripts = scripts
    launcher = MemoryLauncher(
      Dictionary(
        uniqueKeysWithValues: Self.roles.keys.map { id in
          let makers = [
            DeviceMaker { ScriptedDevice<LightsCommand>($0, scripts[id, $0.device]) },
            DeviceMaker { ScriptedDevice<ScreenCommand>($0, scripts[id, $0.device]) },
            DeviceMaker { ScriptedDevice<CDPlayerCommand>($0, scripts[id, $0.device]) },
            DeviceMaker { ScriptedDevice<AmplifierCommand>($0, scripts[id, $0.device]) },
          ]
          return (id, Plugin(id: id, version: "1", devices: makers))
        }))
    host = PluginHost(
      catalogue: Self.catalogue, devices: devices, runtimeDirectory: folder.path,
      launcher: launcher, settings: settings, clock: clock, logger: log.logger)
  }

  /// Runs the host around `body`, and expects that no plugin runs afterwards.
  func run(_ body: () async throws -> Void) async throws {
    try await withThrowingDiscardingTaskGroup { group in
      group.addTask { await host.run() }
      await host.waitUntilSettled()
      defer { host.stop() }
      try await body()
    }
    #expect(launcher.running.isEmpty)
  }

  /// Applies `devices` and waits until they are open, or have failed.
  func apply(_ devices: [HostedDevice], catalogue: PluginCatalogue = catalogue) async {
    await host.apply(devices, catalogue: catalogue)
    await host.waitUntilSettled()
  }

  /// The devices as objects, so that tests can compare their identities.
  var devices: [DeviceProxy] { host.devices.compactMap { $0 as? DeviceProxy } }

  func device(_ id: DeviceID) throws -> DeviceProxy {
    try #require(devices.first { $0.id == id })
  }

  /// Whether the host's device with the same id is this object.
  func has(_ device: DeviceProxy) -> Bool {
    devices.first { $0.id == device.id } === device
  }

  /// The reason why the device is unavailable; nil if it is available.
  func outage(of id: DeviceID) async -> String? {
    guard let device = devices.first(where: { $0.id == id }) else { return "it is not there" }
    guard case .unavailable(let why) = await device.snapshot().availability else { return nil }
    return why
  }

  /// The scripts of the devices in each plugin, created at their first use.
  final class Scripts: Sendable {
    private struct Key: Hashable {
      let plugin: String
      let device: DeviceID
    }
    private let scripts = Mutex<[Key: DeviceScript]>([:])

    subscript(plugin: String, device: DeviceID) -> DeviceScript {
      scripts.withLock { scripts in
        let key = Key(plugin: plugin, device: device)
        if let script = scripts[key] { return script }
        let script = DeviceScript([.power: "on", .brightness: 0])
        scripts[key] = script
        return script
      }
    }
  }
}

extension ScriptedDevice {
  init(_ context: DeviceContext, _ script: DeviceScript) {
    self.init(context: context, script: script)
  }
}

extension DeviceScript {
  /// Whether it has been opened more often than closed.
  var isOpen: Bool { state.withLock { $0.opened > $0.closed } }
  var openings: Int { state.withLock { $0.opened } }
}

extension HostedDevice {
  /// Lights of this plugin.
  static func lights(
    _ id: DeviceID, _ plugin: String, options: JSON = [:], process: String? = nil,
    secrets: [String] = []
  ) -> HostedDevice {
    HostedDevice(
      id: id, role: .lights, plugin: plugin, options: options, process: process, secrets: secrets)
  }

  /// A screen of this plugin.
  static func screen(_ id: DeviceID, _ plugin: String) -> HostedDevice {
    HostedDevice(id: id, role: .screen, plugin: plugin)
  }
}
