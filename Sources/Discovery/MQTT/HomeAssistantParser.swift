import JSON
import MQTTClient

/// Reads the discovery messages of Home Assistant, and translates lights, switches and covers into
/// the profile `template`. A state whose template computes its value is left out.
enum HomeAssistantParser {
  /// The most entities of one message.
  static let mostEntities = 100

  /// The appliances in messages on `homeassistant/COMPONENT/…/config` and `homeassistant/device/ID/config`.
  static func appliances(_ messages: [String: [UInt8]]) -> [MQTTAppliance] {
    messages.sorted { $0.key < $1.key }.flatMap { topic, payload -> [MQTTAppliance] in
      let words = topic.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
      guard (4...5).contains(words.count), words[0] == "homeassistant", words.last == "config",
        let json = try? JSON(parsing: payload), json.object != nil
      else { return [] }
      let id = words.dropFirst(2).dropLast().joined(separator: "/")
      guard words[1] == "device" else {
        return [Entity(words[1], json, id: id)?.appliance].compactMap(\.self)
      }
      let parts = json["cmps"]?.object ?? json["components"]?.object ?? [:]
      return parts.prefix(mostEntities).compactMap { key, part in
        guard let component = (part["p"] ?? part["platform"])?.string else { return nil }
        var merged = part.object ?? [:]
        for name in shared where merged[name] == nil { merged[name] = json[name] }
        return Entity(component, .object(merged), id: "\(id)/\(key)")?.appliance
      }
    }
  }

  /// The keys that the parts of a device take from its message.
  private static let shared = [
    "avty_t", "availability_topic", "avty_tpl", "availability_template", "avty", "availability",
    "pl_avail", "payload_available", "pl_not_avail", "payload_not_available", "~", "dev", "device",
  ]

  private struct Entity {
    let component: String
    let json: JSON
    let id: String

    /// The longest text that is used, in bytes.
    private static let longestText = 1024

    init?(_ component: String, _ json: JSON, id: String) {
      guard ["light", "switch", "cover"].contains(component) else { return nil }
      (self.component, self.json, self.id) = (component, json, id)
    }

    var appliance: MQTTAppliance? {
      switch component {
      case "cover": cover
      case "light" where text("schema") == "json": jsonLight
      case "light" where (text("schema") ?? "basic") == "basic": basicLight
      case "switch": plug
      default: nil
      }
    }

    // MARK: Values

    private func text(_ names: String...) -> String? {
      names.lazy.compactMap { json[$0]?.string }.first { $0.utf8.count <= Self.longestText }
    }

    private func topic(_ names: String...) -> String? {
      expanded(names.lazy.compactMap { json[$0]?.string }.first)
    }

    /// Returns a topic with the entity's base topic in the place of `~`.
    private func expanded(_ given: String?) -> String? {
      guard var text = given, text.utf8.count <= MQTTSession.longestTopic
      else { return nil }
      let base = self.text("~") ?? ""
      if text.hasPrefix("~") { text = base + text.dropFirst() }
      if text.hasSuffix("~") { text = text.dropLast() + base }
      return MQTTText.topic(text)
    }

    /// The payload of a command; `nil` if the entity has one that is too long.
    private func payload(_ short: String, _ long: String, or fallback: String) -> String? {
      guard let given = value([short, long]) else { return fallback }
      let payload = given.string ?? given.text()
      return payload.utf8.count <= Self.longestText ? payload : nil
    }

    /// The first value with one of the names; `nil` if all are missing or null.
    private func value(_ names: [String]) -> JSON? {
      names.lazy.compactMap { json[$0] }.first { !$0.isNull }
    }

    /// A source of the template: `{"topic": …, "pointer": …}`; `nil` if the value is computed.
    ///
    /// - Parameter names: The keys of the entity's template.
    private func source(_ topic: String?, template names: String...) -> JSONObject? {
      source(topic, value(names))
    }

    /// - Parameter given: The template. Without one, the payload is the value. A template that is too long counts as
    ///   computed.
    private func source(_ topic: String?, _ given: JSON?) -> JSONObject? {
      guard let topic else { return nil }
      guard let given, !given.isNull else { return ["topic": .string(topic)] }
      guard let template = given.string, template.utf8.count <= 256 else { return nil }
      var rest = template.filter { $0 != " " }[...]
      guard rest.hasPrefix("{{"), rest.hasSuffix("}}") else { return nil }
      rest = rest.dropFirst(2).dropLast(2)
      if rest == "value" { return ["topic": .string(topic)] }
      guard rest.hasPrefix("value_json.") else { return nil }
      let path = rest.dropFirst("value_json.".count)
      guard !path.isEmpty,
        path.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_" || $0 == ".") })
      else { return nil }
      let pointer = path.split(separator: ".").map { "/\($0)" }.joined()
      return ["topic": .string(topic), "pointer": .string(pointer)]
    }

    private var availability: JSONObject? {
      let given = json["avty"] ?? json["availability"]
      // A list of entries, or one entry alone.
      let entry = given?.array?.first ?? given
      let own = topic("avty_t", "availability_topic")
      let template =
        own == nil
        ? entry?["val_tpl"] ?? entry?["value_template"]
        : value(["avty_tpl", "availability_template"])
      guard
        var source = source(own ?? expanded((entry?["t"] ?? entry?["topic"])?.string), template)
      else { return nil }
      // An entry has payloads of its own.
      func payload(_ short: String, _ long: String) -> String? {
        guard let own = entry?[short] ?? entry?[long] else { return text(short, long) }
        return own.string.flatMap { $0.utf8.count <= Self.longestText ? $0 : nil }
      }
      let online = payload("pl_avail", "payload_available") ?? "online"
      let offline = payload("pl_not_avail", "payload_not_available") ?? "offline"
      guard online != offline else { return nil }
      source["online"] = .string(online)
      source["offline"] = .string(offline)
      return source
    }

    // MARK: Components

    private var plug: MQTTAppliance? {
      guard let command = topic("cmd_t", "command_topic") else { return nil }
      guard let on = payload("pl_on", "payload_on", or: "ON"),
        let off = payload("pl_off", "payload_off", or: "OFF")
      else { return nil }
      var state: JSONObject = [:]
      if var power = source(
        topic("stat_t", "state_topic"), template: "val_tpl", "value_template", "stat_val_tpl",
        "state_value_template")
      {
        power["on"] = .string(text("stat_on", "state_on") ?? on)
        power["off"] = .string(text("stat_off", "state_off") ?? off)
        if power["on"] != power["off"] { state["power"] = .object(power) }
      }
      return appliance(
        .plug, commands: ["on": message(command, on), "off": message(command, off)], state: state)
    }

    private var jsonLight: MQTTAppliance? {
      guard let command = topic("cmd_t", "command_topic") else { return nil }
      let modes = (json["sup_clrm"] ?? json["supported_color_modes"])?.array ?? []
      // Home Assistant dims in every colour mode but these.
      let hasDimmer =
        (json["brightness"] ?? json["bri"])?.bool == true || scale != nil
        || modes.contains { !["onoff", "unknown"].contains($0.string ?? "unknown") }
      var state: JSONObject = [:]
      if let topic = topic("stat_t", "state_topic") {
        state["power"] = ["topic": .string(topic), "pointer": "/state", "on": "ON", "off": "OFF"]
        if hasDimmer { state["brightness"] = ["topic": .string(topic), "pointer": "/brightness"] }
      }
      var commands: JSONObject = [
        "on": message(command, #"{"state": "ON"}"#), "off": message(command, #"{"state": "OFF"}"#),
      ]
      guard hasDimmer else { return appliance(.plug, commands: commands, state: state) }
      commands["dim"] = message(command, #"{"state": "ON", "brightness": {brightness}}"#)
      return appliance(.dimmer, commands: commands, state: state, brightest: brightest)
    }

    private var basicLight: MQTTAppliance? {
      // Only with this setting does a message with the brightness also turn the light on.
      guard text("on_cmd_type", "on_command_type") == "brightness",
        let command = topic("bri_cmd_t", "brightness_command_topic"),
        let main = topic("cmd_t", "command_topic"),
        let off = payload("pl_off", "payload_off", or: "OFF"),
        value(["bri_cmd_tpl", "brightness_command_template"]) == nil
      else { return plug }
      guard let template = plug?.options["template"]?.object,
        var commands = template["commands"]?.object
      else { return plug }
      commands["on"] = nil
      commands["off"] = message(main, off)
      commands["dim"] = message(command, "{brightness}")
      var state = template["state"]?.object ?? [:]
      let level = source(
        topic("bri_stat_t", "brightness_state_topic"),
        template: "bri_val_tpl", "brightness_value_template")
      if let level { state["brightness"] = .object(level) } else { state = [:] }
      return appliance(.dimmer, commands: commands, state: state, brightest: brightest)
    }

    private var scale: JSON? { value(["bri_scl", "brightness_scale"]) }

    private var brightest: Int {
      let brightest = scale?.integer ?? 255
      return (1...65_535).contains(brightest) ? brightest : 255
    }

    private var cover: MQTTAppliance? {
      guard let command = topic("cmd_t", "command_topic"),
        let open = payload("pl_open", "payload_open", or: "OPEN"),
        let close = payload("pl_cls", "payload_close", or: "CLOSE")
      else { return nil }
      var commands: JSONObject = ["up": message(command, open), "down": message(command, close)]
      let hasStop = (json["pl_stop"] ?? json["payload_stop"])?.isNull != true
      if hasStop, let stop = payload("pl_stop", "payload_stop", or: "STOP") {
        commands["stop"] = message(command, stop)
      }
      var state: JSONObject = [:]
      if var position = source(
        topic("pos_t", "position_topic"), template: "pos_tpl", "position_template")
      {
        let open = (json["pos_open"] ?? json["position_open"])?.integer ?? 100
        let closed = (json["pos_clsd"] ?? json["position_closed"])?.integer ?? 0
        if open != closed {
          position["up"] = .string("\(open)")
          position["down"] = .string("\(closed)")
          state["position"] = .object(position)
        }
      }
      if var motion = source(
        topic("stat_t", "state_topic"), template: "val_tpl", "value_template")
      {
        let words = [
          ("up", text("stat_opening", "state_opening") ?? "opening"),
          ("down", text("stat_closing", "state_closing") ?? "closing"),
          ("still", text("stat_stopped", "state_stopped") ?? "stopped"),
        ]
        if Set(words.map(\.1)).count == 3 {
          for (name, word) in words { motion[name] = .string(word) }
          state["motion"] = .object(motion)
        }
      }
      return appliance(.cover, commands: commands, state: state)
    }

    private func message(_ topic: String, _ payload: String) -> JSON {
      ["topic": .string(topic), "payload": .string(payload)]
    }

    private func appliance(
      _ kind: MQTTAppliance.Kind, commands: JSONObject, state: JSONObject, brightest: Int? = nil
    ) -> MQTTAppliance {
      var template: JSONObject = ["commands": .object(commands)]
      if !state.isEmpty { template["state"] = .object(state) }
      if let availability { template["availability"] = .object(availability) }
      if let brightest { template["brightest"] = .integer(brightest) }
      let device = (json["dev"] ?? json["device"])?["name"]?.string
      let title = [device, json["name"]?.string].compactMap(\.self).joined(separator: " ")
      return MQTTAppliance(
        kind: kind, profile: "template", key: id, title: title.isEmpty ? id : title,
        options: ["template": .object(template)])
    }
  }

  /// Returns whether an entity belongs to a device whose family has its own profile.
  ///
  /// - Parameter bases: The topics below which the devices of the families take commands.
  static func isOfFamily(_ appliance: MQTTAppliance, bases: Set<String>) -> Bool {
    let commands = appliance.options["template"]?["commands"]?.object ?? [:]
    return commands.contains { _, command in
      let topic = command["topic"]?.string ?? ""
      return topic.indices.contains { topic[$0] == "/" && bases.contains(String(topic[..<$0])) }
    }
  }
}
