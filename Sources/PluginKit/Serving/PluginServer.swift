import Devices
import Glibc
import JSON
import Platform
import PluginProtocol
import Synchronization

/// Reads requests, answers those about the plugin itself, and hands the others to their device.
///
/// Routing happens on the connection's thread, under a lock that is held for a look-up only. So
/// messages keep their order, and a slow device delays no other.
final class PluginServer: Sendable {
  private let plugin: Plugin
  private let connection: any Connection
  private let devices = Mutex<[DeviceID: OpenDevice]>([:])
  /// Whether the controller has said that it understands a report in an answer.
  private let answersCarryReports = Atomic(false)
  private let atEnd: @Sendable () -> Void
  /// Ends with the controller's `shutdown` or the end of its lines.
  private let ended = AsyncStream<Never>.makeStream()

  /// - Parameter atEnd: Called when the controller is gone, before the devices are closed.
  init(
    plugin: Plugin, connection: any Connection, atEnd: @escaping @Sendable () -> Void = {}
  ) {
    self.plugin = plugin
    self.connection = connection
    self.atEnd = atEnd
  }

  /// Serves until the controller is gone or says `shutdown`, then closes every device.
  func run() async {
    connection.start { event in
      switch event {
      case .line(let bytes): ArrivalExecutor.shared.run { self.receive(bytes) }
      case .oversizedLine(let count, _): self.refuse(lineOf: count)
      case .closed: self.ended.continuation.finish()
      }
    }
    for await _ in ended.stream {}
    atEnd()
    await closeAll()
    connection.closeSending()
  }

  private func receive(_ bytes: UnsafeBufferPointer<UInt8>) {
    do {
      switch try RPCMessage(line: bytes) {
      case .request(let id, let method, let params): handle(id: id, method: method, params)
      case .notification(let method, let params):
        MessageHandlers.notifications[method]?.init(params: params)?.handle(by: self)
      case .success, .failure: break
      }
    } catch {
      reply(to: nil, .failure(error))
    }
  }

  private func refuse(lineOf count: Int) {
    let limit = ProtocolLimits.longestLine
    reply(
      to: nil,
      .failure(
        RPCError(
          RPCError.invalidRequestCode, "a line of \(count) bytes; the limit is \(limit)")))
  }

  // MARK: Requests

  private func handle(id: Int, method: String, _ params: JSON) {
    guard let type = MessageHandlers.requests[method] else {
      return reply(
        to: id, .failure(RPCError(RPCError.unknownMethodCode, "unknown method \"\(method)\"")))
    }
    guard let request = type.init(params: params) else {
      return reply(to: id, .failure(.missingParams))
    }
    request.handle(id, by: self)
  }

  func initialize(_ id: Int, _ request: InitializeRequest) {
    guard request.version.isCompatible(with: .current) else {
      return reply(
        to: id,
        .failure(
          RPCError(
            RPCError.versionErrorCode,
            "the controller speaks \(request.version), this plugin \(ProtocolVersion.current)")))
    }
    answersCarryReports.store(request.version.hasReportsInAnswers, ordering: .relaxed)
    let answer = InitializeRequest.Answer(
      version: .current, plugin: plugin.id, pluginVersion: plugin.version)
    reply(to: id, .success(InitializeRequest.encodeAnswer(answer)))
  }

  func open(_ id: Int, _ request: OpenRequest) {
    guard let maker = plugin.makers[request.role] else {
      return reply(
        to: id,
        .failure(RPCError(.init(.unsupported, "this plugin has no \(request.role.title)"))))
    }
    let context = DeviceContext(
      device: request.device, options: request.options, connection: connection)
    do {
      let device = OpenDevice(
        try maker.make(context), reports: context.reports, connection: connection)
      let old = devices.withLock { devices in devices.updateValue(device, forKey: request.device) }
      device.start(openingFor: id, after: old) { self.forget($0, named: request.device) }
    } catch {
      // Refused options leave nothing open under this name.
      devices.withLock { $0.removeValue(forKey: request.device) }?.close(for: nil)
      reply(to: id, .failure(RPCError(error)))
    }
  }

  func close(_ id: Int, _ request: CloseRequest) {
    guard let device = devices.withLock({ $0.removeValue(forKey: request.device) }) else {
      return reply(to: id, .failure(.unknownDevice))
    }
    device.close(for: id)
  }

  /// Removes a device that did not open.
  private func forget(_ device: OpenDevice, named name: DeviceID) {
    devices.withLock { devices in
      if devices[name] === device { devices[name] = nil }
    }
  }

  /// Hands a request to its device.
  func enqueue(_ id: Int, _ request: some DeviceRequest) {
    guard let device = device(request.device) else {
      return reply(to: id, .failure(.unknownDevice))
    }
    let carries = answersCarryReports.load(ordering: .relaxed)
    device.post(DeviceJob(id: id, request: request, answersCarryReports: carries))
  }

  /// Returns an open device.
  func device(_ name: DeviceID) -> OpenDevice? { devices.withLock { $0[name] } }

  /// Cancels the request with this id, of whichever device.
  func cancel(_ id: Int) {
    for device in devices.withLock({ Array($0.values) }) { device.cancel(id) }
  }

  func shutDown(_ id: Int) {
    reply(to: id, .success([:]))
    ended.continuation.finish()
  }

  func reply(to id: Int?, _ result: Result<JSON, RPCError>) {
    connection.reply(to: id, result)
  }

  // MARK: The end

  private func closeAll() async {
    let open = devices.withLock { devices in
      defer { devices = [:] }
      return Array(devices.values)
    }
    for device in open { device.close(for: nil) }
    for device in open { await device.waitForEnd() }
  }
}

extension RPCError {
  static let missingParams = RPCError(
    invalidParamsCode, "a param is missing or of the wrong kind; see docs/plugin-protocol.md")
  static let unknownDevice = RPCError(invalidParamsCode, "this device is not open")
}

extension Connection {
  func reply(to id: Int?, _ result: Result<JSON, RPCError>) {
    let message: RPCMessage =
      switch (result, id) {
      case (.success(let value), let id?): .success(id: id, result: value)
      case (.success, nil): .failure(id: nil, .missingParams)
      case (.failure(let error), let id): .failure(id: id, error)
      }
    // The end of the input shows that the controller is gone.
    try? send(message)
  }
}
