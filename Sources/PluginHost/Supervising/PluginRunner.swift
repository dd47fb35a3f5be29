import Devices
import JSON
import Logging
import Platform
import PluginProtocol

/// Keeps one plugin process running: carries out the actions of its `Supervision` and reports to it
/// what happens.
actor PluginRunner {
  /// An input, and in which start of the process it arose; those of an earlier start are stale.
  private struct Event: Sendable {
    let input: Supervision.Input
    let launch: Int?
  }

  private let plugin: CataloguedPlugin
  private let process: String?
  private let devices: [HostedDevice]
  private let proxies: [DeviceID: DeviceProxy]
  private let mask: SecretMask
  private let launcher: any PluginLauncher
  private let scheduler: DeadlineScheduler
  private let alarm: DeadlineScheduler.Key
  private let records: ProcessRecords
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
  private var files: [FileStamp] = []
  private var settlementWaiters: [CheckedContinuation<Void, Never>] = []

  init(
    plugin: CataloguedPlugin, process: String?, devices: [HostedDevice],
    proxies: [DeviceID: DeviceProxy], launcher: any PluginLauncher, scheduler: DeadlineScheduler,
    records: ProcessRecords, logger: Logger
  ) {
    self.plugin = plugin
    self.process = process
    self.devices = devices
    self.proxies = proxies
    self.launcher = launcher
    self.scheduler = scheduler
    self.records = records
    mask = SecretMask(devices.flatMap(\.secrets))
    var logger = logger
    logger[metadataKey: "plugin"] = "\(plugin.manifest.id)"
    self.logger = logger
    supervision = Supervision(plugin: plugin.manifest.id, devices: devices.map(\.id))
    let (events, continuation) = AsyncStream.makeStream(of: Event.self)
    (self.events, eventContinuation) = (events, continuation)
    alarm = scheduler.add {
      continuation.yield(
        Event(input: .tick(lastLine: .zero, hasOpenRequests: false), launch: nil))
    }
  }

  /// Runs until it is stopped. When its task is cancelled the process is killed at once.
  func run() async {
    handle(.start)
    for await event in events {
      if let launch = event.launch, launch != self.launch { continue }
      handle(completed(event.input))
      if supervision.phase == .stopped { break }
    }
    scheduler.remove(alarm)
    run?.process.kill()
    run?.session.close()
    resumeSettlementWaiters()
  }

  /// Asks the plugin to end; `run` returns when it has.
  nonisolated func stop() { eventContinuation.yield(Event(input: .stop, launch: nil)) }

  /// Waits until the first start has succeeded or failed.
  func waitUntilSettled() async {
    switch supervision.phase {
    case .discovered, .spawned, .handshaken:
      await withCheckedContinuation { settlementWaiters.append($0) }
    case .configured, .running, .stopping, .stopped, .failed: break
    }
  }

  private func resumeSettlementWaiters() {
    for waiter in settlementWaiters { waiter.resume() }
    settlementWaiters = []
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
  }

  /// Keeps and logs what the plugin's status shows.
  private func record(_ input: Supervision.Input) {
    switch input {
    case .badLine(let what):
      problem = what
      logger.warning("bad line: \(what)")
    case .exited(let how):
      if let pid = run?.pid { records.remove(pid) }
      run?.session.close()
      logger.info("the process has ended: \(how)")
    case .refused(let device, let error):
      refusals[device] = error
      logger.error("\(device) cannot be opened: \(error.message)")
    case .opened(let device): refusals[device] = nil
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
    case .ping: run?.ping()
    case .shutDown: run?.shutDown()
    case .terminate: run?.process.terminate()
    case .kill: run?.process.kill()
    case .wake(let time): scheduler.wake(alarm, at: time)
    case .announce(let phase): announce(phase)
    }
  }

  private func spawn() {
    launch += 1
    files = plugin.fileStamps
    refusals = [:]
    do {
      let run = try PluginRun(
        plugin, launcher: launcher, mask: mask, proxies: proxies, scheduler: scheduler,
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
    launcher.check(plugin) { [mask] complaint in report(.complained(mask.masked(complaint))) }
  }

  private func open(_ id: DeviceID) {
    guard let device = devices.first(where: { $0.id == id }), let proxy = proxies[id] else {
      return
    }
    run?.open(
      device, for: proxy, remembering: plugin.manifest.roles[device.role]?.remembers ?? [])
  }

  private func announce(_ phase: Supervision.Phase) {
    let now = scheduler.clock.now()
    switch phase {
    case .discovered, .spawned, .handshaken: break
    case .configured, .running: resumeSettlementWaiters()
    case .stopping(let failure):
      if let failure { problem = failure.message }
      loseDevices(failure.map { "\(name): \($0.message); it is being ended" } ?? "it is shut down")
    case .stopped:
      loseDevices("it is shut down")
      resumeSettlementWaiters()
    case .failed(let failure, let retryAt):
      let next =
        retryAt.map { "it is started again in \(Self.seconds($0 - now)) s" }
        ?? "it is started again when its files or the configuration change"
      problem = failure.message
      logger.error("\(failure.message); \(next)")
      loseDevices("\(name): \(failure.message); \(next)")
      resumeSettlementWaiters()
    }
  }

  private var name: String { "the plugin \(plugin.manifest.id)" }

  private static func seconds(_ duration: Duration) -> String {
    let tenths = Int((duration.seconds * 10).rounded(.up))
    return "\(tenths / 10).\(tenths % 10)"
  }

  private func loseDevices(_ reason: String) {
    for device in devices { proxies[device.id]?.lost(reason) }
  }

  // MARK: Status

  /// The plugin's present status.
  func status() -> PluginStatus {
    let pid = run?.process.pid
    let stderr = run?.process.stderrLines ?? []
    var status = PluginStatus(
      plugin: plugin.manifest.id, version: plugin.manifest.version, process: process,
      devices: devices.map(\.id), condition: condition, pid: pid, restarts: supervision.restarts,
      memory: pid.flatMap(ProcessFacts.memory),
      lastMessage: refusals.sorted { $0.key < $1.key }.first?.value.description ?? warning
        ?? problem ?? stderr.last, stderr: stderr)
    if let run { status.messages = run.session.messages }
    return status
  }

  /// The warning about dropped reports of this start, while the plugin runs.
  private var warning: String? {
    guard supervision.phase == .running else { return nil }
    return devices.lazy.compactMap { self.proxies[$0.id]?.warning }.first ?? run?.warning
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
