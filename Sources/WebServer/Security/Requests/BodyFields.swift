import Devices
import JSON
import TheaterAPI

/// The members of a request's body, read strictly: a member that the route does not declare is
/// refused, so that a misspelt option is not ignored.
struct BodyFields: Sendable {
  private let object: JSONObject
  private let schema: Schema

  /// - Parameter schema: The body that the route declares.
  init(_ body: JSON, _ schema: Schema) throws(APIError) {
    self.schema = schema
    let names = schema.memberNames
    guard let object = body.object else {
      throw .invalid("the body is \(body.kind), expected an object")
    }
    for key in object.keys where !names.contains(key) {
      let near = nearest(to: key, in: names)
      throw .invalid(
        "the body has an unknown member \"\(key.quotation)\"",
        hint: near.map { "Did you mean \"\($0)\"?" }
          ?? (names.isEmpty ? "It takes none." : "It takes: \(names.joined(separator: ", "))."))
    }
    self.object = object
  }

  /// The value of a member that is present and not `null`.
  subscript(name: String) -> JSON? {
    // `guard` instead of a closure, in which `nil` would become `JSON.null`.
    guard let value = object[name], !value.isNull else { return nil }
    return value
  }

  /// An optional text.
  func text(_ name: String) throws(APIError) -> String? {
    guard let value = self[name] else { return nil }
    guard let text = value.string else { throw wrong(name, value, "a text") }
    return text
  }

  /// An optional text of a length that the schema allows, without null characters.
  func boundedText(_ name: String) throws(APIError) -> String? {
    guard let text = try text(name) else { return nil }
    let count = text.unicodeScalars.count
    let member = schema.member(name)
    let (shortest, longest) = (member?["minLength"]?.integer ?? 0, member?["maxLength"]?.integer)
    guard count >= shortest, count <= longest ?? .max, !text.unicodeScalars.contains("\0") else {
      throw .invalid(
        "\"\(name)\" has \(count) characters, expected \(shortest) to \(longest ?? .max) without null"
      )
    }
    return text
  }

  /// A required text.
  func requiredText(_ name: String) throws(APIError) -> String {
    guard let text = try text(name) else {
      throw .invalid("\"\(name)\" is missing", hint: "Add \"\(name)\" with a text.")
    }
    return text
  }

  /// A truth value; false if it is missing.
  func flag(_ name: String) throws(APIError) -> Bool {
    guard let value = self[name] else { return false }
    guard let flag = value.bool else { throw wrong(name, value, "true or false") }
    return flag
  }

  /// An optional finite number, within the range of the schema.
  func number(_ name: String) throws(APIError) -> Double? {
    guard let value = self[name] else { return nil }
    guard let number = value.number, number.isFinite else { throw wrong(name, value, "a number") }
    try checkRange(of: name, value)
    return number
  }

  /// An optional whole number, within the range of the schema.
  func integer(_ name: String) throws(APIError) -> Int? {
    guard let value = self[name] else { return nil }
    guard let number = value.integer else { throw wrong(name, value, "a whole number") }
    try checkRange(of: name, value)
    return number
  }

  /// An optional object.
  func object(_ name: String) throws(APIError) -> JSONObject? {
    guard let value = self[name] else { return nil }
    guard let object = value.object else { throw wrong(name, value, "an object") }
    return object
  }

  /// A required list of texts.
  ///
  /// - Parameter hint: The hint of the error; it lists the possible names.
  func texts(_ name: String, hint: String) throws(APIError) -> [String] {
    let elements = self[name]?.array
    let texts = elements?.compactMap(\.string)
    guard let texts, texts.count == elements?.count else {
      throw .invalid(
        "\"\(name)\" is \(self[name]?.kind ?? "missing"), expected a list of names", hint: hint)
    }
    return texts
  }

  private func checkRange(of name: String, _ value: JSON) throws(APIError) {
    guard let member = schema.member(name), let number = value.number,
      let minimum = member["minimum"]?.number, let maximum = member["maximum"]?.number
    else { return }
    guard (minimum...maximum).contains(number) else {
      throw .invalid(
        "\"\(name)\" is \(value), expected \(JSON.number(minimum)) to \(JSON.number(maximum))")
    }
  }

  private func wrong(_ name: String, _ value: JSON, _ expected: String) -> APIError {
    .invalid("\"\(name)\" is \(value.kind), expected \(expected)")
  }
}
