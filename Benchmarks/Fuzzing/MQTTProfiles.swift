// Compiled with the sources of the profiles by Scripts/fuzz-mqtt.
import Devices
import JSON

/// The profiles of every family and kind.
private let profiles: [any DeviceProfile] = [ApplianceKind.plug, .dimmer, .cover].flatMap {
  kind -> [any DeviceProfile] in
  [
    TasmotaProfile(
      topic: "d", fullTopic: "%prefix%/%topic%/", channel: 1, kind: kind, interval: nil),
    Zigbee2MQTTProfile(
      topic: "d", base: "b", endpoint: nil, kind: kind, fade: nil, interval: nil),
    ShellyProfile(topic: "d", replies: "r", channel: 0, kind: kind, fade: nil, interval: nil),
    ShellyGeneration1Profile(topic: "d", channel: 0, kind: kind, interval: nil),
  ]
}

/// libFuzzer's entry: the first byte chooses the profile, the second its topic, the rest is the payload.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  guard count > 2 else { return 0 }
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  let profile = profiles[Int(bytes[0]) % profiles.count]
  let topic = profile.topics[Int(bytes[1]) % profile.topics.count]
  for fact in profile.observations(in: MQTTMessage(topic, Array(bytes.dropFirst(2)))) {
    switch fact {
    case .brightness(let value), .lowered(let value): precondition((0...100).contains(value))
    case .refused(let reason): precondition(reason.utf8.count <= 80)
    case .power, .motion, .online: break
    }
  }
  _ = JSONPointer(String(decoding: bytes, as: UTF8.self))
  return 0
}
