import Devices
import Logging
import Platform
import PluginProtocol
import Synchronization

/// Runs the plugins that a configuration needs, and provides their devices.
///
/// The devices exist at once and stay the same objects when their plugins crash or restart. Until
/// its plugin is up, a device reports that it is starting. `apply` replaces the configuration while
/// they run.
package final class PluginHost: Sendable {
  private struct State: Sendable {
    var assignment: ProcessAssignment
    var proxies: [DeviceID: DeviceProxy] = [:]
    var runners: [ProcessKey: PluginRunner] = [:]
    /// Whether nothing is to be started any more.
    var isStopped = false
  }

  private let state: Mutex<State>
  /// Held while a configuration is applied.
  private let applying = AsyncLock()
  /// The runners that `run` is to start, in order.
  private let starts: AsyncStream<PluginRunner>
  private let start: AsyncStream<PluginRunner>.Continuation
  private let launcher: any PluginLauncher
  private let scheduler: DeadlineScheduler
  private let records: ProcessRecords
  private let sockets: SocketNames
  private let settings: DeviceSettingsCache
  private let logger: Logger

  /// - Parameters:
  ///   - catalogue: The available plugins.
  ///   - devices: The devices to run, with ids that differ.
  ///   - runtimeDirectory: A short, private folder for sockets and the record of processes.
  ///   - launcher: Starts the processes of plugins.
  ///   - settings: The settings of devices that were chosen before. Devices are opened once they are loaded.
  package init(
    catalogue: PluginCatalogue, devices: [HostedDevice], runtimeDirectory: String,
    launcher: any PluginLauncher, settings: DeviceSettingsCache = DeviceSettingsCache([:]),
    clock: any TheaterClock = SystemClock(), logger: Logger
  ) {
    self.launcher = launcher
    self.settings = settings
    self.logger = logger
    scheduler = DeadlineScheduler(clock: clock)
    records = ProcessRecords(folder: runtimeDirectory)
    sockets = SocketNames(folder: runtimeDirectory)
    (starts, start) = AsyncStream.makeStream()
    state = Mutex(State(assignment: ProcessAssignment([], catalogue: catalogue)))
    _ = rebind(to: ProcessAssignment(devices, catalogue: catalogue))
  }

  /// Every device, in the order of the configuration.
  package var devices: [any Device] {
    state.withLock { state in state.assignment.devices.compactMap { state.proxies[$0.id] } }
  }

  // MARK: Lifetime

  /// Runs the plugins until `stop`; none of their processes is left when it returns. When its task
  /// is cancelled they are killed.
  package func run() async {
    for pid in records.endLeftovers() {
      logger.notice("ended the process group \(pid), left by an earlier controller")
    }
    await withDiscardingTaskGroup { group in
      for await runner in starts { group.addTask { await runner.run() } }
    }
    await scheduler.stop()
    // A runner that was added during the stop was never started.
    for runner in markStopped() { await runner.endUnlessStarted() }
  }

  /// Asks every plugin to end, all at once, and kills those that do not within 2.5 s.
  package func stop() {
    for runner in markStopped() { runner.stop() }
  }

  /// Kills the processes of all plugins at once, without waiting.
  package func killAll() { records.killAll() }

  private func markStopped() -> [PluginRunner] {
    // Nothing is opened any more, so nothing has to wait for them.
    settings.load([:])
    return state.withLock { state in
      state.isStopped = true
      // Under the lock: a runner that is added after `stop` would never be stopped.
      start.finish()
      return Array(state.runners.values)
    }
  }

  /// Waits until each plugin is up and has answered for its devices, or has failed.
  package func waitUntilSettled() async {
    for runner in state.withLock({ Array($0.runners.values) }) { await runner.waitUntilSettled() }
  }

  /// The status of each plugin: those in use first.
  package func statuses() async -> [PluginStatus] {
    let (assignment, runners) = state.withLock { ($0.assignment, $0.runners) }
    var statuses: [PluginStatus] = []
    for process in assignment.processes {
      guard let runner = runners[process.key] else { continue }
      statuses.append(await runner.status(devices: process.devices.map(\.id)))
    }
    return statuses + assignment.otherPlugins
  }

  // MARK: Another configuration

  /// Replaces the devices while the plugins run, or before they do. Calls take effect one after the
  /// other, each as a whole, also when the caller's task is cancelled.
  ///
  /// A device with an unchanged entry keeps its object, process and state. Every other device is
  /// closed in its process first, or the process is ended if no device of it stays; then devices
  /// are opened in their new processes. A device with another plugin, process or options keeps its
  /// object and gets its wanted state back, as after a restart of its plugin; one with another role
  /// is a new object. A process that runs on uses a changed manifest or program when it is started
  /// next.
  ///
  /// When this returns `devices` are the new ones, and nothing of the old ones is open; new devices
  /// may still be opening, which `waitUntilSettled` waits for. A plugin that does not close a device
  /// within 5 s is ended.
  package func apply(_ devices: [HostedDevice], catalogue: PluginCatalogue) async {
    await applying.acquire()
    defer { applying.release() }
    let next = ProcessAssignment(devices, catalogue: catalogue)
    await closeDevices(before: next)
    settings.removeAll(except: devices.map(\.id))
    for arrival in rebind(to: next) {
      await arrival.runner.serve(arrival.devices, of: arrival.plugin)
    }
    let (isStopped, runners) = state.withLock { ($0.isStopped, $0.runners.values) }
    // After `stop` no process is started any more.
    if isStopped { for runner in runners { await runner.endUnlessStarted() } }
  }

  /// Waits until processes have released the devices that `next` moves or removes.
  private func closeDevices(before next: ProcessAssignment) async {
    let (current, proxies, runners) = state.withLock { ($0.assignment, $0.proxies, $0.runners) }
    for device in current.devices where !current.keeps(device.id, as: next) {
      proxies[device.id]?.markUnavailable(current.explainLoss(of: device, for: next))
    }
    await withDiscardingTaskGroup { group in
      for (key, devices) in current.removals(for: next) {
        if let runner = runners[key] { group.addTask { await runner.remove(devices) } }
      }
    }
  }

  /// Devices for a process that runs already.
  private struct Arrival {
    let runner: PluginRunner
    let plugin: CataloguedPlugin
    let devices: [DeviceTable.Entry]
  }

  /// Makes `next` the current assignment, after the processes have released the devices that it
  /// moves. Starts the new processes.
  ///
  /// - Returns: The devices to open in the processes that keep running.
  private func rebind(to next: ProcessAssignment) -> [Arrival] {
    let (current, oldProxies, oldRunners) = state.withLock {
      ($0.assignment, $0.proxies, $0.runners)
    }
    var proxies: [DeviceID: DeviceProxy] = [:]
    for device in next.devices {
      let old = oldProxies[device.id].flatMap { $0.role == device.role ? $0 : nil }
      proxies[device.id] = old ?? makeProxy(device)
    }
    for (id, why) in next.unserved where !current.keeps(id, as: next) {
      proxies[id]?.markUnavailable(why)
    }

    var runners: [ProcessKey: PluginRunner] = [:]
    var new: [PluginRunner] = []
    var arrivals: [Arrival] = []
    for process in next.processes {
      let arriving = process.devices.filter { !current.keeps($0.id, as: next) }
      let entries = arriving.compactMap { device in
        proxies[device.id].map { DeviceTable.Entry(device: device, proxy: $0) }
      }
      if arriving.count < process.devices.count, let runner = oldRunners[process.key] {
        runners[process.key] = runner
        arrivals.append(Arrival(runner: runner, plugin: process.plugin, devices: entries))
      } else {
        let runner = makeRunner(process, entries)
        runners[process.key] = runner
        new.append(runner)
      }
    }
    state.withLock { state in
      state.assignment = next
      state.proxies = proxies
      state.runners = runners
      for runner in new { start.yield(runner) }
    }
    return arrivals
  }

  private func makeProxy(_ device: HostedDevice) -> DeviceProxy {
    DeviceProxy(
      id: device.id, role: device.role, scheduler: scheduler, sockets: sockets,
      settings: settings, logger: logger)
  }

  private func makeRunner(
    _ process: ProcessAssignment.Process, _ devices: [DeviceTable.Entry]
  ) -> PluginRunner {
    PluginRunner(
      plugin: process.plugin, process: process.key.label, devices: devices, launcher: launcher,
      scheduler: scheduler, records: records, settings: settings, logger: logger)
  }
}
