import Devices
import JSON
import PluginKit
import PluginProtocol
import PluginTestSupport

@testable import MQTTDevices

/// The plugin in this process, with devices behind a broker or a proxy.
struct DeviceBench: Sendable {
  private let bench: PluginBench
  private let broker: JSON

  /// - Parameter broker: The option `broker`.
  init(_ broker: JSON) {
    bench = PluginBench(
      MQTTDevicesPlugin.plugin(Brokers(shortestDelay: .milliseconds(20))))
    self.broker = broker
  }

  /// Opens a device "d" for a fixture; nil when it is open.
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

  func cancelNewest() { bench.cancelNewest() }

  func close(_ device: DeviceID = "d") async -> RPCError? { await bench.close(device) }

  subscript(key: StateKey) -> JSON? { bench["d", key] }
  subscript(device: DeviceID, key: StateKey) -> JSON? { bench[device, key] }
  func provenance(of key: StateKey) -> Provenance? { bench.provenance(of: key, "d") }
  var problem: String? { bench.attribute("problem", "d")?.string }
  func attribute(_ name: String) -> JSON? { bench.attribute(name, "d") }
  var reports: Int { bench.reports("d") }
  var log: [String] { bench.log }
}
