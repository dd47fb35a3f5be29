import Devices
import JSON
import Logging
import Platform
import PluginProtocol

/// Keeps one plugin process running: carries out the actions of its `Supervision`, and reports events
/// to it as inputs.
actor PluginRunner {
  /// An input with the number of the start that it belongs to. Inputs of an earlier start are stale.
  private struct Event: Sendable {
    let input: Supervision.Input
    let launch: Int?
  }

  /// As it is started next.
  private var plugin: CataloguedPlugin
  private let process: String?
  private let devices: DeviceTable
  private var mask = ProcessSecretMask()
  private let launcher: any PluginLauncher
  private let scheduler: DeadlineScheduler
  private let alarm: DeadlineScheduler.Key
  private let records: ProcessRecords
  private let settings: DeviceSettingsCache
  private let logger: Logger

  private let events: AsyncStream<Event>
  private nonisolated let eventContinuation: AsyncStream<Event>.Continuation
  private var supervision: Supervision
  /// Counts the starts of the process.
  private var launch = 0
  /// The newest start, also after its end.
  private var run: PluginRun?
  private var problem: String?
  private var refusals: [DeviceID: DeviceError] = [:]
  /// The devices that have been open in a process of this runner.
  private var openedHere: Set<DeviceID> = []
  private var files: [FileStamp] = []
  private var settlementWaiters: [CheckedContinuation<Void, Never>] = []
  private var releaseWaiters: [CheckedContinuation<Void, Never>] = []

  init(
    plugin: CataloguedPlugin, process: String?, devices: [DeviceTable.Entry],
    launcher: any PluginLauncher, scheduler: DeadlineScheduler, records: ProcessRecords,
    settings: DeviceSettingsCache, logger: Logger
  ) {
    self.plugin = plugin
    self.process = process
    self.devices = DeviceTable(devices)
    self.launcher = launcher
    self.scheduler = scheduler
    self.records = records
    self.settings = settings
    var logger = logger
    logger[metadataKey: "plugin"] = "\(plugin.manifest.id)"
    self.logger = logger
    supervision = Supervision(plugin: plugin.manifest.id, devices: devices.map(\.device.id))
    let (events, continuation) = AsyncStream.makeStream(of: Event.self)
    (self.events, eventContinuation) = (events, continuation)
    alarm = scheduler.add {
      continuation.yield(
        Event(input: .tick(lastLine: .zero, hasOpenRequests: false), launch: nil))
    }
  }

  /// Runs until it is stopped or has no device any more. When its task is cancelled the process is
  /// killed at once.
  func run() async {
    handle(.start)
    // The process starts meanwhile; its devices are opened with their stored settings.
    await settings.waitUntilLoaded()
    for await event in events {
      if let launch = event.launch, launch != self.launch { continue }
      handle(completed(event.input))
    }
    scheduler.remove(alarm)
    run?.process.kill()
    run?.session.close()
    handle(.stop)
    if supervision.phase != .stopped { handle(.exited(how: "signal 9")) }
  }

  /// Asks the plugin to end; `run` returns when it has.
  nonisolated func stop() { eventContinuation.yield(Event(input: .stop, launch: nil)) }

  /// Ends a runner that `run` was not called for; it starts nothing then.
  func endUnlessStarted() {
    if supervision.phase == .discovered { handle(.stop) }
  }

  /// Waits until the process is up and has answered for its devices, or has failed.
  func waitUntilSettled() async {
    if !supervision.isSettled { await withCheckedContinuation { settlementWaiters.append($0) } }
  }

  // MARK: Other devices

  /// Serves more devices.
  ///
  /// - Parameter plugin: The plugin as it is to be started next.
  func serve(_ new: [DeviceTable.Entry], of plugin: CataloguedPlugin) {
    let isChanged = plugin != self.plugin
    self.plugin = plugin
    devices.insert(new)
    mask.add(new.flatMap(\.device.secrets))
    if isChanged { handle(.fileChanged) }
    if !new.isEmpty { handle(.added(new.map(\.device.id))) }
  }

  /// Closes devices; without any other device the process is ended. Returns when the process has let
  /// go of them.
  func remove(_ ids: [DeviceID]) async {
    handle(.removed(ids))
    if !supervision.hasReleased { await withCheckedContinuation { releaseWaiters.append($0) } }
    devices.remove(ids)
    openedHere.subtract(ids)
  }

  // MARK: Inputs

  /// Fills a tick with the present state, or turns it into the input that a file has changed.
  private func completed(_ input: Supervision.Input) -> Supervision.Input {
    guard case .tick = input else { return input }
    if case .failed(_, nil) = supervision.phase, plugin.fileStamps != files { return .fileChanged }
    return .tick(
      lastLine: run?.session.lastLine ?? .zero,
      hasOpenRequests: run?.session.hasOpenRequests ?? false)
  }

  private func handle(_ input: Supervision.Input) {
    record(input)
    for action in supervision.handle(input, at: scheduler.clock.now()) { perform(action) }
    if supervision.isSettled { Self.resume(&settlementWaiters) }
    if supervision.hasReleased { Self.resume(&releaseWaiters) }
    if supervision.phase == .stopped { eventContinuation.finish() }
  }

  private static func resume(_ waiters: inout [CheckedContinuation<Void, Never>]) {
    for waiter in waiters { waiter.resume() }
    waiters = []
  }

  /// Logs an input, and keeps it for the plugin's status.
  private func record(_ input: Supervision.Input) {
    switch input {
    case .badLine(let what):
      problem = what
      logger.warning("bad line: \(what)")
    case .exited(let how):
      // The record of a process that could not be ended stays for the next start.
      if let pid = run?.pid, run?.process.pid == nil { records.remove(pid) }
      run?.session.close()
      logger.info("the process has ended: \(how)")
    case .refused(let device, let error) where supervision.devices.contains(device):
      refusals[device] = error
      logger.error("\(device) cannot be opened: \(error.message)")
    case .opened(let device) where supervision.devices.contains(device):
      refusals[device] = nil
      openedHere.insert(device)
    case .removed(let devices): for device in devices { refusals[device] = nil }
    default: break
    }
  }

  /// Turns inputs of a start of the process into events.
  private func reporter(for launch: Int) -> @Sendable (Supervision.Input) -> Void {
    { [eventContinuation] in eventContinuation.yield(Event(input: $0, launch: launch)) }
  }

  // MARK: Actions

  private func perform(_ action: Supervision.Action) {
    switch action {
    case .spawn: spawn()
    case .check: check()
    case .initialize: run?.initialize()
    case .open(let devices): for device in devices { open(device) }
    case .close(let devices): for device in devices { run?.close(device) }
    case .ping: run?.ping()
    case .shutDown: run?.shutDown()
    case .terminate: run?.process.terminate()
    case .kill: run?.process.kill()
    case .abandon: handle(.exited(how: "SIGKILL has not ended it"))
    case .wake(let time): scheduler.schedule(alarm, at: time)
    case .announce(let phase): announce(phase)
    }
  }

  private func spawn() {
    launch += 1
    files = plugin.fileStamps
    refusals = [:]
    do {
      let run = try PluginRun(
        plugin, launcher: launcher, mask: mask, devices: devices, scheduler: scheduler,
        logger: logger, report: reporter(for: launch))
      self.run = run
      logger.info("started", metadata: ["pid": "\(run.pid ?? 0)"])
      if let pid = run.pid { records.add(pid) }
      run.session.start()
      handle(.spawned)
    } catch {
      run = nil
      handle(.spawnFailed(error.message))
    }
  }

  private func check() {
    // It belongs to the start that follows.
    let report = reporter(for: launch + 1)
    launcher.check(plugin) { [mask] in report(.complained(mask.current.masked($0))) }
  }

  private func open(_ id: DeviceID) {
    guard let entry = devices[id] else { return }
    run?.open(
      entry.device, for: entry.proxy,
      remembering: plugin.manifest.roles[entry.device.role]?.remembers ?? [],
      isSameDevice: openedHere.contains(id))
  }

  private func announce(_ phase: Supervision.Phase) {
    let now = scheduler.clock.now()
    switch phase {
    case .spawned:
      mask = ProcessSecretMask(
        devices.secrets, keeping: [plugin.manifest.id, plugin.manifest.version])
    case .discovered, .handshaken, .configured, .running: break
    case .stopping(let failure):
      if let failure { problem = failure.message }
      markDevicesUnavailable(
        failure.map { "\(name): \($0.message); it is being ended" } ?? "it is shut down")
    case .stopped: markDevicesUnavailable("it is shut down")
    case .failed(let failure, let retryAt):
      let next =
        retryAt.map { "it is started again in \(Self.seconds($0 - now)) s" }
        ?? "it is started again when its files or the configuration change"
      problem = failure.message
      logger.error("\(failure.message); \(next)")
      markDevicesUnavailable("\(name): \(failure.message); \(next)")
    }
  }

  private var name: String { "the plugin \(plugin.manifest.id)" }

  private static func seconds(_ duration: Duration) -> String {
    let tenths = Int((duration.seconds * 10).rounded(.up))
    return "\(tenths / 10).\(tenths % 10)"
  }

  private func markDevicesUnavailable(_ reason: String) {
    for device in supervision.devices { devices[device]?.proxy.markUnavailable(reason) }
  }

  // MARK: Status

  /// The plugin's present status.
  ///
  /// - Parameter devices: Its devices, in the order of the configuration.
  func status(devices: [DeviceID]) -> PluginStatus {
    let pid = run?.process.pid
    let log = run?.process.log.lines ?? []
    var status = PluginStatus(
      plugin: plugin.manifest.id, version: plugin.manifest.version,
      roles: plugin.manifest.orderedRoles, process: process, devices: devices,
      condition: condition, pid: pid, restarts: supervision.restarts,
      memory: pid.flatMap(ProcessFacts.memory),
      lastMessage: refusals.sorted { $0.key < $1.key }.first?.value.description ?? warning
        ?? problem ?? log.last, log: log)
    if let run { status.messages = run.session.messages }
    return status
  }

  /// The warning about dropped reports of this start, while the plugin runs.
  private var warning: String? {
    guard supervision.phase == .running else { return nil }
    return supervision.devices.lazy.compactMap { self.devices[$0]?.proxy.warning }.first
      ?? run?.warning
  }

  private var condition: PluginStatus.Condition {
    switch supervision.phase {
    case .discovered, .spawned, .handshaken: .starting
    case .configured: .stopped(by: .configuration)
    case .running: .running
    case .stopping(let failure): failure.map { .stopped(by: $0.cause) } ?? .ended
    case .stopped: .ended
    case .failed(let failure, _): .stopped(by: failure.cause)
    }
  }
}
