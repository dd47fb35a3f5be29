import Devices
import JSON

/// A mistake in a value, with its path.
package struct SchemaIssue: Sendable, Hashable {
  /// The path from the root to the wrong value or key.
  package var path: JSONPath
  /// Whether the key at the end of `path` is wrong rather than its value.
  package var isAtKey = false
  /// The found and the expected value.
  package var message: String
  /// The valid values only, for secrets, whose text must not be shown.
  package var expected: String
  /// The next action: "Did you mean \"lights\"?"
  package var hint: String?
}

extension SchemaNode {
  /// The largest number of mistakes that are reported for one value. A file may have as many
  /// mistakes as bytes, and each costs a message.
  package static let mostProblems = 100

  /// Returns the first `mostProblems` mistakes in `value`, whose path is `path`.
  package func problems(with value: JSON, at path: JSONPath = []) -> [SchemaIssue] {
    var check = SchemaValidator(most: Self.mostProblems)
    check.check(value, against: self, at: path)
    return check.problems
  }

  /// Returns whether `value` has no mistake.
  package func accepts(_ value: JSON) -> Bool {
    var check = SchemaValidator(most: 1, describes: false)
    check.check(value, against: self, at: [])
    return check.count == 0
  }

  /// Whether `value` is of the kind of this shape, valid or not.
  fileprivate func hasKind(of value: JSON) -> Bool {
    switch (self, value) {
    case (.named(_, let shape), _): shape.hasKind(of: value)
    case (.either(let shapes), _): shapes.contains { $0.hasKind(of: value) }
    case (.number, .integer), (.number, .number), (.text, .string), (.list, .array),
      (.object, .object):
      true
    case (.constants(let values), _): values.contains { $0.kind == value.kind }
    default: false
    }
  }

  /// The valid values, for people.
  package var expectation: String {
    switch self {
    case .anything: "any value"
    case .reference(let name): "a \(name)"
    case .null: "null"
    case .boolean: "true or false"
    case .number(let shape): shape.expectation
    case .text(let shape): shape.expectation
    case .constants(let values): Self.list(values.map { $0.text() })
    case .list(let element): "a list, each of it \(element.expectation)"
    case .object(let shape): shape.what
    case .either(let shapes): shapes.map(\.expectation).joined(separator: " or ")
    case .named(_, let shape), .deferred(let shape): shape.expectation
    }
  }

  fileprivate func mismatch(_ value: JSON, _ path: JSONPath, among values: [JSON] = [])
    -> SchemaIssue
  {
    let near = value.string.flatMap { spellingHint(for: $0, among: values.compactMap(\.string)) }
    return SchemaIssue(
      path: path, message: "expected \(expectation), found \(Self.found(value))",
      expected: expectation, hint: near ?? conversionHint(for: value))
  }

  /// The next action for a value of the wrong kind that means a valid one: a number in quotes, an object instead of
  /// a list of objects.
  private func conversionHint(for value: JSON) -> String? {
    switch value {
    case .string(let text):
      if let meant = try? JSON(parsing: text), meant.string == nil, accepts(meant) {
        return "Write \(meant.text()) without quotes."
      }
    case .number, .integer, .bool:
      if accepts(.string(value.text())) { return "Write \"\(value.text())\" in quotes." }
    case .array(let values):
      if values.count == 1, accepts(values[0]) { return "Remove the brackets [ ] around it." }
    default: break
    }
    return accepts(.array([value])) ? "Write it as a list, in brackets: [ … ]." : nil
  }

  /// A short text of a wrong value, for people.
  static func found(_ value: JSON) -> String {
    switch value {
    case .array, .object: value.kind
    case .string(let text): JSON.string(text.quotation).text()
    default: value.text().quotation
    }
  }

  /// `one of "a", "b", "c"`, or `"a"` alone.
  static func list(_ words: [String]) -> String {
    words.count == 1 ? words[0] : "one of \(words.joined(separator: ", "))"
  }
}

extension NumberSchema {
  func accepts(_ value: JSON) -> Bool {
    guard let number = value.number, !isWhole || value.integer != nil || number == number.rounded()
    else { return false }
    return number >= minimum ?? -.infinity && number <= maximum ?? .infinity
  }

  var expectation: String {
    let kind = isWhole ? "a whole number" : "a number"
    let range =
      switch (minimum, maximum) {
      case (let low?, let high?): " from \(JSON.number(low)) to \(JSON.number(high))"
      case (let low?, nil): " of at least \(JSON.number(low))"
      case (nil, let high?): " of at most \(JSON.number(high))"
      case (nil, nil): ""
      }
    return kind + range + (unit.map { " (\($0))" } ?? "")
  }
}

extension TextSchema {
  func accepts(_ value: JSON) -> Bool {
    guard let text = value.string else { return false }
    let length = text.unicodeScalars.count
    return length >= shortest && length <= longest ?? .max && rule?.allows(text) != false
  }

  var expectation: String {
    // Greater lengths are never reached by mistake.
    let longest = longest.flatMap { $0 < 1000 ? "at most \($0) characters" : nil }
    guard let rule else {
      return longest.map { "\(what) (\($0))" } ?? (shortest > 0 ? "\(what), not empty" : what)
    }
    if what == "a text", shortest == 0, longest == nil { return "a text \(rule.expectation)" }
    let parts = [shortest > 0 ? "not empty" : nil, longest, rule.expectation]
    return "\(what) (\(parts.compactMap(\.self).joined(separator: ", ")))"
  }
}

/// Collects the mistakes in a value, up to a maximum.
private struct SchemaValidator {
  private(set) var problems: [SchemaIssue] = []
  /// The number of mistakes so far, at most `most`.
  private(set) var count = 0
  private let most: Int
  /// Whether `problems` receives the mistakes. A description may itself ask whether other values are accepted.
  private let describes: Bool

  init(most: Int, describes: Bool = true) {
    self.most = most
    self.describes = describes
  }

  private var isFull: Bool { count >= most }

  private mutating func add(_ problem: @autoclosure () -> SchemaIssue) {
    guard !isFull else { return }
    count += 1
    if describes { problems.append(problem()) }
  }

  mutating func check(_ value: JSON, against shape: SchemaNode, at path: JSONPath) {
    guard !isFull else { return }
    switch shape {
    case .anything, .deferred, .reference: break
    case .null: if !value.isNull { add(shape.mismatch(value, path)) }
    case .boolean: if value.bool == nil { add(shape.mismatch(value, path)) }
    case .number(let number): if !number.accepts(value) { add(shape.mismatch(value, path)) }
    case .text(let text): if !text.accepts(value) { add(shape.mismatch(value, path)) }
    case .constants(let values):
      if !values.contains(value) { add(shape.mismatch(value, path, among: values)) }
    case .list(let element):
      guard let elements = value.array else { return add(shape.mismatch(value, path)) }
      for (index, value) in elements.enumerated() where !isFull {
        check(value, against: element, at: path.appending(index))
      }
    case .object(let members):
      guard let object = value.object else { return add(shape.mismatch(value, path)) }
      check(object, against: members, at: path)
    case .named(_, let shape): check(value, against: shape, at: path)
    case .either(let shapes):
      if shapes.contains(where: { $0.accepts(value) }) { return }
      if let meant = shapes.first(where: { $0.hasKind(of: value) }) {
        check(value, against: meant, at: path)
      } else {
        add(shape.mismatch(value, path))
      }
    }
  }

  private mutating func check(_ object: JSONObject, against shape: ObjectSchema, at path: JSONPath)
  {
    let start = problems.count
    check(shape.fields, of: object, at: path, except: shape.misspeltFields(of: object))
    checkOthers(of: object, against: shape, at: path)
    checkCount(of: object, against: shape, at: path)
    for variant in shape.variants
    where variant.conditions.allSatisfy({ object[$0.field] == $0.value }) {
      var more = SchemaValidator(most: most, describes: describes)
      more.check(variant.fields, of: object, at: path)
      if !describes { count += more.count }
      for problem in more.problems
      where !problems[start...].contains(where: { $0.path == problem.path }) {
        add(problem)
      }
    }
  }

  /// Checks the fields of an object. A field is not reported as missing if it is given under a name of `misspelt`.
  private mutating func check(
    _ fields: [ObjectSchema.Field], of object: JSONObject, at path: JSONPath,
    except misspelt: Set<String> = []
  ) {
    for field in fields {
      if let value = object[field.name] {
        check(value, against: field.shape, at: path.appending(field.name))
      } else if field.isRequired, !misspelt.contains(field.name) {
        add(
          SchemaIssue(
            path: path, message: "\"\(field.name)\" is missing",
            expected: "\"\(field.name)\": \(field.shape.expectation)",
            hint: "Add \"\(field.name)\": \(field.shape.expectation)."))
      }
    }
  }

  private mutating func checkOthers(
    of object: JSONObject, against shape: ObjectSchema, at path: JSONPath
  ) {
    for (key, value) in object
    where !isFull && !shape.fields.contains(where: { $0.name.hasSameBytes(as: key) }) {
      guard key != ConfigurationNotes.key else {
        add(.note(value, path.appending(key)))
        continue
      }
      guard let others = shape.others else {
        add(shape.unknown(key, path))
        continue
      }
      if let rule = others.key, others.reserved.contains(key) || !rule.accepts(.string(key)) {
        add(
          SchemaIssue(
            path: path.appending(key), isAtKey: true,
            message: "\(JSON.string(key.quotation)) cannot be \(rule.expectation)",
            expected: rule.expectation,
            hint: others.reserved.contains(key)
              ? "The word has a meaning of its own." : lookalikeHint(for: key)))
      }
      check(value, against: others.shape, at: path.appending(key))
    }
  }

  private mutating func checkCount(
    of object: JSONObject, against shape: ObjectSchema, at path: JSONPath
  ) {
    if object.count < shape.fewest {
      add(
        SchemaIssue(
          path: path, message: "\(shape.what) must not be empty",
          expected: "\(shape.what), not empty"))
    }
    if shape.isSingle, object.count != 1 {
      add(
        SchemaIssue(
          path: path, message: "expected one key, found \(object.count)",
          expected: "\(shape.what) with one key"))
    }
    let given = shape.alternatives.filter { object[$0] != nil }
    if given.count > 1 {
      let words = given.map { "\"\($0)\"" }.joined(separator: " or ")
      add(SchemaIssue(path: path, message: "expected \(words), not both", expected: words))
    }
  }
}

extension SchemaIssue {
  /// The mistake of a member "note" that is not a text.
  fileprivate static func note(_ value: JSON, _ path: JSONPath) -> SchemaIssue {
    SchemaIssue(
      path: path,
      message: "expected a text for people, found \(SchemaNode.found(value))",
      expected: "a text",
      hint: "\"\(ConfigurationNotes.key)\" is a note everywhere in the file, and no name.")
  }
}

extension ObjectSchema {
  /// The required fields of which a misspelt name is given.
  fileprivate func misspeltFields(of object: JSONObject) -> Set<String> {
    guard others == nil else { return [] }
    let missing = fields.filter { $0.isRequired && object[$0.name] == nil }.map(\.name)
    guard !missing.isEmpty else { return [] }
    let unknown = object.keys.filter { key in
      !fields.contains { $0.name.hasSameBytes(as: key) }
    }
    return Set(
      missing.filter { name in
        unknown.prefix(Self.mostUnknown).contains {
          looksLike($0, name) || nearest(to: $0, in: [name]) != nil
        }
      })
  }

  /// The most unknown keys that are compared with the missing ones.
  private static let mostUnknown = 20

  fileprivate func unknown(_ key: String, _ path: JSONPath) -> SchemaIssue {
    let names = fields.map(\.name)
    let near = spellingHint(for: key, among: names)
    let known =
      names.isEmpty ? "Nothing belongs here." : "Known here: \(names.joined(separator: ", "))."
    return SchemaIssue(
      path: path.appending(key), isAtKey: true,
      message: "unknown key \(JSON.string(key.quotation))",
      expected: SchemaNode.list(names.map { "\"\($0)\"" }),
      hint: near ?? known)
  }
}
