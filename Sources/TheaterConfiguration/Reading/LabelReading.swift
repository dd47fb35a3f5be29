import Devices
import HomeTheater
import JSON

extension Label {
  /// Reads the label of an entry that the schema has checked.
  init(_ entry: JSON) {
    self.init(
      title: entry["title"]?.string, icon: entry["icon"]?.string.flatMap(Icon.init),
      area: entry["area"]?.string)
  }
}

extension ConfigurationReader {
  /// Reads the labels of the devices, and the inputs of amplifiers.
  mutating func readDevicePlans() -> [DevicePlan] {
    (member("devices").object ?? [:]).map { name, device in
      let path: JSONPath = [.key("devices"), .key(name)]
      return DevicePlan(
        id: DeviceID(name), label: Label(device), inputs: readInputs(of: name, device, at: path))
    }
  }

  /// The inputs that an amplifier has, each with its label.
  private mutating func readInputs(
    of name: String, _ device: JSON, at path: JSONPath
  ) -> [InputPlan] {
    let labels = device["inputs"]?.object ?? [:]
    guard let role = roles[name] else { return [] }
    guard role.has(.input) else {
      if device["inputs"] != nil {
        report(
          .reference, at: path.appending("inputs"), key: true,
          "a \(role.title) has no inputs", hint: "Only an amplifier has them.")
      }
      return []
    }
    let known = inputs(of: name)
    for input in labels.keys
    where !known.known.contains(input) && !hasError(at: [.key("cables")]) && !isFull {
      reportMissing(
        "input", input, among: known.names, at: path.appending("inputs").appending(input),
        key: true)
    }
    return known.names.map { InputPlan(name: $0, label: labels[$0].map { Label($0) } ?? Label()) }
  }
}
