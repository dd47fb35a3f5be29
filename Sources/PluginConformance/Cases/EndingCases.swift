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
        for name in ["a", "b"] {
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
  ]
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
    let status = try await exitStatus(within: time)
    try expect(
      status == Self.success, "the end of the process with status 0", received: status, rule: .exit)
  }
}
