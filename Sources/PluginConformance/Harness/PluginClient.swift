import Devices
import Glibc
import JSON
import Logging
import Platform
import PluginHost
import PluginProtocol

/// An output of a plugin's process.
package enum PluginOutput: Sendable {
  /// A request, notification or answer on standard output.
  case message(RPCMessage)
  /// A line that is not a message.
  case invalidLine(String)
  /// The end of standard output.
  case closed
}

/// A process of a plugin, with a client for the plugin protocol. One case uses it at a time.
package actor PluginClient {
  /// The answer to a request, and the messages that came before it.
  package typealias Outcome = (result: Result<JSON, RPCError>, before: [RPCMessage])

  private let process: any LaunchedPlugin
  /// The longest wait for an answer and for the effect of a command, in tests; `nil` for those of the check.
  let longestWait: Duration?
  private let restrictions: CheckRestrictions
  private let outputs: AsyncStream<PluginOutput>
  private let exits: AsyncStream<String>
  private var nextID = 1
  private var lastSent: String?
  /// The method of each request that was sent, by its id.
  private var methods: [Int: String] = [:]
  /// The exit status, once it is known.
  private var status: String?
  /// Every line that was not a message.
  private(set) var invalidLines: [String] = []

  /// The description of exit status 0.
  package static let success = ChildProcess.ExitStatus.exited(0).description
  /// The longest wait for most answers. Much longer than the protocol allows, because the machine may be busy.
  package static let answerTimeout = Duration.seconds(20)
  /// How much longer than its deadline an answer may take.
  private static let answerTolerance = Duration.seconds(20)
  /// The longest wait for the end of a process whose input has ended: the protocol allows 2 s.
  private static let endTimeout = Duration.milliseconds(2500)
  /// How many of the last lines on standard error a failure shows.
  private static let shownStderrLines = 8

  private init(_ target: PluginTarget) throws {
    longestWait = target.longestWait
    restrictions = target.restrictions
    let (exits, exit) = AsyncStream<String>.makeStream()
    let launcher = ProcessLauncher(
      environment: target.environment,
      logger: Logger(label: "conformance") { _ in SwiftLogNoOpLogHandler() })
    do throws(LaunchError) {
      process = try launcher.launch(target.plugin, mask: ProcessSecretMask()) { status in
        exit.yield(status)
        exit.finish()
      }
    } catch {
      throw ConformanceFailure(
        "that the program starts", received: error.message, rule: .manifestCommand)
    }
    self.exits = exits
    let (outputs, output) = AsyncStream<PluginOutput>.makeStream()
    self.outputs = outputs
    process.connection.start { event in
      switch event {
      case .line(let bytes):
        if let message = try? RPCMessage(line: bytes) {
          output.yield(.message(message))
        } else {
          output.yield(.invalidLine(String(decoding: bytes, as: UTF8.self)))
        }
      case .oversizedLine(let count, _): output.yield(.invalidLine("a line of \(count) bytes"))
      case .closed:
        output.yield(.closed)
        output.finish()
      }
    }
  }

  /// Runs `body` with a new process of the plugin and kills the process afterwards.
  ///
  /// - Parameter mayPrintAnything: Whether standard output may have lines that are not messages; otherwise they are a
  ///   failure.
  /// - Throws: A `ConformanceFailure`, or the error of `body`.
  package static func run(
    _ target: PluginTarget, mayPrintAnything: Bool = false,
    _ body: (PluginClient) async throws -> Void
  ) async throws {
    let client = try PluginClient(target)
    do {
      try await body(client)
      await client.end()
    } catch {
      await client.end()
      throw await client.failure(error)
    }
    guard !mayPrintAnything, let line = await client.invalidLines.first else { return }
    throw await client.failure(
      ConformanceFailure(
        "only messages on standard output", received: short(line), rule: .standardOutput))
  }

  /// Kills the process and waits for its end. If only one device may be open, the process first gets the time to close
  /// it.
  private func end() async {
    guard restrictions.opensOneDevice else {
      process.kill()
      process.connection.closeSending()
      for await status in exits { self.status = status }
      return
    }
    process.connection.closeSending()
    let killing = Task { [process] in
      // The time that the process has to end by itself. Its end cancels this task.
      try await Task.sleep(for: Self.endTimeout)
      process.kill()
    }
    for await status in exits { self.status = status }
    killing.cancel()
    process.kill()
  }

  /// Adds the last line sent and the last lines of standard error to an error.
  private func failure(_ error: any Error) -> any Error {
    var failure: ConformanceFailure
    switch error {
    case let error as ConformanceFailure: failure = error
    case ConnectionError.closed:
      failure = ConformanceFailure(
        "that the plugin reads its input", received: "the end of its input")
      failure.isEndOfPlugin = true
    case ConnectionError.clogged:
      failure = ConformanceFailure(
        "that the plugin reads its input", received: "it does not read its input")
    default: return error
    }
    // This client has killed a process that was still running.
    if failure.isEndOfPlugin, let status, !status.hasPrefix("signal \(SIGKILL) ") {
      failure.received += "; the process has ended with \(status)"
    }
    failure.sent = lastSent
    failure.stderrLines = process.log.lines.suffix(Self.shownStderrLines)
    return failure
  }

  // MARK: Sending

  func send(line: String) throws { try send(bytes: Array(line.utf8) + [0x0A]) }

  func send(bytes: [UInt8]) throws {
    lastSent = short(String(decoding: bytes.prefix(1024), as: UTF8.self))
    try process.connection.send(bytes)
  }

  func notify(_ notification: some PluginNotification) throws {
    let message = RPCMessage.notification(
      method: type(of: notification).method, params: notification.params)
    try send(bytes: message.line())
  }

  /// Sends a request and returns its id.
  @discardableResult
  func post(_ method: String, _ params: JSON) throws -> Int {
    if method == PerformRequest.method, restrictions.forbids(params["command"]) {
      throw ConformanceFailure.withoutRule(
        "that the case keeps to the loudest volume", received: text(params["command"]))
    }
    defer { nextID += 1 }
    methods[nextID] = method
    try send(bytes: RPCMessage.request(id: nextID, method: method, params: params).line())
    return nextID
  }

  /// Sends a request and returns its id. Does not wait for the answer.
  package func post(_ request: some PluginRequest) throws -> Int {
    try post(type(of: request).method, request.params)
  }

  /// The id of the process; `nil` when it has ended.
  var processID: Int32? { process.pid }

  /// Closes the standard input of the plugin.
  package func closeInput() { process.connection.closeSending() }

  // MARK: Receiving

  /// Returns the next output of the plugin; `nil` if none comes until `deadline`.
  func output(until deadline: ContinuousClock.Instant) async throws -> PluginOutput? {
    let outputs = outputs
    let output = try await Self.result(until: deadline) { () -> PluginOutput in
      for await output in outputs { return output }
      return .closed
    }
    if case .invalidLine(let line)? = output { invalidLines.append(line) }
    return output
  }

  /// Waits for the next output of the plugin. Fails at the end of the wait.
  func next(_ wait: OutputWait = OutputWait()) async throws -> PluginOutput {
    guard let output = try await output(until: wait.deadline) else { throw wait.timeout }
    return output
  }

  /// Waits for the next message. Other lines are recorded and skipped. Fails at the end of the wait or of the
  /// output.
  func nextMessage(_ wait: OutputWait = OutputWait()) async throws -> RPCMessage {
    while true {
      switch try await next(wait) {
      case .message(let message): return message
      case .invalidLine: continue
      case .closed: throw wait.endOfOutput
      }
    }
  }

  /// Returns the method of the request that was sent with an id; `nil` if there was none.
  func method(ofRequest id: Int) -> String? { methods[id] }

  /// Returns the wait for an answer to a request. An answer to another line than a request, such as one that is too
  /// long, breaks the main rule of the case if it is missing.
  private func wait(forAnswerTo id: Int) -> OutputWait {
    guard let method = methods[id] else { return OutputWait("an answer") }
    let deadline = PluginContract.request(method)?.deadline ?? .zero
    let time = max(Self.answerTimeout, deadline + Self.answerTolerance)
    return OutputWait(
      "an answer to \(method)", within: min(time, longestWait ?? time), rule: .answer(to: method),
      endRule: .answeredOnce)
  }

  /// Waits for the answer to `id`. Returns it with the messages before it; a report inside the answer counts as
  /// one of these.
  func answer(to id: Int) async throws -> Outcome {
    let wait = wait(forAnswerTo: id)
    var before: [RPCMessage] = []
    while true {
      let message = try await nextMessage(wait)
      switch message {
      case .success(id, let result):
        if let report = result["report"] {
          before.append(.notification(method: StateNotification.method, params: report))
        }
        return (.success(result), before)
      case .failure(id, let error): return (.failure(error), before)
      default: before.append(message)
      }
    }
  }

  /// Sends a request and waits for its answer.
  package func call(_ method: String, _ params: JSON) async throws -> Outcome {
    try await answer(to: try post(method, params))
  }

  /// Sends a request and returns its answer. Fails if the plugin refuses it or the answer is not valid.
  @discardableResult
  package func ask<Request: PluginRequest>(_ request: Request) async throws -> Request.Answer {
    let result = try await call(Request.method, request.params).result.success(Request.method)
    return try require(
      Request.decodeAnswer(result), "a valid answer to \(Request.method)", received: text(result))
  }

  /// Waits for the end of the process and returns its exit status, such as "exit status 0". Fails after `time`.
  ///
  /// - Parameter rule: The rule that is broken if the process does not end; `nil` for the main rule of the case.
  package func exitStatus(
    within time: Duration = answerTimeout, rule: ProtocolRule? = nil
  ) async throws -> String {
    let exits = exits
    let wait = OutputWait("the end of the process", within: time, rule: rule)
    let ended = try await Self.result(until: wait.deadline) { () -> String in
      for await status in exits { return status }
      return "none"
    }
    guard let ended else { throw wait.timeout }
    status = ended
    return ended
  }

  /// Returns the result of `body`; `nil` if there is none until `deadline`.
  private static func result<Value: Sendable>(
    until deadline: ContinuousClock.Instant, of body: @escaping @Sendable () async -> Value
  ) async throws -> Value? {
    try await withThrowingTaskGroup(of: Value?.self) { group in
      group.addTask { await body() }
      group.addTask {
        // A time limit beside the wait, which is cancelled at its end.
        try await Task.sleep(until: deadline, clock: .continuous)
        return nil
      }
      defer { group.cancelAll() }
      return try await group.next() ?? nil
    }
  }
}

/// A wait for output of a plugin: its end, and its failure.
struct OutputWait: Sendable {
  /// The end of the wait.
  let deadline: ContinuousClock.Instant
  /// The failure when nothing comes until the deadline.
  let timeout: ConformanceFailure
  /// The failure when the plugin's output ends before.
  let endOfOutput: ConformanceFailure

  /// - Parameters:
  ///   - expected: The awaited output.
  ///   - time: The longest wait, which begins now.
  ///   - advice: The next action of the plugin's author when nothing comes; `nil` where it is evident.
  ///   - rule: The rule that is broken if nothing comes; `nil` for the main rule of the case.
  ///   - endRule: The rule that is broken if the plugin's output ends; `nil` for `rule`.
  init(
    _ expected: String = "a line of the plugin", within time: Duration = PluginClient.answerTimeout,
    advice: String? = nil, rule: ProtocolRule? = nil, endRule: ProtocolRule? = nil
  ) {
    deadline = .now + time
    timeout = ConformanceFailure(
      expected, received: "nothing within \(JSON.number(time.seconds)) s", advice: advice,
      rule: rule)
    var end = ConformanceFailure(
      expected, received: "the end of the plugin's output", rule: endRule ?? rule)
    end.isEndOfPlugin = true
    endOfOutput = end
  }
}

extension PluginClient {
  /// Opens a device of the role.
  func open(_ name: String, _ role: RoleTarget) async throws -> Outcome {
    let request = OpenRequest(
      device: DeviceID(name), role: role.role, options: try role.target.options(of: role.role))
    return try await call(OpenRequest.method, request.params)
  }

  /// Sends a command to a device and waits for its answer.
  package func perform(_ name: String, _ command: JSON) async throws -> Outcome {
    let request = PerformRequest(device: DeviceID(name), command: command)
    return try await call(PerformRequest.method, request.params)
  }

  /// Sends a request and returns the plugin's refusal. Fails the case if the plugin accepts it.
  func refusal(of request: some PluginRequest) async throws -> RPCError {
    try await refusal(of: type(of: request).method, request.params)
  }

  /// Sends a request and returns the plugin's refusal. Fails the case if the plugin accepts it.
  func refusal(of method: String, _ params: JSON) async throws -> RPCError {
    try require(
      try await call(method, params).result.error, "a refusal of this \(method)",
      received: "its acceptance")
  }
}

extension Result where Success == JSON, Failure == RPCError {
  /// The error, if the plugin refused the request.
  package var error: RPCError? { if case .failure(let error) = self { error } else { nil } }

  /// Returns the result. Fails the case if the plugin refused the request.
  @discardableResult
  func success(_ method: String) throws -> JSON {
    switch self {
    case .success(let result): return result
    case .failure(let error):
      throw ConformanceFailure("that \(method) is accepted", received: error.summary)
    }
  }
}

extension RPCError {
  /// The code, kind and message of the error as one line.
  var summary: String {
    let kind = data?["kind"]?.string.map { " (\($0))" } ?? ""
    return short("error \(code)\(kind): \(message)")
  }
}

extension [RPCMessage] {
  /// The state notifications with values among these messages.
  package var states: [StateNotification] {
    compactMap { message in
      guard case .notification(StateNotification.method, let params) = message else { return nil }
      return StateNotification(params: params)
    }.filter { !$0.values.isEmpty }
  }
}
