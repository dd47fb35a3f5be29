import Devices
import JSON
import Platform
import PluginProtocol
import Synchronization

/// A device with its queue and the one task that drains it. Scans and pictures of a player have queues of
/// their own, so that reading a large folder or making a picture delays no command.
final class OpenDevice: Sendable {
  private let device: any PluginDevice
  private let connection: any Connection
  private let reports: DeviceReports
  private let requests = PendingRequests()
  private let pages = Mutex(CataloguePages())
  private let jobs = SerialQueue()
  private let scans = SerialQueue()
  private let pictures = SerialQueue()
  private let closing = Event()
  private let drained = Event()
  private let ended = Event()

  /// How long a close waits for jobs that are under way before they are cancelled. A plugin must exit within
  /// two seconds of the end of its input.
  private static let closingTime = Duration.seconds(1)

  /// The queues of a player; other devices have only that of the commands.
  enum Queue: Sendable { case commands, scans, pictures }

  /// An event that happens once: an AsyncStream without elements, and its end.
  private struct Event: Sendable {
    private let stream: AsyncStream<Never>
    private let continuation: AsyncStream<Never>.Continuation
    init() { (stream, continuation) = AsyncStream.makeStream() }
    func signal() { continuation.finish() }
    func wait() async { for await _ in stream {} }
  }

  /// - Parameter reports: Sends the reports of `device`.
  init(_ device: any PluginDevice, reports: DeviceReports, connection: any Connection) {
    self.device = device
    self.reports = reports
    self.connection = connection
  }

  /// Starts the device's task, whose first job is to open it once `old` of the same name is closed.
  ///
  /// - Parameter refused: Called when the device does not open, before the answer.
  func start(
    openingFor id: Int, after old: OpenDevice?,
    refused: @escaping @Sendable (OpenDevice) -> Void
  ) {
    Task(executorPreference: ArrivalExecutor.shared) {
      if await self.open(id, after: old, refused: refused) { await self.serve() }
      await self.device.close()
      self.requests.close { self.reply(to: $0, .failure(RPCError(.closed))) }
        .forEach { self.reply(to: $0, .success([:])) }
      self.ended.signal()
    }
  }

  /// Adds a job to the queue.
  func post(_ job: DeviceJob) {
    guard requests.add(job.id) else { return reply(to: job.id, .failure(.unknownDevice)) }
    let queue =
      switch type(of: job.request).queue {
      case .scans where isPlayer: scans
      case .pictures where isPlayer: pictures
      case .commands, .scans, .pictures: jobs
      }
    queue.add(job)
  }

  /// Closes the device after its waiting jobs. After 1 s in all, the running one is cancelled and the others dropped.
  ///
  /// - Parameter id: The request to answer when it is closed, if one asked.
  func close(for id: Int?) {
    guard requests.close(for: id) else { return reply(to: id, .failure(.unknownDevice)) }
    jobs.finish()
    closing.signal()
  }

  /// Begins or ends the reports of an amplifier's levels; of no effect for other devices.
  func setMetering(_ isOn: Bool) { (device as? any AmplifierDevice)?.setMetering(isOn) }

  /// Cancels the request with this id if it waits, or is a cancellable command in progress. Scans are not cancelled.
  func cancel(_ id: Int) { requests.cancel(id) }

  /// Waits until the device is closed.
  func waitForEnd() async { await ended.wait() }

  private var isPlayer: Bool { device is any PlayerDevice }

  // MARK: The device's task

  private func open(
    _ id: Int, after old: OpenDevice?, refused: @Sendable (OpenDevice) -> Void
  ) async -> Bool {
    if let old {
      old.close(for: nil)
      await old.waitForEnd()
    }
    do {
      reply(to: id, .success(OpenRequest.encodeAnswer(try await device.open())))
      return true
    } catch {
      refused(self)
      reply(to: id, .failure(RPCError(error)))
      return false
    }
  }

  private func serve() async {
    await withDiscardingTaskGroup { group in
      // Tasks that only wait take a few kilobytes each, and a plugin may have hundreds of devices.
      if isPlayer {
        group.addTask {
          while let job = await self.scans.next() { await job.request.run(job, on: self) }
        }
        group.addTask {
          while let job = await self.pictures.next() { await job.request.run(job, on: self) }
        }
      }
      group.addTask {
        while let job = await self.jobs.next() { await job.request.run(job, on: self) }
        self.drained.signal()
      }
      await closing.wait()
      group.addTask {
        try? await Task.sleep(for: Self.closingTime)
        self.drained.signal()
      }
      await drained.wait()
      // Jobs that still wait then are never begun.
      jobs.finish(droppingWaitingJobs: true)
      scans.finish(droppingWaitingJobs: true)
      pictures.finish(droppingWaitingJobs: true)
      group.cancelAll()
    }
  }

  /// Performs a command and answers its request.
  func perform(_ command: JSON, of job: DeviceJob) async {
    reports.beginCommand(answersCarryReports: job.answersCarryReports)
    let outcome = await perform(job.id, command, on: device)
    requests.end(job.id)
    reports.answer(job.id, outcome)
  }

  private func perform<Device: PluginDevice>(_ id: Int, _ json: JSON, on device: Device) async
    -> Result<Void, RPCError>
  {
    do {
      let command = try Command(json, role: Device.Command.role)
      guard let typed = Device.Command(command) else {
        throw DeviceError(.unsupported, "\"\(command.spec.name)\" is not known here")
      }
      if command.spec.manner == .cancellable {
        try await performCancellably(id, typed, on: device)
      } else {
        guard requests.begin(id) else { throw DeviceError.cancelledEarly }
        try await device.perform(typed)
      }
      return .success(())
    } catch let error as DeviceError {
      return .failure(RPCError(error))
    } catch let error as CommandError {
      return .failure(RPCError(DeviceError(.invalid, error.message, hint: error.hint)))
    } catch {
      return .failure(RPCError(RPCError.internalErrorCode, "unexpected: \(error)"))
    }
  }

  /// Performs a command until it ends or its request is cancelled, which cancels the command's task.
  private func performCancellably<Device: PluginDevice>(
    _ id: Int, _ command: Device.Command, on device: Device
  ) async throws(DeviceError) {
    let signal = Event()
    guard requests.begin(id, cancelledBy: { signal.signal() }) else {
      throw .cancelledEarly
    }
    let outcome = await withTaskGroup(of: Result<Void, DeviceError>?.self) { group in
      group.addTask {
        await Result { () async throws(DeviceError) in try await device.perform(command) }
      }
      group.addTask {
        await signal.wait()
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

  /// Answers with a page of a player's catalogue; of other devices it is empty.
  func scan(_ id: Int, _ folder: String?, _ cursor: String?) async {
    guard let player = device as? any PlayerDevice else {
      return reply(to: id, .success(ScanRequest.encodeAnswer(ScanRequest.Page([]))))
    }
    do throws(DeviceError) {
      let page = try await page(of: player, folder, cursor)
      reply(to: id, .success(ScanRequest.encodeAnswer(page)))
    } catch {
      reply(to: id, .failure(RPCError(error)))
    }
  }

  private func page(
    of player: any PlayerDevice, _ folder: String?, _ cursor: String?
  ) async throws(DeviceError) -> ScanRequest.Page {
    if let cursor, !cursor.isEmpty {
      guard let page = pages.withLock({ $0.page(at: cursor) }) else { throw .staleCursor }
      return page
    }
    let listing = try await player.list(folder: folder)
    let first = pages.withLock { $0.begin(listing) }
    guard cursor == nil, first.next != nil else { return first }
    let warning = LogNotification(
      .warning,
      "only \(first.items.count) of \(listing.items.count) items fit into one answer, and this "
        + "controller does not ask for more; list the folders one by one in the library")
    // The end of the input shows that the controller is gone.
    try? connection.send(
      .notification(method: LogNotification.method, params: warning.params))
    return ScanRequest.Page(first.items)
  }

  /// Answers a request with the result of `body`, unless it was cancelled while it waited.
  func answer(
    _ id: Int, _ body: (any PluginDevice) async throws(DeviceError) -> JSON
  ) async {
    do throws(DeviceError) {
      guard requests.begin(id) else { throw .cancelledEarly }
      reply(to: id, .success(try await body(device)))
    } catch {
      reply(to: id, .failure(RPCError(error)))
    }
  }

  private func reply(to id: Int?, _ result: Result<JSON, RPCError>) {
    guard let id else { return }
    requests.end(id)
    connection.reply(to: id, result)
  }
}

extension DeviceError {
  static let noCable = DeviceError(.unsupported, "this device takes no cable")
  static let cancelledEarly = DeviceError(.cancelled, "cancelled before it began")
  static let staleCursor = DeviceError(
    .notNow, "this page of the catalogue is not kept any more", hint: "Scan again.")
  static let closed = DeviceError(.cancelled, "the device was closed before this was done")
}

extension Result where Failure == DeviceError {
  /// The outcome of an asynchronous body.
  init(_ body: () async throws(DeviceError) -> Success) async {
    do { self = .success(try await body()) } catch { self = .failure(error) }
  }
}
