import Devices
import JSON
import PluginKit
import PluginProtocol
import PluginTestSupport
import Synchronization
import TestSupport

@testable import MQTTDevices

/// The plugin in this process. Its devices are behind a broker, or behind a proxy of the broker.
struct DeviceBench: Sendable {
  /// A clock that only the test advances, so that the plugin does not take a busy machine for a silent device.
  let clock = ManualClock()
  private let bench: PluginBench
  private let broker: JSON

  /// - Parameters:
  ///   - broker: The option `broker`.
  ///   - keepalive: The MQTT keep-alive interval in seconds.
  init(_ broker: JSON, keepalive: Int32 = 15) {
    let timing = BrokerConnection.Timing(
      shortestDelay: .milliseconds(20), keepalive: keepalive, clock: clock)
    bench = PluginBench(MQTTDevicesPlugin.plugin(BrokerConnectionPool(timing), clock: clock))
    self.broker = broker
  }

  /// Advances the clock by 100 ms for every 20 ms of real time, until `condition` holds. Returns false after 24 s of
  /// real time.
  ///
  /// - Parameter limit: The longest advance of the clock. After it, this function still waits for the condition.
  func advanceUntil(
    atMost limit: Duration? = nil, _ condition: @escaping @Sendable () async -> Bool
  ) async -> Bool {
    let end = limit.map { clock.now() + $0 }
    for _ in 0..<1200 {
      if await eventually(within: 0.02, condition) { return true }
      if let end, clock.now() >= end { return await eventually(condition) }
      clock.advance(by: .milliseconds(100))
    }
    return false
  }

  /// Advances the clock until `body` has ended, and returns its error.
  ///
  /// - Parameter limit: The longest advance of the clock.
  func advanceDuring(
    atMost limit: Duration? = nil, _ body: @escaping @Sendable () async -> RPCError?
  ) async -> RPCError? {
    let outcome = Outcome()
    async let isEnded: Void = outcome.set(body())
    _ = await advanceUntil(atMost: limit) { outcome.error.withLock { $0 != nil } }
    await isEnded
    return outcome.error.withLock { $0 } ?? nil
  }

  /// The outcome of a call; nil before its end.
  private final class Outcome: Sendable {
    let error = Mutex<RPCError??>(nil)
    func set(_ outcome: RPCError?) { error.withLock { $0 = .some(outcome) } }
  }

  /// Opens a device, by default "d", for a fixture. Returns the error; nil if the device is open.
  func open(
    _ role: Role, _ fixture: MQTTFixture, _ options: JSON, as device: DeviceID = "d"
  ) async -> RPCError? {
    var all = options.object ?? [:]
    all["topic"] = .string(fixture.topic)
    return await open(role, .object(all), as: device)
  }

  func open(_ role: Role, _ options: JSON, as device: DeviceID = "d") async -> RPCError? {
    var all: JSONObject = ["broker": broker]
    for (name, value) in options.object ?? [:] { all[name] = value }
    return await bench.open(device, role, .object(all))
  }

  func perform(_ command: JSON, on device: DeviceID = "d") async -> RPCError? {
    await bench.perform(device, command)
  }

  func close(_ device: DeviceID = "d") async -> RPCError? { await bench.close(device) }

  subscript(key: StateKey) -> JSON? { bench["d", key] }
  subscript(device: DeviceID, key: StateKey) -> JSON? { bench[device, key] }
  /// All reported values of a key, oldest first.
  func history(of key: StateKey) -> [JSON] { bench.history(of: key, "d") }
  func provenance(of key: StateKey) -> Provenance? { bench.provenance(of: key, "d") }
  var problem: String? { bench.attribute("problem", "d")?.string }
  func attribute(_ name: String) -> JSON? { bench.attribute(name, "d") }
  var reports: Int { bench.reports("d") }
  var log: [String] { bench.log }
}
