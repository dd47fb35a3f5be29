import Devices
import JSON
import Platform
import PluginProtocol
import Synchronization

/// The controller's end of one connection: requests with deadlines, and the plugin's notifications.
///
/// Lines are parsed on the connection's thread, which also calls the receiver of an answer. So no
/// queue and no task lies between a plugin's answer and the caller.
package final class PluginSession: Sendable {
  /// The reason why a request has no result.
  package enum Failure: Error, Sendable, Hashable {
    /// The plugin answered with an error.
    case refused(RPCError)
    /// The answer did not come within this time.
    case timeout(Duration)
    /// The plugin sent a line that cannot be read, which is the answer or may be it; the reason is for people.
    case unreadable(String)
    /// The caller's task was cancelled.
    case cancelled
    /// The plugin is gone, or does not read.
    case lost
  }

  /// A notification of the plugin, or the end of the connection.
  package enum Event: Sendable {
    /// Changed values of a device.
    case state(StateNotification)
    /// The sound levels of an amplifier.
    case levels(LevelsNotification)
    /// A player asks for a new connection of its cable.
    case plugAgain(PlugAgainNotification)
    /// A line for the log.
    case log(LogNotification)
    /// A line that is not a message, or an answer to no request, with the reason.
    case badLine(String)
    /// The connection has ended.
    case closed
  }

  /// Called once with the result or the failure.
  package typealias Receiver = @Sendable (Result<JSON, Failure>) -> Void

  private struct Pending {
    let sent: Duration
    let longest: Duration
    /// False for `ping` and `shutdown`. While any other request is open, the plugin is not pinged.
    let isWork: Bool
    /// When it fails.
    var deadline: Duration
    /// Why the line that may have been its answer cannot be read.
    var refusal: String?
    let receive: Receiver

    var failure: Failure { refusal.map(Failure.unreadable) ?? .timeout(longest) }
  }

  private struct State {
    var pending: [Int: Pending] = [:]
    /// Requests that have failed here; late answers to them are ignored.
    private(set) var givenUp: Set<Int> = []
    /// When a request last timed out whose plugin had sent no line since it was asked.
    var silentAt: Duration?
    var isClosed = false
    var alarm: Duration?

    /// Removes a request without an answer.
    mutating func giveUp(_ id: Int) -> Pending? {
      guard let request = pending.removeValue(forKey: id) else { return nil }
      // Bounded, because a plugin may never answer. The oldest requests are the least likely to
      // be answered still.
      if givenUp.count >= 1000, let oldest = givenUp.min() { givenUp.remove(oldest) }
      givenUp.insert(id)
      return request
    }

    /// Returns whether a late answer belongs to a request that was given up.
    mutating func forgetGivenUp(_ id: Int) -> Bool { givenUp.remove(id) != nil }
  }

  /// How long requests wait on after a line that cannot be read and may have been the answer to any of them.
  private static let graceAfterRefusal = Duration.seconds(5)

  private let connection: any Connection
  private let scheduler: DeadlineScheduler
  private let key: Mutex<DeadlineScheduler.Key?> = Mutex(nil)
  private let state = Mutex(State())
  private let lastID = Atomic(0)
  private let sent = Atomic(0)
  private let received = Atomic(0)
  private let lastLineAt = Atomic<Int64>(0)
  private let mask: ProcessSecretMask
  private let notify: @Sendable (Event) -> Void

  /// - Parameters:
  ///   - mask: Hides the plugin's secrets in all of its messages.
  ///   - notify: Called on the connection's thread, in the order of the lines; must not wait. When
  ///     a request finds the plugin gone, also called with `.closed` on the thread that sends.
  package init(
    connection: any Connection, scheduler: DeadlineScheduler,
    mask: ProcessSecretMask = ProcessSecretMask(),
    notify: @escaping @Sendable (Event) -> Void
  ) {
    self.mask = mask
    self.connection = connection
    self.scheduler = scheduler
    self.notify = notify
  }

  /// Begins to receive.
  package func start() {
    let key = scheduler.add { [weak self] in self?.expire() }
    self.key.withLock { $0 = key }
    connection.start { event in
      switch event {
      case .line(let bytes): ArrivalExecutor.shared.run { self.receive(bytes) }
      case .oversizedLine(let count, let line):
        self.recordLine()
        let fault = "a line of \(count) bytes; the limit is \(ProtocolLimits.longestLine)"
        self.refuse(fault)
        self.failRequest(answeredBy: line, fault)
      case .closed:
        self.close()
        self.notify(.closed)
      }
    }
  }

  /// The time of the last line, valid or not, also of one above the limit.
  package var lastLine: Duration {
    .nanoseconds(lastLineAt.load(ordering: .relaxed))
  }

  /// The number of messages in each direction.
  package var messages: MessageCount {
    MessageCount(
      sent: sent.load(ordering: .relaxed), received: received.load(ordering: .relaxed))
  }

  /// Whether a request other than `ping` and `shutdown` waits for its answer, from a plugin that may be busy
  /// with it. A plugin that let a request time out and has sent no line since counts as idle, so that it is
  /// pinged however many requests follow.
  package var hasOpenRequests: Bool {
    let lastLine = lastLine
    return state.withLock { state in
      if let silentAt = state.silentAt, lastLine < silentAt { return false }
      return state.pending.values.contains { $0.isWork }
    }
  }

  // MARK: Sending

  /// Returns an id that no other request of this session has.
  package func nextID() -> Int { lastID.add(1, ordering: .relaxed).newValue }

  /// Sends a request; `receive` is called once, on another thread or, when the plugin is gone, at
  /// once.
  package func send(
    _ id: Int, method: String, _ params: JSON, within longest: Duration, isWork: Bool = true,
    _ receive: @escaping Receiver
  ) {
    let now = scheduler.clock.now()
    let deadline = now + longest
    let pending = Pending(
      sent: now, longest: longest, isWork: isWork, deadline: deadline, receive: receive)
    let (isOpen, mustSetAlarm) = state.withLock { state in
      guard !state.isClosed else { return (false, false) }
      state.pending[id] = pending
      if let alarm = state.alarm, alarm <= deadline { return (true, false) }
      state.alarm = deadline
      return (true, true)
    }
    guard isOpen else { return receive(.failure(.lost)) }
    if mustSetAlarm, let key = key.withLock({ $0 }) { scheduler.schedule(key, at: deadline) }
    do {
      sent.add(1, ordering: .relaxed)
      try connection.send(.request(id: id, method: method, params: params))
    } catch {
      removePending(id)?.receive(.failure(.lost))
      // A plugin that no longer reads counts as lost. A slow one is detected by pings.
      if error == .closed { notify(.closed) }
    }
  }

  /// Sends a request and waits for its answer. Cancelling the task gives the request up.
  package func ask<Request: PluginRequest>(
    _ request: Request
  ) async throws(Failure) -> Request.Answer {
    let id = nextID()
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        send(id, method: Request.method, request.params, within: Request.deadline) {
          continuation.resume(returning: $0)
        }
        // A task that was cancelled before this line has called `onCancel` too early.
        if Task.isCancelled { abandon(id) }
      }
    } onCancel: {
      abandon(id)
    }
    return try result.flatMap(Self.answerDecoder(for: Request.self)).get()
  }

  /// Gives up a request whose caller does not wait any more.
  private func abandon(_ id: Int) {
    guard let request = state.withLock({ $0.giveUp(id) }) else { return }
    cancel(id)
    request.receive(.failure(.cancelled))
  }

  /// Fails all open requests, because the plugin is asked to end.
  package func abandonRequests() {
    let requests = state.withLock { state in
      Array(state.pending.keys).compactMap { state.giveUp($0) }
    }
    for request in requests { request.receive(.failure(.lost)) }
  }

  /// Returns a decoder of the answer to a request; an incomplete answer counts as a refusal.
  static func answerDecoder<Request: PluginRequest>(
    for request: Request.Type
  ) -> (JSON) -> Result<Request.Answer, Failure> {
    { result in
      if let answer = Request.decodeAnswer(result) { return .success(answer) }
      let what = "the answer to \(Request.method) is incomplete"
      return .failure(.refused(RPCError(RPCError.invalidRequestCode, what)))
    }
  }

  /// Tells the plugin to end a request early. The plugin still answers it.
  package func cancel(_ id: Int) { send(CancelNotification(id: id)) }

  /// Sends a notification.
  package func send<Notification: PluginNotification>(_ notification: Notification) {
    sent.add(1, ordering: .relaxed)
    // A plugin that is gone needs no notification.
    try? connection.send(
      .notification(method: Notification.method, params: notification.params))
  }

  /// Ends the plugin's input, after which the plugin must exit within 2 s.
  package func closeSending() { connection.closeSending() }

  /// Fails all open requests and stops receiving. Called when the process is gone, possibly before its pipe
  /// has ended: a child that has left the process group may hold it open for ever.
  package func close() {
    let pending = state.withLock { state in
      state.isClosed = true
      defer { state.pending = [:] }
      return state.pending.values.map(\.receive)
    }
    connection.closeSending()
    connection.stopReceiving()
    if let key = key.withLock({ $0.take() }) { scheduler.remove(key) }
    for receive in pending { receive(.failure(.lost)) }
  }

  // MARK: Receiving

  /// Counts a line, valid or not: any line proves that the process lives.
  private func recordLine() {
    lastLineAt.store(scheduler.clock.now().nanoseconds, ordering: .relaxed)
    received.add(1, ordering: .relaxed)
  }

  private func receive(_ bytes: UnsafeBufferPointer<UInt8>) {
    recordLine()
    do {
      switch mask.current.masked(try RPCMessage(line: bytes)) {
      case .success(let id, let result):
        // The report counts as sent before the answer, even if the request has timed out.
        if let report = result["report"] { handle(StateNotification.method, report) }
        answer(id, .success(result))
      case .failure(let id?, let error): answer(id, .failure(.refused(error.bounded)))
      case .failure(nil, let error):
        let fault = "the plugin could not read a request: \(error.message)"
        refuse(fault)
        failRequest(answeredBy: .unknown, fault)
      case .notification(let method, let params): handle(method, params)
      case .request(_, let method, _):
        refuse("a request (\(method)); plugins must not send requests")
      }
    } catch {
      let fault = mask.current.masked(error.message)
      refuse(fault)
      failRequest(answeredBy: MessageIDScanner.finding(in: bytes), fault)
    }
  }

  /// Fails the request that a line answers which cannot be read. If the line does not say which one it answers, all
  /// requests that are open now must be answered soon: one of them may never be.
  private func failRequest(answeredBy line: UnreadableLine, _ fault: String) {
    let fault = fault.boundedLine(maximumBytes: ProtocolLimits.message)
    switch line {
    case .answer(let id):
      state.withLock { $0.giveUp(id) }?.receive(.failure(.unreadable(fault)))
    case .noAnswer: break
    case .unknown: hurryRequests(fault)
    }
  }

  /// Lets the open requests wait for their answers for a short time only.
  private func hurryRequests(_ fault: String) {
    let deadline = scheduler.clock.now() + Self.graceAfterRefusal
    let mustSetAlarm = state.withLock { state in
      var isSooner = false
      for (id, request) in state.pending where request.isWork && deadline < request.deadline {
        state.pending[id]?.deadline = deadline
        state.pending[id]?.refusal = fault
        isSooner = true
      }
      guard isSooner, state.alarm.map({ deadline < $0 }) ?? true else { return false }
      state.alarm = deadline
      return true
    }
    if mustSetAlarm, let key = key.withLock({ $0 }) { scheduler.schedule(key, at: deadline) }
  }

  /// Reports a line that is not a message; the report is cut to the limits of a message.
  private func refuse(_ what: String) {
    // After the end of the process the rest of an unfinished line may arrive.
    guard !state.withLock({ $0.isClosed }) else { return }
    notify(.badLine(what.boundedLine(maximumBytes: ProtocolLimits.message)))
  }

  private func answer(_ id: Int, _ result: Result<JSON, Failure>) {
    if let pending = removePending(id) { return pending.receive(result) }
    guard !state.withLock({ $0.forgetGivenUp(id) }) else { return }
    let fault = "an answer to \(id), which was not requested"
    refuse(fault)
    failRequest(answeredBy: .unknown, fault)
  }

  private func handle(_ method: String, _ params: JSON) {
    switch method {
    case StateNotification.method:
      guard let state = StateNotification(params: params) else {
        return refuse("a state without a device")
      }
      notify(.state(state))
    case LevelsNotification.method:
      guard let levels = LevelsNotification(params: params) else {
        return refuse("levels without a device")
      }
      notify(.levels(levels))
    case PlugAgainNotification.method:
      guard let request = PlugAgainNotification(params: params) else {
        return refuse("a plugAgain without a device")
      }
      notify(.plugAgain(request))
    case LogNotification.method:
      guard let log = LogNotification(params: params) else {
        return refuse("a log without a message")
      }
      notify(.log(log))
    default: break  // A newer minor version may have more notifications.
    }
  }

  private func removePending(_ id: Int) -> Pending? {
    state.withLock { $0.pending.removeValue(forKey: id) }
  }

  private func expire() {
    let now = scheduler.clock.now()
    let lastLine = lastLine
    let (late, next) = state.withLock { state in
      let late = state.pending.filter { $0.value.deadline <= now }
      if late.values.contains(where: { $0.isWork && lastLine < $0.sent }) { state.silentAt = now }
      for id in late.keys { _ = state.giveUp(id) }
      state.alarm = state.pending.values.map(\.deadline).min()
      return (late, state.alarm)
    }
    if let next, let key = key.withLock({ $0 }) { scheduler.schedule(key, at: next) }
    for (id, pending) in late {
      cancel(id)
      pending.receive(.failure(pending.failure))
    }
  }
}
