import Devices
import Foundation
import JSON
import Platform
import PluginKit
import PluginProtocol
import Synchronization
import TestSupport
import Testing

@testable import PJLinkProjector

/// A projector behind the plugin, which is in this process or another one, with the controller's end of the
/// connection.
final class ProjectorBench: Sendable {
  private struct State {
    var nextID = 0
    var waiting: [Int: CheckedContinuation<Result<JSON, RPCError>, Never>] = [:]
    var values: [StateKey: JSON] = [:]
    var provenance: [StateKey: Provenance] = [:]
    var attributes: [String: JSON] = [:]
    var log: [String] = []
  }

  private let state = Mutex(State())
  private let connection: any Connection

  /// Starts the plugin in this process.
  convenience init(clock: any TheaterClock) {
    let (controller, plugged) = InMemoryConnection.pair()
    let plugin = Plugin(
      id: "Test", version: "1",
      devices: [
        DeviceMaker { (context) throws(DeviceError) in
          try NetworkProjector(context, clock: clock, random: { 0.5 })
        }
      ])
    // The plugin's one task; it ends with the connection.
    Task { await plugin.serve(plugged) }
    self.init(connection: controller)
  }

  init(connection: any Connection) {
    self.connection = connection
    connection.start { [weak self] event in
      if case .line(let bytes) = event { self?.receive(bytes) }
    }
  }

  deinit { connection.closeSending() }

  /// Opens the projector at a port of this machine.
  func open(_ port: Int, _ options: JSON = [:]) async -> RPCError? {
    var all: JSONObject = ["host": "127.0.0.1", "port": .integer(port)]
    for (name, value) in options.object ?? [:] { all[name] = value }
    return await refusal(OpenRequest(device: "p", role: .projector, options: .object(all)))
  }

  /// Gives a command; nil when it is accepted.
  func perform(_ command: String) async -> RPCError? {
    await refusal(PerformRequest(device: "p", command: .string(command)))
  }

  func close() async -> RPCError? { await refusal(CloseRequest(device: "p")) }

  subscript(key: StateKey) -> JSON? { state.withLock { $0.values[key] } }
  func provenance(of key: StateKey) -> Provenance? { state.withLock { $0.provenance[key] } }
  func attribute(_ name: String) -> JSON? { state.withLock { $0.attributes[name] } }
  var log: [String] { state.withLock { $0.log } }

  private func refusal<Request: PluginRequest>(_ request: Request) async -> RPCError? {
    let result = await withCheckedContinuation { continuation in
      let id = state.withLock { state in
        state.nextID += 1
        state.waiting[state.nextID] = continuation
        return state.nextID
      }
      try? connection.send(.request(id: id, method: Request.method, params: request.params))
    }
    if case .failure(let error) = result { return error }
    return nil
  }

  private func receive(_ line: UnsafeBufferPointer<UInt8>) {
    guard let message = try? RPCMessage(line: line) else { return }
    switch message {
    case .success(let id, let result):
      if let report = result["report"] { take(StateNotification(params: report)) }
      state.withLock { $0.waiting.removeValue(forKey: id) }?.resume(returning: .success(result))
    case .failure(let id?, let error):
      state.withLock { $0.waiting.removeValue(forKey: id) }?.resume(returning: .failure(error))
    case .notification(StateNotification.method, let params):
      take(StateNotification(params: params))
    case .notification(LogNotification.method, let params):
      if let text = params["message"]?.string { state.withLock { $0.log.append(text) } }
    default: break
    }
  }

  private func take(_ notification: StateNotification?) {
    guard let notification else { return }
    state.withLock { state in
      state.values.merge(notification.values) { $1 }
      for key in notification.values.keys { state.provenance[key] = notification.provenance }
      state.attributes.merge(notification.attributes.mapValues(\.value)) { $1 }
    }
  }
}

extension RPCError {
  /// The kind of a device's error.
  var kind: String? { data?["kind"]?.string }
}
