import Devices
import JSON
import TestSupport
import Testing

@testable import MQTTDevices

@Suite("The profiles of MQTT devices")
struct ProfileTests {
  private static let tasmota = TasmotaProfile(
    topic: "lamp", fullTopic: "%prefix%/%topic%/", channel: 1, kind: .dimmer, interval: nil)

  private static func zigbee(
    _ kind: ApplianceKind, endpoint: String? = nil, fade: Duration? = nil
  ) -> Zigbee2MQTTProfile {
    Zigbee2MQTTProfile(
      topic: "lamp", base: "zigbee2mqtt", endpoint: endpoint, kind: kind, fade: fade,
      interval: nil)
  }

  private static func shelly(_ kind: ApplianceKind) -> ShellyProfile {
    ShellyProfile(
      topic: "shellyplus1-a8032ab1", replies: "me", channel: 0, kind: kind, fade: nil,
      interval: nil)
  }

  @Test("Tasmota: the state message of a dimmer")
  func tasmotaState() {
    let state = MQTTMessage(
      "tele/lamp/STATE",
      #"{"Time":"2026-01-01T20:11:29","Uptime":"0T01:00:11","UptimeSec":3611,"Heap":27,"#
        + #""SleepMode":"Dynamic","Sleep":10,"LoadAvg":99,"MqttCount":1,"POWER":"ON","Dimmer":55,"#
        + #""Fade":"OFF","Speed":1,"LedTable":"ON","Wifi":{"AP":1,"SSId":"home","RSSI":80}}"#)
    #expect(Self.tasmota.observations(in: state) == [.power(true), .brightness(55)])
  }

  @Test(
    "reads on and off in other words, and within an object",
    arguments: [
      (#"{"POWER":{"STATE":"ON"}}"#, true), (#"{"POWER":{"state":"off"}}"#, false),
      (#"{"POWER":"on "}"#, true), (#"{"POWER":true}"#, true), (#"{"POWER":0}"#, false),
      (#"{"POWER":"Ein"}"#, true), (#"{"POWER":"yes"}"#, true), (#"{"POWER":"standby"}"#, false),
      (#"{"POWER":{"STATE":{}}}"#, nil), (#"{"POWER":"maybe"}"#, nil),
    ] as [(String, Bool?)])
  func otherWords(payload: String, isOn: Bool?) {
    let found = Self.tasmota.observations(in: MQTTMessage("stat/lamp/RESULT", payload))
    #expect(found == (isOn.map { [.power($0)] } ?? []))
  }

  @Test(
    "a brightness is read from texts, and is unknown out of its range",
    arguments: [
      ("50", 50), (#""50""#, 50), (#""50 %""#, 50), ("100", 100), ("0", 0), ("-1", nil),
      ("101", nil), ("255", nil), ("null", nil), (#""--""#, nil), ("1e999", nil),
    ] as [(String, Int?)])
  func brightnessValues(value: String, brightness: Int?) {
    let message = MQTTMessage("stat/lamp/RESULT", #"{"Dimmer":\#(value)}"#)
    let found = Self.tasmota.observations(in: message)
    // The parser of JSON accepts no number that is too large.
    #expect(found == [.brightness(brightness)] || value == "1e999" && found.isEmpty)
  }

  @Test(
    "reads online and offline in other words",
    arguments: [("Online", true), ("ONLINE ", true), ("offline", false), ("0", false), ("?", nil)]
      as [(String, Bool?)])
  func availabilityWords(word: String, isOnline: Bool?) {
    let expected: [Observation] = isOnline.map { [.online($0)] } ?? []
    #expect(Self.tasmota.observations(in: MQTTMessage("tele/lamp/LWT", word)) == expected)
    let availability = MQTTMessage("zigbee2mqtt/lamp/availability", word)
    #expect(Self.zigbee(.dimmer).observations(in: availability) == expected)
  }

  @Test("Tasmota: the second relay of a device with its own FullTopic")
  func tasmotaRelay() {
    let relay = TasmotaProfile(
      topic: "strip", fullTopic: "home/%topic%/%prefix%", channel: 2, kind: .plug, interval: nil)
    #expect(relay.messages(for: .turn(true)) == [MQTTMessage("home/strip/cmnd/POWER2", "ON")])
    let result = MQTTMessage("home/strip/stat/RESULT", #"{"POWER1":"ON","POWER2":"OFF"}"#)
    #expect(relay.observations(in: result) == [.power(false)])
    #expect(
      relay.observations(in: MQTTMessage("home/strip/stat/POWER2", "ON")) == [.power(true)])
    #expect(
      relay.observations(in: MQTTMessage("home/strip/tele/LWT", "Offline")) == [.online(false)])
  }

  @Test("Tasmota: reads the position of a shutter as its open share in %")
  func tasmotaShutter() {
    let shutter = TasmotaProfile(
      topic: "screen", fullTopic: "%prefix%/%topic%/", channel: 1, kind: .cover, interval: nil)
    let result = MQTTMessage(
      "stat/screen/RESULT",
      #"{"Shutter1":{"Position":80,"Direction":-1,"Target":0,"Tilt":0}}"#)
    #expect(shutter.observations(in: result) == [.lowered(20), .motion(.down)])
    #expect(
      shutter.messages(for: .move(.down)) == [MQTTMessage("cmnd/screen/ShutterClose1", "")])
  }

  @Test(
    "Zigbee2MQTT: every percentage is unchanged after conversion to the scale of 254 steps and back"
  )
  func zigbeeBrightness() {
    for percent in 1...100 {
      let sent = Self.zigbee(.dimmer).messages(for: .turn(true, brightness: percent))
      let level = sent.first?.json?["brightness"]?.integer ?? 0
      let state = MQTTMessage("zigbee2mqtt/lamp", ["state": "ON", "brightness": .integer(level)])
      #expect(
        Self.zigbee(.dimmer).observations(in: state) == [.power(true), .brightness(percent)])
    }
  }

  @Test("Zigbee2MQTT: a fade, an endpoint, and both forms of availability")
  func zigbee() {
    let lamp = Self.zigbee(.dimmer, endpoint: "l2", fade: .seconds(1.5))
    #expect(
      lamp.messages(for: .turn(true, brightness: 100)) == [
        MQTTMessage(
          "zigbee2mqtt/lamp/set",
          #"{"state_l2":"ON","brightness_l2":254,"transition":1.5}"#)
      ])
    let state = MQTTMessage(
      "zigbee2mqtt/lamp",
      #"{"brightness_l1":12,"brightness_l2":127,"linkquality":96,"state_l1":"OFF","state_l2":"ON","#
        + #""update":{"state":"idle"}}"#)
    #expect(lamp.observations(in: state) == [.power(true), .brightness(50)])
    for payload in [#"{"state":"offline"}"#, "offline"] {
      let message = MQTTMessage("zigbee2mqtt/lamp/availability", payload)
      #expect(lamp.observations(in: message) == [.online(false)])
    }
  }

  @Test("Zigbee2MQTT: a cover with a position and one without")
  func zigbeeCover() {
    let cover = Self.zigbee(.cover)
    let with = MQTTMessage("zigbee2mqtt/lamp", #"{"position":30,"state":"OPEN","moving":"DOWN"}"#)
    #expect(cover.observations(in: with) == [.lowered(70), .motion(.down)])
    let without = MQTTMessage("zigbee2mqtt/lamp", #"{"state":"CLOSE"}"#)
    #expect(cover.observations(in: without) == [.end(.down)])
  }

  @Test("Shelly: the notification of a switch, and of other parts")
  func shellyNotification() {
    let notify = { (params: String) in
      MQTTMessage(
        "shellyplus1-a8032ab1/events/rpc",
        #"{"src":"shellyplus1-a8032ab1","dst":"shellyplus1-a8032ab1/events","#
          + #""method":"NotifyStatus","params":\#(params)}"#)
    }
    let plug = Self.shelly(.plug)
    #expect(
      plug.observations(
        in: notify(#"{"ts":1631186545.04,"switch:0":{"id":0,"output":true,"source":"button"}}"#))
        == [.power(true)])
    #expect(plug.observations(in: notify(#"{"ts":1,"switch:1":{"id":1,"output":true}}"#)) == [])
    #expect(plug.observations(in: notify(#"{"ts":1,"switch:0":{"id":0,"apower":8.9}}"#)) == [])
  }

  @Test("Shelly: pop sets the timer of the plug, which then turns itself off")
  func shellyTimer() {
    let message = Self.shelly(.plug).messages(for: .turnOn(for: .seconds(180))).first
    #expect(message?.json?["params"] == ["id": 0, "on": true, "toggle_after": 180])
  }

  @Test("Shelly: covers report their motion, also without calibration")
  func shellyCover() {
    let status = { (json: String) in
      Self.shelly(.cover).observations(
        in: MQTTMessage("shellyplus1-a8032ab1/status/cover:0", json))
    }
    #expect(
      status(#"{"id":0,"state":"closing","current_pos":40}"#) == [.lowered(60), .motion(.down)])
    #expect(
      status(#"{"id":0,"state":"open","current_pos":null}"#)
        == [.lowered(nil), .end(.up), .motion(nil)])
    let first = ShellyGeneration1Profile(topic: "s", channel: 0, kind: .cover, interval: nil)
    #expect(first.observations(in: MQTTMessage("shellies/s/roller/0/pos", "25")) == [.lowered(75)])
    #expect(first.observations(in: MQTTMessage("shellies/s/roller/0", "close")) == [.motion(.down)])
    #expect(first.topics.firstIndex { $0.hasSuffix("/pos") } == 1, "the position opens the device")
  }

  @Test("Shelly, first generation: reports a relay as off after \"overpower\"")
  func overpower() {
    let relay = ShellyGeneration1Profile(topic: "s", channel: 0, kind: .plug, interval: nil)
    #expect(
      relay.observations(in: MQTTMessage("shellies/s/relay/0", "overpower")) == [.power(false)])
  }

  @Test(
    "A template's words match payloads literally, by the shortest form of a number, or in another case",
    arguments: [
      ("1.0", "0.0", "1.0", true), ("00", "0", "00", true), ("+1", "-1", "+1", true),
      ("nan", "inf", "inf", false), ("1", "0", "1.0", true), ("1", "0", "00", false),
      ("1", "0", "2", nil), ("ON", "OFF", "on", true), ("ON", "OFF", "off ", false),
      ("a", "A", "A", false), ("ON", "OFF", "true", true), ("ON", "OFF", "0", false),
      ("ON", "OFF", #"{"STATE":"ON"}"#, nil), ("0", "1", "1", false), ("ON", "OFF", "aus", false),
    ] as [(String, String, String, Bool?)])
  func rawWords(on: String, off: String, payload: String, isOn: Bool?) throws {
    let command: JSON = ["topic": "set", "payload": "x"]
    let options = try MQTTDeviceOptions(
      [
        "broker": ["host": "h"], "profile": "template",
        "template": [
          "commands": ["on": command, "off": command],
          "state": ["power": ["topic": "t", "on": .string(on), "off": .string(off)]],
        ],
      ], for: ProjectorCommand.self, replies: "r")
    let observations = options.profile.observations(in: MQTTMessage("t", payload))
    let expected: [Observation] = isOn.map { [.power($0)] } ?? []
    #expect(observations == expected)
  }

  @Test(
    "A template sends at least 1 for a brightness above 0, and predicts the reported brightness",
    arguments: [1, 7, 10, 49, 100, 255])
  func coarseBrightness(brightest: Int) throws {
    let options = try MQTTDeviceOptions(
      [
        "broker": ["host": "h"], "profile": "template",
        "template": [
          "brightest": .integer(brightest),
          "commands": [
            "off": ["topic": "set", "payload": "0"],
            "dim": ["topic": "set", "payload": "{brightness}"],
          ],
          "state": ["power": ["topic": "p"], "brightness": ["topic": "t"]],
        ],
      ], for: LightsCommand.self, replies: "r")
    for percent in 1...100 {
      let sent = options.profile.messages(for: .turn(true, brightness: percent)).first
      let level = try #require(Int(sent?.word ?? ""))
      #expect(level >= 1)
      let state = MQTTMessage("t", "\(level)")
      let reported = options.profile.reportedBrightness(for: percent)
      #expect(options.profile.observations(in: state) == [.brightness(reported)])
    }
  }

  @Test("A template's words for the ends of a screen match payloads literally")
  func rawEnds() throws {
    let command: JSON = ["topic": "set", "payload": "x"]
    let options = try MQTTDeviceOptions(
      [
        "broker": ["host": "h"], "profile": "template",
        "template": [
          "commands": ["up": command, "down": command],
          "state": ["position": ["topic": "t", "up": "00", "down": "closed"]],
        ],
      ], for: ScreenCommand.self, replies: "r")
    let observations = { (payload: String) in
      options.profile.observations(in: MQTTMessage("t", payload))
    }
    #expect(observations("00") == [.lowered(0)] && observations("closed") == [.lowered(100)])
    #expect(observations("7") == [])
  }

  @Test(
    "JSON pointers find values",
    arguments: [
      ("", #"{"a":[1,{"b/c":2}],"~":3,"":4}"#), ("/a/0", "1"), ("/a/1/b~1c", "2"), ("/~0", "3"),
      ("/", "4"),
    ])
  func pointers(_ text: String, _ wanted: String) throws {
    let json = try JSON(parsing: #"{"a":[1,{"b/c":2}],"~":3,"":4}"#)
    #expect(JSONPointer(text)?.value(in: json)?.text() == wanted)
  }

  @Test(
    "JSON pointers return nil where there is no value",
    arguments: ["/a/2", "/a/00", "/a/-", "/a/0/x", "/b", "/a/99999999999999999999"])
  func lostPointers(_ text: String) throws {
    let json = try JSON(parsing: #"{"a":[1,2]}"#)
    let pointer = try #require(JSONPointer(text))
    #expect(pointer.value(in: json) == nil)
  }

  @Test("Texts that are no JSON pointers are refused", arguments: ["a", "/~", "/~2", "a/b"])
  func wrongPointers(_ text: String) { #expect(JSONPointer(text) == nil) }

  @Test("parses random payloads without a trap, and keeps observations within their ranges")
  func randomPayloads() {
    var numbers = SeededNumbers(20_261_123)
    let profiles: [any DeviceProfile] =
      [ApplianceKind.plug, .dimmer, .cover].flatMap { kind -> [any DeviceProfile] in
        [
          TasmotaProfile(
            topic: "lamp", fullTopic: "%prefix%/%topic%/", channel: 1, kind: kind, interval: nil),
          Self.zigbee(kind), Self.shelly(kind),
          ShellyGeneration1Profile(topic: "s", channel: 0, kind: kind, interval: nil),
        ]
      }
    let seeds = [
      #"{"POWER":"ON","Dimmer":55}"#, #"{"Shutter1":{"Position":80,"Direction":-1}}"#,
      #"{"state":"ON","brightness":254,"position":30,"moving":"DOWN"}"#, "online", "1e999", "-5",
      #"{"params":{"switch:0":{"output":true},"light:0":{"brightness":1e308}}}"#,
      #"{"result":{"state":"open","current_pos":-7}}"#, "25", "[[[[", "\u{0}\u{1}",
    ].map { Array($0.utf8) }
    for _ in 0..<6000 {
      var payload = seeds[Int.random(in: 0..<seeds.count, using: &numbers)]
      for _ in 0..<Int.random(in: 0...4, using: &numbers) where !payload.isEmpty {
        let place = Int.random(in: 0..<payload.count, using: &numbers)
        switch Int.random(in: 0...2, using: &numbers) {
        case 0: payload[place] = UInt8.random(in: 0...255, using: &numbers)
        case 1: payload.remove(at: place)
        default: payload.insert(UInt8.random(in: 32...125, using: &numbers), at: place)
        }
      }
      let profile = profiles[Int.random(in: 0..<profiles.count, using: &numbers)]
      for topic in profile.topics {
        for fact in profile.observations(in: MQTTMessage(topic, payload)) {
          switch fact {
          case .brightness(let value), .lowered(let value):
            #expect(value.map { (0...100).contains($0) } ?? true)
          case .refused(let reason): #expect(reason.utf8.count <= 80)
          case .power, .end, .motion, .online: break
          }
        }
      }
    }
  }
}

@Suite("The options of MQTT devices")
struct OptionTests {
  private func message(_ json: JSON, _ commands: any GoalCommand.Type = LightsCommand.self)
    -> String?
  {
    var all: JSONObject = ["broker": ["host": "h"], "profile": "tasmota", "topic": "t"]
    for (name, value) in json.object ?? [:] { all[name] = value }
    do throws(DeviceError) {
      _ = try MQTTDeviceOptions(.object(all), for: commands, replies: "r")
      return nil
    } catch {
      return error.message
    }
  }

  @Test("The error of a wrong option names its path")
  func places() {
    #expect(message([:]) == nil)
    #expect(message(["broker": [:]]) == "the option \"broker.host\" is missing")
    #expect(message(["broker": ["host": "h", "port": 0]])?.contains("\"broker.port\"") == true)
    #expect(message(["broker": ["host": "h", "caFile": "f"]])?.contains("broker.caFile") == true)
    #expect(message(["broker": ["host": "h", "password": "p"]])?.contains("broker.user") == true)
    #expect(message(["topic": "a/+"])?.contains("\"topic\" is no topic") == true)
    #expect(message(["profile": "knx"])?.contains("\"tasmota\", \"zigbee2mqtt\"") == true)
    #expect(message(["profile": "template"])?.contains("\"template\" is missing") == true)
    let half = JSON.string(String(repeating: "x", count: 300))
    #expect(
      message(["profile": "zigbee2mqtt", "baseTopic": half, "topic": half])?
        .hasPrefix("the option \"topic\" makes the topic \"xxx") == true)
    #expect(message(["timeout": 60])?.contains("from 1 to 9") == true)
  }

  @Test("The error of a wrong template names its path")
  func templates() {
    let template = { (json: JSON) -> JSON in ["profile": "template", "template": json] }
    let (off, dim): (JSON, JSON) = (
      ["topic": "a", "payload": "0"], ["topic": "a", "payload": "{brightness}"]
    )
    #expect(
      message(template(["commands": ["off": off]]))
        == "the option \"template.commands.dim\" is missing")
    #expect(message(template(["commands": ["off": off, "dim": dim]])) == nil)
    #expect(
      message(template(["commands": ["off": off, "dim": ["topic": "a", "payload": "{level}"]]]))?
        .contains("template.commands.dim.payload\" has the unknown placeholder {level}") == true)
    #expect(
      message(template(["commands": ["off": off, "dim": off]]))?.contains("{brightness}") == true)
    let power: JSON = ["topic": "s", "pointer": "state"]
    #expect(
      message(template(["commands": ["off": off, "dim": dim], "state": ["power": power]]))?
        .contains("template.state.power.pointer\" is no JSON pointer") == true)
    #expect(
      message(
        template([
          "commands": ["on": off, "off": off], "state": ["power": ["topic": "s", "on": "OFF"]],
        ]),
        ProjectorCommand.self)?.contains("\"template.state.power.on\" is the word of another value")
        == true)
  }
  @Test("rejects an interval for a template without a state, which would always count as silent")
  func intervalWithoutState() {
    let command: JSON = ["topic": "a", "payload": "0"]
    let options = { (more: JSONObject) -> JSON in
      var template: JSONObject = ["commands": ["on": command, "off": command]]
      for (name, value) in more { template[name] = value }
      return ["profile": "template", "interval": 60, "template": .object(template)]
    }
    let state: JSONObject = ["state": ["power": ["topic": "s"]]]
    let availability: JSONObject = ["availability": ["topic": "alive"]]
    for more in [JSONObject(), availability] {
      #expect(
        message(options(more), ProjectorCommand.self)?
          .hasPrefix("the option \"interval\" needs \"template.state.power\"") == true)
    }
    #expect(message(options(state), ProjectorCommand.self) == nil)
  }
}
