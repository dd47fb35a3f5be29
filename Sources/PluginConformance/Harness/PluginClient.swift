import Devices
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
  private let outputs: AsyncStream<PluginOutput>
  private let exits: AsyncStream<String>
  private var nextID = 1
  private var lastSent: String?
  /// Every line that was not a message.
  private(set) var invalidLines: [String] = []

  /// The description of exit status 0.
  package static let success = ChildProcess.ExitStatus.exited(0).description
  /// The longest wait for an answer. Much longer than the protocol allows, because the machine may be busy.
  package static let answerTimeout = Duration.seconds(20)
  /// How many of the last lines on standard error a failure shows.
  private static let shownStderrLines = 8

  private init(_ target: PluginTarget) throws {
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
      throw ConformanceFailure("that the program starts", received: error.message)
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
      case .oversizedLine(let count): output.yield(.invalidLine("a line of \(count) bytes"))
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

  private func end() async {
    process.kill()
    process.connection.closeSending()
    for await _ in exits {}
  }

  /// Adds the last line sent and the last lines of standard error to an error.
  private func failure(_ error: any Error) -> any Error {
    var failure: ConformanceFailure
    switch error {
    case let error as ConformanceFailure: failure = error
    case let error as ConnectionError:
      let reason = error == .closed ? "it closed its input" : "it does not read its input"
      failure = ConformanceFailure("that the plugin reads its input", received: reason)
    default: return error
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
    defer { nextID += 1 }
    try send(bytes: RPCMessage.request(id: nextID, method: method, params: params).line())
    return nextID
  }

  /// Sends a request and returns its id. Does not wait for the answer.
  package func post(_ request: some PluginRequest) throws -> Int {
    try post(type(of: request).method, request.params)
  }

  /// Closes the standard input of the plugin.
  package func closeInput() { process.connection.closeSending() }

  // MARK: Receiving

  /// Waits for the next output of the plugin, at most ``answerTimeout``.
  func next() async throws -> PluginOutput {
    let outputs = outputs
    let output = try await within(Self.answerTimeout, "a line of the plugin") {
      () -> PluginOutput? in
      for await output in outputs { return output }
      return nil
    }
    if case .invalidLine(let line)? = output { invalidLines.append(line) }
    return output ?? .closed
  }

  /// Waits for the next message. Other lines are recorded and skipped.
  func nextMessage() async throws -> RPCMessage {
    while true {
      switch try await next() {
      case .message(let message): return message
      case .invalidLine: continue
      case .closed:
        throw ConformanceFailure("an answer", received: "the end of the plugin's output")
      }
    }
  }

  /// Waits for the answer to `id`. Returns it with the messages before it; a report inside the answer counts as
  /// one of these.
  func answer(to id: Int) async throws -> Outcome {
    var before: [RPCMessage] = []
    while true {
      let message = try await nextMessage()
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
  package func exitStatus(within time: Duration = answerTimeout) async throws -> String {
    let exits = exits
    let status = try await within(time, "the end of the process") { () -> String? in
      for await status in exits { return status }
      return nil
    }
    return status ?? "none"
  }

  private func within<Value: Sendable>(
    _ time: Duration, _ what: String, _ body: @escaping @Sendable () async -> Value?
  ) async throws -> Value? {
    try await withThrowingTaskGroup(of: Value?.self) { group in
      group.addTask { await body() }
      group.addTask {
        // A time limit beside the wait, which is cancelled at its end.
        try await Task.sleep(for: time)
        throw ConformanceFailure(what, received: "nothing within \(time.seconds) s")
      }
      defer { group.cancelAll() }
      return try await group.next() ?? nil
    }
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
