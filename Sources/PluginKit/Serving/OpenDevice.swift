import Devices
import JSON
import PluginProtocol
import Synchronization

/// What a device is asked to do, with the id of the request.
enum DeviceJob: Sendable {
  case open(Int, after: OpenDevice?)
  case perform(Int, JSON)
  case scan(Int, folder: String?)
  case openSocket(Int, CableSocket, input: String)
  case plug(Int, CableSocket)
  case close(Int?)
}

/// A device with its queue and the one task that drains it; scans have a lane of their own, so that
/// reading a large folder delays no command.
final class OpenDevice: Sendable {
  private let device: any PluginDevice
  private let connection: any Connection
  private let jobs: AsyncStream<DeviceJob>.Continuation
  private let jobStream: AsyncStream<DeviceJob>
  private let scans: AsyncStream<DeviceJob>.Continuation
  private let scanStream: AsyncStream<DeviceJob>
  private let ended: AsyncStream<Void>
  private let end: AsyncStream<Void>.Continuation
  private let cancellation = Mutex(Cancellation())

  private struct Cancellation {
    /// Commands that wait in the queue, and those among them that are not wanted any more.
    var waiting: Set<Int> = []
    var unwanted: Set<Int> = []
    var current: (id: Int, signal: AsyncStream<Void>.Continuation)?

    /// Takes a command out of the queue; false when it was cancelled there.
    mutating func begin(_ id: Int) -> Bool {
      waiting.remove(id)
      return unwanted.remove(id) == nil
    }
  }

  init(_ device: any PluginDevice, connection: any Connection) {
    self.device = device
    self.connection = connection
    (jobStream, jobs) = AsyncStream.makeStream()
    (scanStream, scans) = AsyncStream.makeStream()
    (ended, end) = AsyncStream.makeStream()
  }

  /// Starts the device's task, whose first job is to open it once `old` of the same name is closed.
  func start(openingFor id: Int, after old: OpenDevice?) {
    jobs.yield(.open(id, after: old))
    Task {
      await withDiscardingTaskGroup { group in
        group.addTask { await self.drainScans() }
        await self.drainJobs()
        self.scans.finish()
        group.cancelAll()
      }
      self.end.finish()
    }
  }

  /// Adds a job to the queue.
  func post(_ job: DeviceJob) {
    if case .perform(let id, _) = job { cancellation.withLock { _ = $0.waiting.insert(id) } }
    if case .scan = job { scans.yield(job) } else { jobs.yield(job) }
    if case .close = job { jobs.finish() }
  }

  /// Makes the request with this id end early, if it is under way or waits.
  func cancel(_ id: Int) {
    cancellation.withLock { state in
      if let current = state.current, current.id == id {
        current.signal.finish()
      } else if state.waiting.contains(id) {
        state.unwanted.insert(id)
      }
    }
  }

  /// Waits until the device is closed.
  func waitForEnd() async { for await _ in ended {} }

  private func drainJobs() async {
    for await job in jobStream { await run(job) }
  }

  private func drainScans() async {
    for await case .scan(let id, let folder) in scanStream { await scan(id, folder) }
  }

  private func run(_ job: DeviceJob) async {
    switch job {
    case .open(let id, let old): await open(id, after: old)
    case .perform(let id, let json): await perform(id, json)
    case .openSocket(let id, let socket, let input):
      await answer(id) { (device) throws(DeviceError) in
        guard let amplifier = device as? any AmplifierDevice else { throw .noCable }
        try await amplifier.openSocket(socket, input: input)
      }
    case .plug(let id, let socket):
      await answer(id) { (device) throws(DeviceError) in
        guard let player = device as? any PlayerDevice else { throw .noCable }
        try await player.plug(into: socket)
      }
    case .close(let id):
      await device.close()
      if let id { connection.reply(to: id, .success([:])) }
    case .scan: break
    }
  }

  private func open(_ id: Int, after old: OpenDevice?) async {
    if let old {
      old.post(.close(nil))
      await old.waitForEnd()
    }
    do {
      connection.reply(to: id, .success(OpenRequest.result(try await device.open())))
    } catch {
      connection.reply(to: id, .failure(RPCError(error)))
    }
  }

  private func perform(_ id: Int, _ json: JSON) async {
    await perform(id, json, on: device)
  }

  private func perform<Device: PluginDevice>(_ id: Int, _ json: JSON, on device: Device) async {
    defer { cancellation.withLock { _ = $0.begin(id) } }
    do {
      let command = try Command(json, role: Device.Command.role)
      guard let typed = Device.Command(command) else {
        throw DeviceError(.unsupported, "\"\(command.spec.name)\" is not known here")
      }
      if command.spec.manner == .cancellable {
        try await performCancellably(id, typed, on: device)
      } else {
        guard cancellation.withLock({ $0.begin(id) }) else { throw DeviceError.cancelledInQueue }
        try await device.perform(typed)
      }
      connection.reply(to: id, .success([:]))
    } catch let error as DeviceError {
      connection.reply(to: id, .failure(RPCError(error)))
    } catch let error as CommandError {
      let refusal = DeviceError(.invalid, error.message, hint: error.hint)
      connection.reply(to: id, .failure(RPCError(refusal)))
    } catch {
      connection.reply(
        to: id, .failure(RPCError(RPCError.internalErrorCode, "unexpected: \(error)")))
    }
  }

  /// The command beside a listener for its cancellation; whichever ends first ends the other.
  private func performCancellably<Device: PluginDevice>(
    _ id: Int, _ command: Device.Command, on device: Device
  ) async throws(DeviceError) {
    let (signals, signal) = AsyncStream<Void>.makeStream()
    // In one step: a cancellation finds the command either in the queue or under way.
    let isWanted = cancellation.withLock { state in
      state.current = (id, signal)
      return state.begin(id)
    }
    defer { cancellation.withLock { $0.current = nil } }
    guard isWanted else { throw .cancelledInQueue }
    let outcome = await withTaskGroup(of: Result<Void, DeviceError>?.self) { group in
      group.addTask {
        await Result { () async throws(DeviceError) in try await device.perform(command) }
      }
      group.addTask {
        for await _ in signals {}
        return nil
      }
      while let outcome = await group.next() {
        group.cancelAll()
        if let outcome { return outcome }
      }
      return .success(())
    }
    try outcome.get()
  }

  private func scan(_ id: Int, _ folder: String?) async {
    guard let player = device as? any PlayerDevice else {
      return connection.reply(to: id, .success(ScanRequest.result([])))
    }
    do {
      let items = try await player.scan(folder: folder)
      connection.reply(to: id, .success(ScanRequest.result(items)))
    } catch {
      connection.reply(to: id, .failure(RPCError(error)))
    }
  }

  private func answer(
    _ id: Int, _ body: (any PluginDevice) async throws(DeviceError) -> Void
  ) async {
    do {
      try await body(device)
      connection.reply(to: id, .success([:]))
    } catch {
      connection.reply(to: id, .failure(RPCError(error)))
    }
  }
}

extension DeviceError {
  static let cancelledInQueue = DeviceError(.cancelled, "cancelled before it began")
  static let noCable = DeviceError(.unsupported, "this device takes no cable")
}

extension Result where Failure == DeviceError {
  /// The outcome of an asynchronous body.
  init(_ body: () async throws(DeviceError) -> Success) async {
    do { self = .success(try await body()) } catch { self = .failure(error) }
  }
}
