import Devices
import JSON
import PluginProtocol
import PluginTestSupport
import TestSupport
import Testing

@testable import MQTTDevices

/// A family of devices, as the options and the fixture name it.
struct Family: Sendable, CustomTestStringConvertible {
  let name: String
  let options: JSON
  var testDescription: String { name }

  static let all = [
    Family(name: "tasmota", options: ["profile": "tasmota"]),
    Family(name: "zigbee2mqtt", options: ["profile": "zigbee2mqtt"]),
    Family(name: "shelly", options: ["profile": "shelly"]),
    Family(name: "shelly1", options: ["profile": "shelly", "generation": 1]),
  ]
}

@Suite("MQTT devices behind a real broker", .timeLimit(.minutes(2)))
struct EveningTests {
  private let broker: BrokerFixture

  init() throws { broker = try BrokerFixture.shared.get() }

  @Test(
    "E15 · lights turn on, dim and turn off, and report what the device says", arguments: Family.all
  )
  func lights(_ family: Family) async throws {
    let lamp = try MQTTFixture(broker, family.name, "dimmer")
    let bench = DeviceBench(broker.options)
    #expect(await bench.open(.lights, lamp, family.options) == nil)
    #expect(bench[.power] == "off" && bench[.brightness] == 0)
    #expect(await bench.perform("on") == nil)
    #expect(bench[.power] == "on" && bench[.brightness] == 100)
    for brightness in [10, 1, 63] {
      #expect(await bench.perform(["dim": .integer(brightness)]) == nil)
      #expect(bench[.brightness] == .integer(brightness))
    }
    #expect(await bench.perform(["dim": 0]) == nil)
    #expect(bench[.power] == "off" && bench[.brightness] == 0)
    #expect(bench.provenance(of: .power) == .reported)
    #expect(!lamp.commands.contains { $0.lowercased().contains("toggle") })
  }

  @Test("Lights without a dimmer know 0 and 100 % alone", arguments: Family.all)
  func plainLights(_ family: Family) async throws {
    let lamp = try MQTTFixture(broker, family.name, "plug")
    let bench = DeviceBench(broker.options)
    var options = family.options.object ?? [:]
    options["dimmer"] = false
    #expect(await bench.open(.lights, lamp, .object(options)) == nil)
    #expect(await bench.perform(["dim": 100]) == nil)
    #expect(bench[.power] == "on" && bench[.brightness] == 100)
    #expect(await bench.perform(["dim": 40])?.kind == "unsupported")
    #expect(await bench.perform("off") == nil)
    #expect(bench[.brightness] == 0)
  }
}
