import Devices
import JSON
import PluginProtocol
import Testing

@testable import PluginKit

@Suite("F1 · PluginKit serves a plugin", .timeLimit(.minutes(5)))
struct ServingTests {
  @Test("F1 · the handshake tells the plugin's name and version")
  func handshake() async throws {
    let plugin = ServedPlugin()
    try plugin.send(1, InitializeRequest(controller: "test"))
    let answer = try #require(await plugin.answers(1)[1]).get()
    #expect(
      InitializeRequest.decodeAnswer(answer)
        == .init(version: .current, plugin: "Scripted", pluginVersion: "2.1"))
  }

  @Test("there is a handler for every message of the protocol that the controller sends")
  func handlers() {
    let requests = PluginContract.messages.filter { $0 is any PluginRequest.Type }
    let notifications = PluginContract.messages.filter { $0 is any ControllerNotification.Type }
    #expect(Set(MessageHandlers.requests.keys) == Set(requests.map { $0.method }))
    #expect(Set(MessageHandlers.notifications.keys) == Set(notifications.map { $0.method }))
    #expect(requests.count == 12 && notifications.count == 2)
  }

  @Test("F1 · state is reported before the answer, in the order of the commands")
  func order() async throws {
    let plugin = ServedPlugin()
    try plugin.open(1)
    for (id, word) in [(2, "down"), (3, "up"), (4, "stop")] {
      try plugin.perform(id, .string(word))
    }
    var seen: [String] = []
    while seen.count < 8, let message = await plugin.next() {
      switch message {
      case .notification("state", let params):
        seen.append(params["state"]?["position"]?.string ?? "?")
      case .success(let id, _): seen.append("\(id)")
      default: seen.append("\(message)")
      }
    }
    #expect(seen == ["up", "1", "down", "2", "up", "3", "stop", "4"])
  }

  /// The next `count` messages of a plugin in short form: `up` for a report, `2` for an answer,
  /// `2 up` for an answer that carries a report, `2 failed` for a refusal.
  private func messages(_ count: Int, of plugin: ServedPlugin) async -> [String] {
    var seen: [String] = []
    while seen.count < count, let message = await plugin.next() {
      switch message {
      case .notification("state", let params):
        seen.append(params["state"]?["position"]?.string ?? "?")
      case .success(let id, let result):
        let report = result["report"].flatMap(StateNotification.init)
        let position = report?.values[.position]?.string.map { " \($0)" }
        seen.append("\(id)\(position ?? "")")
      case .failure(let id?, _): seen.append("\(id) failed")
      default: seen.append("\(message)")
      }
    }
    return seen
  }

  @Test("F1 E15 · the last report goes with the answer to a controller that understands it")
  func reportsInAnswers() async throws {
    for (minor, expected) in [
      (0, ["1", "up", "2", "moving", "down", "3", "moving", "stop", "4"]),
      (1, ["1", "up", "2", "moving", "3 down", "moving", "4 stop"]),
      (2, ["1", "up", "2", "moving", "3 down", "moving", "4 stop"]),
    ] {
      let plugin = ServedPlugin()
      let version = ProtocolVersion(major: 1, minor: minor)
      try plugin.send(1, InitializeRequest(version: version, controller: "test"))
      try plugin.open(2, "a", ["moves": true])
      try plugin.perform(3, "down")
      try plugin.perform(4, "stop")
      #expect(await messages(expected.count, of: plugin) == expected)
    }
  }

  @Test("F1 E15 · no report waits for an answer that is not ready")
  func reportsBeforeLateAnswers() async throws {
    let plugin = ServedPlugin()
    try plugin.send(1, InitializeRequest(controller: "test"))
    try plugin.open(2, "a", ["moves": true, "waits": "stop"])
    try plugin.perform(3, "stop")
    #expect(await messages(4, of: plugin) == ["1", "up", "2", "moving"])
    plugin.script.release("stop")
    // The command goes on while no message from the controller is handled, so no report is held.
    #expect(await messages(2, of: plugin) == ["stop", "3"])
  }

  @Test("F1 E15 · a report before a refusal is sent before it")
  func reportsBeforeRefusals() async throws {
    let plugin = ServedPlugin()
    try plugin.send(1, InitializeRequest(controller: "test"))
    try plugin.open(2, "a", ["moves": true, "refuses": "stop"])
    try plugin.perform(3, "stop")
    #expect(await messages(5, of: plugin) == ["1", "up", "2", "moving", "3 failed"])
  }

  @Test("F1 · a command under way delays neither another device nor a ping nor a scan")
  func beside() async throws {
    let plugin = ServedPlugin()
    try plugin.open(1, "a", ["waits": "down"])
    try plugin.open(2, "b")
    try plugin.perform(3, "down")
    await plugin.script.wait(for: "a down")
    plugin.script.release("scan")
    try plugin.perform(4, "down", on: "b")
    try plugin.send(5, PingRequest())
    try plugin.send(6, ScanRequest(device: "a", folder: "/x"))
    let answers = await plugin.answers(5)
    #expect(Set(answers.keys) == [1, 2, 4, 5, 6])
    let items = try #require(answers[6]).get()
    #expect(
      ScanRequest.decodeAnswer(items) == ScanRequest.Page([CatalogueItem(id: "/x", title: "T")]))
    plugin.script.release("down")
    #expect(await plugin.answers(1)[3] != nil)
  }

  @Test("F1 · cancels a command that is under way, and one that waits before it begins")
  func cancels() async throws {
    let plugin = ServedPlugin()
    try plugin.open(1, "a", ["hangs": "down"])
    try plugin.perform(2, "down")
    try plugin.perform(3, "up")
    try plugin.perform(4, "stop")
    await plugin.script.wait(for: "a down")
    try plugin.cancel(3)
    try plugin.cancel(99)
    try plugin.cancel(2)
    let answers = await plugin.answers(4)
    for id in [2, 3] {
      #expect(answers[id]?.failure?.deviceError(device: "a").code == .cancelled)
    }
    #expect(answers[4]?.failure == nil)
    #expect(plugin.script.log == ["a opens", "a down", "a down cancelled", "a stop"])
    try plugin.cancel(2)
    try plugin.perform(2, "up")
    #expect(
      await plugin.answers(1)[2]?.failure == nil,
      "a late cancel does not affect a new request with the same id")
  }

  @Test("F1 · a refusal carries its kind, hint and time to wait")
  func refusals() async throws {
    let plugin = ServedPlugin()
    try plugin.open(1, "a", ["refuses": "down"])
    try plugin.perform(2, "down")
    let error = try #require(await plugin.answers(2)[2]?.failure)
    #expect(
      error.deviceError(device: "a")
        == DeviceError(
          .notNow, "not now", hint: "Later.", device: "a", retryAfter: .milliseconds(1500)))
  }

  @Test("F1 · a failed opening leaves no device open, and can be repeated")
  func unopenable() async throws {
    for option in ["unopenable", "unmakeable"] {
      let plugin = ServedPlugin()
      try plugin.open(1)
      _ = await plugin.answers(1)
      try plugin.open(2, "a", .object([option: true]))
      #expect(await plugin.answers(1)[2]?.failure != nil)
      try plugin.perform(3, "down")
      #expect(await plugin.answers(1)[3]?.failure?.code == RPCError.invalidParamsCode)
      try plugin.open(4)
      #expect(await plugin.answers(1)[4]?.failure == nil)
    }
  }

  @Test("F1 · opening a name again closes the old device first")
  func reopens() async throws {
    let plugin = ServedPlugin()
    try plugin.open(1, "a", ["suffix": "1"])
    try plugin.open(2, "a", ["suffix": "2"])
    _ = await plugin.answers(2)
    #expect(plugin.script.log == ["a1 opens", "a1 closes", "a2 opens"])
  }

  @Test("F1 · close waits for a short command, cancels a hanging one, and answers each once")
  func closes() async throws {
    let plugin = ServedPlugin()
    try plugin.open(1, "a", ["hangs": "stop"])
    try plugin.perform(2, "down")
    try plugin.perform(3, "stop")
    try plugin.perform(4, "up")
    try plugin.send(5, CloseRequest(device: "a"))
    let answers = await plugin.answers(5)
    #expect(answers[2]?.failure == nil)
    #expect(answers[3]?.failure?.deviceError(device: "a").code == .cancelled)
    #expect(answers[4]?.failure?.deviceError(device: "a").code == .cancelled)
    #expect(answers[5]?.failure == nil)
    #expect(plugin.script.log.last == "a closes")
    try plugin.send(6, CloseRequest(device: "a"))
    #expect(await plugin.answers(1)[6]?.failure?.code == RPCError.invalidParamsCode)
  }

  @Test("F1 · at the end of the input every request is answered and every device closed")
  func endOfInput() async throws {
    let plugin = ServedPlugin()
    try plugin.open(1, "a")
    try plugin.open(2, "b")
    try plugin.perform(3, "down")
    plugin.closeInput()
    #expect(await plugin.answers(3).count == 3)
    #expect(await plugin.next() == nil)
    await plugin.waitForEnd()
    #expect(Set(plugin.script.log.suffix(2)) == ["a closes", "b closes"])
  }

  @Test("F1 · shutdown ends the plugin though the input stays open")
  func shutsDown() async throws {
    let plugin = ServedPlugin()
    try plugin.open(1)
    try plugin.send(2, ShutdownRequest())
    #expect(await plugin.answers(2).count == 2)
    await plugin.waitForEnd()
    #expect(plugin.script.log.last == "a closes")
  }

  @Test("F1 · a player accepts a cable, but opens no socket for one, as an amplifier does")
  func cables() async throws {
    let plugin = ServedPlugin()
    try plugin.open(1)
    let socket = CableSocket(path: "/x", token: "t")
    try plugin.send(2, PlugRequest(device: "a", socket: socket))
    try plugin.send(3, OpenSocketRequest(device: "a", input: "dvd", socket: socket))
    let answers = await plugin.answers(3)
    #expect(answers[2]?.failure == nil)
    #expect(answers[3]?.failure?.deviceError(device: "a").code == .unsupported)
    #expect(plugin.script.log.contains("a plugs /x"))
  }

  @Test("F1 · a device without support for lent PCMs answers \"unsupported\"")
  func lending() async throws {
    let plugin = ServedPlugin()
    try plugin.open(1)
    try plugin.send(2, PlugRequest(device: "a", target: .pcm("hw:0,0")))
    try plugin.send(3, UnplugRequest(device: "a"))
    try plugin.send(4, LendRequest(device: "a", input: "dvd"))
    let answers = await plugin.answers(4)
    for id in 2...4 {
      #expect(answers[id]?.failure?.deviceError(device: "a").code == .unsupported)
    }
  }

  @Test("F1 · a line beyond the limit is refused, and the next one is read")
  func longLine() async throws {
    let plugin = ServedPlugin()
    try plugin.send(line: String(repeating: "x", count: ProtocolLimits.longestLine + 1))
    guard case .failure(nil, let error)? = await plugin.next() else {
      Issue.record("a long line was not refused")
      return
    }
    #expect(error.code == RPCError.invalidRequestCode)
    #expect(error.message.contains("1048576"))
    try plugin.send(1, PingRequest())
    #expect(await plugin.answers(1)[1] != nil)
  }

  @Test("F1 · the self-check's line says what is missing and what to do")
  func selfCheck() {
    #expect(SelfCheck.passed.json == ["ok": true])
    #expect(
      SelfCheck.failed("no sound server", hint: "Start it.").json
        == ["ok": false, "message": "no sound server", "hint": "Start it."])
  }
}

extension Result where Failure == RPCError {
  var failure: RPCError? { if case .failure(let error) = self { error } else { nil } }
}
