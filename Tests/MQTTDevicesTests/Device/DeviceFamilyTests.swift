import Devices
import JSON
import PluginProtocol
import PluginTestSupport
import TestSupport
import Testing

@testable import MQTTDevices

/// A family of devices: its name in the fixture, and the options that select its profile.
struct DeviceFamily: Sendable, CustomTestStringConvertible {
  let name: String
  let options: JSON
  var testDescription: String { name }

  static let all = [
    DeviceFamily(name: "tasmota", options: ["profile": "tasmota"]),
    DeviceFamily(name: "zigbee2mqtt", options: ["profile": "zigbee2mqtt"]),
    DeviceFamily(name: "shelly", options: ["profile": "shelly"]),
    DeviceFamily(name: "shelly1", options: ["profile": "shelly", "generation": 1]),
  ]

  /// Returns the options, with `more` added.
  func with(_ more: JSON) -> JSON {
    var all = options.object ?? [:]
    for (name, value) in more.object ?? [:] { all[name] = value }
    return .object(all)
  }
}

@Suite("MQTT devices behind a real broker", .timeLimit(.minutes(2)))
struct DeviceFamilyTests {
  private let broker: BrokerFixture

  init() throws { broker = try BrokerFixture.shared.get() }

  @Test(
    "E15 · lights turn on, dim and turn off, and report the state of the device",
    arguments: DeviceFamily.all)
  func lights(_ family: DeviceFamily) async throws {
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

  @Test("Lights without a dimmer accept only 0 and 100 %", arguments: DeviceFamily.all)
  func plainLights(_ family: DeviceFamily) async throws {
    let lamp = try MQTTFixture(broker, family.name, "plug")
    let bench = DeviceBench(broker.options)
    #expect(await bench.open(.lights, lamp, family.with(["dimmer": false])) == nil)
    #expect(await bench.perform(["dim": 100]) == nil)
    #expect(bench[.power] == "on" && bench[.brightness] == 100)
    #expect(await bench.perform(["dim": 40])?.kind == "unsupported")
    #expect(await bench.perform("off") == nil)
    #expect(bench[.brightness] == 0)
  }

  @Test("E15 · a screen moves to both ends and stops on the way", arguments: DeviceFamily.all)
  func screen(_ family: DeviceFamily) async throws {
    let cover = try MQTTFixture(broker, family.name, "cover", ["position": 100])
    let bench = DeviceBench(broker.options)
    #expect(await bench.open(.screen, cover, family.with(["travel": 10])) == nil)
    #expect(bench[.position] == "up")
    #expect(await bench.perform("down") == nil)
    #expect(await eventually { bench[.position] == "down" })
    #expect(bench.attribute("towards") == 100 && bench.attribute("takes") == 10)
    try await cover.change(["travel": 60])
    #expect(await bench.perform("up") == nil)
    #expect(bench[.position] == "moving")
    try await cover.change(["position": 50])
    #expect(await bench.perform("stop") == nil)
    #expect(await eventually { bench[.position] == "stopped" })
    #expect(bench.attribute("lowered") == 50)
  }

  @Test(
    "A dimmer with a least level confirms a darker command with that level, also the second time",
    arguments: [("tasmota", 15, 15), ("zigbee2mqtt", 38, 15), ("shelly1", 20, 20)])
  func leastLevel(family: String, least: Int, shown: Int) async throws {
    let lamp = try MQTTFixture(
      broker, family, "dimmer", ["least": .integer(least), "power": true, "brightness": 100])
    let bench = DeviceBench(broker.options)
    let options: JSON =
      family == "shelly1"
      ? ["profile": "shelly", "generation": 1] : ["profile": .string(family)]
    #expect(await bench.open(.lights, lamp, options) == nil)
    for _ in 0..<2 {
      #expect(await bench.advanceDuring { await bench.perform(["dim": 10]) } == nil)
      #expect(bench[.brightness] == .integer(shown))
      #expect(bench.provenance(of: .brightness) == .reported)
    }
    #expect(await bench.perform(["dim": 60]) == nil)
    #expect(await eventually { bench[.brightness] == 60 })
  }

  @Test("A lamp that fades and reports its way gets its command once")
  func fade() async throws {
    let lamp = try MQTTFixture(
      broker, "zigbee2mqtt", "dimmer",
      ["odd": ["fade"], "travel": 2, "power": true, "brightness": 254])
    let bench = DeviceBench(broker.options)
    #expect(await bench.open(.lights, lamp, ["profile": "zigbee2mqtt"]) == nil)
    #expect(await bench.perform(["dim": 10]) == nil)
    #expect(bench[.brightness] != 10, "the answer comes while it fades")
    #expect(await bench.advanceUntil { bench[.brightness] == 10 })
    #expect(lamp.commands.count { $0.contains("/set ") } == 1)
  }

  @Test(
    "A screen whose position is out of its range is moved, and its end is known by words or assumed",
    arguments: [
      ("tasmota", Provenance.assumed), ("zigbee2mqtt", .reported), ("shelly", .reported),
      ("shelly1", .assumed),
    ])
  func withoutPosition(family: String, provenance: Provenance) async throws {
    let cover = try MQTTFixture(
      broker, family, "cover", ["odd": ["no-position"], "position": 100])
    let bench = DeviceBench(broker.options)
    let options: JSON =
      family == "shelly1"
      ? ["profile": "shelly", "generation": 1] : ["profile": .string(family)]
    #expect(await bench.open(.screen, cover, options) == nil)
    #expect(bench[.position] != "down")
    #expect(await bench.perform("down") == nil)
    #expect(
      await bench.advanceUntil {
        bench[.position] == "down" && bench.provenance(of: .position) == provenance
      })
  }

  @Test("A motor with inverted positions alone fits its option, and says so without it")
  func invertedPositions() async throws {
    let cover = try MQTTFixture(
      broker, "tasmota", "cover", ["odd": ["inverted-position"], "position": 50])
    let wrong = DeviceBench(broker.options)
    #expect(await wrong.open(.screen, cover, ["profile": "tasmota"]) == nil)
    #expect(await wrong.perform("down") == nil)
    #expect(await eventually { wrong.problem?.contains("it went the other way") == true })
    #expect(wrong[.position] == "up")
    #expect(wrong.problem?.contains("\"invertedPositions\" to true") == true)
    #expect(await wrong.close() == nil)
    let bench = DeviceBench(broker.options)
    let options: JSON = ["profile": "tasmota", "invertedPositions": true]
    #expect(await bench.open(.screen, cover, options) == nil)
    #expect(bench[.position] == "down")
    #expect(await bench.perform("up") == nil)
    #expect(await eventually { bench[.position] == "up" })
    #expect(bench.attribute("problem")?.string == nil)
  }

  @Test(
    "A screen that is moved with its own buttons is reported as moving, then at its end",
    arguments: DeviceFamily.all)
  func ownButtons(_ family: DeviceFamily) async throws {
    let cover = try MQTTFixture(broker, family.name, "cover", ["position": 50, "travel": 0.4])
    let bench = DeviceBench(broker.options)
    #expect(await bench.open(.screen, cover, family.options) == nil)
    #expect(bench[.position] == "stopped")
    try await cover.change(["go": 0])
    #expect(await eventually { bench[.position] == "down" })
    #expect(bench.history(of: .position).contains("moving"))
  }

  @Test(
    "A screen behind a plug is assumed to move for its travel time", arguments: DeviceFamily.all)
  func switchedScreen(_ family: DeviceFamily) async throws {
    let plug = try MQTTFixture(broker, family.name, "plug")
    let bench = DeviceBench(broker.options)
    #expect(
      await bench.open(.screen, plug, family.with(["drive": "switch", "travel": 20])) == nil)
    #expect(bench[.position] == "up" && bench.provenance(of: .position) == .assumed)
    #expect(await bench.perform("stop")?.kind == "unsupported")
    #expect(await bench.perform("down") == nil)
    #expect(bench[.position] == "moving" && bench.attribute("remaining") == 20)
    await bench.clock.waitForSleepers()
    bench.clock.advance(by: .seconds(20))
    #expect(await eventually { bench[.position] == "down" })
  }

  @Test("E15 · a popper pops for its popTime and is off afterwards", arguments: DeviceFamily.all)
  func popper(_ family: DeviceFamily) async throws {
    let plug = try MQTTFixture(broker, family.name, "plug")
    let bench = DeviceBench(broker.options)
    #expect(await bench.open(.popcornPopper, plug, family.with(["popTime": 60])) == nil)
    #expect(bench[.power] == "off" && bench[.popping] == "idle")
    #expect(await bench.perform("pop") == nil)
    #expect(bench[.power] == "on" && bench[.popping] == "popping")
    #expect(await bench.perform("pop")?.kind == "notNow")
    await bench.clock.waitForSleepers()
    bench.clock.advance(by: .seconds(60))
    #expect(await eventually { bench[.power] == "off" && bench[.popping] == "done" })
    #expect(await bench.perform("off") == nil)
    #expect(await eventually { bench[.popping] == "idle" })
  }

  @Test(
    "A popper is turned off when its device is closed while it pops", arguments: DeviceFamily.all)
  func popperIsClosed(_ family: DeviceFamily) async throws {
    let plug = try MQTTFixture(broker, family.name, "plug")
    let bench = DeviceBench(broker.options)
    #expect(await bench.open(.popcornPopper, plug, family.options) == nil)
    #expect(await bench.perform("pop") == nil)
    #expect(await bench.close() == nil)
    let again = DeviceBench(broker.options)
    #expect(await again.open(.popcornPopper, plug, family.options) == nil)
    #expect(await eventually { again[.power] == "off" })
  }

  @Test(
    "Projectors and amplifiers accept only on and off",
    arguments: DeviceFamily.all, [Role.projector, .amplifier])
  func power(_ family: DeviceFamily, _ role: Role) async throws {
    let plug = try MQTTFixture(broker, family.name, "plug")
    let bench = DeviceBench(broker.options)
    #expect(await bench.open(role, plug, family.options) == nil)
    #expect(await bench.perform("on") == nil)
    #expect(bench[.power] == "on")
    let other: JSON = role == .projector ? "tvMode" : ["volume": 30]
    #expect(await bench.perform(other)?.kind == "unsupported")
    #expect(await bench.perform("off") == nil)
    #expect(bench[.power] == "off")
  }

  @Test("A template controls lights as the profiles do")
  func templates() async throws {
    let lamp = try MQTTFixture(broker, "own", "dimmer")
    let topic = lamp.topic
    let bench = DeviceBench(broker.options)
    let power: JSON = [
      "topic": .string("own/\(topic)/state"), "pointer": "/lamps/0/on", "on": "true",
      "off": "false",
    ]
    let availability: JSON = [
      "topic": .string("own/\(topic)/alive"), "online": "yes", "offline": "no",
    ]
    let template: JSON = [
      "commands": [
        "off": ["topic": .string("own/\(topic)/power/set"), "payload": "0"],
        "dim": [
          "topic": .string("own/\(topic)/level/set"), "payload": "{\"level\": {brightness}}",
        ],
      ],
      "brightest": 200,
      "state": [
        "power": power,
        "brightness": ["topic": .string("own/\(topic)/state"), "pointer": "/lamps/0/level"],
      ],
      "availability": availability,
    ]
    #expect(await bench.open(.lights, ["profile": "template", "template": template]) == nil)
    #expect(await bench.perform("on") == nil)
    #expect(await bench.perform(["dim": 30]) == nil)
    #expect(bench[.power] == "on" && bench[.brightness] == 30)
    #expect(await eventually { lamp.commands.last == "own/\(topic)/level/set {\"level\": 60}" })
    #expect(await bench.perform("off") == nil)
    #expect(bench[.power] == "off")
    try await lamp.change([
      "raw": [["topic": .string("own/\(topic)/alive"), "payload": "no", "retain": true]]
    ])
    #expect(await eventually { bench.provenance(of: .power) == .unknown })
    #expect(await bench.perform("on")?.kind == "unavailable")
  }

  @Test("A template without the words of the ends controls a screen: 100 is up and 0 is down")
  func screenTemplate() async throws {
    let cover = try MQTTFixture(broker, "own", "cover", ["position": 100])
    let set = JSON.string("own/\(cover.topic)/screen/set")
    let template: JSON = [
      "commands": [
        "up": ["topic": set, "payload": "roll"], "down": ["topic": set, "payload": "unroll"],
      ],
      "state": ["position": ["topic": .string("own/\(cover.topic)/state"), "pointer": "/at"]],
    ]
    let bench = DeviceBench(broker.options)
    #expect(await bench.open(.screen, ["profile": "template", "template": template]) == nil)
    #expect(bench[.position] == "up")
    #expect(await bench.perform("down") == nil)
    #expect(await eventually { bench[.position] == "down" })
    #expect(bench.provenance(of: .position) == .reported)
    #expect(await bench.perform("stop")?.kind == "unsupported")
  }

  @Test("Without a state in the template, the effect of a command is assumed")
  func withoutState() async throws {
    let plug = try MQTTFixture(broker, "own", "plug")
    let set = JSON.string("own/\(plug.topic)/power/set")
    let template: JSON = [
      "commands": ["on": ["topic": set, "payload": "1"], "off": ["topic": set, "payload": "0"]]
    ]
    let bench = DeviceBench(broker.options)
    #expect(await bench.open(.projector, ["profile": "template", "template": template]) == nil)
    #expect(await bench.perform("on") == nil)
    #expect(bench[.power] == "on" && bench.provenance(of: .power) == .assumed)
    #expect(await eventually { plug.commands.count == 1 })
  }
}
