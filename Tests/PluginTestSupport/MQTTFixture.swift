import Foundation
import JSON
import Synchronization
import TestSupport

/// A mosquitto broker on this machine. The brokers and devices are children of one process,
/// Tests/Fixtures/mqtt_devices.py, which ends with the test process at the latest.
public final class BrokerFixture: Sendable {
  /// A broker without a login, for tests that do not restart or pause it.
  public static let shared = Result { try BrokerFixture() }

  /// The broker's TCP port on 127.0.0.1.
  public let port: Int
  /// The folder of the CA certificates: `ca.pem` has signed the broker's certificate, `other.pem`
  /// has not.
  public let folder: String

  /// Starts a broker.
  public init(_ options: JSON = [:]) throws {
    let answer = try MQTTProcess.requestAndWait("broker", options)
    port = answer["port"]?.integer ?? 0
    folder = answer["folder"]?.string ?? ""
  }

  /// A change of the broker's process.
  public enum Action: String, Sendable { case kill, pause, resume, start }

  /// Kills, starts, pauses or resumes the broker.
  public func control(_ action: Action) async throws {
    try await MQTTProcess.request(
      "end", ["broker": .integer(port), "how": .string(action.rawValue)])
  }

  /// The option `broker` of devices that connect to it.
  public var options: JSON { ["host": "127.0.0.1", "port": .integer(port)] }
}

/// A device behind a broker: see Tests/Fixtures/mqtt_devices.py.
public final class MQTTFixture: Sendable {
  public let topic: String

  /// Makes a device that no other test has, and waits until it is connected.
  ///
  /// - Parameters:
  ///   - family: `tasmota`, `zigbee2mqtt`, `shelly`, `shelly1` or `own`.
  ///   - kind: `plug`, `dimmer` or `cover`.
  public init(
    _ broker: BrokerFixture, _ family: String, _ kind: String, _ changes: JSON = [:]
  ) throws {
    var request = changes.object ?? [:]
    request["broker"] = .integer(broker.port)
    request["family"] = .string(family)
    request["kind"] = .string(kind)
    topic = try MQTTProcess.requestAndWait("device", .object(request))["topic"]?.string ?? ""
  }

  /// Changes the device; see `Device.change` in the script for the keys.
  public func change(_ changes: JSON) async throws {
    var request = changes.object ?? [:]
    request["device"] = .string(topic)
    try await MQTTProcess.request("change", .object(request))
  }

  /// The messages that it received, each as topic, space and payload.
  public var commands: [String] { MQTTProcess.commands(of: topic) }
}

/// A proxy in front of a broker that adds faults to its connections.
public final class MQTTProxy: Sendable {
  public let port: Int

  public init(_ broker: BrokerFixture, _ mode: String = "pass", topic: String = "") throws {
    let answer = try MQTTProcess.requestAndWait(
      "proxy", ["to": .integer(broker.port), "mode": .string(mode), "topic": .string(topic)])
    port = answer["port"]?.integer ?? 0
  }

  /// Changes the mode of the proxy; see `Proxy` in the script for the modes.
  public func set(_ mode: String, topic: String = "") async throws {
    try await MQTTProcess.request(
      "proxy", ["port": .integer(port), "mode": .string(mode), "topic": .string(topic)])
  }

  /// The number of connections since the start.
  public func connectionCount() async throws -> Int { try await count("opened") }
  /// The number of open sockets of the connections.
  public func openSocketCount() async throws -> Int { try await count("open") }

  private func count(_ key: String) async throws -> Int {
    try await MQTTProcess.request("count", ["port": .integer(port)])[key]?.integer ?? 0
  }

  /// The option `broker` of devices that connect through it.
  public var options: JSON { ["host": "127.0.0.1", "port": .integer(port)] }
}

/// The process of all brokers and devices.
private final class MQTTProcess: Sendable {
  private static let process = Result { try MQTTProcess() }
  /// The time limit of a request, in seconds.
  private static let limit = 60.0

  private struct State {
    var nextID = 0
    var waiting: [Int: @Sendable (JSON) -> Void] = [:]
    var commands: [String: [String]] = [:]
  }

  private struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  private let state = Mutex(State())
  private let program: RunningProgram

  private init() throws {
    let script = Program.project.appendingPathComponent("Tests/Fixtures/mqtt_devices.py").path
    // The script ends at the end of its input, at the latest when this process ends.
    program = try RunningProgram("python3", [script])
    program.readLines {
      self.receive($0)
    } atEnd: {
      self.answerAll("the script has ended")
    }
  }

  static func commands(of topic: String) -> [String] {
    (try? process.get())?.state.withLock { $0.commands[topic] } ?? []
  }

  @discardableResult
  static func request(_ verb: String, _ parameters: JSON) async throws -> JSON {
    let process = try process.get()
    let answer = await withCheckedContinuation { waiter in
      process.send(verb, parameters) { waiter.resume(returning: $0) }
    }
    return try checked(answer, verb)
  }

  /// Sends a request from synchronous code. Blocks the thread until the answer.
  static func requestAndWait(_ verb: String, _ parameters: JSON) throws -> JSON {
    let process = try process.get()
    let answer = Mutex(JSON.null)
    let done = DispatchSemaphore(value: 0)
    process.send(verb, parameters) { result in
      answer.withLock { $0 = result }
      done.signal()
    }
    done.wait()
    return try checked(answer.withLock { $0 }, verb)
  }

  private static func checked(_ answer: JSON, _ verb: String) throws -> JSON {
    if let error = answer["error"]?.string {
      throw Failure(description: "mqtt_devices.py: \(verb): \(error)")
    }
    return answer
  }

  private func send(_ verb: String, _ parameters: JSON, _ done: @escaping @Sendable (JSON) -> Void)
  {
    let id = state.withLock { state in
      state.nextID += 1
      state.waiting[state.nextID] = done
      return state.nextID
    }
    var line = parameters.object ?? [:]
    line["do"] = .string(verb)
    line["id"] = .integer(id)
    program.send(JSON.object(line).text())
    DispatchQueue.global().asyncAfter(deadline: .now() + Self.limit) {
      self.answer(id, ["error": .string("no answer within \(Self.limit) s")])
    }
    if !program.isRunning { answerAll("the script has ended") }
  }

  private func answer(_ id: Int, _ message: JSON) {
    state.withLock { $0.waiting.removeValue(forKey: id) }?(message)
  }

  private func answerAll(_ error: String) {
    for id in state.withLock({ Array($0.waiting.keys) }) { answer(id, ["error": .string(error)]) }
  }

  private func receive(_ line: String) {
    guard let message = try? JSON(parsing: Array(line.utf8)) else { return }
    if let id = message["id"]?.integer { return answer(id, message) }
    guard let device = message["device"]?.string else { return }
    let (topic, payload) = (message["topic"]?.string ?? "", message["payload"]?.string ?? "")
    state.withLock { $0.commands[device, default: []].append("\(topic) \(payload)") }
  }
}
