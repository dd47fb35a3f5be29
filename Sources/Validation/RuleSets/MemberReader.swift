import JSON

/// Reads the members of an object and refuses unknown ones.
struct MemberReader {
  private let object: JSONObject
  private let what: String
  private var known: [String] = []
  /// The most names of fields in a list.
  private static let mostNames = 20

  init(_ json: JSON, of what: String) throws(RuleDocumentError) {
    guard let object = json.object else {
      throw RuleDocumentError([], "Expected \(what), found \(json.kind).", hint: "Write {…}.")
    }
    self.object = object
    self.what = what
  }

  /// The keys.
  var keys: [String] { object.keys }

  mutating func optional(_ key: String) -> JSON? {
    known.append(key)
    return object[key]
  }

  mutating func member(_ key: String) throws(RuleDocumentError) -> JSON {
    guard let value = optional(key) else {
      throw RuleDocumentError([], "\"\(key)\" is missing in \(what).", hint: "Add \"\(key)\".")
    }
    return value
  }

  mutating func text(_ key: String) throws(RuleDocumentError) -> String {
    try Self.text(member(key), at: key)
  }

  mutating func optionalText(_ key: String) throws(RuleDocumentError) -> String? {
    guard let value = optional(key) else { return nil }
    return try Self.text(value, at: key)
  }

  mutating func optionalBool(_ key: String) throws(RuleDocumentError) -> Bool? {
    guard let value = optional(key) else { return nil }
    guard let bool = value.bool else { throw Self.wrong(value, at: key, "true or false") }
    return bool
  }

  mutating func length(_ key: String) throws(RuleDocumentError) -> Int {
    try Self.whole(member(key), at: key, in: Check.lengths)
  }

  mutating func optionalLength(_ key: String) throws(RuleDocumentError) -> Int? {
    guard let value = optional(key) else { return nil }
    return try Self.whole(value, at: key, in: Check.lengths)
  }

  mutating func version(_ key: String) throws(RuleDocumentError) -> Int {
    try Self.whole(member(key), at: key, in: 1...1_000_000)
  }

  mutating func names(_ key: String) throws(RuleDocumentError) -> [FieldName] {
    let value = try member(key)
    guard let names = value.array?.map(\.string), (1...Self.mostNames).contains(names.count),
      !names.contains(nil)
    else { throw Self.wrong(value, at: key, "a list of 1 to \(Self.mostNames) names") }
    return names.compactMap { $0 }.map { FieldName($0) }
  }

  /// - Throws: When an unknown member is left.
  func finish() throws(RuleDocumentError) {
    guard let stranger = object.keys.first(where: { !known.contains($0) }) else { return }
    throw RuleDocumentError(
      [.key(stranger)], "\(what) has no \"\(stranger.quotation)\".",
      hint: "It can have \(known.joined(separator: ", ")).")
  }

  private static func text(_ value: JSON, at key: String) throws(RuleDocumentError) -> String {
    guard let text = value.string, !text.isEmpty else { throw wrong(value, at: key, "a text") }
    return text
  }

  private static func whole(
    _ value: JSON, at key: String, in range: ClosedRange<Int>
  ) throws(RuleDocumentError) -> Int {
    guard let number = value.integer, range.contains(number) else {
      throw wrong(
        value, at: key, "a whole number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  private static func wrong(_ value: JSON, at key: String, _ wanted: String) -> RuleDocumentError {
    RuleDocumentError(
      [.key(key)], "Expected \(wanted), found \(value.kind).", hint: "Change \"\(key)\".")
  }
}
