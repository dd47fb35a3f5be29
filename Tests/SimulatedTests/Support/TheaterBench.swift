import Devices
import JSON
import PluginKit
import PluginProtocol
import Synchronization
import Testing
import TestSupport

@testable import Simulated

/// A simulated theater over an in-memory connection, with a clock that the test moves.
actor TheaterBench {
  nonisolated let clock = ManualClock()
  /// The number of times that the process would have ended.
  nonisolated let deaths: DeathCount
  private let connection: InMemoryConnection
  private let messages: AsyncStream<RPCMessage>
  private var nextID = 1
  /// Every state value that was reported, in order.
  private(set) var reports: [Report] = []
  /// The last attributes of all devices, by name.
  private(set) var attributes: [String: Attribute] = [:]

  /// One reported value.
  struct Report: Equatable {
    let device: String
    let key: StateKey
    let value: JSON
  }

  final class DeathCount: Sendable {
    let count = Mutex(0)
    func add() { count.withLock { $0 += 1 } }
  }

  private init() {
    let deaths = DeathCount()
    self.deaths = deaths
    let pair = InMemoryConnection.pair()
    connection = pair.controller
    let (messages, message) = AsyncStream<RPCMessage>.makeStream()
    self.messages = messages
    connection.start { event in
      switch event {
      case .line(let bytes): if let line = try? RPCMessage(line: bytes) { message.yield(line) }
      case .oversizedLine: break
      case .closed: message.finish()
      }
    }
    let theater = simulatedTheater(clock: clock) { deaths.add() }
    // The plugin's one task; it ends with the connection.
    Task { await theater.serve(pair.plugin) }
  }

  /// Runs `body` with one device `a` open; the theater is closed afterwards.
  static func run(
    _ role: Role, _ options: JSON = [:], _ body: (TheaterBench) async throws -> Void
  ) async throws {
    let bench = TheaterBench()
    do {
      try await bench.open("a", role, options)
      try await body(bench)
    } catch {
      await bench.end()
      throw error
    }
    await bench.end()
  }

  private func end() async {
    connection.closeSending()
    for await _ in messages {}
  }

  // MARK: Requests

  @discardableResult
  func open(_ name: DeviceID, _ role: Role, _ options: JSON = [:]) async throws -> Capabilities {
    let result = try await call(OpenRequest(device: name, role: role, options: options)).get()
    return try #require(OpenRequest.decodeAnswer(result))
  }

  /// Sends a command and expects success.
  func perform(_ command: JSON, on device: DeviceID = "a") async throws {
    _ = try await call(PerformRequest(device: device, command: command)).get()
  }

  /// Sends a command and expects a refusal.
  func refusal(of command: JSON, by device: DeviceID = "a") async throws -> DeviceError {
    let result = try await call(PerformRequest(device: device, command: command))
    guard case .failure(let error) = result else {
      throw Unexpected(what: "\(command) was accepted")
    }
    return error.deviceError(device: device)
  }

  /// Sends a request and returns its id, without waiting for the answer.
  func post(_ request: some PluginRequest) throws -> Int {
    defer { nextID += 1 }
    try connection.send(
      .request(id: nextID, method: type(of: request).method, params: request.params))
    return nextID
  }

  func cancel(_ id: Int) throws {
    try connection.send(.notification(method: "cancel", params: CancelNotification(id: id).params))
  }

  func call(_ request: some PluginRequest) async throws -> Result<JSON, RPCError> {
    try await answer(to: try post(request))
  }

  func answer(to id: Int) async throws -> Result<JSON, RPCError> {
    while true {
      switch try await next() {
      case .success(id, let result): return .success(result)
      case .failure(id, let error): return .failure(error)
      default: continue
      }
    }
  }

  // MARK: Reports

  /// The last reported value.
  func state(_ key: StateKey, of device: String = "a") -> JSON? {
    reports.last { $0.device == device && $0.key == key }?.value
  }

  var playback: Playback? { state(.playback).flatMap { Playback($0) } }

  /// Removes the recorded reports.
  func removeReports() { reports = [] }

  /// Waits for the next report of `key`.
  func nextReport(of key: StateKey, from device: String = "a") async throws -> JSON {
    let before = reports.count
    while true {
      if let report = reports.dropFirst(before).first(where: {
        $0.device == device && $0.key == key
      }) {
        return report.value
      }
      _ = try await next()
    }
  }

  /// Waits until a playback report satisfies `condition`.
  @discardableResult
  func playback(where condition: (Playback) -> Bool) async throws -> Playback {
    while true {
      if let playback = Playback(try await nextReport(of: .playback)), condition(playback) {
        return playback
      }
    }
  }

  /// Waits until the last playback report has `status`, which must be one that the player does not
  /// leave by itself.
  @discardableResult
  func wait(until status: Playback.Status) async throws -> Playback {
    while true {
      if let playback, playback.status == status { return playback }
      _ = try await next()
    }
  }

  /// Waits until an attribute satisfies `condition`.
  func attribute(_ name: String, where condition: (JSON) -> Bool) async throws -> JSON {
    while true {
      if let value = attributes[name]?.value, condition(value) { return value }
      _ = try await next()
    }
  }

  /// Waits until `sleepers` timers sleep, then advances the clock.
  nonisolated func advance(by time: Duration, sleepers: Int = 1) async {
    await clock.waitForSleepers(sleepers)
    clock.advance(by: time)
  }

  private func next() async throws -> RPCMessage {
    let messages = messages
    let message = try await withThrowingTaskGroup(of: RPCMessage?.self) { group in
      group.addTask {
        for await message in messages { return message }
        return nil
      }
      group.addTask {
        try await Task.sleep(for: .seconds(60))
        throw Unexpected(what: "nothing came within a minute")
      }
      defer { group.cancelAll() }
      return try await group.next() ?? nil
    }
    guard let message else { throw Unexpected(what: "the theater closed its side") }
    record(message)
    return message
  }

  private func record(_ message: RPCMessage) {
    guard case .notification(StateNotification.method, let params) = message,
      let notification = StateNotification(params: params)
    else { return }
    for key in StateKey.allCases {
      guard let value = notification.values[key] else { continue }
      reports.append(Report(device: notification.device.name, key: key, value: value))
    }
    attributes.merge(notification.attributes) { $1 }
  }
}

/// The failed expectation of a test.
struct Unexpected: Error, CustomStringConvertible {
  let what: String
  var description: String { what }
}
