import Devices
import JSON
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

  @Test("Messages without a meaning are survived", arguments: 0..<300)
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

  @Test("A long list, a wild topic and a long name stay within bounds")
  func bounds() {
    let device =
      #"{"type":"Router","friendly_name":"n","definition":{"exposes":[{"type":"switch"}]}}"#
    let list = "[" + Array(repeating: device, count: 3000).joined(separator: ",") + "]"
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
