import Devices
import JSON

/// What is wrong with a value, and where.
package struct ShapeProblem: Sendable, Hashable {
  package var path: JSONPath
  /// Whether the key at the end of `path` is wrong rather than its value.
  package var isAtKey = false
  package var message: String
  /// What belongs there, without a word about what was found.
  package var expected: String
  package var hint: String?
}

extension Shape {
  /// Everything that is wrong with `value`, which stands at `path`.
  package func problems(with value: JSON, at path: JSONPath = []) -> [ShapeProblem] {
    switch self {
    case .anything, .deferred: return []
    case .null: return value.isNull ? [] : [mismatch(value, path)]
    case .boolean: return value.bool == nil ? [mismatch(value, path)] : []
    case .number(let shape): return shape.accepts(value) ? [] : [mismatch(value, path)]
    case .text(let shape): return shape.accepts(value) ? [] : [mismatch(value, path)]
    case .constants(let values):
      return values.contains(value) ? [] : [mismatch(value, path, among: values)]
    case .list(let element):
      guard let elements = value.array else { return [mismatch(value, path)] }
      return elements.enumerated().flatMap {
        element.problems(with: $0.element, at: path.appending($0.offset))
      }
    case .object(let shape):
      guard let object = value.object else { return [mismatch(value, path)] }
      return shape.problems(with: object, at: path)
    case .named(_, let shape): return shape.problems(with: value, at: path)
    case .either(let shapes):
      let attempts = shapes.map { $0.problems(with: value, at: path) }
      if attempts.contains(where: \.isEmpty) { return [] }
      for (shape, problems) in zip(shapes, attempts) where shape.isMeant(by: value) {
        return problems
      }
      return [mismatch(value, path)]
    }
  }

  /// Whether `value` is of the kind that this shape is about, right or wrong.
  private func isMeant(by value: JSON) -> Bool {
    switch (self, value) {
    case (.named(_, let shape), _): shape.isMeant(by: value)
    case (.number, .integer), (.number, .number), (.text, .string), (.list, .array),
      (.object, .object):
      true
    case (.constants(let values), _): values.contains { $0.kind == value.kind }
    default: false
    }
  }

  /// What belongs here, in a person's words.
  package var expectation: String {
    switch self {
    case .anything: "any value"
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

  private func mismatch(_ value: JSON, _ path: JSONPath, among values: [JSON] = [])
    -> ShapeProblem
  {
    let near = value.string.flatMap { nearest(to: $0, in: values.compactMap(\.string)) }
    return ShapeProblem(
      path: path, message: "expected \(expectation), found \(Self.found(value))",
      expected: expectation, hint: near.map { "Did you mean \"\($0)\"?" })
  }

  /// A wrong value in few words.
  static func found(_ value: JSON) -> String {
    switch value {
    case .array, .object: value.kind
    case .string(let text) where text.unicodeScalars.count > 60:
      JSON.string(String(text.unicodeScalars.prefix(60)) + "…").text()
    default: value.text()
    }
  }

  /// `one of "a", "b", "c"`, or `"a"` alone.
  static func list(_ words: [String]) -> String {
    words.count == 1 ? words[0] : "one of \(words.joined(separator: ", "))"
  }
}

extension NumberShape {
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

extension TextShape {
  func accepts(_ value: JSON) -> Bool {
    guard let text = value.string else { return false }
    let length = text.unicodeScalars.count
    return length >= shortest && length <= longest ?? .max && rule?.allows(text) != false
  }

  var expectation: String {
    if let rule {
      return what == "a text" ? "a text \(rule.expectation)" : "\(what) (\(rule.expectation))"
    }
    if let longest, longest < 1000 { return "\(what) (at most \(longest) characters)" }
    return shortest > 0 ? "\(what), not empty" : what
  }
}

extension ObjectShape {
  /// Everything that is wrong with the members of an object that stands at `path`.
  func problems(with object: JSONObject, at path: JSONPath) -> [ShapeProblem] {
    var problems = memberProblems(object, path) + countProblems(object, path)
    for variant in variants
    where variant.conditions.allSatisfy({ object[$0.field] == $0.value }) {
      let more = Self.problems(variant.fields, object, path)
      problems += more.filter { new in !problems.contains { $0.path == new.path } }
    }
    return problems
  }

  private func memberProblems(_ object: JSONObject, _ path: JSONPath) -> [ShapeProblem] {
    var problems = Self.problems(fields, object, path)
    for (key, value) in object where !fields.contains(where: { $0.name == key }) {
      guard let others else {
        problems.append(unknown(key, path))
        continue
      }
      if let rule = others.key, others.reserved.contains(key) || !rule.accepts(.string(key)) {
        problems.append(
          ShapeProblem(
            path: path.appending(key), isAtKey: true,
            message: "\(JSON.string(key)) cannot be \(rule.expectation)",
            expected: rule.expectation,
            hint: others.reserved.contains(key) ? "The word has a meaning of its own." : nil))
      }
      problems += others.shape.problems(with: value, at: path.appending(key))
    }
    return problems
  }

  private static func problems(_ fields: [Field], _ object: JSONObject, _ path: JSONPath)
    -> [ShapeProblem]
  {
    fields.flatMap { field -> [ShapeProblem] in
      if let value = object[field.name] {
        return field.shape.problems(with: value, at: path.appending(field.name))
      }
      guard field.isRequired else { return [] }
      return [
        ShapeProblem(
          path: path, message: "\"\(field.name)\" is missing",
          expected: "\"\(field.name)\": \(field.shape.expectation)",
          hint: "Add \"\(field.name)\": \(field.shape.expectation).")
      ]
    }
  }

  private func countProblems(_ object: JSONObject, _ path: JSONPath) -> [ShapeProblem] {
    var problems: [ShapeProblem] = []
    func add(_ message: String, _ expected: String) {
      problems.append(ShapeProblem(path: path, message: message, expected: expected))
    }
    if object.count < fewest { add("\(what) must not be empty", "\(what), not empty") }
    if isSingle, object.count != 1 {
      add("expected one key, found \(object.count)", "\(what) with one key")
    }
    let given = alternatives.filter { object[$0] != nil }
    if given.count > 1 {
      let words = given.map { "\"\($0)\"" }.joined(separator: " or ")
      add("expected \(words), not both", words)
    }
    return problems
  }

  private func unknown(_ key: String, _ path: JSONPath) -> ShapeProblem {
    let names = fields.map(\.name)
    let near = nearest(to: key, in: names)
    let known =
      names.isEmpty ? "Nothing belongs here." : "Known here: \(names.joined(separator: ", "))."
    return ShapeProblem(
      path: path.appending(key), isAtKey: true,
      message: "unknown key \(JSON.string(String(key.prefix(60))))",
      expected: Shape.list(names.map { "\"\($0)\"" }),
      hint: near.map { "Did you mean \"\($0)\"?" } ?? known)
  }
}
