import Devices
import JSON
import PluginProtocol
import Synchronization

@testable import PluginKit

/// A plugin of scripted lights and screens, and the controller's end of its connection.
final class ServedPlugin: Sendable {
  let script = Script()
  private let connection: InMemoryConnection
  private let messages: AsyncStream<RPCMessage>
  private let serving: Task<Void, Never>

  init() {
    let pair = InMemoryConnection.pair()
    connection = pair.controller
    let (messages, message) = AsyncStream<RPCMessage>.makeStream()
    self.messages = messages
    connection.start { event in
      switch event {
      case .line(let bytes): if let line = try? RPCMessage(line: bytes) { message.yield(line) }
      case .oversizedLine: break
      case .closed: message.finish()
      }
    }
    let script = script
    let plugin = Plugin(
      id: "Scripted", version: "2.1",
      devices: [
        DeviceMaker { (context) throws(DeviceError) in
          try ScriptedDevice<ScreenCommand>(context, script)
        },
        DeviceMaker { (context) throws(DeviceError) in
          try ScriptedDevice<LightsCommand>(context, script)
        },
      ])
    serving = Task { await plugin.serve(pair.plugin) }
  }

  func send(_ id: Int, _ request: some PluginRequest) throws {
    try connection.send(
      .request(id: id, method: type(of: request).method, params: request.params))
  }

  func send(line: String) throws { try connection.send(Array((line + "\n").utf8)) }

  func cancel(_ id: Int) throws {
    try connection.send(.notification(method: "cancel", params: CancelNotification(id: id).params))
  }

  func open(_ id: Int, _ device: DeviceID = "a", role: Role = .screen, _ options: JSON = [:]) throws
  {
    try send(id, OpenRequest(device: device, role: role, options: options))
  }

  func perform(_ id: Int, _ command: JSON, on device: DeviceID = "a") throws {
    try send(id, PerformRequest(device: device, command: command))
  }

  /// The next message; `nil` when the plugin has closed its side.
  func next() async -> RPCMessage? {
    for await message in messages { return message }
    return nil
  }

  /// The next `count` answers, by id; notifications are skipped.
  func answers(_ count: Int) async -> [Int: Result<JSON, RPCError>] {
    var answers: [Int: Result<JSON, RPCError>] = [:]
    while answers.count < count, let message = await next() {
      switch message {
      case .success(let id, let result): answers[id] = .success(result)
      case .failure(let id?, let error): answers[id] = .failure(error)
      default: continue
      }
    }
    return answers
  }

  func closeInput() { connection.closeSending() }

  /// Waits until the plugin has closed its devices and ended.
  func waitForEnd() async { await serving.value }
}

/// The behaviour of scripted devices, and a log of their calls.
final class Script: Sendable {
  private struct State {
    var log: [String] = []
    var watchers: [(entry: String, wake: CheckedContinuation<Void, Never>)] = []
    var waiters: [String: [CheckedContinuation<Void, Never>]] = [:]
    var released: Set<String> = []
  }
  private let state = Mutex(State())

  var log: [String] { state.withLock { $0.log } }

  func record(_ entry: String) {
    let woken = state.withLock { state in
      state.log.append(entry)
      let woken = state.watchers.filter { $0.entry == entry }.map(\.wake)
      state.watchers.removeAll { $0.entry == entry }
      return woken
    }
    for wake in woken { wake.resume() }
  }

  /// Waits until `entry` is in the log.
  func wait(for entry: String) async {
    await withCheckedContinuation { wake in
      let isThere = state.withLock { state in
        if state.log.contains(entry) { return true }
        state.watchers.append((entry, wake))
        return false
      }
      if isThere { wake.resume() }
    }
  }

  /// Waits until `release` was called for `call`.
  func waitForRelease(of call: String) async {
    await withCheckedContinuation { wake in
      let isReleased = state.withLock { state in
        if state.released.contains(call) { return true }
        state.waiters[call, default: []].append(wake)
        return false
      }
      if isReleased { wake.resume() }
    }
  }

  /// Releases all present and later callers of `waitForRelease` for `call`.
  func release(_ call: String) {
    let woken = state.withLock { state in
      state.released.insert(call)
      return state.waiters.removeValue(forKey: call) ?? []
    }
    for wake in woken { wake.resume() }
  }
}

/// A device that logs its calls.
///
/// Its options choose its behaviour. `waits` names the command that waits until the script releases
/// it, `hangs` the command that waits until it is cancelled, and `refuses` the command that
/// fails with `notNow`. With `moves`, every command first reports "moving". With `unmakeable` the
/// initializer fails, with `unopenable` the opening. `suffix` is appended to the name in the log.
final class ScriptedDevice<Command: RoleCommand>: PlayerDevice {
  private let context: DeviceContext
  private let script: Script
  private let name: String

  init(_ context: DeviceContext, _ script: Script) throws(DeviceError) {
    if context.options["unmakeable"]?.bool == true {
      throw DeviceError(.invalid, "cannot be made", hint: "Leave it.")
    }
    self.context = context
    self.script = script
    name = context.device.name + (context.options["suffix"]?.string ?? "")
  }

  func open() async throws(DeviceError) -> Capabilities {
    script.record("\(name) opens")
    if context.options["unopenable"]?.bool == true {
      throw DeviceError(.unavailable, "cannot be opened", hint: "Plug it in.")
    }
    context.report([.position: "up"])
    return Capabilities(names: ["stop"])
  }

  func perform(_ command: Command) async throws(DeviceError) {
    let word = command.invocation.name.rawValue
    script.record("\(name) \(word)")
    if context.options["moves"]?.bool == true { context.report([.position: "moving"]) }
    if context.options["waits"]?.string == word { await script.waitForRelease(of: word) }
    if context.options["hangs"]?.string == word {
      do {
        try await Task.sleep(for: .seconds(3600))
      } catch {
        script.record("\(name) \(word) cancelled")
        throw DeviceError(.cancelled, "not wanted any more")
      }
    }
    if context.options["refuses"]?.string == word {
      throw DeviceError(.notNow, "not now", hint: "Later.", retryAfter: .milliseconds(1500))
    }
    context.report([.position: .string(word)])
  }

  func scan(folder: String?) async throws(DeviceError) -> [CatalogueItem] {
    script.record("\(name) scans")
    await script.waitForRelease(of: "scan")
    return [CatalogueItem(id: folder ?? "own", title: "T")]
  }

  func plug(into socket: CableSocket) async throws(DeviceError) {
    script.record("\(name) plugs \(socket.path)")
  }

  func close() async { script.record("\(name) closes") }
}
