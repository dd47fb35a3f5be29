import Devices
import JSON

/// The options of a device. The controller has checked them against the manifest and filled in the
/// defaults. A session without a controller may not have, so reading checks them again.
struct SimulationOptions: Sendable {
  private let json: JSON

  init(_ json: JSON) { self.json = json }

  /// Returns the number under `key`, or `fallback` if it is left out.
  func number(_ key: String, in range: ClosedRange<Double>, or fallback: Double)
    throws(DeviceError) -> Double
  {
    guard let value = json[key] else { return fallback }
    guard let number = value.number, range.contains(number) else {
      throw wrong(key, value, "a number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  /// Returns the Boolean under `key`.
  func flag(_ key: String, or fallback: Bool) throws(DeviceError) -> Bool {
    guard let value = json[key] else { return fallback }
    guard let flag = value.bool else { throw wrong(key, value, "true or false") }
    return flag
  }

  /// Returns the word under `key`, one of the cases of `Word`.
  func word<Word: RawRepresentable<String> & CaseIterable>(_ key: String, or fallback: Word)
    throws(DeviceError) -> Word
  {
    guard let value = json[key] else { return fallback }
    guard let word = value.string.flatMap(Word.init(rawValue:)) else {
      throw wrong(key, value, Word.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: " or "))
    }
    return word
  }

  /// Returns the texts under `key`.
  func texts(_ key: String, or fallback: [String]) throws(DeviceError) -> [String] {
    guard let value = json[key] else { return fallback }
    guard let values = value.array, values.allSatisfy({ $0.string?.isEmpty == false }) else {
      throw wrong(key, value, "a list of names")
    }
    return values.compactMap(\.string)
  }

  /// Returns the objects under `key`, each converted by `make`; `nil` if the key is left out.
  func list<Element>(
    _ key: String, expected: String, _ make: (JSON) -> Element?
  ) throws(DeviceError) -> [Element]? {
    guard let value = json[key] else { return nil }
    guard let values = value.array else { throw wrong(key, value, "a list") }
    var elements: [Element] = []
    for (index, value) in values.enumerated() {
      guard let element = make(value) else { throw wrong("\(key)[\(index)]", value, expected) }
      elements.append(element)
    }
    return elements
  }

  /// Returns the options under `key`; none if it is left out.
  func nested(_ key: String) throws(DeviceError) -> SimulationOptions {
    guard let value = json[key] else { return SimulationOptions([:]) }
    guard value.object != nil else { throw wrong(key, value, "an object") }
    return SimulationOptions(value)
  }

  private func wrong(_ key: String, _ value: JSON, _ expected: String) -> DeviceError {
    DeviceError(
      .invalid, "the option \"\(key)\" is \(value.text().prefix(60)), expected \(expected)",
      hint: "Correct it in the device's options.")
  }
}
