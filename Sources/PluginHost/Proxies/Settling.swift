import Devices
import JSON
import PluginProtocol

extension Command {
  /// Whether `state` shows this command as done.
  func isSettled(in state: DeviceState) -> Bool {
    spec.settled.isMet(by: state, argument: argument)
  }

  /// Whether this command, just accepted, makes it impossible that `other`, accepted before it,
  /// is ever seen as done.
  func takesThePlace(of other: Command) -> Bool {
    if spec == other.spec { return argument != other.argument }
    if spec.manner == .urgent, spec.contradicts(other.spec) { return true }
    return spec.settled.key != nil && spec.settled.key == other.spec.settled.key
  }

  /// Says what was awaited in vain, and what is there instead.
  func unsettledError(in state: DeviceState) -> DeviceError {
    let found = spec.settled.key.flatMap { state[$0] }.map { "it is \($0)" } ?? "it is not known"
    return DeviceError(
      .timeout,
      "\"\(self)\" was accepted, but \(awaited) did not come within "
        + "\(Int(spec.longest.seconds)) s; \(found)",
      hint: "Look whether the device itself did it.")
  }

  private var awaited: String {
    switch spec.settled {
    case .accepted: "nothing"
    case .value(let key, let value): "\(key.rawValue) \(value)"
    case .anyValue(let key, let values):
      "\(key.rawValue) \(values.map(\.description).joined(separator: " or "))"
    case .argument(let key): "\(key.rawValue) \(argument ?? .null)"
    case .playback(let statuses):
      "playback \(statuses.map(\.rawValue).joined(separator: " or "))"
        + (argument?["item"]?.string.map { " of \($0)" } ?? "")
    }
  }
}

extension DeviceState {
  /// What the device is in the middle of, in a person's words; commands wait it out.
  var transition: String? {
    switch power {
    case .warming: return "warming"
    case .cooling: return "cooling"
    case .off, .on, .unknown: break
    }
    if self[.tray] == "moving" { return "moving its tray" }
    if self[.position] == "moving" { return "moving" }
    if playback?.status == .opening { return "opening" }
    return nil
  }

  var isInTransition: Bool { transition != nil }
}

extension StateNotification {
  /// Whether it tells nothing.
  var isEmpty: Bool { values.isEmpty && attributes.isEmpty }

  /// Both in one: of each key the newer value.
  func merged(with newer: StateNotification) -> StateNotification {
    StateNotification(
      device: device, values: values.merging(newer.values) { $1 }, provenance: newer.provenance,
      attributes: attributes.merging(newer.attributes) { $1 })
  }
}
