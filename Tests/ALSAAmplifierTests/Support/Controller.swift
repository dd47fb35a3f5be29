import Devices
import Foundation
import JSON
import PluginKit
import PluginProtocol
import Synchronization
import TestSupport
import Testing

@testable import ALSAAmplifier

/// The controller's side of the plugin, in memory: asks, waits for answers, collects what is told.
final class Controller: Sendable {
  private struct State {
    var nextID = 1
    var answers: [Int: CheckedContinuation<Result<JSON, RPCError>, Never>] = [:]
    var values: [String: JSON] = [:]
    var attributes: [String: JSON] = [:]
    var log: [String] = []
    var levels: [SoundLevels] = []
    var counts: [String: Int] = [:]
  }

  static let device = DeviceID("amp")
  private let connection: InMemoryConnection
  private let state = Mutex(State())
  private let serving: Task<Void, Never>

  /// Starts the plugin in this process.
  init() {
    let (controller, plugin) = InMemoryConnection.pair()
    connection = controller
    serving = Task { await ALSAAmplifierPlugin.plugin.serve(plugin) }
    controller.start { [weak self] event in
      if case .line(let bytes) = event { self?.receive(bytes) }
    }
  }

  /// Ends the plugin and waits until it has let go of everything.
  func end() async {
    connection.closeSending()
    await serving.value
  }

  /// Opens the amplifier with these options.
  func open(_ options: JSON) async throws {
    _ = try await ask(OpenRequest(device: Self.device, role: .amplifier, options: options))
  }

  /// Gives the amplifier a command, as JSON.
  func perform(_ command: JSON) async throws {
    _ = try await ask(PerformRequest(device: Self.device, command: command))
  }

  /// Plugs a player into an input.
  func plug(_ input: String, folder: TemporaryFolder) async throws -> TestCable {
    let token = String(repeating: "0123456789abcdef", count: 4)
    let socket = CableSocket(path: folder.path(of: input), token: token)
    _ = try await ask(OpenSocketRequest(device: Self.device, input: input, socket: socket))
    return try TestCable(path: socket.path, token: socket.token)
  }

  /// Asks and waits for the answer.
  func ask(_ request: some PluginRequest) async throws -> JSON {
    try await withCheckedContinuation { continuation in
      let id = state.withLock { state in
        defer { state.nextID += 1 }
        state.answers[state.nextID] = continuation
        return state.nextID
      }
      try? connection.send(
        .request(id: id, method: type(of: request).method, params: request.params))
    }.get()
  }

  /// The last report of the amplifier for a key of its role.
  func value(_ key: StateKey) -> JSON? { state.withLock { $0.values[key.rawValue] } }

  /// The last report of the amplifier for an attribute.
  func attribute(_ name: String) -> JSON? { state.withLock { $0.attributes[name] } }

  /// How often an attribute was reported.
  func notifications(of name: String) -> Int { state.withLock { $0.counts[name] ?? 0 } }

  /// Asks for the levels of the sound, or no longer.
  func setMetering(_ isOn: Bool) throws {
    let notification = MeterNotification(device: Self.device, isOn: isOn)
    try connection.send(
      .notification(method: MeterNotification.method, params: notification.params))
  }

  /// The levels that were reported.
  var levels: [SoundLevels] { state.withLock { $0.levels } }

  /// Everything that was logged.
  var log: [String] { state.withLock { $0.log } }

  /// Waits until what was told makes `test` true; fails after a minute.
  func wait(
    location: SourceLocation = #_sourceLocation, until test: @Sendable (Controller) -> Bool
  ) async {
    #expect(await eventually { test(self) }, sourceLocation: location)
  }

  private func receive(_ bytes: UnsafeBufferPointer<UInt8>) {
    switch try? RPCMessage(line: bytes) {
    case .success(let id, let result): answer(id, .success(result))
    case .failure(let id?, let error): answer(id, .failure(error))
    case .notification(StateNotification.method, let params):
      state.withLock { state in
        for (key, value) in params["state"]?.object ?? [:] { state.values[key] = value }
        for (key, value) in params["attributes"]?.object ?? [:] {
          state.attributes[key] = value["value"]
          state.counts[key, default: 0] += 1
        }
      }
    case .notification(LevelsNotification.method, let params):
      guard let levels = LevelsNotification(params: params)?.levels else { return }
      state.withLock { $0.levels.append(levels) }
    case .notification(LogNotification.method, let params):
      state.withLock { $0.log.append(params["message"]?.string ?? "") }
    default: break
    }
  }

  private func answer(_ id: Int, _ result: Result<JSON, RPCError>) {
    state.withLock { $0.answers.removeValue(forKey: id) }?.resume(returning: result)
  }
}
