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
      case .notification(CancelNotification.method, let params):
        guard let id = CancelNotification(params: params)?.id else { return }
        for device in devices.withLock({ Array($0.values) }) { device.cancel(id) }
      case .notification(MeterNotification.method, let params):
        guard let meter = MeterNotification(params: params) else { return }
        devices.withLock { $0[meter.device] }?.setMetering(meter.isOn)
      case .notification, .success, .failure: break
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
    switch method {
    case InitializeRequest.method: answer(id, InitializeRequest(params: params), initialize)
    case PingRequest.method: answer(id, PingRequest(params: params)) { _ in () }
    case ShutdownRequest.method: shutDown(id)
    case OpenRequest.method: open(id, OpenRequest(params: params))
    case CloseRequest.method: close(id, CloseRequest(params: params))
    case PerformRequest.method:
      let request = PerformRequest(params: params)
      let carries = answersCarryReports.load(ordering: .relaxed)
      enqueue(id, to: request?.device) {
        request.map { .perform(id, $0.command, answersCarryReports: carries) }
      }
    case ScanRequest.method:
      let request = ScanRequest(params: params)
      enqueue(id, to: request?.device) {
        request.map { .scan(id, folder: $0.folder, cursor: $0.cursor) }
      }
    case PictureRequest.method:
      let request = PictureRequest(params: params)
      enqueue(id, to: request?.device) { request.map { .picture(id, item: $0.item) } }
    case OpenSocketRequest.method:
      let request = OpenSocketRequest(params: params)
      enqueue(id, to: request?.device) {
        request.map { .openSocket(id, $0.socket, input: $0.input) }
      }
    case PlugRequest.method:
      let request = PlugRequest(params: params)
      enqueue(id, to: request?.device) { request.map { .plug(id, $0.target) } }
    case LendRequest.method:
      let request = LendRequest(params: params)
      enqueue(id, to: request?.device) { request.map { .lend(id, input: $0.input) } }
    case UnplugRequest.method:
      enqueue(id, to: UnplugRequest(params: params)?.device) { .unplug(id) }
    default:
      reply(
        to: id, .failure(RPCError(RPCError.unknownMethodCode, "unknown method \"\(method)\"")))
    }
  }

  private func answer<Request: PluginRequest>(
    _ id: Int, _ request: Request?, _ body: (Request) throws(RPCError) -> Request.Answer
  ) {
    guard let request else { return reply(to: id, .failure(.missingParams)) }
    do {
      reply(to: id, .success(Request.encodeAnswer(try body(request))))
    } catch {
      reply(to: id, .failure(error))
    }
  }

  private func initialize(_ request: InitializeRequest) throws(RPCError) -> InitializeRequest.Answer
  {
    guard request.version.isCompatible(with: .current) else {
      throw RPCError(
        RPCError.versionErrorCode,
        "the controller speaks \(request.version), this plugin \(ProtocolVersion.current)")
    }
    answersCarryReports.store(request.version.hasReportsInAnswers, ordering: .relaxed)
    return .init(version: .current, plugin: plugin.id, pluginVersion: plugin.version)
  }

  private func open(_ id: Int, _ request: OpenRequest?) {
    guard let request else { return reply(to: id, .failure(.missingParams)) }
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

  private func close(_ id: Int, _ request: CloseRequest?) {
    let device = request.flatMap { request in
      devices.withLock { $0.removeValue(forKey: request.device) }
    }
    guard let device else { return reply(to: id, .failure(.unknownDevice)) }
    device.close(for: id)
  }

  /// Removes a device that did not open.
  private func forget(_ device: OpenDevice, named name: DeviceID) {
    devices.withLock { devices in
      if devices[name] === device { devices[name] = nil }
    }
  }

  private func enqueue(_ id: Int, to name: DeviceID?, _ job: () -> DeviceJob?) {
    guard let name, let job = job() else { return reply(to: id, .failure(.missingParams)) }
    guard let device = devices.withLock({ $0[name] }) else {
      return reply(to: id, .failure(.unknownDevice))
    }
    device.post(job)
  }

  private func shutDown(_ id: Int) {
    reply(to: id, .success([:]))
    ended.continuation.finish()
  }

  private func reply(to id: Int?, _ result: Result<JSON, RPCError>) {
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
