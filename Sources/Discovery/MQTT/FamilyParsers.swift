import JSON

/// Reads the retained messages of families of devices. Pure functions, which ignore a payload that they cannot read.
enum FamilyParsers {
  /// The most devices in one message that are read.
  static let mostDevices = 500

  // MARK: Tasmota

  /// Devices that announce themselves on `tasmota/discovery/MAC/config`, and those that only have a status on
  /// `tele/TOPIC/LWT`.
  static func tasmota(_ messages: [String: [UInt8]]) -> [MQTTAppliance] {
    var found: [MQTTAppliance] = []
    var known: Set<String> = []
    for (topic, payload) in messages.sorted(by: { $0.key < $1.key }) {
      let parts = topic.split(separator: "/", omittingEmptySubsequences: false)
      guard parts.count == 4, parts[0] == "tasmota", parts[1] == "discovery",
        parts[3] == "config", let json = try? JSON(parsing: payload)
      else { continue }
      found += tasmota(json)
      if let name = json["t"]?.string { known.insert(name) }
    }
    for (topic, payload) in messages.sorted(by: { $0.key < $1.key }) {
      let parts = topic.split(separator: "/", omittingEmptySubsequences: false)
      guard parts.count == 3, parts[0] == "tele", parts[2] == "LWT",
        ["Online", "Offline"].contains(String(decoding: payload.prefix(8), as: UTF8.self)),
        let name = MQTTText.topic(String(parts[1])), !known.contains(name)
      else { continue }
      found.append(
        MQTTAppliance(
          kind: .plug, profile: "tasmota", key: name, title: name,
          options: ["topic": .string(name)],
          notes: ["The device does not report its kind; a plug is assumed."]))
    }
    return found
  }

  private static func tasmota(_ json: JSON) -> [MQTTAppliance] {
    guard let topic = MQTTText.topic(json["t"]?.string), !topic.contains("/") else { return [] }
    let prefixes = (json["tp"]?.array ?? []).prefix(3).compactMap(\.string)
    guard prefixes.isEmpty || prefixes == ["cmnd", "stat", "tele"] else { return [] }
    var options: JSONObject = ["topic": .string(topic)]
    if let full = MQTTText.topic(json["ft"]?.string), full != "%prefix%/%topic%/" {
      guard full.contains("%prefix%"), full.contains("%topic%") else { return [] }
      options["fullTopic"] = .string(full)
    }
    let names = (json["fn"]?.array ?? []).prefix(32).map(\.string)
    let title = json["dn"]?.string ?? topic
    let hasDimmer = (json["lt_st"]?.integer ?? 0) > 0
    var found: [MQTTAppliance] = []
    var shutters = 0
    for (index, kind) in (json["rl"]?.array ?? []).prefix(32).enumerated() {
      let channel: Int
      let appliance: MQTTAppliance.Kind
      switch kind.integer {
      case 1: (channel, appliance) = (index + 1, .plug)
      case 2: (channel, appliance) = (index + 1, hasDimmer ? .dimmer : .plug)
      case 3:
        // Two relays move one shutter.
        shutters += 1
        guard shutters % 2 == 1 else { continue }
        (channel, appliance) = ((shutters + 1) / 2, .cover)
      default: continue
      }
      var own = options
      if channel > 1 { own["channel"] = .integer(channel) }
      found.append(
        MQTTAppliance(
          kind: appliance, profile: "tasmota", key: channel > 1 ? "\(topic):\(channel)" : topic,
          title: (index < names.count ? names[index] : nil) ?? title, options: own))
    }
    return distinct(found)
  }

  /// Returns appliances of one profile with different keys; of two equal ones, the first. A relay and a shutter, or a
  /// relay and a light, may have the same number: then the kind is added to the key of the one that is not a plug.
  static func distinct(_ appliances: [MQTTAppliance]) -> [MQTTAppliance] {
    let kinds = Dictionary(grouping: appliances, by: \.key).mapValues { Set($0.map(\.kind)) }
    var seen: Set<String> = []
    return appliances.compactMap { appliance in
      var appliance = appliance
      if appliance.kind != .plug, kinds[appliance.key, default: []].count > 1 {
        appliance.key += ":\(appliance.kind.rawValue)"
      }
      return seen.insert(appliance.key).inserted ? appliance : nil
    }
  }

  // MARK: Zigbee2MQTT

  /// The devices in `BASE/bridge/devices`.
  static func zigbee2MQTT(_ messages: [String: [UInt8]]) -> [MQTTAppliance] {
    messages.sorted { $0.key < $1.key }.flatMap { topic, payload -> [MQTTAppliance] in
      let end = "/bridge/devices"
      guard topic.hasSuffix(end), let base = MQTTText.topic(String(topic.dropLast(end.count))),
        let devices = try? JSON(parsing: payload).array
      else { return [] }
      return distinct(devices.prefix(mostDevices).flatMap { zigbee($0, base: base) })
    }
  }

  private static func zigbee(_ device: JSON, base: String) -> [MQTTAppliance] {
    guard device["type"]?.string != "Coordinator", device["disabled"]?.bool != true,
      let name = MQTTText.topic(device["friendly_name"]?.string)
    else { return [] }
    let definition = device["definition"]
    let model = [definition?["vendor"]?.string, definition?["model"]?.string].compactMap(\.self)
      .joined(separator: " ")
    let parts = (definition?["exposes"]?.array ?? []).prefix(64)
    let found = parts.compactMap { part -> MQTTAppliance? in
      let kind: MQTTAppliance.Kind
      switch part["type"]?.string {
      case "light":
        let features = (part["features"]?.array ?? []).prefix(64).compactMap { $0["name"]?.string }
        kind = features.contains("brightness") ? .dimmer : .plug
      case "switch": kind = .plug
      case "cover": kind = .cover
      default: return nil
      }
      var options: JSONObject = ["topic": .string(name)]
      if base != "zigbee2mqtt" { options["baseTopic"] = .string(base) }
      var key = base == "zigbee2mqtt" ? name : "\(base)/\(name)"
      if let endpoint = part["endpoint"]?.string, (1...32).contains(endpoint.utf8.count) {
        options["endpoint"] = .string(endpoint)
        key += ":\(endpoint)"
      }
      return MQTTAppliance(
        kind: kind, profile: "zigbee2mqtt", key: key,
        title: model.isEmpty ? name : "\(name) (\(model))", options: options)
    }
    return distinct(found)
  }

  // MARK: Shelly

  /// Devices of the first generation below `shellies/`, and later ones by `ID/online` and `ID/status/PART`.
  static func shelly(_ messages: [String: [UInt8]]) -> [MQTTAppliance] {
    var parts: [Shelly: Set<String>] = [:]
    for (topic, payload) in messages {
      let words = topic.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
      if words.first == "shellies" {
        if words.last == "announce", let json = try? JSON(parsing: payload),
          let id = json["id"]?.string, isID(id)
        {
          // Later generations have the topics and the options of the second.
          let generation = (json["gen"]?.integer ?? 1) >= 2 ? 2 : 1
          parts[Shelly(id: id, generation: generation), default: []].formUnion([])
        } else if words.count == 4, isID(words[1]) {
          parts[Shelly(id: words[1], generation: 1), default: []].insert("\(words[2]):\(words[3])")
        }
      } else if words.count >= 2, isID(words[0]) {
        let shelly = Shelly(id: words[0], generation: 2)
        if words.count == 2, words[1] == "online" { parts[shelly, default: []].formUnion([]) }
        if words.count == 3, words[1] == "status" { parts[shelly, default: []].insert(words[2]) }
      }
    }
    return parts.sorted { $0.key.id < $1.key.id }.flatMap { $0.key.appliances($0.value) }
  }

  private struct Shelly: Hashable {
    let id: String
    /// 1 or 2.
    let generation: Int

    func appliances(_ parts: Set<String>) -> [MQTTAppliance] {
      let known = parts.sorted().compactMap(Self.part)
      // A roller of the first generation has relays too.
      let covers = known.filter { $0.kind == .cover }
      let used = covers.isEmpty ? known : covers
      if !used.isEmpty {
        let found = used.prefix(32).map { appliance($0.kind, channel: $0.channel) }
        return FamilyParsers.distinct(found)
      }
      let guess: MQTTAppliance.Kind =
        id.contains("dimmer") || id.contains("bulb") ? .dimmer : .plug
      var guessed = appliance(guess, channel: 0)
      guessed.notes = ["The device does not report its kind; it is guessed from the name."]
      return [guessed]
    }

    private func appliance(_ kind: MQTTAppliance.Kind, channel: Int) -> MQTTAppliance {
      var options: JSONObject = ["topic": .string(id)]
      if generation == 1 { options["generation"] = 1 }
      if channel > 0 { options["channel"] = .integer(channel) }
      return MQTTAppliance(
        kind: kind, profile: "shelly", key: channel > 0 ? "\(id):\(channel)" : id, title: id,
        options: options)
    }

    private static func part(_ text: String) -> (kind: MQTTAppliance.Kind, channel: Int)? {
      let words = text.split(separator: ":")
      guard words.count == 2, let channel = Int(words[1]), (0...31).contains(channel) else {
        return nil
      }
      switch words[0] {
      case "switch", "relay": return (.plug, channel)
      case "light": return (.dimmer, channel)
      case "cover", "roller": return (.cover, channel)
      default: return nil
      }
    }
  }

  /// `shellyplus2pm-a8032ab12345`, `shelly1-B929CC`.
  private static func isID(_ text: String) -> Bool {
    guard text.hasPrefix("shelly"), text.utf8.count <= 64 else { return false }
    let parts = text.split(separator: "-")
    guard parts.count >= 2, let last = parts.last, (6...12).contains(last.count) else {
      return false
    }
    return last.allSatisfy(\.isHexDigit)
      && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }
  }
}
