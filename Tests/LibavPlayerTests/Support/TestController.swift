import Devices
import JSON
import MediaFolders
import PluginKit
import PluginProtocol
import Synchronization
import TestSupport
import Testing

/// The controller's end of the plugin, in memory: sends requests and records reports.
final class TestController: Sendable {
  private struct State {
    var nextID = 1
    var waiting: [Int: CheckedContinuation<JSON, any Error>] = [:]
    var values: [StateKey: JSON] = [:]
    var attributes: [String: JSON] = [:]
    var playbacks: [Playback] = []
    var log: [String] = []
  }
  private let state = Mutex(State())
  private let connection: InMemoryConnection
  private let server: Task<Void, Never>
  private let device: DeviceID

  /// Starts `plugin` and opens one device.
  init(_ plugin: Plugin, role: Role, options: JSON = [:]) async throws {
    let (controller, plugged) = InMemoryConnection.pair()
    connection = controller
    device = role == .tuner ? "tuner" : "cd"
    server = Task { await plugin.serve(plugged) }
    connection.start { [weak self] event in
      if case .line(let bytes) = event { self?.receive(bytes) }
    }
    _ = try await ask(OpenRequest(device: device, role: role, options: options))
  }

  deinit { connection.closeSending() }

  /// Closes everything and waits until the plugin has ended.
  func end() async {
    connection.closeSending()
    await server.value
  }

  /// Sends a request and waits for its answer.
  @discardableResult
  func ask<Request: PluginRequest>(_ request: Request) async throws -> Request.Answer? {
    let method = Request.method
    let result = try await withCheckedThrowingContinuation { continuation in
      let id = state.withLock { state in
        state.nextID += 1
        state.waiting[state.nextID] = continuation
        return state.nextID
      }
      try? connection.send(.request(id: id, method: method, params: request.params))
    }
    return Request.decodeAnswer(result)
  }

  /// Gives a command and waits until it is accepted.
  func perform(_ command: JSON) async throws {
    try await ask(PerformRequest(device: device, command: command))
  }

  /// Plays an item, from a second on.
  func play(_ item: String, from seconds: Double = 0) async throws {
    try await perform(["play": ["item": .string(item), "position": .number(seconds)]])
  }

  /// Requests the items of a folder.
  func scan(_ folder: String?) async throws -> [CatalogueItem] {
    try await ask(ScanRequest(device: device, folder: folder))?.items ?? []
  }

  /// Plugs the player into a sink.
  func plug(into sink: CapturingSink) async throws {
    try await ask(PlugRequest(device: device, socket: sink.socket))
  }

  /// The last reported value.
  subscript(key: StateKey) -> JSON? { state.withLock { $0.values[key] } }
  /// The last reported value of an attribute.
  func attribute(_ name: String) -> JSON? { state.withLock { $0.attributes[name] } }
  /// All playback reports, oldest first.
  var playbacks: [Playback] { state.withLock { $0.playbacks } }
  /// The last playback report.
  var playback: Playback? { playbacks.last }
  /// The log messages.
  var log: [String] { state.withLock { $0.log } }

  /// Waits until the reports fulfil a condition; fails after a minute.
  func wait(
    _ what: Comment, location: SourceLocation = #_sourceLocation,
    until condition: @escaping @Sendable (TestController) -> Bool
  ) async throws {
    try #require(await eventually { condition(self) }, what, sourceLocation: location)
  }

  private func receive(_ line: UnsafeBufferPointer<UInt8>) {
    guard let message = try? RPCMessage(line: line) else { return }
    switch message {
    case .success(let id, let result):
      state.withLock { $0.waiting.removeValue(forKey: id) }?.resume(returning: result)
    case .failure(let id?, let error):
      state.withLock { $0.waiting.removeValue(forKey: id) }?.resume(throwing: error)
    case .notification(StateNotification.method, let params):
      record(StateNotification(params: params))
    case .notification(LogNotification.method, let params):
      if let text = params["message"]?.string { state.withLock { $0.log.append(text) } }
    default: break
    }
  }

  private func record(_ notification: StateNotification?) {
    guard let notification else { return }
    state.withLock { state in
      state.values.merge(notification.values) { $1 }
      state.attributes.merge(notification.attributes.mapValues(\.value)) { $1 }
      if let playback = notification.values[.playback].flatMap(Playback.init) {
        state.playbacks.append(playback)
      }
    }
  }
}
