import Devices
import JSON

/// The members of a request's body, read strictly: what a route does not know is refused, so that a
/// misspelt option is not passed over in silence.
struct BodyFields: Sendable {
  private let object: JSONObject

  init(_ body: JSON, names: [String]) throws(APIError) {
    guard let object = body.object else {
      throw .invalid("the body is \(body.kind), expected an object")
    }
    for key in object.keys where !names.contains(key) {
      let near = nearest(to: key, in: names)
      throw .invalid(
        "the body has an unknown member \"\(key.quotation)\"",
        hint: near.map { "Did you mean \"\($0)\"?" }
          ?? "It knows: \(names.joined(separator: ", ")).")
    }
    self.object = object
  }

  /// The value of a member that is there and not `null`.
  subscript(name: String) -> JSON? {
    // In a closure `nil` would be the JSON value.
    guard let value = object[name], !value.isNull else { return nil }
    return value
  }

  /// A text that may be missing.
  func text(_ name: String) throws(APIError) -> String? {
    guard let value = self[name] else { return nil }
    guard let text = value.string else { throw wrong(name, value, "a text") }
    return text
  }

  /// A text that must be there.
  func requiredText(_ name: String) throws(APIError) -> String {
    guard let text = try text(name) else {
      throw .invalid("\"\(name)\" is missing", hint: "Add \"\(name)\" with a text.")
    }
    return text
  }

  /// Yes or no; no where it is missing.
  func flag(_ name: String) throws(APIError) -> Bool {
    guard let value = self[name] else { return false }
    guard let flag = value.bool else { throw wrong(name, value, "true or false") }
    return flag
  }

  /// A finite number that may be missing.
  func number(_ name: String) throws(APIError) -> Double? {
    guard let value = self[name] else { return nil }
    guard let number = value.number, number.isFinite else { throw wrong(name, value, "a number") }
    return number
  }

  /// A whole number that may be missing.
  func integer(_ name: String) throws(APIError) -> Int? {
    guard let value = self[name] else { return nil }
    guard let number = value.integer else { throw wrong(name, value, "a whole number") }
    return number
  }

  /// Returns the texts of a required list.
  ///
  /// - Parameter hint: The error's hint, which lists the possible names.
  func texts(_ name: String, hint: String) throws(APIError) -> [String] {
    let elements = self[name]?.array
    let texts = elements?.compactMap(\.string)
    guard let texts, texts.count == elements?.count else {
      throw .invalid(
        "\"\(name)\" is \(self[name]?.kind ?? "missing"), expected a list of names", hint: hint)
    }
    return texts
  }

  private func wrong(_ name: String, _ value: JSON, _ expected: String) -> APIError {
    .invalid("\"\(name)\" is \(value.kind), expected \(expected)")
  }
}
