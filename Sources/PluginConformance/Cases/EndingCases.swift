import Devices
import JSON
import PluginProtocol

extension ConformanceCase {
  /// The cases about the order of answers, cancellation, and the end of the process.
  package static let endings = [
    ConformanceCase(
      "a ping is answered while commands are in progress, and each request is answered once", .ping,
      .answeredOnce
    ) { trial in
      try await trial.withDevice { client, role in
        let command = PerformRequest(device: "a", command: .string(role.firstCommand.name))
        var open: Set<Int> = []
        for _ in 0..<20 {
          open.insert(try await client.post(command))
          open.insert(try await client.post(PingRequest()))
        }
        while !open.isEmpty {
          switch try await client.nextMessage() {
          case .success(let id, _):
            try expect(
              open.remove(id) != nil, "one answer to each request",
              received: "a second one to \(id)", rule: .answeredOnce)
          case .failure(_, let error):
            throw ConformanceFailure("success", received: error.summary, rule: .answeredOnce)
          default: break
          }
        }
        try await client.expectOnlyNotifications()
      }
    },
    ConformanceCase("a cancelled request is still answered, exactly once", .cancelledOnce) {
      trial in
      try await trial.withDevice { client, role in
        for _ in 0..<10 {
          let id = try await client.post(
            PerformRequest(device: "a", command: .string(role.firstCommand.name)))
          try await client.notify(CancelNotification(id: id))
          let error = try await client.answer(to: id).result.error
          try expect(
            error == nil || error?.data?["kind"] == "cancelled",
            "success or an error of kind \"cancelled\"", received: error?.summary ?? "")
          try await client.notify(CancelNotification(id: id))
        }
        try await client.expectOnlyNotifications()
      }
    },
    ConformanceCase(
      "the process exits within 2 s of the end of its input", .exit, isTimed: true
    ) { trial in
      let role = try trial.requireRole()
      try await trial.withProcess { client in
        for name in trial.target.restrictions.opensOneDevice ? ["a"] : ["a", "b"] {
          try await client.open(name, role).result.success("open")
          try await client.perform(name, .string(role.firstCommand.name)).result.success("perform")
        }
        await client.closeInput()
        try await client.expectExit(within: .seconds(2))
      }
    },
    ConformanceCase(
      "shutdown is answered and ends the process, though its input stays open", .shutdown, .exit,
      scope: .plugin, isTimed: true
    ) { trial in
      try await trial.withProcess { client in
        try await client.ask(ShutdownRequest())
        try await client.expectExit(within: .seconds(2))
      }
    },
    ConformanceCase(
      "initialize, open, scan, close and shutdown are answered exactly once, and shutdown last",
      .answeredOnce, .shutdown, .standardOutput, .onlyControllerAsks, scope: .plugin
    ) { trial in
      try await trial.withProcess { client in
        let initialize = InitializeRequest(controller: "conformance")
        try await client.callOnce(InitializeRequest.method, initialize.params)
        for role in trial.roles {
          let open = OpenRequest(
            device: "a", role: role, options: try trial.target.options(of: role))
          guard case .success = try await client.callOnce(OpenRequest.method, open.params) else {
            continue
          }
          try await client.callOnce(
            ScanRequest.method, ScanRequest(device: "a", folder: nil, cursor: "").params)
          try await client.callOnce(CloseRequest.method, CloseRequest(device: "a").params)
        }
        try await client.callOnce(PingRequest.method, PingRequest().params)
        try await client.callOnce(ShutdownRequest.method, ShutdownRequest().params)
        try await client.expectNoFurtherAnswer()
      }
    },
    ConformanceCase(
      "no child process is left behind at the end of the input", .noChildren, scope: .plugin
    ) { trial in
      let target = trial.target.surviving
      try await PluginClient.run(target) { client in
        try await client.ask(InitializeRequest(controller: "conformance"))
        var open: DeviceID?
        var isAnyOpen = false
        var known: [RunningProcess] = []
        for role in trial.roles {
          let role = RoleTarget(role: role, target: target)
          if let last = open, target.restrictions.opensOneDevice {
            try await client.ask(CloseRequest(device: last))
            open = nil
          }
          guard try await client.startPlayback(of: role.role.rawValue, role) else { continue }
          open = DeviceID(role.role.rawValue)
          isAnyOpen = true
          known += await client.descendants()
        }
        if !isAnyOpen { throw NotApplicable.because("no device opens") }
        await client.closeInput()
        try await client.expectEndOfProgram()
        try await client.expectNoProcess(beside: known)
      }
    },
  ]
}

extension PluginClient {
  /// Sends a request and returns its answer. Fails the case if another answer comes before it.
  @discardableResult
  fileprivate func callOnce(_ method: String, _ params: JSON) async throws -> Result<JSON, RPCError>
  {
    let (result, before) = try await call(method, params)
    for message in before { try expectNoAnswer(message) }
    return result
  }

  /// Reads the rest of the plugin's output after the answer to `shutdown`. Devices may still report changes while they
  /// are closed; everything else is a fault.
  fileprivate func expectNoFurtherAnswer() async throws {
    let wait = OutputWait(
      "the end of the plugin's output after shutdown",
      advice: "end the process and its children; they hold standard output open", rule: .exit)
    while true {
      switch try await next(wait) {
      case .message(let message): try expectNoAnswer(message)
      case .invalidLine(let line):
        throw ConformanceFailure(
          "only messages on standard output, also after the answer to shutdown",
          received: short(line), rule: .standardOutput)
      case .closed: return
      }
    }
  }

  /// Fails if a message is no notification: the awaited answer is not passed to this function.
  private func expectNoAnswer(_ message: RPCMessage) throws {
    let id: Int?
    switch message {
    case .notification: return
    case .request:
      throw ConformanceFailure(
        "no request: only the controller sends requests", received: text(message),
        rule: .onlyControllerAsks)
    case .success(let answered, _): id = answered
    case .failure(let answered, _): id = answered
    }
    guard let id, let method = method(ofRequest: id) else {
      throw ConformanceFailure(
        "one answer to each request", received: "an answer to no request: \(text(message))",
        rule: .answeredOnce)
    }
    throw ConformanceFailure(
      "one answer to \(method)", received: "a second one: \(text(message))", rule: .answeredOnce)
  }
}

extension PluginClient {
  /// Sends a ping. Fails the case if anything except notifications comes before its answer.
  fileprivate func expectOnlyNotifications() async throws {
    let (result, before) = try await call(PingRequest.method, [:])
    try result.success(PingRequest.method)
    for message in before {
      if case .notification = message { continue }
      throw ConformanceFailure(
        "one answer to each request", received: text(message), rule: .answeredOnce)
    }
  }

  /// Waits for the end of the process, and checks that its status is 0.
  fileprivate func expectExit(within time: Duration) async throws {
    let status = try await exitStatus(within: time, rule: .exit)
    try expect(
      status == Self.success, "the end of the process with status 0", received: status, rule: .exit)
  }
}
