// Scripts/fuzz also compiles this file, in one module with the profiles.
import JSON

#if canImport(MQTTDevices)
  import TestSupport

  @testable import MQTTDevices
#endif

/// Parses a payload from a fuzzer as a message on each topic of a profile. Traps if a result is out
/// of its bounds.
///
/// The first bytes choose the profile and its options; the rest is the payload.
func parse(fuzzed bytes: [UInt8]) {
  var input = FuzzedInput(bytes)
  let profile = profile(&input)
  let payload = Array(input.rest)
  for topic in profile.topics {
    let message = MQTTMessage(topic, payload)
    precondition((message.word ?? "").utf8.count <= 64)
    for observation in profile.observations(in: message) { check(observation) }
  }
  let json = try? JSON(parsing: payload)
  if let json { precondition((try? JSON(parsing: json.text())) == json) }
  if let pointer = JSONPointer(String(decoding: payload, as: UTF8.self)) {
    _ = pointer.value(in: json ?? ["a": [1, ["b/c": 2]], "~": 3, "": 4])
  }
}

private func check(_ observation: Observation) {
  switch observation {
  case .brightness(let value), .lowered(let value):
    precondition(value.map { (0...100).contains($0) } ?? true)
  case .refused(let reason): precondition(reason.utf8.count <= 80)
  case .power, .end, .motion, .online: break
  }
}

private func profile(_ input: inout FuzzedInput) -> any DeviceProfile {
  let kind = input.choose([ApplianceKind.plug, .dimmer, .cover])
  let channel = input.choose([1, 0, 2, 31])
  switch input.choose(Array(0...4)) {
  case 0:
    return TasmotaProfile(
      topic: "d", fullTopic: input.choose(["%prefix%/%topic%/", "%topic%/%prefix%"]),
      channel: channel, kind: kind, interval: nil)
  case 1:
    return Zigbee2MQTTProfile(
      topic: "d", base: "b", endpoint: input.choose([nil, "l1"]), kind: kind, fade: nil,
      interval: nil)
  case 2:
    return ShellyProfile(
      topic: "d", replies: "r", channel: channel, kind: kind, fade: nil, interval: nil)
  case 3: return ShellyGeneration1Profile(topic: "d", channel: channel, kind: kind, interval: nil)
  default: return template(kind, &input)
  }
}

private func template(_ kind: ApplianceKind, _ input: inout FuzzedInput) -> TemplateProfile {
  let on = input.choose(["ON", "1", "1.0", "true", "+1", "inf"])
  let ends = input.choose([
    ("100", "0"), ("0", "100"), ("00", "closed"), ("-1e308", "1e308"), ("5e-324", "0"),
    ("open", "closed"), ("0x1p9", "nan"),
  ])
  return TemplateProfile(
    kind: kind, fade: .zero, interval: nil, brightest: input.choose([100, 1, 254, 65_535]),
    commands: [:],
    power: .init(
      source: source("power", &input), meanings: [on: true, "OFF": false, "0": false]
    ) { $0.isOn },
    brightness: source("brightness", &input),
    position: .init(source: source("position", &input), up: ends.0, down: ends.1),
    motion: .init(
      source: source("motion", &input),
      meanings: ["opening": .up, "closing": .down, "stopped": nil]
    ) { $0.string?.coverMotion },
    availability: .init(
      source: source("availability", &input), meanings: ["online": true, "offline": false]
    ) { $0.isOnline })
}

/// Returns a source. Its topic is `t`, which all sources can share, or one of its own. With a pointer, the value is
/// part of a JSON payload; otherwise the payload is the value.
private func source(_ name: String, _ input: inout FuzzedInput) -> TemplateProfile.Source {
  let pointer = input.choose([nil, "", "/a", "/a/0", "/a/1/b~1c", "/~0", "/a/-", "/"])
  return TemplateProfile.Source(
    topic: input.choose(["t", "t/\(name)"]), pointer: pointer.flatMap { JSONPointer($0) })
}
