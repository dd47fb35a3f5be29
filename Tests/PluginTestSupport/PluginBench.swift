import Devices
import JSON
import PluginKit
import PluginProtocol
import Synchronization

/// The controller's end of a connection to a plugin, in this process or another one. Records the
/// reports of the plugin's devices.
public final class PluginBench: Sendable {
  private struct State {
    var nextID = 0
    var waiting: [Int: CheckedContinuation<Result<JSON, RPCError>, Never>] = [:]
    var devices: [DeviceID: ReportedState] = [:]
    var log: [String] = []
    var isClosed = false
  }

  /// The reported state of a device.
  private struct ReportedState {
    /// All values of each key, oldest first.
    var values: [StateKey: [JSON]] = [:]
    var provenance: [StateKey: Provenance] = [:]
    var attributes: [String: JSON] = [:]
    var reports = 0
  }

  private let state = Mutex(State())
  private let connection: any Connection
  private let plugin: Task<Void, Never>?
  private let plugAgain: @Sendable (PluginBench) async -> Void

  /// Starts a plugin in this process.
  ///
  /// - Parameter plugAgain: Called when a player asks for its cable again.
  public convenience init(
    _ plugin: Plugin, plugAgain: @escaping @Sendable (PluginBench) async -> Void = { _ in }
  ) {
    let (controller, plugged) = InMemoryConnection.pair()
    // The task ends with the connection.
    let task = Task { await plugin.serve(plugged) }
    self.init(connection: controller, plugin: task, plugAgain: plugAgain)
  }

  public init(
    connection: any Connection, plugin: Task<Void, Never>? = nil,
    plugAgain: @escaping @Sendable (PluginBench) async -> Void = { _ in }
  ) {
    self.connection = connection
    self.plugin = plugin
    self.plugAgain = plugAgain
    connection.start { [weak self] event in
      switch event {
      case .line(let bytes): self?.receive(bytes)
      case .oversizedLine: break
      case .closed: self?.refuseAll()
      }
    }
  }

  deinit { connection.closeSending() }

  /// Closes the connection, and waits for the end of a plugin in this process.
  public func end() async {
    connection.closeSending()
    await plugin?.value
  }

  /// Opens a device. Returns the refusal; nil when the device is open.
  public func open(_ device: DeviceID, _ role: Role, _ options: JSON) async -> RPCError? {
    await refusal(OpenRequest(device: device, role: role, options: options))
  }

  /// Sends a command. Returns the refusal; nil when the command is accepted.
  public func perform(_ device: DeviceID, _ command: JSON) async -> RPCError? {
    await refusal(PerformRequest(device: device, command: command))
  }

  public func close(_ device: DeviceID) async -> RPCError? {
    await refusal(CloseRequest(device: device))
  }

  /// The newest value of a key.
  public subscript(device: DeviceID, key: StateKey) -> JSON? { history(of: key, device).last }
  /// All reported values of a key, oldest first.
  public func history(of key: StateKey, _ device: DeviceID) -> [JSON] {
    self[device].values[key] ?? []
  }
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
    do throws(RPCError) {
      try await ask(request)
      return nil
    } catch {
      return error
    }
  }

  /// Sends a request and returns its answer; nil for an answer of another shape.
  @discardableResult
  public func ask<Request: PluginRequest>(
    _ request: Request
  ) async throws(RPCError) -> Request.Answer? {
    let result = await withCheckedContinuation { continuation in
      let id = state.withLock { state in
        state.nextID += 1
        state.waiting[state.nextID] = continuation
        return state.nextID
      }
      do {
        try connection.send(.request(id: id, method: Request.method, params: request.params))
      } catch {
        answer(id, .failure(Self.gone))
      }
      if state.withLock({ $0.isClosed }) { answer(id, .failure(Self.gone)) }
    }
    return Request.decodeAnswer(try result.get())
  }

  /// The answer to a request after the plugin has closed its connection.
  private static let gone = RPCError(
    RPCError.deviceErrorCode, "the plugin has closed its connection")

  private func answer(_ id: Int, _ result: Result<JSON, RPCError>) {
    state.withLock { $0.waiting.removeValue(forKey: id) }?.resume(returning: result)
  }

  private func refuseAll() {
    let waiting = state.withLock { state in
      state.isClosed = true
      return Array(state.waiting.keys)
    }
    for id in waiting { answer(id, .failure(Self.gone)) }
  }

  private func receive(_ line: UnsafeBufferPointer<UInt8>) {
    guard let message = try? RPCMessage(line: line) else { return }
    switch message {
    case .success(let id, let result):
      if let report = result["report"] { record(StateNotification(params: report)) }
      answer(id, .success(result))
    case .failure(let id?, let error): answer(id, .failure(error))
    case .notification(StateNotification.method, let params):
      record(StateNotification(params: params))
    case .notification(PlugAgainNotification.method, _): Task { await plugAgain(self) }
    case .notification(LogNotification.method, let params):
      if let text = params["message"]?.string { state.withLock { $0.log.append(text) } }
    default: break
    }
  }

  private func record(_ notification: StateNotification?) {
    guard let notification else { return }
    state.withLock { state in
      var known = state.devices[notification.device] ?? ReportedState()
      for (key, value) in notification.values {
        known.values[key, default: []].append(value)
        known.provenance[key] = notification.provenance
      }
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
