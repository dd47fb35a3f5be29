import Devices
import JSON
import PluginProtocol

extension ConformanceCase {
  /// The cases about opening, commanding and closing devices of each role.
  package static let devices = opening + commands + [refusesForeignRoles]

  private static let opening = [
    ConformanceCase("open reports the state before its answer", .firstState, .values) { trial in
      let role = try trial.requireRole()
      try await trial.withProcess { client in
        let (result, before) = try await client.open("a", role)
        let capabilities = try OpenRequest.checked(result)
        let keys = Set(before.states.flatMap(\.values.keys))
        try expect(
          keys.contains(role.firstCommand.key) || !capabilities.reportsState,
          "a state with \"\(role.firstCommand.key.rawValue)\" before the answer",
          received: keys.isEmpty ? "none" : keys.map(\.rawValue).sorted().joined(separator: ", "))
        try expect(
          keys.isSubset(of: role.role.stateKeys), "keys of \(role.role.rawValue)",
          received: keys.subtracting(role.role.stateKeys).map(\.rawValue), rule: .values)
        try expect(
          before.states.allSatisfy { $0.device == "a" }, "the state of \"a\"",
          received: before.states.map(\.device))
      }
    },
    ConformanceCase("open names only capabilities of the role", .capabilities) { trial in
      let role = try trial.requireRole()
      try await trial.withProcess { client in
        let names = try OpenRequest.checked(await client.open("a", role).result).names
        let foreign = names.subtracting(role.role.capabilities)
        try expect(
          foreign.isEmpty, "only \(role.role.capabilities.sorted())", received: foreign.sorted())
      }
    },
    ConformanceCase("open names only cables of the manifest", .cables) { trial in
      let role = try trial.requireRole()
      guard trial.target.hasManifest else { throw NotApplicable.because("there is no manifest") }
      try await trial.withProcess { client in
        let result = try await client.open("a", role).result.success("open")
        let known = CableKind.allCases.map(\.rawValue)
        let named = (result["cables"]?.array ?? []).map { $0.string ?? text($0) }
        try expect(
          Set(named).isSubset(of: known), "some of \(known.joined(separator: ", "))",
          received: named.joined(separator: ", "))
        let cables = try OpenRequest.checked(.success(result)).cables
        let offered = trial.target.manifest.roles[role.role]?.cables ?? []
        try expect(
          Set(cables).isSubset(of: offered), "some of \(offered.map(\.rawValue))",
          received: cables.map(\.rawValue))
      }
    },
    ConformanceCase("a closed device is no longer open", .closed, .invalidParams) { trial in
      try await trial.withDevice { client, _ in
        try await client.ask(CloseRequest(device: "a"))
        for request in ["perform", "close"] {
          let error = try await client.refusal(of: request, ["device": "a", "command": "on"])
          try error.expectInvalidParams(request, rule: .invalidParams)
        }
      }
    },
    ConformanceCase("opening a name again replaces its device", .openReplaces) { trial in
      try await trial.withDevice { client, role in
        try await client.ask(CloseRequest(device: "a"))
        for _ in 1...2 { try await client.open("a", role).result.success("open") }
        try await client.perform("a", .string(role.firstCommand.name)).result.success("perform")
        try await client.ask(CloseRequest(device: "a"))
        try await client.refusal(of: CloseRequest(device: "a")).expectInvalidParams("close")
      }
    },
    ConformanceCase("several devices of one process report independently", .severalDevices) {
      trial in
      try trial.target.restrictions.requireSeveralDevices()
      let role = try trial.requireRole()
      try await trial.withProcess { client in
        for name in ["a", "b", "c"] { try await client.open(name, role).result.success("open") }
        let command = role.firstCommand
        let (result, before) = try await client.perform("b", .string(command.name))
        try result.success("perform")
        let reporting = Set(before.states.filter { $0.values[command.key] != nil }.map(\.device))
        try expect(reporting.isSubset(of: ["b"]), "reports of \"b\"", received: reporting)
        try await client.ask(CloseRequest(device: "b"))
        for name in ["a", "c"] {
          try await client.perform(name, .string(command.name)).result.success("perform")
        }
      }
    },
  ]

  private static let commands = [
    ConformanceCase("a command's new state is reported before its answer", .reportsBeforeAnswer) {
      trial in
      let role = try trial.requireRole()
      try await trial.withProcess { client in
        let opened = try OpenRequest.checked(await client.open("a", role).result)
        try await client.expectFirstCommand(role, reportsState: opened.reportsState)
      }
    },
    reportsInAnswers(minor: 0),
    reportsInAnswers(minor: 1),
    ConformanceCase("a wrong command or argument is refused as invalid", .invalidCommand) { trial in
      try await trial.withDevice { client, role in
        let restrictions = trial.target.restrictions
        for command in role.role.wrongCommands where !restrictions.forbids(command) {
          let (result, before) = try await client.perform("a", command)
          let error = try require(result.error, "a refusal", received: "its acceptance")
          try expect(
            error.code == RPCError.deviceErrorCode && error.data?["kind"] == "invalid"
              && !error.message.isEmpty,
            "error \(RPCError.deviceErrorCode) of kind \"invalid\" with a message",
            received: error.summary)
          try expect(
            before.states.isEmpty, "no change of the state",
            received: before.states.map { text($0.params) })
        }
        try await client.perform("a", .string(role.firstCommand.name)).result.success("perform")
      }
    },
    ConformanceCase(
      "wrong params and devices that are not open are refused", .invalidParams
    ) { trial in
      try await trial.withProcess { client in
        for method in ["open", "perform", "close", "openSocket", "plug", "scan"] {
          for params: JSON in [[:], [], nil, 5, ["device": 5]] {
            try await client.refusal(of: method, params).expectInvalidParams(method)
          }
          if method == "open" { continue }
          let params: JSON = [
            "device": "nobody", "command": "on", "path": "/nowhere", "token": "x", "input": "dvd",
          ]
          try await client.refusal(of: method, params).expectInvalidParams(method)
        }
      }
    },
    ConformanceCase(
      "a catalogue is read page by page to its end, and has no item twice", .pages, .scanAnswer,
      .itemIDs, .itemKeys, .itemNumbers, .cursor
    ) { trial in
      try await trial.withDevice { client, _ in
        _ = try await client.checkedCatalogue(of: "a", folder: nil)
      }
    },
  ]

  /// - Parameter minor: The minor version that the controller sends in `initialize`.
  private static func reportsInAnswers(minor: Int) -> ConformanceCase {
    let version = ProtocolVersion(major: 1, minor: minor)
    return ConformanceCase(
      "answers carry reports as a controller of version \(version) understands them",
      .reportInAnswer, .reportsBeforeAnswer
    ) { trial in
      let role = try trial.requireRole()
      try await trial.withProcess { client in
        let plugin = try await client.ask(
          InitializeRequest(version: version, controller: "conformance"))
        let opened = try OpenRequest.checked(await client.open("a", role).result)
        let result = try await client.expectFirstCommand(
          role, reportsState: opened.reportsState, rule: .reportsBeforeAnswer)
        guard let report = result["report"] else { return }
        try expect(
          version.hasReportsInAnswers && plugin.version.hasReportsInAnswers,
          "an answer without \"report\"", received: text(result))
        try expect(
          StateNotification(params: report)?.device == "a", "a report of \"a\"",
          received: text(report))
      }
    }
  }

  private static let refusesForeignRoles = ConformanceCase(
    "a role that the plugin does not have is refused and leaves nothing open", .refusedOpen,
    .unsupported, scope: .plugin
  ) { trial in
    guard trial.target.hasManifest else { throw NotApplicable.because("there is no manifest") }
    let roles = trial.target.manifest.roles
    try await trial.withProcess { client in
      for role in Role.allCases where roles[role] == nil {
        let error = try await client.refusal(
          of: OpenRequest(device: "a", role: role, options: [:]))
        try expect(
          error.data?["kind"] == "unsupported", "an error of kind \"unsupported\"",
          received: error.summary, rule: .unsupported)
        let next = try await client.refusal(of: PerformRequest(device: "a", command: "on"))
        try next.expectInvalidParams("perform")
      }
      let error = try await client.refusal(
        of: "open", ["device": "a", "role": "waffleIron", "options": [:]])
      try expect(
        error.code == RPCError.invalidParamsCode || error.data?["kind"] == "unsupported",
        "error \(RPCError.invalidParamsCode), or an error of kind \"unsupported\"",
        received: error.summary, rule: .unsupported)
    }
  }
}

extension OpenRequest {
  /// Returns the capabilities in an answer. Fails the case if the plugin refused, or the answer is not valid.
  static func checked(_ result: Result<JSON, RPCError>) throws -> Capabilities {
    let json = try result.success(method)
    return try require(decodeAnswer(json), "capabilities", received: text(json))
  }
}

extension RPCError {
  /// Fails unless this is the error for wrong params.
  func expectInvalidParams(_ method: String, rule: ProtocolRule? = nil) throws {
    try expect(
      code == RPCError.invalidParamsCode, "error \(RPCError.invalidParamsCode) of \(method)",
      received: summary, rule: rule)
  }
}

extension PluginClient {
  /// Sends the first command of the role to the device `a`, and checks the reports before its answer.
  @discardableResult
  fileprivate func expectFirstCommand(
    _ role: RoleTarget, reportsState: Bool, rule: ProtocolRule? = nil
  ) async throws -> JSON {
    let command = role.firstCommand
    let (answer, before) = try await perform("a", .string(command.name))
    let result = try answer.success("perform")
    guard reportsState else { return result }
    let last = before.states.last { $0.values[command.key] != nil }
    let state = last.map { report in
      DeviceState(readings: report.values.mapValues { Reading($0, time: .zero) })
    }
    try expect(
      state.map(role.followsFirstCommand) ?? false,
      "\"\(command.key.rawValue)\": \(command.value.text()) before the answer to \(command.name)",
      received: last.map { text($0.params) } ?? "no report", rule: rule)
    return result
  }
}

extension Role {
  /// Commands that are not in the table of the role, or whose arguments are missing,
  /// superfluous, of a wrong type or outside their ranges.
  fileprivate var wrongCommands: [JSON] {
    var wrong: [JSON] = [
      "levitate", 7, nil, [], [:], ["on": nil, "off": nil], ["levitate": 3], "", ["on"],
    ]
    for spec in commands {
      guard let argument = spec.argument else {
        wrong.append([spec.name: 5])
        continue
      }
      if argument.isRequired { wrong.append(.string(spec.name)) }
      wrong.append([spec.name: [1, 2]])
      switch argument.shape {
      case .integer(let range, _):
        wrong += [range.upperBound + 1, range.lowerBound - 1].map { [spec.name: .integer($0)] }
        wrong += [[spec.name: 12.5], [spec.name: "12"], [spec.name: true], [spec.name: 1e300]]
      case .number(let range, _):
        wrong += [range.upperBound + 1, range.lowerBound - 1].map { [spec.name: .number($0)] }
        wrong += [[spec.name: "12"], [spec.name: 1e300]]
      case .text: wrong += [[spec.name: ""], [spec.name: 3]]
      case .fields: wrong += [[spec.name: ["levitate": 1]], [spec.name: "x"]]
      }
    }
    return wrong
  }
}
