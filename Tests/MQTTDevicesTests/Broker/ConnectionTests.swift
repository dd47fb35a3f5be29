import Devices
import Foundation
import Glibc
import JSON
import Platform
import PluginKit
import PluginProtocol
import PluginTestSupport
import Synchronization
import TestSupport
import Testing

@testable import MQTTDevices

@Suite("Failures of brokers, connections and devices", .timeLimit(.minutes(2)))
struct ConnectionTests {
  private let broker: BrokerFixture
  private let tasmota: JSON = ["profile": "tasmota"]

  init() throws { broker = try BrokerFixture.shared.get() }

  /// Commands for the test devices. Each entry has the device's family and kind, the topic and payload of the command,
  /// and the topic and a part of the state that the device then publishes. `T` stands for the device's topic.
  private static let exchanges: [(String, String, String, String, String, String)] =
    [
      ("tasmota", "plug", "cmnd/T/POWER", "ON", "stat/T/POWER", "ON"),
      ("tasmota", "dimmer", "cmnd/T/Dimmer", "30", "stat/T/RESULT", #""Dimmer": 30"#),
      ("tasmota", "cover", "cmnd/T/ShutterOpen1", "", "stat/T/RESULT", #""Position": 100"#),
      (
        "zigbee2mqtt", "dimmer", "zigbee2mqtt/T/set", #"{"state": "ON", "brightness": 77}"#,
        "zigbee2mqtt/T", #""brightness": 77"#
      ),
      (
        "zigbee2mqtt", "cover", "zigbee2mqtt/T/set", #"{"state": "OPEN"}"#, "zigbee2mqtt/T",
        #""position": 100"#
      ),
      (
        "shelly", "plug", "T/rpc",
        #"{"id": 1, "src": "peer", "method": "Switch.Set", "params": {"id": 0, "on": true}}"#,
        "T/events/rpc", #""output": true"#
      ),
      (
        "shelly", "cover", "T/rpc",
        #"{"id": 1, "src": "peer", "method": "Cover.Open", "params": {"id": 0}}"#, "T/events/rpc",
        #""current_pos": 100"#
      ),
      ("shelly1", "plug", "shellies/T/relay/0/command", "on", "shellies/T/relay/0", "on"),
      (
        "shelly1", "dimmer", "shellies/T/light/0/set", #"{"turn": "on", "brightness": 42}"#,
        "shellies/T/light/0/status", #""brightness": 42"#
      ),
      ("shelly1", "cover", "shellies/T/roller/0/command", "open", "shellies/T/roller/0/pos", "100"),
      ("own", "dimmer", "own/T/level/set", #"{"level": 9}"#, "own/T/state", #""level": 9"#),
    ]

  /// The lines that a program has printed.
  private final class Lines: Sendable {
    private let state = Mutex<[String]>([])
    var lines: [String] { state.withLock { $0 } }
    func append(_ line: String) { state.withLock { $0.append(line) } }
  }

  @Test("the devices of the tests work with mosquitto_pub and mosquitto_sub", arguments: exchanges)
  func independentClients(
    family: String, kind: String, command: String, payload: String, topic: String, state: String
  ) async throws {
    let device = try MQTTFixture(broker, family, kind)
    let port = "\(broker.port)"
    let named = { (topic: String) in topic.replacing("T", with: device.topic, maxReplacements: 1) }
    let subscriber = try RunningProgram(
      "stdbuf", ["-oL", "mosquitto_sub", "-p", port, "-t", named(topic), "-W", "60", "-d"])
    defer { subscriber.end() }
    let heard = Lines()
    subscriber.readLines { heard.append($0) }
    // A debug line of mosquitto_sub reports that the broker has the subscription. Only then the command is sent.
    #expect(await eventually { heard.lines.contains { $0.contains("SUBACK") } })
    _ = try await Program.tool("mosquitto_pub", "-p", port, "-t", named(command), "-m", payload)
    #expect(
      await eventually {
        heard.lines.contains { $0.contains(state) && !$0.hasPrefix("Client ") }
      })
  }

  @Test("opens a device that reports no state, names its topic, and fails a command in vain")
  func silentAtOpening() async throws {
    let bench = DeviceBench(broker.options)
    let error = await bench.advanceDuring {
      await bench.open(.lights, ["profile": "tasmota", "topic": "nobody"])
    }
    #expect(error == nil)
    #expect(bench[.power] == nil)
    #expect(
      await eventually {
        bench.problem?.hasPrefix("the device reports no state on \"stat/nobody/RESULT\"") == true
      })
    let refusal = await bench.advanceDuring { await bench.perform("on") }
    #expect(refusal?.kind == "timeout")
  }

  @Test("sends commands to a group of lights without a retained state, and reports their effect")
  func group() async throws {
    let lamps = try MQTTFixture(broker, "zigbee2mqtt", "dimmer", ["odd": ["group"]])
    let bench = DeviceBench(broker.options)
    let refusal = await bench.advanceDuring {
      await bench.open(.lights, lamps, ["profile": "zigbee2mqtt"])
    }
    #expect(refusal == nil)
    #expect(bench[.power] == nil)
    #expect(await bench.perform(["dim": 30]) == nil)
    #expect(bench[.power] == "on" && bench[.brightness] == 30)
    #expect(bench.provenance(of: .brightness) == .reported)
  }

  @Test(
    "rejects options that would make a topic with a wildcard, and names the option",
    arguments: [
      ("fullTopic", ["profile": "tasmota", "fullTopic": "%prefix%/#/%topic%/"]),
      ("baseTopic", ["profile": "zigbee2mqtt", "baseTopic": "a/+"]),
      ("endpoint", ["profile": "zigbee2mqtt", "endpoint": "#"]),
    ] as [(String, JSON)])
  func wildcards(option: String, options: JSON) async {
    let bench = DeviceBench(broker.options)
    var all = options.object ?? [:]
    all["topic"] = "lamp"
    let error = await bench.open(.lights, .object(all))
    #expect(error?.kind == "invalid")
    #expect(error?.message.contains(option) == true, "\(error?.message ?? "it is open")")
  }

  @Test("fails a command that the device does not confirm, and names the topic")
  func deaf() async throws {
    let lamp = try MQTTFixture(broker, "tasmota", "dimmer")
    let bench = DeviceBench(broker.options)
    #expect(await bench.open(.lights, lamp, tasmota) == nil)
    try await lamp.change(["odd": ["deaf"]])
    let error = await bench.advanceDuring { await bench.perform("on") }
    #expect(error?.kind == "timeout")
    #expect(error?.message.contains("stat/\(lamp.topic)/RESULT") == true)
    #expect(bench[.power] == "off" && bench.provenance(of: .power) == .reported)
    try await lamp.change(["odd": []])
    #expect(await bench.perform("on") == nil)
  }

  @Test("queries the state when the device does not report a change by itself")
  func unreported() async throws {
    // A Shelly that is already on reports nothing when it is turned on again.
    let plug = try MQTTFixture(broker, "shelly", "plug", ["power": true])
    let bench = DeviceBench(broker.options)
    #expect(await bench.open(.popcornPopper, plug, ["profile": "shelly"]) == nil)
    // The clock advances far enough for a query, but not to the command's timeout: the device may answer late.
    let refusal = await bench.advanceDuring(atMost: .seconds(4)) { await bench.perform("pop") }
    #expect(refusal == nil)
    #expect(bench[.popping] == "popping")
  }

  @Test("quotes the reason of a device that refuses a command")
  func refuses() async throws {
    let lamp = try MQTTFixture(broker, "shelly", "dimmer", ["odd": ["refuse"]])
    let bench = DeviceBench(broker.options)
    #expect(await bench.open(.lights, lamp, ["profile": "shelly"]) == nil)
    let error = await bench.perform("on")
    #expect(error?.kind == "refused")
    #expect(error?.message == "the device refused the command: Overtemperature")
  }

  @Test(
    "makes the state of an offline device unknown, and known again when the device is back",
    arguments: ["tasmota", "shelly"])
  func offline(_ family: String) async throws {
    let lamp = try MQTTFixture(broker, family, "dimmer", ["power": true])
    let bench = DeviceBench(broker.options)
    let options: JSON = ["profile": .string(family)]
    #expect(await bench.open(.lights, lamp, options) == nil)
    #expect(bench.provenance(of: .power) == .reported)
    try await lamp.change(["leave": true])
    #expect(await eventually { bench.provenance(of: .power) == .unknown })
    #expect(bench.problem?.contains("the device is offline") == true)
    #expect(await bench.perform("off")?.kind == "unavailable")
    #expect(await DeviceBench(broker.options).open(.lights, lamp, options)?.kind == "unavailable")
    let back = try MQTTFixture(
      broker, family, "dimmer", ["topic": .string(lamp.topic), "power": true])
    #expect(await bench.advanceUntil { bench.provenance(of: .power) == .reported })
    #expect(bench.attribute("problem")?.isNull == true)
    #expect(await bench.perform("off") == nil)
    _ = back
  }

  @Test("A press on the device's own button is reported")
  func ownButton() async throws {
    let lamp = try MQTTFixture(broker, "zigbee2mqtt", "dimmer")
    let bench = DeviceBench(broker.options)
    #expect(await bench.open(.lights, lamp, ["profile": "zigbee2mqtt"]) == nil)
    try await lamp.change(["power": true, "brightness": 127, "report": true])
    #expect(await eventually { bench[.power] == "on" && bench[.brightness] == 50 })
  }

  @Test("makes the state unknown during a restart of the broker, and lets a command wait for it")
  func restartedBroker() async throws {
    let broker = try BrokerFixture()
    let lamp = try MQTTFixture(broker, "tasmota", "dimmer")
    let bench = DeviceBench(broker.options)
    #expect(await bench.open(.lights, lamp, tasmota) == nil)
    for command in ["on", "off"] {
      try await broker.control(.kill)
      #expect(await eventually { bench.provenance(of: .power) == .unknown })
      #expect(bench.problem?.contains("there is no connection to the broker") == true)
      async let refusal = bench.perform(.string(command))
      try await broker.control(.start)
      #expect(await refusal == nil)
      #expect(bench[.power] == .string(command))
      #expect(bench.provenance(of: .power) == .reported)
    }
    #expect(bench.attribute("problem")?.isNull == true)
  }

  @Test("fails a command in time while the broker hangs, and performs the next one afterwards")
  func pausedBroker() async throws {
    let broker = try BrokerFixture()
    let lamp = try MQTTFixture(broker, "tasmota", "dimmer")
    let bench = DeviceBench(broker.options)
    #expect(await bench.open(.lights, lamp, tasmota) == nil)
    try await broker.control(.pause)
    #expect(await bench.advanceDuring { await bench.perform("on") }?.kind == "timeout")
    try await broker.control(.resume)
    #expect(await bench.perform("off") == nil)
    #expect(bench[.power] == "off")
  }

  @Test("turns a popper off as soon as the broker is back, if its time ended meanwhile")
  func popperWithoutBroker() async throws {
    let broker = try BrokerFixture()
    let plug = try MQTTFixture(broker, "tasmota", "plug")
    let bench = DeviceBench(broker.options)
    #expect(await bench.open(.popcornPopper, plug, ["profile": "tasmota", "popTime": 60]) == nil)
    #expect(await bench.perform("pop") == nil)
    try await broker.control(.kill)
    #expect(await eventually { bench.provenance(of: .power) == .unknown })
    await bench.clock.waitForSleepers()
    bench.clock.advance(by: .seconds(60))
    try await broker.control(.start)
    #expect(await bench.advanceUntil { bench[.power] == "off" && bench[.popping] == "done" })
    #expect(await eventually { plug.commands.contains { $0.hasSuffix("POWER1 OFF") } })
  }

  @Test(
    "works when the bytes of the connection arrive split or merged", arguments: ["split", "merge"])
  func slowBytes(_ mode: String) async throws {
    let lamp = try MQTTFixture(broker, "tasmota", "dimmer")
    let bench = DeviceBench(try MQTTProxy(broker, mode).options)
    #expect(await bench.open(.lights, lamp, tasmota) == nil)
    for command in ["on", "off", "on"] {
      #expect(await bench.perform(.string(command)) == nil)
      #expect(bench[.power] == .string(command))
    }
  }

  @Test("ignores payloads without a meaning", arguments: DeviceFamily.all)
  func garbagePayloads(_ family: DeviceFamily) async throws {
    let lamp = try MQTTFixture(broker, family.name, "dimmer", ["odd": ["garbage"]])
    let bench = DeviceBench(broker.options)
    #expect(await bench.open(.lights, lamp, family.options) == nil)
    #expect(await bench.perform(["dim": 30]) == nil)
    #expect(bench[.power] == "on" && bench[.brightness] == 30)
  }

  @Test(
    "refuses to open behind a server that drops connections or is no broker, and names its address",
    arguments: ["refuse", "garbage", "huge"])
  func noBroker(_ mode: String) async throws {
    let lamp = try MQTTFixture(broker, "tasmota", "dimmer")
    let proxy = try MQTTProxy(broker, mode, topic: "stat/\(lamp.topic)/RESULT")
    let bench = DeviceBench(proxy.options)
    let error = await bench.open(.lights, lamp, tasmota)
    #expect(error?.kind == "unavailable")
    #expect(error?.message.contains("127.0.0.1:\(proxy.port)") == true)
    try await proxy.set("pass")
    #expect(await bench.open(.lights, lamp, tasmota) == nil)
    #expect(await bench.perform("on") == nil)
  }

  @Test("limits the reports to the controller when the broker floods the plugin")
  func flood() async throws {
    let lamp = try MQTTFixture(broker, "tasmota", "dimmer")
    let proxy = try MQTTProxy(broker, "flood", topic: "stat/\(lamp.topic)/RESULT")
    let bench = DeviceBench(proxy.options)
    let error = await bench.advanceDuring { await bench.open(.lights, lamp, tasmota) }
    #expect(error == nil && bench[.power] == nil, "its state is unknown")
    #expect(bench.reports < 10)
    #expect(await bench.close() == nil)
    try await proxy.set("drop")
    // What was flooded before may still have to be read.
    #expect(await eventually { await bench.open(.lights, lamp, tasmota) == nil })
  }

  @Test("drops messages above 64 KiB, and logs only the first one")
  func longMessage() async throws {
    let lamp = try MQTTFixture(broker, "tasmota", "dimmer")
    let bench = DeviceBench(broker.options)
    #expect(await bench.open(.lights, lamp, tasmota) == nil)
    let long = JSON.string(String(repeating: " ", count: 70_000) + #"{"POWER":"ON"}"#)
    try await lamp.change([
      "raw": [["topic": .string("stat/\(lamp.topic)/RESULT"), "payload": long, "times": 3]]
    ])
    #expect(await eventually { bench.log.contains { $0.contains("longer than 65536 bytes") } })
    #expect(await bench.perform(["dim": 20]) == nil)
    #expect(bench.log.count { $0.contains("longer than 65536 bytes") } == 1)
  }

  @Test(
    "connects again at once when the connection drops every minute, and reports the right state")
  func drops() async throws {
    let lamp = try MQTTFixture(broker, "tasmota", "dimmer")
    let proxy = try MQTTProxy(broker)
    let bench = DeviceBench(proxy.options)
    #expect(await bench.open(.lights, lamp, tasmota) == nil)
    for round in 1...8 {
      await bench.clock.waitForSleepers()
      bench.clock.advance(by: .seconds(60))
      try await proxy.set("drop")
      let brightness = JSON.integer(round * 10)
      #expect(await bench.perform(["dim": brightness]) == nil)
      #expect(bench[.brightness] == brightness)
    }
    #expect(try await proxy.connectionCount() == 9)
  }

  @Test("starts again with the shortest wait only after a connection of at least 30 s")
  func delays() {
    var delay = RetryDelay(from: .seconds(1))
    let lifetimes = [0, 5, 29.9, 30, 0, 60].map { Duration.seconds($0) }
    let waits = lifetimes.map { lifetime in
      delay.connectionEnded(after: lifetime)
      return delay.next(random: 0.5)
    }
    #expect(waits == [1, 2, 4, 1, 2, 1].map { .seconds($0) })
  }

  @Test("connects less and less often to a broker that drops each connection once it is accepted")
  func acceptsAndDrops() async throws {
    let lamp = try MQTTFixture(broker, "tasmota", "dimmer")
    let proxy = try MQTTProxy(broker)
    let bench = DeviceBench(proxy.options)
    #expect(await bench.open(.lights, lamp, tasmota) == nil)
    let began = ContinuousClock.now
    try await proxy.set("close")
    try await lamp.change(["report": true])
    #expect(await eventually(within: 60) { (try? await proxy.connectionCount()) ?? 0 >= 8 })
    // Six waits lie between the seven new connections: 20 ms, 40 ms and so on, each at most a fifth shorter.
    #expect(began.duration(to: .now) >= .milliseconds(20 * 63) * 0.8)
    #expect(bench.provenance(of: .power) == .unknown)
    try await proxy.set("pass")
    #expect(await eventually { bench.provenance(of: .power) == .reported })
    #expect(await bench.perform("on") == nil)
  }

  @Test("notices a connection that is open without an answer, and opens another one")
  func halfOpen() async throws {
    let lamp = try MQTTFixture(broker, "tasmota", "dimmer")
    let proxy = try MQTTProxy(broker)
    let bench = DeviceBench(proxy.options, keepalive: 5)
    #expect(await bench.open(.lights, lamp, tasmota) == nil)
    try await proxy.set("hold")
    #expect(await eventually(within: 60) { bench.provenance(of: .power) == .unknown })
    #expect(bench.problem?.contains("there is no connection to the broker") == true)
    try await proxy.set("pass")
    #expect(await bench.perform(["dim": 20]) == nil)
    #expect(bench[.brightness] == 20 && bench.provenance(of: .power) == .reported)
  }

  @Test("shares a connection among the devices of a broker, and closes it with the last one")
  func sharing() async throws {
    let proxy = try MQTTProxy(broker)
    let bench = DeviceBench(proxy.options)
    let lamps = try (0..<5).map { _ in try MQTTFixture(broker, "tasmota", "dimmer") }
    for (index, lamp) in lamps.enumerated() {
      #expect(await bench.open(.lights, lamp, tasmota, as: DeviceID("lamp\(index)")) == nil)
    }
    #expect(await bench.perform("on", on: "lamp3") == nil)
    #expect(bench["lamp3", .power] == "on" && bench["lamp2", .power] == "off")
    #expect(try await proxy.connectionCount() == 1)
    for index in lamps.indices { #expect(await bench.close(DeviceID("lamp\(index)")) == nil) }
    #expect(await eventually { (try? await proxy.openSocketCount()) == 0 })
  }

  @Test("F1 · closes a silent device without waiting for it")
  func closesWhileWaiting() async throws {
    let lamp = try MQTTFixture(broker, "tasmota", "dimmer")
    let bench = DeviceBench(broker.options)
    #expect(await bench.open(.lights, lamp, tasmota) == nil)
    try await lamp.change(["odd": ["silent"]])
    let before = lamp.commands.count
    async let refusal = bench.perform("on")
    #expect(await eventually { lamp.commands.count > before })
    #expect(await bench.close() == nil)
    #expect(await refusal?.kind == "cancelled")
  }

  @Test("F1 · leaks no descriptor and no thread in 200 connections")
  func descriptors() async throws {
    signal(SIGPIPE, SIG_IGN)
    let (good, bad) = (try MQTTProxy(broker), try MQTTProxy(broker, "refuse"))
    let lamp = try MQTTFixture(broker, "tasmota", "dimmer")
    let program = Program.products.appendingPathComponent("MQTTDevices").path
    let child = try ChildProcess(ProgramStart(program, [], input: .pipe, output: .pipe))
    defer {
      child.signal(SIGKILL)
      _ = child.wait()
    }
    let bench = PluginBench(
      connection: StreamConnection(reading: child.output, writing: child.input))
    let id = child.id
    let count = { @Sendable in Self.count("/proc/\(id)/fd") + Self.count("/proc/\(id)/task") }
    var options: JSONObject = ["profile": "tasmota", "topic": .string(lamp.topic)]
    var before = 0
    for round in 0..<100 {
      options["broker"] = good.options
      #expect(await bench.open("d", .lights, .object(options)) == nil)
      if round == 5 { before = count() }
      #expect(await bench.close("d") == nil)
      options["broker"] = bad.options
      #expect(await bench.open("e", .lights, .object(options))?.kind == "unavailable")
    }
    let most = before + 2
    #expect(await eventually(within: 20) { count() <= most }, "\(most), then \(count())")
    #expect(try await good.connectionCount() == 100)
  }

  private static func count(_ folder: String) -> Int {
    (try? FileManager.default.contentsOfDirectory(atPath: folder).count) ?? 0
  }
}
