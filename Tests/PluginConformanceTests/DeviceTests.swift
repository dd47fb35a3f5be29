import Devices
import JSON
import PluginProtocol
import Testing

@Suite("F1 E15 · every role of every plugin", .timeLimit(.minutes(3)))
struct DeviceTests {
  @Test(
    "F1 · the role opens, reports its state first and says what it can",
    arguments: RoleUnderTest.all)
  func opens(_ role: RoleUnderTest) async throws {
    try await PluginProcess.run(role.plugin) { client in
      let (result, before) = try await client.open("a", role)
      let capabilities = try #require(OpenRequest.answer(try result.get()))
      let offer = try #require(try role.plugin.manifest().roles[role.role])
      #expect(Set(capabilities.cables).isSubset(of: offer.cables))
      #expect(
        capabilities.names.isSubset(of: role.role.capabilities),
        "capabilities come from the tables of the roles")
      let keys = Set(before.states.flatMap(\.values.keys))
      #expect(capabilities.reportsState)
      #expect(keys.contains(role.firstCommand.key))
      #expect(keys.isSubset(of: role.role.stateKeys))
      #expect(before.states.allSatisfy { $0.device == "a" })
    }
  }

  @Test("E15 · a command's new state is reported before its answer", arguments: RoleUnderTest.all)
  func performs(_ role: RoleUnderTest) async throws {
    try await PluginProcess.run(role.plugin) { client in
      _ = try await client.open("a", role).result.get()
      let command = role.firstCommand
      let (result, before) = try await client.perform("a", .string(command.name))
      _ = try result.get()
      #expect(
        before.states.last { $0.values[command.key] != nil }?.values[command.key]
          == command.value)
    }
  }

  @Test(
    "E15 F1 · an answer carries a report for controllers of version 1.1 alone",
    arguments: RoleUnderTest.all, [0, 1])
  func reportsInAnswers(_ role: RoleUnderTest, _ minor: Int) async throws {
    try await PluginProcess.run(role.plugin) { client in
      let version = ProtocolVersion(major: 1, minor: minor)
      let plugin = try await client.ask(InitializeRequest(version: version, controller: "test"))
      _ = try await client.open("a", role).result.get()
      let command = role.firstCommand
      let (result, before) = try await client.perform("a", .string(command.name))
      let report = try result.get()["report"]
      #expect(
        before.states.last { $0.values[command.key] != nil }?.values[command.key]
          == command.value)
      if !version.hasReportsInAnswers || !plugin.version.hasReportsInAnswers {
        #expect(report == nil)
      }
      if let report { #expect(StateNotification(params: report)?.device == "a") }
    }
  }

  @Test(
    "E9 · a catalogue is read page by page to its end, and nothing comes twice",
    arguments: RoleUnderTest.all)
  func turnsPages(_ role: RoleUnderTest) async throws {
    try await PluginProcess.run(role.plugin) { client in
      _ = try await client.open("a", role).result.get()
      var cursor: String? = ""
      var ids: [String] = []
      for _ in 0..<100 {
        guard let place = cursor else { break }
        let request = ScanRequest(device: "a", folder: nil, cursor: place)
        let page = try await client.ask(request)
        #expect(page.next == nil || !page.items.isEmpty, "a page with a next one is not empty")
        ids += page.items.map(\.id)
        cursor = page.next
      }
      #expect(cursor == nil)
      #expect(Set(ids).count == ids.count)
    }
  }

  @Test(
    "E15 · a wrong command or argument is refused as invalid, with a hint",
    arguments: RoleUnderTest.all)
  func refusesWrongCommands(_ role: RoleUnderTest) async throws {
    try await PluginProcess.run(role.plugin) { client in
      _ = try await client.open("a", role).result.get()
      for command in Self.wrongCommands(of: role.role) {
        let (result, before) = try await client.perform("a", command)
        let error = try #require(result.error, "\(command) was accepted")
        #expect(error.code == RPCError.deviceErrorCode, "\(command)")
        #expect(error.data?["kind"] == "invalid", "\(command)")
        #expect(!error.message.isEmpty)
        #expect(before.states == [], "\(command) changed the state")
      }
      #expect(try await client.perform("a", .string(role.firstCommand.name)).result.error == nil)
    }
  }

  /// What the table of the role forbids.
  static func wrongCommands(of role: Role) -> [JSON] {
    var wrong: [JSON] = [
      "levitate", 7, nil, [], [:], ["on": nil, "off": nil], ["levitate": 3], "", ["on"],
    ]
    for spec in role.commands {
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

  @Test(
    "F1 · wrong params and devices that are not open are refused",
    arguments: RoleUnderTest.all)
  func refusesWrongParams(_ role: RoleUnderTest) async throws {
    try await PluginProcess.run(role.plugin) { client in
      for method in ["open", "perform", "close", "openSocket", "plug", "scan"] {
        for params: JSON in [[:], [], nil, 5, ["device": 5]] {
          let error = try await client.refusal(of: method, params)
          #expect(error.code == RPCError.invalidParamsCode, "\(method) \(params)")
        }
        if method != "open" {
          let params: JSON = [
            "device": "nobody", "command": "on", "path": "/nowhere", "token": "x", "input": "dvd",
          ]
          let error = try await client.refusal(of: method, params)
          #expect(error.code == RPCError.invalidParamsCode, "\(method)")
        }
      }
    }
  }

  @Test(
    "F1 · a role that the plugin does not have is refused and leaves nothing open",
    arguments: PluginUnderTest.all)
  func refusesForeignRoles(_ plugin: PluginUnderTest) async throws {
    let roles = try plugin.manifest().roles
    try await PluginProcess.run(plugin) { client in
      for role in Role.allCases where roles[role] == nil {
        let error = try await client.refusal(
          of: OpenRequest(device: "a", role: role, options: [:]))
        #expect(error.data?["kind"] == "unsupported")
        let next = try await client.refusal(of: PerformRequest(device: "a", command: "on"))
        #expect(next.code == RPCError.invalidParamsCode)
      }
      let error = try await client.refusal(
        of: "open", ["device": "a", "role": "waffleIron", "options": [:]])
      #expect(error.code == RPCError.invalidParamsCode || error.data?["kind"] == "unsupported")
    }
  }

  @Test(
    "F1 · a device is closed and opened again, and opening replaces", arguments: RoleUnderTest.all)
  func reopens(_ role: RoleUnderTest) async throws {
    try await PluginProcess.run(role.plugin) { client in
      _ = try await client.open("a", role).result.get()
      try await client.ask(CloseRequest(device: "a"))
      let error = try await client.refusal(of: PerformRequest(device: "a", command: "on"))
      #expect(error.code == RPCError.invalidParamsCode)
      for _ in 1...2 { _ = try await client.open("a", role).result.get() }
      let command = JSON.string(role.firstCommand.name)
      #expect(try await client.perform("a", command).result.error == nil)
      try await client.ask(CloseRequest(device: "a"))
      let again = try await client.refusal(of: CloseRequest(device: "a"))
      #expect(again.code == RPCError.invalidParamsCode)
    }
  }

  @Test(
    "F1 · several devices of one process report independently",
    arguments: RoleUnderTest.all)
  func severalDevices(_ role: RoleUnderTest) async throws {
    try await PluginProcess.run(role.plugin) { client in
      for name in ["a", "b", "c"] { _ = try await client.open(name, role).result.get() }
      let command = role.firstCommand
      let (result, before) = try await client.perform("b", .string(command.name))
      _ = try result.get()
      #expect(Set(before.states.filter { $0.values[command.key] != nil }.map(\.device)) == ["b"])
      try await client.ask(CloseRequest(device: "b"))
      for name in ["a", "c"] {
        #expect(try await client.perform(name, .string(command.name)).result.error == nil)
      }
    }
  }
}

extension PluginProcess {
  typealias Outcome = (result: Result<JSON, RPCError>, before: [RPCMessage])

  /// Opens a device of the role with options that fit this machine.
  func open(_ name: String, _ role: RoleUnderTest) async throws -> Outcome {
    let request = OpenRequest(
      device: DeviceID(name), role: role.role, options: try role.options())
    return try await call(OpenRequest.method, request.params)
  }

  func perform(_ name: String, _ command: JSON) async throws -> Outcome {
    let request = PerformRequest(device: DeviceID(name), command: command)
    return try await call(PerformRequest.method, request.params)
  }
}

extension [RPCMessage] {
  /// The state notifications among these.
  var states: [StateNotification] {
    compactMap { message in
      guard case .notification(StateNotification.method, let params) = message else { return nil }
      return StateNotification(params: params)
    }.filter { !$0.values.isEmpty }
  }
}

extension StateNotification: Equatable {
  public static func == (left: Self, right: Self) -> Bool { left.params == right.params }
}
