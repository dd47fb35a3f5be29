import Foundation
import Glibc
import JSON
import Platform
import PluginProtocol
import Synchronization
import Testing

/// An output of a plugin.
enum PluginOutput: Sendable {
  case message(RPCMessage)
  case garbage(String)
  case closed
}

/// The failed expectation of a test.
struct PluginMisbehaviour: Error, CustomStringConvertible {
  let description: String
}

/// A plugin's process with the small line client of the suite. One test uses it at a time.
actor PluginProcess {
  private let connection: StreamConnection
  private let child: ChildProcess
  private let outputs: AsyncStream<PluginOutput>
  private let exits: AsyncStream<ChildProcess.ExitStatus>
  private var nextID = 1
  /// Every line that was not a message.
  private(set) var garbage: [String] = []

  /// The longest wait for an answer, with room for a loaded machine.
  static let patience = Duration.seconds(20)

  private init(_ command: [String]) throws {
    let child = try Self.start(command)
    self.child = child
    connection = StreamConnection(reading: child.output, writing: child.input)
    let (outputs, output) = AsyncStream<PluginOutput>.makeStream()
    self.outputs = outputs
    connection.start { event in
      switch event {
      case .line(let bytes):
        if let message = try? RPCMessage(line: bytes) {
          output.yield(.message(message))
        } else {
          output.yield(.garbage(String(decoding: bytes, as: UTF8.self)))
        }
      case .oversizedLine(let count): output.yield(.garbage("a line of \(count) bytes"))
      case .closed: output.yield(.closed)
      }
    }
    let (exits, exit) = AsyncStream<ChildProcess.ExitStatus>.makeStream()
    self.exits = exits
    SystemThread.start(name: "waiter") {
      exit.yield(child.wait())
      exit.finish()
    }
  }

  /// Starts `command` with only the environment variables that a plugin may rely on.
  static func start(_ command: [String]) throws -> ChildProcess {
    let names = ["PATH", "HOME", "XDG_RUNTIME_DIR", "ALSA_CONFIG_PATH"]
    let program = try #require(command.first)
    do {
      return try ChildProcess(
        ProgramStart(
          program, Array(command.dropFirst()),
          environment: ProcessInfo.processInfo.environment.filter { names.contains($0.key) },
          input: .pipe, output: .pipe))
    } catch {
      throw PluginMisbehaviour(description: "cannot start \(program): \(error); build it first")
    }
  }

  /// Runs `body` with a started plugin and ends it. Fails if the plugin has written a line that is
  /// not a message.
  static func run(
    _ plugin: PluginUnderTest, arguments: [String] = [],
    _ body: (PluginProcess) async throws -> Void
  ) async throws {
    signal(SIGPIPE, SIG_IGN)
    let client = try PluginProcess(try plugin.command() + arguments)
    do {
      try await body(client)
    } catch {
      await client.end()
      throw error
    }
    await client.end()
    let garbage = await client.garbage
    #expect(garbage.isEmpty, "stdout carries messages alone")
  }

  private func end() async {
    child.signal(SIGKILL)
    connection.closeSending()
    for await _ in exits {}
  }

  // MARK: Sending

  func send(line: String) throws { try connection.send(Array(line.utf8) + [0x0A]) }

  func send(bytes: [UInt8]) throws { try connection.send(bytes) }

  func notify(_ notification: some PluginNotification) throws {
    try connection.send(
      .notification(method: type(of: notification).method, params: notification.params))
  }

  /// Sends a request and returns its id.
  @discardableResult
  func post(_ method: String, _ params: JSON) throws -> Int {
    defer { nextID += 1 }
    try connection.send(.request(id: nextID, method: method, params: params))
    return nextID
  }

  func post(_ request: some PluginRequest) throws -> Int {
    try post(type(of: request).method, request.params)
  }

  func closeInput() { connection.closeSending() }

  // MARK: Receiving

  /// The next output of the plugin.
  func next() async throws -> PluginOutput {
    let outputs = outputs
    let output = try await within(Self.patience, "a line") { () -> PluginOutput? in
      for await output in outputs { return output }
      return nil
    }
    if case .garbage(let line)? = output { garbage.append(line) }
    return output ?? .closed
  }

  /// The next message; other lines are recorded and skipped.
  func nextMessage() async throws -> RPCMessage {
    while true {
      switch try await next() {
      case .message(let message): return message
      case .garbage: continue
      case .closed: throw PluginMisbehaviour(description: "the plugin closed its output")
      }
    }
  }

  /// Waits for the answer to `id`, with the notifications that came before it and the report that it
  /// carries.
  func answer(to id: Int) async throws -> (result: Result<JSON, RPCError>, before: [RPCMessage]) {
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
  func call(_ method: String, _ params: JSON) async throws
    -> (result: Result<JSON, RPCError>, before: [RPCMessage])
  {
    try await answer(to: try post(method, params))
  }

  /// Sends a request and expects success.
  @discardableResult
  func ask<Request: PluginRequest>(_ request: Request) async throws -> Request.Answer {
    let (result, _) = try await call(Request.method, request.params)
    return try #require(Request.answer(try result.get()))
  }

  /// The next answer without an id, which follows an unreadable line.
  func nextRefusal() async throws -> RPCError {
    while true {
      if case .failure(nil, let error) = try await nextMessage() { return error }
    }
  }

  /// The exit status of the process.
  func exitStatus(within time: Duration = patience) async throws -> ChildProcess.ExitStatus {
    let exits = exits
    let status = try await within(time, "the end of the process") {
      () -> ChildProcess.ExitStatus? in
      for await status in exits { return status }
      return nil
    }
    return try #require(status)
  }

  private func within<Value: Sendable>(
    _ time: Duration, _ what: String, _ body: @escaping @Sendable () async -> Value?
  ) async throws -> Value? {
    try await withThrowingTaskGroup(of: Value?.self) { group in
      group.addTask { await body() }
      group.addTask {
        try await Task.sleep(for: time)
        throw PluginMisbehaviour(description: "\(what) did not come within \(time)")
      }
      defer { group.cancelAll() }
      return try await group.next() ?? nil
    }
  }
}
