import Devices
import JSON

/// Reads and validates the options of one object. Its errors name the path of the wrong option.
///
/// The controller has checked the options against the manifest. They are checked again here, because the plugin may
/// run without the controller.
struct OptionReader {
  let json: JSON
  /// The path of the object with a dot at its end, such as `broker.`; empty for the outermost one.
  let path: String

  init(_ json: JSON, path: String = "") {
    self.json = json
    self.path = path
  }

  /// Whether the object has the option.
  func has(_ key: String) -> Bool { json[key] != nil }

  /// Builds the error `invalid` for an option.
  func error(_ key: String, _ complaint: String) -> DeviceError {
    DeviceError(
      .invalid, "the option \"\(path)\(key)\" \(complaint)",
      hint: "Correct it in the device's options; see docs/mqtt-devices.md.")
  }

  /// Returns a text of at most 4,096 bytes without a zero byte; nil if the option is missing.
  func text(_ key: String) throws(DeviceError) -> String? {
    guard let value = json[key] else { return nil }
    guard let text = value.string else { throw error(key, "is not a text") }
    guard text.utf8.count <= 4096, !text.utf8.contains(0) else {
      throw error(key, "is longer than 4,096 bytes, or holds a zero byte")
    }
    return text
  }

  /// Returns a text that must be there and not empty.
  func required(_ key: String) throws(DeviceError) -> String {
    guard let text = try text(key), !text.isEmpty else { throw error(key, "is missing") }
    return text
  }

  /// Returns a Boolean, or `fallback` if the option is missing.
  func flag(_ key: String, or fallback: Bool) throws(DeviceError) -> Bool {
    guard let value = json[key] else { return fallback }
    guard let flag = value.bool else { throw error(key, "is neither true nor false") }
    return flag
  }

  /// Returns a number in a range, or `fallback` if the option is missing.
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

  /// Returns one of the words of an enumeration, or `fallback` if the option is missing.
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

  /// Returns a required topic without wildcards.
  func topic(_ key: String) throws(DeviceError) -> String {
    try topic(try required(key), key)
  }

  /// Validates a topic: at most 512 bytes, without wildcards and control characters.
  func topic(_ topic: String, _ key: String) throws(DeviceError) -> String {
    guard topic.utf8.count <= MQTTMessage.longestTopic,
      !topic.unicodeScalars.contains(where: { "+#".unicodeScalars.contains($0) || $0.value < 32 })
    else {
      throw error(
        key, "is no topic: at most \(MQTTMessage.longestTopic) bytes, without \"+\" and \"#\"")
    }
    return topic
  }

  /// Returns the reader of a nested object; nil if the option is missing.
  func object(_ key: String) throws(DeviceError) -> OptionReader? {
    guard let value = json[key] else { return nil }
    guard value.object != nil else { throw error(key, "is not an object") }
    return OptionReader(value, path: path + key + ".")
  }
}
