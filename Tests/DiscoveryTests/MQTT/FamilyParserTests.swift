import Devices
import JSON
import MQTTClient
import TestSupport
import Testing

@testable import Discovery

@Suite struct FamilyParserTests {
  /// Retained messages as the firmwares and Home Assistant's documentation show them.
  static let samples: [(String, String)] = [
    (
      "tasmota/discovery/AABBCCDDEEFF/config",
      #"{"dn":"Popper","fn":["Popper",null],"t":"popper-plug","ft":"%prefix%/%topic%/","tp":["cmnd","stat","tele"],"rl":[1,0,0,0],"lt_st":0}"#
    ),
    ("tele/popper-plug/LWT", "Online"), ("tele/old-plug/LWT", "Offline"),
    (
      "zigbee2mqtt/bridge/devices",
      #"[{"type":"Coordinator","friendly_name":"Coordinator"},{"type":"Router","friendly_name":"ceiling","definition":{"vendor":"IKEA","model":"LED1836G9","exposes":[{"type":"light","features":[{"name":"state"},{"name":"brightness"}]},{"type":"numeric","name":"linkquality"}]}}]"#
    ),
    ("shellyplus2pm-a8032ab12345/online", "true"),
    ("shellyplus2pm-a8032ab12345/status/cover:0", #"{"id":0,"state":"open"}"#),
    ("shellies/shelly1-B929CC/relay/0", "off"),
    (
      "homeassistant/switch/fan/config",
      #"{"~":"home/fan","name":"Fan","cmd_t":"~/set","stat_t":"~/state","val_tpl":"{{ value_json.state }}","avty_t":"~/online"}"#
    ),
    (
      "homeassistant/device/blind/config",
      #"{"dev":{"name":"Blind"},"o":{"name":"x"},"cmps":{"c":{"p":"cover","cmd_t":"blind/set","pos_t":"blind/pos"},"l":{"p":"light","schema":"json","cmd_t":"lamp/set","stat_t":"lamp","bri_scl":100},"s":{"p":"sensor"}}}"#
    ),
    (
      "homeassistant/light/ceiling/light/config",
      #"{"schema":"json","brightness":true,"cmd_t":"zigbee2mqtt/ceiling/set","stat_t":"zigbee2mqtt/ceiling"}"#
    ),
  ]
  static let ids = [
    "tasmota:popper-plug", "tasmota:old-plug", "zigbee2mqtt:ceiling", "shelly:shelly1-B929CC",
    "shelly:shellyplus2pm-a8032ab12345", "template:blind/c", "template:blind/l", "template:fan",
  ]

  static var messages: [String: [UInt8]] {
    Dictionary(uniqueKeysWithValues: samples.map { ($0.0, Array($0.1.utf8)) })
  }

  @Test("Each family's messages become appliances, and none is listed twice")
  func families() {
    let found = MQTTSearch.appliances(in: Self.messages)
    #expect(found.map { "\($0.profile):\($0.key)" } == Self.ids)
    #expect(
      found.map(\.kind) == [.plug, .plug, .dimmer, .plug, .cover, .cover, .dimmer, .plug])
  }

  @Test("The template of a switch has its payloads, its state and its availability")
  func template() throws {
    let fan = try #require(MQTTSearch.appliances(in: Self.messages).last)
    #expect(
      fan.options["template"] == [
        "commands": [
          "on": ["topic": "home/fan/set", "payload": "ON"],
          "off": ["topic": "home/fan/set", "payload": "OFF"],
        ],
        "state": [
          "power": ["topic": "home/fan/state", "pointer": "/state", "on": "ON", "off": "OFF"]
        ],
        "availability": ["topic": "home/fan/online", "online": "online", "offline": "offline"],
      ])
  }

  @Test("The availability of an entity may stand in a list, with payloads of its own")
  func availabilityList() {
    for (entry, words) in [
      (#"{"t":"~/online"}"#, ("yes", "offline")),
      (#"{"topic":"~/online","payload_available":"1","pl_not_avail":"0"}"#, ("1", "0")),
    ] {
      let entity = #"{"~":"home/fan","cmd_t":"~/set","pl_avail":"yes","avty":[\#(entry)]}"#
      let found = Self.appliances([("homeassistant/switch/fan/config", entity)])
      #expect(
        found.first?.options["template"]?["availability"]
          == [
            "topic": "home/fan/online", "online": .string(words.0), "offline": .string(words.1),
          ])
    }
  }

  @Test("The availability of an entity may be one entry, and its value a member of the payload")
  func availabilityTemplate() {
    let pointer: JSON = [
      "topic": "home/fan", "pointer": "/state", "online": "online", "offline": "offline",
    ]
    let cases: [(String, JSON?)] = [
      (#""avty":{"t":"home/fan","val_tpl":"{{ value_json.state }}"}"#, pointer),
      (#""availability":[{"topic":"home/fan","value_template":"{{value_json.state}}"}]"#, pointer),
      (#""avty_t":"home/fan","avty_tpl":"{{ value_json.state }}""#, pointer),
      (#""avty_t":"home/fan","avty_tpl":"{{ value | lower }}""#, nil),
    ]
    for (availability, expected) in cases {
      let entity = #"{"cmd_t":"home/fan/set",\#(availability)}"#
      let part = #"{"cmps":{"f":{"p":"switch","cmd_t":"home/fan/set"}},\#(availability)}"#
      for (topic, message) in [("switch", entity), ("device", part)] {
        let found = Self.appliances([("homeassistant/\(topic)/fan/config", message)])
        #expect(found.count == 1)
        #expect(found.first?.options["template"]?["availability"] == expected)
      }
    }
  }

  @Test(
    "A light with a schema of JSON has a dimmer in every colour mode but on and off",
    arguments: [
      (#""sup_clrm":["color_temp"]"#, true), (#""supported_color_modes":["onoff","rgb"]"#, true),
      (#""brightness_scale":100"#, true), (#""sup_clrm":["onoff"]"#, false),
      (#""sup_clrm":["unknown",7]"#, false), (#""bri_scl":null"#, false),
    ])
  func colourModes(setting: String, hasDimmer: Bool) {
    let light = #"{"schema":"json","cmd_t":"lamp/set",\#(setting)}"#
    let found = Self.appliances([("homeassistant/light/lamp/config", light)])
    #expect(found.map(\.kind) == [hasDimmer ? .dimmer : .plug])
  }

  @Test("The payload that stops a cover may be a number, and is bounded")
  func stopPayload() {
    for (given, stop) in [
      ("7", "7"), (#""HALT""#, "HALT"), (#""\#(String(repeating: "x", count: 1025))""#, nil),
      ("null", nil),
    ] {
      let entity = #"{"cmd_t":"blind/set","pl_stop":\#(given)}"#
      let found = Self.appliances([("homeassistant/cover/blind/config", entity)])
      let message = found.first?.options["template"]?["commands"]?["stop"]
      #expect(message?["payload"]?.string == stop)
    }
  }

  private static func appliances(_ samples: [(String, String)]) -> [MQTTAppliance] {
    MQTTSearch.appliances(
      in: Dictionary(uniqueKeysWithValues: samples.map { ($0.0, Array($0.1.utf8)) }))
  }

  private static func keys(_ samples: [(String, String)]) -> [String] {
    appliances(samples).map { "\($0.kind.rawValue) \($0.key)" }
  }

  @Test("F7 · A plug, a light and a cover of one device have different ids")
  func ids() {
    let tasmota = { (relays: String) in
      Self.keys([("tasmota/discovery/AA/config", #"{"t":"screen","rl":\#(relays)}"#)])
    }
    #expect(tasmota("[1,3,3,1]") == ["plug screen", "cover screen:cover", "plug screen:4"])
    #expect(tasmota("[3,3,1]") == ["cover screen", "plug screen:3"])
    let shelly = "shellies/shelly2-B929CC"
    #expect(
      Self.keys([("\(shelly)/light/0", "on"), ("\(shelly)/relay/0", "on")])
        == ["light shelly2-B929CC:light", "plug shelly2-B929CC"])
    let parts = #"[{"type":"switch"},{"type":"cover"}]"#
    let devices = #"[{"friendly_name":"d","definition":{"exposes":\#(parts)}}]"#
    #expect(Self.keys([("zigbee2mqtt/bridge/devices", devices)]) == ["plug d", "cover d:cover"])
    // A broker may hold two entities of one id, and a list may name one device twice.
    let twice = #"[{"friendly_name":"d"},{"friendly_name":"e"},{"friendly_name":"d"}]"#
      .replacing("}", with: #","definition":{"exposes":[{"type":"switch"}]}}"#)
    #expect(Self.keys([("zigbee2mqtt/bridge/devices", twice)]) == ["plug d", "plug e"])
    let entities = ["light", "switch"].map {
      ("homeassistant/\($0)/a/config", #"{"cmd_t":"a/set","schema":"json","brightness":true}"#)
    }
    #expect(Self.keys(entities) == ["light a:light", "plug a"])
  }

  @Test("F7 · A Shelly of the third generation with topics of its own is found once")
  func generations() {
    let id = "shellyplus1-a8032ab12345"
    let announce = ("shellies/announce", #"{"id":"\#(id)","gen":3}"#)
    for samples in [[announce], [announce, ("\(id)/status/switch:0", "{}")]] {
      let found = Self.appliances(samples)
      #expect(found.map(\.key) == [id])
      #expect(found.first?.options == ["topic": .string(id)])
    }
  }

  @Test(
    "F7 · An entity is left out only if its commands go to a device that is listed already",
    arguments: [
      ("home/light/hall/set", true), ("zigbee2mqtt/light2/set", true),
      ("cmnd/other/POWER", true), ("shellies/other/relay/0/command", true),
      ("zigbee2mqtt/light/set", false), ("z/a/b/set", false), ("cmnd/plug/POWER", false),
      ("home/lamp/cmnd/POWER1", false), ("shellies/shelly1-B929CC/relay/0/command", false),
      ("shellyplus1-a8032ab12345/rpc", false),
    ])
  func listedAlready(topic: String, isKept: Bool) {
    let zigbee = { (name: String) in
      #"[{"friendly_name":"\#(name)","definition":{"exposes":[{"type":"light"}]}}]"#
    }
    let found = Self.appliances([
      ("zigbee2mqtt/bridge/devices", zigbee("light")), ("z/bridge/devices", zigbee("a/b")),
      ("tele/plug/LWT", "Online"),
      (
        "tasmota/discovery/AA/config",
        #"{"t":"lamp","ft":"home/%topic%/%prefix%/","rl":[1]}"#
      ),
      ("shellies/shelly1-B929CC/relay/0", "on"), ("shellyplus1-a8032ab12345/online", "true"),
      ("homeassistant/switch/hall/config", #"{"cmd_t":"\#(topic)"}"#),
    ])
    #expect(found.contains { $0.key == "hall" } == isKept)
  }

  @Test("F7 · An entity with a template that is too long has no state, and its commands work")
  func longTemplates() throws {
    let long = String(repeating: "x", count: 1100)
    let entity = { (component: String, more: String) in
      Self.appliances([
        (
          "homeassistant/\(component)/e/config",
          #"{"cmd_t":"e/set","stat_t":"e","pos_t":"e/at",\#(more)}"#
        )
      ]).first
    }
    for name in ["val_tpl", "value_template", "state_value_template"] {
      let plug = try #require(entity("switch", #""\#(name)":"{{ \#(long) }}""#))
      #expect(plug.options["template"]?["state"] == nil, "\(name)")
      #expect(plug.options["template"]?["commands"]?["on"]?["payload"] == "ON")
    }
    let cover = try #require(entity("cover", #""pos_tpl":"\#(long)","val_tpl":"\#(long)""#))
    #expect(cover.options["template"]?["state"] == nil)
    let light = entity(
      "light",
      #""on_cmd_type":"brightness","bri_cmd_t":"e/level","bri_cmd_tpl":"\#(long)""#)
    #expect(light?.kind == .plug)
    #expect(entity("switch", #""val_tpl":null"#)?.options["template"]?["state"] != nil)
    #expect(entity("switch", #""pl_on":"\#(long)""#) == nil)
  }

  @Test("Malformed messages do not trap, and titles stay within their limits", arguments: 0..<300)
  func garbage(seed: Int) {
    var random = SeededNumbers(seed)
    var messages: [String: [UInt8]] = [:]
    for (topic, payload) in Self.samples {
      var bytes = Array(payload.utf8)
      for _ in 0..<Int.random(in: 1...6, using: &random) where !bytes.isEmpty {
        let index = Int.random(in: 0...(bytes.count - 1), using: &random)
        switch Int.random(in: 0...2, using: &random) {
        case 0: bytes[index] = .random(in: 0...255, using: &random)
        case 1: bytes.removeLast(bytes.count - index)
        default: bytes.insert(contentsOf: Array("[{\"".utf8), at: index)
        }
      }
      messages[topic] = bytes
    }
    for appliance in MQTTSearch.appliances(in: messages) {
      let finding = appliance.finding(BrokerAddress(host: "b"))
      #expect(finding.title.utf8.count <= DiscoveryFinding.longestText)
      #expect(!finding.title.unicodeScalars.contains { $0.value < 32 })
    }
  }

  @Test("A long list of devices is cut; a name with a wildcard or of 600 bytes is left out")
  func bounds() {
    let device =
      #"{"type":"Router","friendly_name":"n","definition":{"exposes":[{"type":"switch"}]}}"#
    let devices = (0..<3000).map { device.replacing("\"n\"", with: "\"n\($0)\"") }
    let list = "[" + devices.joined(separator: ",") + "]"
    let wild = device.replacing("\"n\"", with: "\"a/#\"")
    let long = device.replacing("\"n\"", with: "\"\(String(repeating: "x", count: 600))\"")
    let found = FamilyParsers.zigbee2MQTT(["z/bridge/devices": Array(list.utf8)])
    #expect(found.count == FamilyParsers.mostDevices)
    #expect(found.first?.options["baseTopic"] == "z")
    for text in [wild, long] {
      #expect(FamilyParsers.zigbee2MQTT(["z/bridge/devices": Array("[\(text)]".utf8)]).isEmpty)
    }
  }
}
