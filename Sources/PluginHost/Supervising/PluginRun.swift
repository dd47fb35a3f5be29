import Devices
import JSON
import Logging
import PluginProtocol

/// One start of a plugin: its process, the session with it, and the requests that supervision makes.
///
/// Answers and events become inputs of the supervision on the connection's thread.
final class PluginRun: Sendable {
  let process: any LaunchedPlugin
  /// The process id with which it was started; `nil` in memory.
  let pid: Int32?
  let session: PluginSession
  private let router: Router
  private let report: @Sendable (Supervision.Input) -> Void

  /// Starts the plugin.
  ///
  /// - Parameter report: Receives the inputs for the supervision, on the threads of the run.
  init(
    _ plugin: CataloguedPlugin, launcher: any PluginLauncher, mask: ProcessSecretMask,
    devices: DeviceTable, scheduler: DeadlineScheduler, logger: Logger,
    report: @escaping @Sendable (Supervision.Input) -> Void
  ) throws(LaunchError) {
    self.report = report
    process = try launcher.launch(plugin, mask: mask) { report(.exited(how: $0)) }
    pid = process.pid
    let router = Router(
      devices: devices, clock: scheduler.clock, log: process.log, logger: logger)
    self.router = router
    session = PluginSession(connection: process.connection, scheduler: scheduler, mask: mask) {
      if let input = router.route($0) { report(input) }
    }
    router.connect(session)
  }

  /// The warning about dropped lines of its log, for its status.
  var warning: String? { router.warning }

  /// Asks the plugin to introduce itself.
  func initialize() {
    let request = InitializeRequest(controller: "theater \(TheaterVersion.text)")
    ask(request) { result in
      switch result {
      case .success(let answer): .initialized(answer)
      case .failure(.refused(let error)) where error.code == RPCError.versionErrorCode:
        .initializeFailed(.init(.version, error.message))
      case .failure(.refused(let error)):
        .initializeFailed(.init(.crash, "it refused to begin: \(error.message)"))
      case .failure(.timeout):
        .initializeFailed(
          .init(
            .crash,
            "it did not say who it is within \(Int(InitializeRequest.deadline.seconds)) s"))
      case .failure(.unreadable(let fault)):
        .initializeFailed(.init(.crash, "what it says of itself cannot be read: \(fault)"))
      // Its end is reported in its own way.
      case .failure(.lost), .failure(.cancelled): nil
      }
    }
  }

  /// Asks the plugin to open a device. The device's proxy gets the answer.
  ///
  /// - Parameters:
  ///   - keys: The state keys that the device keeps without its process.
  ///   - isSameDevice: Whether an earlier process has opened it with the same plugin and options.
  func open(
    _ device: HostedDevice, for proxy: DeviceProxy, remembering keys: Set<StateKey>,
    isSameDevice: Bool
  ) {
    proxy.prepareToOpen(in: session)
    let request = OpenRequest(device: device.id, role: device.role, options: device.options)
    let memory = DeviceMemory(
      keys: keys, loudestStart: device.options["startupVolume"]?.integer,
      isSameDevice: isSameDevice)
    ask(request) { [session] result in
      switch result {
      case .success(let capabilities):
        // Here, on the connection's thread, so that the answer and reports are handled in order.
        proxy.markOpen(capabilities, memory, in: session)
        return .opened(device.id)
      case .failure(.lost), .failure(.cancelled): return nil
      case .failure(let failure):
        let error = failure.deviceError(device: device.id, asked: OpenRequest.method)
        let hint = error.hint.map { " (\($0))" } ?? ""
        proxy.markUnavailable("it cannot be opened: \(error.message)\(hint)", in: session)
        return .refused(device.id, error)
      }
    }
  }

  /// Asks to close a device.
  func close(_ device: DeviceID) {
    ask(CloseRequest(device: device)) { result in
      switch result {
      case .success: .closed(device)
      // It was not open.
      case .failure(.refused(let error)) where error.code == RPCError.invalidParamsCode:
        .closed(device)
      case .failure(.refused(let error)):
        .closeFailed("it refused to close \(device): \(error.message)")
      case .failure(.timeout):
        .closeFailed("it did not close \(device) within \(Int(CloseRequest.deadline.seconds)) s")
      case .failure(.unreadable(let fault)):
        .closeFailed("its answer to the close of \(device) cannot be read: \(fault)")
      // Its end is reported in its own way.
      case .failure(.lost), .failure(.cancelled): nil
      }
    }
  }

  /// Pings the plugin. ``LivenessMonitor`` decides when an answer is missed; the time here only bounds how
  /// long the request is kept.
  func ping() {
    session.send(
      session.nextID(), method: PingRequest.method, PingRequest().params,
      within: Supervision.Limits.pingInterval * 2, isWork: false
    ) { _ in }
  }

  /// Asks to end, and ends the input. Nothing waits for earlier requests any more.
  func shutDown() {
    session.abandonRequests()
    session.send(
      session.nextID(), method: ShutdownRequest.method, ShutdownRequest().params,
      within: Supervision.Limits.graceOfEnd, isWork: false
    ) { _ in }
    session.closeSending()
  }

  private func ask<Request: PluginRequest>(
    _ request: Request,
    _ receive:
      @escaping @Sendable (Result<Request.Answer, PluginSession.Failure>) -> Supervision.Input?
  ) {
    session.send(
      session.nextID(), method: Request.method, request.params, within: Request.deadline
    ) { [report] in
      if let input = receive($0.flatMap(PluginSession.answerDecoder(for: Request.self))) {
        report(input)
      }
    }
  }
}
