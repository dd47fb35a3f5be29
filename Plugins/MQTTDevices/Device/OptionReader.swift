import Devices
import JSON

/// Reads options of one object and names the place of a wrong one. The controller has checked them against
/// the manifest; reading checks them again, for other hosts of the plugin.
struct OptionReader {
  let json: JSON
  /// The place of the object: empty, or `broker.`, for example.
  let path: String

  init(_ json: JSON, path: String = "") {
    self.json = json
    self.path = path
  }

  /// Whether the option is there.
  func has(_ key: String) -> Bool { json[key] != nil }

  func error(_ key: String, _ complaint: String) -> DeviceError {
    DeviceError(
      .invalid, "the option \"\(path)\(key)\" \(complaint)",
      hint: "Correct it in the device's options; see docs/mqtt-devices.md.")
  }

  func text(_ key: String) throws(DeviceError) -> String? {
    guard let value = json[key] else { return nil }
    guard let text = value.string else { throw error(key, "is not a text") }
    guard text.utf8.count <= 4096, !text.utf8.contains(0) else {
      throw error(key, "is longer than 4,096 bytes, or holds a zero byte")
    }
    return text
  }

  func required(_ key: String) throws(DeviceError) -> String {
    guard let text = try text(key), !text.isEmpty else { throw error(key, "is missing") }
    return text
  }

  func flag(_ key: String, or fallback: Bool) throws(DeviceError) -> Bool {
    guard let value = json[key] else { return fallback }
    guard let flag = value.bool else { throw error(key, "is neither true nor false") }
    return flag
  }

  func number(
    _ key: String, in range: ClosedRange<Double>, or fallback: Double
  ) throws(DeviceError) -> Double {
    guard let value = json[key] else { return fallback }
    guard let number = value.number, range.contains(number) else {
      throw error(
        key,
        "is not a number from \(JSON.number(range.lowerBound).text()) to "
          + JSON.number(range.upperBound).text())
    }
    return number
  }

  func choice<Choice: RawRepresentable<String> & CaseIterable>(
    _ key: String, or fallback: Choice
  ) throws(DeviceError) -> Choice {
    guard let word = try text(key) else { return fallback }
    guard let choice = Choice(rawValue: word) else {
      throw error(
        key,
        "is none of "
          + Choice.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", "))
    }
    return choice
  }

  /// A topic for publishing and for exact subscriptions.
  func topic(_ key: String) throws(DeviceError) -> String {
    try topic(try required(key), key)
  }

  /// Checks a topic that an option gives.
  func topic(_ topic: String, _ key: String) throws(DeviceError) -> String {
    guard topic.utf8.count <= MQTTMessage.longestTopic,
      !topic.unicodeScalars.contains(where: { "+#".unicodeScalars.contains($0) || $0.value < 32 })
    else {
      throw error(
        key, "is no topic: at most \(MQTTMessage.longestTopic) bytes, without \"+\" and \"#\"")
    }
    return topic
  }

  /// The reader of a nested object; nil if it is not there.
  func object(_ key: String) throws(DeviceError) -> OptionReader? {
    guard let value = json[key] else { return nil }
    guard value.object != nil else { throw error(key, "is not an object") }
    return OptionReader(value, path: path + key + ".")
  }
}
