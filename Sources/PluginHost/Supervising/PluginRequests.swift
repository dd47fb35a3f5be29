import Devices
import JSON
import PluginProtocol

/// What a runner asks its plugin.
extension PluginRunner {
  /// Asks who is there.
  func initialize() {
    let request = InitializeRequest(controller: "theater \(TheaterVersion.text)")
    ask(request, within: Self.longestHandshake) { result in
      switch result {
      case .success(let answer): .initialized(answer)
      case .failure(.refused(let error)) where error.code == RPCError.versionErrorCode:
        .initializeFailed(.init(.version, error.message))
      case .failure(.refused(let error)):
        .initializeFailed(.init(.crash, "it refused to begin: \(error.message)"))
      case .failure(.timeout):
        .initializeFailed(
          .init(.crash, "it did not say who it is within \(Self.longestHandshake.seconds) s"))
      case .failure(.lost): nil  // Its end is reported in its own way.
      }
    }
  }

  /// Asks to open a device.
  func open(_ id: DeviceID) {
    guard let device = devices.first(where: { $0.id == id }), let proxy = proxies[id], let session
    else { return }
    proxy.willOpen(in: session)
    let request = OpenRequest(device: id, role: device.role, options: device.options)
    let memory = DeviceMemory(
      keys: plugin.manifest.roles[device.role]?.remembers ?? [],
      loudestStart: device.options["startupVolume"]?.integer)
    ask(request, within: Self.longestOpening) { result in
      switch result {
      case .success(let capabilities):
        // Here, on the connection's thread, so that no report is taken before or after its turn.
        proxy.opened(capabilities, memory, in: session)
        return .opened(id)
      case .failure(.lost): return nil
      case .failure(let failure):
        let error = failure.deviceError(device: id, asked: OpenRequest.method)
        proxy.lost("it cannot be opened: \(error.message)" + (error.hint.map { " (\($0))" } ?? ""))
        return .refused(id, error)
      }
    }
  }

  /// Asks for a sign of life.
  func ping() {
    guard let session else { return }
    session.send(
      session.nextID(), method: PingRequest.method, PingRequest().params,
      within: Supervision.Limits.pingInterval, isWork: false
    ) { _ in }
  }

  /// Asks to end, and ends the input.
  func shutDown() {
    guard let session else { return }
    session.send(
      session.nextID(), method: ShutdownRequest.method, ShutdownRequest().params,
      within: Supervision.Limits.graceOfEnd, isWork: false
    ) { _ in }
    session.closeSending()
  }

  private func ask<Request: PluginRequest>(
    _ request: Request, within longest: Duration,
    _ receive:
      @escaping @Sendable (Result<Request.Answer, PluginSession.Failure>) -> Supervision.Input?
  ) {
    guard let session else { return }
    let desk = newsDesk
    let launch = launch
    session.send(session.nextID(), method: Request.method, request.params, within: longest) {
      let answer = $0.flatMap { result -> Result<Request.Answer, PluginSession.Failure> in
        if let answer = Request.answer(result) { return .success(answer) }
        let what = "the answer to \(Request.method) lacks something"
        return .failure(.refused(RPCError(RPCError.invalidRequestCode, what)))
      }
      if let input = receive(answer) { desk.yield(News(input: input, launch: launch)) }
    }
  }
}
