import Devices
import JSON
import PluginKit
import PluginProtocol
import Synchronization

/// The controller's end of a connection to a plugin, in this process or another one. Records the reports of the
/// plugin's devices.
public final class PluginBench: Sendable {
  private struct State {
    var nextID = 0
    var waiting: [Int: CheckedContinuation<Result<JSON, RPCError>, Never>] = [:]
    var devices: [DeviceID: ReportedState] = [:]
    var log: [String] = []
  }

  /// The reported state of a device.
  private struct ReportedState {
    var values: [StateKey: JSON] = [:]
    var provenance: [StateKey: Provenance] = [:]
    var attributes: [String: JSON] = [:]
    var reports = 0
  }

  private let state = Mutex(State())
  private let connection: any Connection

  /// Starts a plugin in this process.
  public convenience init(_ plugin: Plugin) {
    let (controller, plugged) = InMemoryConnection.pair()
    // The task ends with the connection.
    Task { await plugin.serve(plugged) }
    self.init(connection: controller)
  }

  public init(connection: any Connection) {
    self.connection = connection
    connection.start { [weak self] event in
      if case .line(let bytes) = event { self?.receive(bytes) }
    }
  }

  deinit { connection.closeSending() }

  /// Opens a device; nil when it is open.
  public func open(_ device: DeviceID, _ role: Role, _ options: JSON) async -> RPCError? {
    await refusal(OpenRequest(device: device, role: role, options: options))
  }

  /// Gives a command; nil when it is accepted.
  public func perform(_ device: DeviceID, _ command: JSON) async -> RPCError? {
    await refusal(PerformRequest(device: device, command: command))
  }

  public func close(_ device: DeviceID) async -> RPCError? {
    await refusal(CloseRequest(device: device))
  }

  /// The newest value of a key.
  public subscript(device: DeviceID, key: StateKey) -> JSON? { self[device].values[key] }
  public func provenance(of key: StateKey, _ device: DeviceID) -> Provenance? {
    self[device].provenance[key]
  }
  public func attribute(_ name: String, _ device: DeviceID) -> JSON? {
    self[device].attributes[name]
  }
  /// The number of reports of a device.
  public func reports(_ device: DeviceID) -> Int { self[device].reports }
  /// The plugin's log.
  public var log: [String] { state.withLock { $0.log } }

  private subscript(device: DeviceID) -> ReportedState {
    state.withLock { $0.devices[device] ?? ReportedState() }
  }

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
      var known = state.devices[notification.device] ?? ReportedState()
      known.values.merge(notification.values) { $1 }
      for key in notification.values.keys { known.provenance[key] = notification.provenance }
      known.attributes.merge(notification.attributes.mapValues(\.value)) { $1 }
      known.reports += 1
      state.devices[notification.device] = known
    }
  }
}

extension RPCError {
  /// The kind of a device's error.
  public var kind: String? { data?["kind"]?.string }
}
