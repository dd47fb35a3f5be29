import Devices
import JSON
import Logging
import PluginProtocol

/// Runs one plugin process: does what its `Supervision` says, and tells it what happens.
actor PluginRunner {
  /// What happened, and in which start of the process; news of an earlier one is stale.
  struct News: Sendable {
    let input: Supervision.Input
    let launch: Int?
  }

  let plugin: CataloguedPlugin
  let process: String?
  let devices: [HostedDevice]
  let proxies: [DeviceID: DeviceProxy]
  private let mask: SecretMask
  private let launcher: any PluginLauncher
  private let timetable: DeadlineScheduler
  private let records: ProcessRecords
  private let logger: Logger

  private let news: AsyncStream<News>
  nonisolated let newsDesk: AsyncStream<News>.Continuation
  private(set) var supervision: Supervision
  private(set) var launched: (any LaunchedPlugin)?
  private(set) var launch = 0
  private(set) var session: PluginSession?
  private(set) var router: Router?
  private(set) var problem: String?
  private(set) var refusals: [DeviceID: DeviceError] = [:]
  private var files: [FileStamp] = []
  private var settlers: [CheckedContinuation<Void, Never>] = []

  /// How long a plugin may take to say who it is, and a device to be opened.
  static let longestHandshake = Duration.seconds(10)
  static let longestOpening = Duration.seconds(20)

  init(
    plugin: CataloguedPlugin, process: String?, devices: [HostedDevice],
    proxies: [DeviceID: DeviceProxy], launcher: any PluginLauncher, timetable: DeadlineScheduler,
    records: ProcessRecords, logger: Logger
  ) {
    self.plugin = plugin
    self.process = process
    self.devices = devices
    mask = SecretMask(devices.flatMap(\.secrets))
    self.proxies = proxies
    self.launcher = launcher
    self.timetable = timetable
    self.records = records
    var logger = logger
    logger[metadataKey: "plugin"] = "\(plugin.manifest.id)"
    self.logger = logger
    (news, newsDesk) = AsyncStream.makeStream()
    supervision = Supervision(plugin: plugin.manifest.id, devices: devices.map(\.id))
  }

  /// Runs until it is stopped. When its task is cancelled the process is killed at once.
  func run() async {
    let desk = newsDesk
    let key = timetable.add {
      desk.yield(News(input: .tick(lastLine: .zero, hasOpenRequests: false), launch: nil))
    }
    take(.start, key)
    for await item in news {
      if let launch = item.launch, launch != self.launch { continue }
      take(refined(item.input), key)
      if supervision.phase == .stopped { break }
    }
    timetable.remove(key)
    launched?.kill()
    session?.close()
    settle()
  }

  /// Asks the plugin to end; `run` returns when it has.
  nonisolated func stop() { newsDesk.yield(News(input: .stop, launch: nil)) }

  /// Waits until the first start has succeeded or failed.
  func waitUntilSettled() async {
    if isSettled { return }
    await withCheckedContinuation { settlers.append($0) }
  }

  private var isSettled: Bool {
    switch supervision.phase {
    case .discovered, .spawned, .handshaken: false
    case .configured, .running, .stopping, .stopped, .failed: true
    }
  }

  private func settle() {
    for settler in settlers { settler.resume() }
    settlers = []
  }

  // MARK: In

  /// A tick is filled with what is known now, or becomes the news that a file has changed.
  private func refined(_ input: Supervision.Input) -> Supervision.Input {
    guard case .tick = input else { return input }
    if case .failed(_, nil) = supervision.phase, FileStamp.stamps(of: plugin) != files {
      return .fileChanged
    }
    return .tick(
      lastLine: session?.lastLine ?? .zero, hasOpenRequests: session?.hasOpenRequests ?? false)
  }

  private func take(_ input: Supervision.Input, _ key: DeadlineScheduler.Key) {
    note(input)
    for action in supervision.handle(input, at: timetable.clock.now()) { perform(action, key) }
  }

  private func note(_ input: Supervision.Input) {
    switch input {
    case .badLine(let what):
      problem = what
      logger.warning("bad line: \(what)")
    case .exited(let how):
      if let pid = launched?.pid ?? recordedPID { records.remove(pid) }
      recordedPID = nil
      session?.close()
      logger.info("the process has ended: \(how)")
    case .refused(let device, let error):
      refusals[device] = error
      logger.error("\(device) cannot be opened: \(error.message)")
    case .opened(let device): refusals[device] = nil
    default: break
    }
  }

  private var recordedPID: Int32?

  // MARK: Out

  private func perform(_ action: Supervision.Action, _ key: DeadlineScheduler.Key) {
    switch action {
    case .spawn: spawn(key)
    case .check: check()
    case .initialize: initialize()
    case .open(let devices): for device in devices { open(device) }
    case .ping: ping()
    case .shutDown: shutDown()
    case .terminate: launched?.terminate()
    case .kill: launched?.kill()
    case .wake(let time): timetable.wake(key, at: time)
    case .announce(let phase): announce(phase)
    }
  }

  private func spawn(_ key: DeadlineScheduler.Key) {
    launch += 1
    let launch = launch
    let desk = newsDesk
    files = FileStamp.stamps(of: plugin)
    refusals = [:]
    do {
      let launched = try launcher.launch(plugin, mask: mask) { how in
        desk.yield(News(input: .exited(how: how), launch: launch))
      }
      self.launched = launched
      logger.info("started", metadata: ["pid": "\(launched.pid ?? 0)"])
      recordedPID = launched.pid
      if let pid = launched.pid { records.add(pid) }
      session = makeSession(over: launched.connection, launch: launch)
      session?.start()
      take(.spawned, key)
    } catch {
      launched = nil
      session = nil
      take(.spawnFailed(error.message), key)
    }
  }

  private func check() {
    let desk = newsDesk
    // It belongs to the start that follows.
    let launch = launch + 1
    launcher.check(plugin) { [mask] complaint in
      desk.yield(News(input: .complained(mask.masked(complaint)), launch: launch))
    }
  }

  private func makeSession(over connection: any Connection, launch: Int) -> PluginSession {
    let desk = newsDesk
    let router = Router(proxies: proxies, clock: timetable.clock, logger: logger)
    self.router = router
    let session = PluginSession(connection: connection, timetable: timetable, mask: mask) {
      event in
      if let input = router.route(event) { desk.yield(News(input: input, launch: launch)) }
    }
    router.connect(session)
    return session
  }

  // MARK: Telling

  private func announce(_ phase: Supervision.Phase) {
    let now = timetable.clock.now()
    switch phase {
    case .discovered, .spawned, .handshaken: break
    case .configured, .running: settle()
    case .stopping(let failure):
      if let failure { problem = failure.message }
      tellProxies(failure.map { "\(name): \($0.message); it is being ended" } ?? "it is shut down")
    case .stopped:
      tellProxies("it is shut down")
      settle()
    case .failed(let failure, let retryAt):
      let next =
        retryAt.map { "it is started again in \(Self.seconds($0 - now)) s" }
        ?? "it is started again when its files or the configuration change"
      problem = failure.message
      logger.error("\(failure.message); \(next)")
      tellProxies("\(name): \(failure.message); \(next)")
      settle()
    }
  }

  private var name: String { "the plugin \(plugin.manifest.id)" }

  private static func seconds(_ duration: Duration) -> String {
    let tenths = Int((duration.seconds * 10).rounded(.up))
    return "\(tenths / 10).\(tenths % 10)"
  }

  private func tellProxies(_ reason: String) {
    for device in devices { proxies[device.id]?.lost(reason) }
  }
}
