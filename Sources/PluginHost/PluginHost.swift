import Devices
import Foundation
import JSON
import Logging
import Platform
import PluginProtocol

/// Runs the plugins that a configuration needs, and hands out their devices.
///
/// Devices are there at once and stay the same objects whatever becomes of their plugins; until its
/// plugin is up a device says that it starts.
package final class PluginHost: Sendable {
  /// Every device, in the order of the configuration.
  package let devices: [any Device]
  private let runners: [PluginRunner]
  private let unused: [PluginStatus]
  private let scheduler: DeadlineScheduler
  private let records: ProcessRecords
  private let logger: Logger

  /// - Parameters:
  ///   - catalogue: The plugins that there are.
  ///   - devices: The devices to run, with ids that differ.
  ///   - runtimeDirectory: A short, private folder for sockets and the record of processes.
  ///   - launcher: How plugins are started.
  package init(
    catalogue: PluginCatalogue, devices: [HostedDevice], runtimeDirectory: String,
    launcher: any PluginLauncher, clock: any TheaterClock = SystemClock(), logger: Logger
  ) {
    self.logger = logger
    scheduler = DeadlineScheduler(clock: clock)
    records = ProcessRecords(folder: runtimeDirectory)
    let sockets = SocketNames(folder: runtimeDirectory)
    var proxies: [DeviceID: DeviceProxy] = [:]
    for device in devices {
      proxies[device.id] = DeviceProxy(
        id: device.id, role: device.role, scheduler: scheduler, sockets: sockets, logger: logger)
    }
    self.devices = devices.compactMap { proxies[$0.id] }

    var runners: [PluginRunner] = []
    var missing: [PluginStatus] = []
    for group in Self.groups(of: devices) {
      guard let first = group.first else { continue }
      guard let plugin = catalogue[first.plugin] else {
        let why = Self.explainMissing(first.plugin, in: catalogue)
        for device in group { proxies[device.id]?.lost(why) }
        missing.append(Self.status(ofMissing: group, why))
        continue
      }
      let served = group.filter { plugin.manifest.roles[$0.role] != nil }
      for device in group where plugin.manifest.roles[device.role] == nil {
        proxies[device.id]?.lost(
          "the plugin \(plugin.manifest.id) has no \(device.role.title); "
            + "give the device another plugin in devices.json")
      }
      guard !served.isEmpty else { continue }
      runners.append(
        PluginRunner(
          plugin: plugin, process: first.process, devices: served,
          proxies: proxies.filter { id, _ in served.contains { $0.id == id } },
          launcher: launcher, scheduler: scheduler, records: records, logger: logger))
    }
    self.runners = runners
    let used = Set(devices.map(\.plugin))
    unused =
      missing
      + catalogue.plugins.filter { !used.contains($0.manifest.id) }.map(Self.status(ofUnused:))
      + catalogue.problems.filter { !used.contains($0.folderName) }.map(Self.status(ofUnusable:))
  }

  /// Runs the plugins until `stop`; nothing of them is left when it returns. When its task is
  /// cancelled they are killed.
  package func run() async {
    for pid in records.endLeftovers() {
      logger.notice("ended the process group \(pid), left by an earlier controller")
    }
    await withDiscardingTaskGroup { group in
      group.addTask { await self.scheduler.run() }
      await withDiscardingTaskGroup { group in
        for runner in runners { group.addTask { await runner.run() } }
      }
      group.cancelAll()
    }
  }

  /// Asks every plugin to end; those that do not are ended.
  package func stop() {
    for runner in runners { runner.stop() }
  }

  /// Waits until each plugin is up or has failed for the first time.
  package func waitUntilSettled() async {
    for runner in runners { await runner.waitUntilSettled() }
  }

  /// The status of each plugin: those in use first.
  package func statuses() async -> [PluginStatus] {
    var statuses: [PluginStatus] = []
    for runner in runners { statuses.append(await runner.status()) }
    return statuses + unused
  }

  /// Devices of one plugin and label together, in order of appearance.
  private static func groups(of devices: [HostedDevice]) -> [[HostedDevice]] {
    var groups: [[HostedDevice]] = []
    for device in devices {
      let index = groups.firstIndex {
        $0.first?.plugin == device.plugin && $0.first?.process == device.process
      }
      if let index { groups[index].append(device) } else { groups.append([device]) }
    }
    return groups
  }

  private static func explainMissing(_ id: String, in catalogue: PluginCatalogue) -> String {
    if let problem = catalogue.problems.first(where: { $0.folderName == id }) {
      return "the plugin \(id) cannot be used: \(problem)"
    }
    let known = catalogue.plugins.map(\.manifest.id).joined(separator: ", ")
    return "there is no plugin \(id)"
      + (known.isEmpty ? "; no plugin was found at all" : "; there are \(known)")
  }

  private static func status(ofMissing devices: [HostedDevice], _ why: String) -> PluginStatus {
    PluginStatus(
      plugin: devices.first?.plugin ?? "", version: "", process: devices.first?.process,
      devices: devices.map(\.id), condition: .stopped(by: .load), pid: nil, restarts: 0,
      memory: nil, lastMessage: why, stderr: [])
  }

  private static func status(ofUnusable problem: CatalogueProblem) -> PluginStatus {
    PluginStatus(
      plugin: problem.folderName, version: "", process: nil, devices: [],
      condition: .stopped(by: .load), pid: nil, restarts: 0, memory: nil,
      lastMessage: problem.description, stderr: [])
  }

  private static func status(ofUnused plugin: CataloguedPlugin) -> PluginStatus {
    PluginStatus(
      plugin: plugin.manifest.id, version: plugin.manifest.version, process: nil, devices: [],
      condition: .disabled, pid: nil, restarts: 0, memory: nil, lastMessage: nil, stderr: [])
  }
}

/// A device that a plugin is to serve, as the configuration says.
package struct HostedDevice: Sendable, Hashable {
  package let id: DeviceID
  package let role: Role
  /// The plugin's id.
  package let plugin: String
  /// Checked against the plugin's schema, with secrets and defaults filled in.
  package let options: JSON
  /// Devices of one plugin share a process unless their labels differ.
  package let process: String?
  /// The texts of the secrets among the options, for hiding them in what the plugin says.
  package let secrets: [String]

  package init(
    id: DeviceID, role: Role, plugin: String, options: JSON = [:], process: String? = nil,
    secrets: [String] = []
  ) {
    self.id = id
    self.role = role
    self.plugin = plugin
    self.options = options
    self.process = process
    self.secrets = secrets
  }
}
