import Devices
import JSON

/// Reads and validates the options of one object. Its errors name the path of the wrong option.
///
/// The controller has checked the options against the manifest. They are checked again here, because the plugin may
/// run without the controller.
package struct OptionReader: Sendable {
  /// The object with the options.
  package let json: JSON
  /// The path of the object with a dot at its end, such as `broker.`; empty for the outermost one.
  private let path: String
  private let hint: String

  /// - Parameter hint: The next action after an error.
  package init(_ json: JSON, hint: String = "Correct it in the device's options.") {
    self.init(json, path: "", hint: hint)
  }

  private init(_ json: JSON, path: String, hint: String) {
    self.json = json
    self.path = path
    self.hint = hint
  }

  /// Whether the object has the option.
  package func has(_ key: String) -> Bool { json[key] != nil }

  /// Builds the error `invalid` for an option.
  package func error(_ key: String, _ complaint: String) -> DeviceError {
    DeviceError(.invalid, "the option \"\(path)\(key)\" \(complaint)", hint: hint)
  }

  /// Returns a text of at most 4,096 bytes without a zero byte; nil if the option is missing.
  package func text(_ key: String) throws(DeviceError) -> String? {
    guard let value = json[key] else { return nil }
    guard let text = value.string else { throw error(key, "is not a text") }
    guard text.utf8.count <= 4096, !text.utf8.contains(0) else {
      throw error(key, "is longer than 4,096 bytes, or holds a zero byte")
    }
    return text
  }

  /// Returns a text that must be there and not empty.
  package func required(_ key: String) throws(DeviceError) -> String {
    guard let text = try text(key), !text.isEmpty else { throw error(key, "is missing") }
    return text
  }

  /// Returns a Boolean, or `fallback` if the option is missing.
  package func flag(_ key: String, or fallback: Bool) throws(DeviceError) -> Bool {
    guard let value = json[key] else { return fallback }
    guard let flag = value.bool else { throw error(key, "is neither true nor false") }
    return flag
  }

  /// Returns a number in a range, or `fallback` if the option is missing.
  package func number(
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

  /// Returns a whole number in a range; nil if the option is missing.
  package func integer(
    _ key: String, in range: ClosedRange<Int>
  ) throws(DeviceError) -> Int? {
    guard let value = json[key] else { return nil }
    guard let number = value.integer, range.contains(number) else {
      throw error(key, "is not a whole number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  /// Returns one of the words of an enumeration, or `fallback` if the option is missing.
  package func choice<Choice: RawRepresentable<String> & CaseIterable>(
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

  /// Returns a list of texts, or `fallback` if the option is missing.
  package func texts(
    _ key: String, or fallback: [String] = [], most: Int = 1000
  ) throws(DeviceError) -> [String] {
    guard let value = json[key] else { return fallback }
    let texts = value.array?.compactMap(\.string)
    guard let texts, texts.count == value.array?.count, texts.count <= most else {
      throw error(key, "is not a list of at most \(most) texts")
    }
    return texts
  }

  /// Returns the readers of a list of objects; none if the option is missing.
  package func objects(
    _ key: String, most: Int = 1000
  ) throws(DeviceError) -> [OptionReader] {
    guard let value = json[key] else { return [] }
    guard let list = value.array, list.count <= most, list.allSatisfy({ $0.object != nil }) else {
      throw error(key, "is not a list of at most \(most) objects")
    }
    return list.enumerated().map { index, entry in
      OptionReader(entry, path: "\(path)\(key)[\(index)].", hint: hint)
    }
  }

  /// Returns the entries of a list, each read by `make`; those of `fallback` if the option is missing.
  ///
  /// - Parameter expected: A valid entry, for the error.
  package func entries<Entry>(
    _ key: String, or fallback: JSON, expected: String, _ make: (JSON) -> Entry?
  ) throws(DeviceError) -> [Entry] {
    guard let list = (json[key] ?? fallback).array else { throw error(key, "is not a list") }
    var entries: [Entry] = []
    for (index, value) in list.enumerated() {
      guard let entry = make(value) else {
        throw error("\(key)[\(index)]", "is \(value.text().quotation), expected \(expected)")
      }
      entries.append(entry)
    }
    return entries
  }

  /// Returns the reader of a nested object; nil if the option is missing.
  package func object(_ key: String) throws(DeviceError) -> OptionReader? {
    guard let value = json[key] else { return nil }
    guard value.object != nil else { throw error(key, "is not an object") }
    return OptionReader(value, path: path + key + ".", hint: hint)
  }

  /// Returns the reader of a nested object; of an empty one if the option is missing.
  package func members(_ key: String) throws(DeviceError) -> OptionReader {
    try object(key) ?? OptionReader([:], path: path + key + ".", hint: hint)
  }
}
