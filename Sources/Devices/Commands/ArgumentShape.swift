import JSON

/// The argument of a command: its kind, range and unit. Codec, CLI, schema and help derive from it.
public indirect enum ArgumentShape: Sendable, Hashable {
  /// A whole number.
  case integer(ClosedRange<Int>, unit: String)
  /// A number with a fraction.
  case number(ClosedRange<Double>, unit: String)
  /// A name of 1 to `longest` code points (as JSON Schema counts); `what` is the named thing: "an input".
  case text(longest: Int, what: String)
  /// An object of named fields.
  case fields([ArgumentField])

  /// The argument for people, in help and errors: "a whole number from 0 to 100 (%)".
  public var expectation: String {
    switch self {
    case .integer(let range, let unit):
      "a whole number from \(range.lowerBound) to \(range.upperBound) (\(unit))"
    case .number(let range, let unit):
      "a number from \(JSON.number(range.lowerBound)) to \(JSON.number(range.upperBound)) (\(unit))"
    case .text(_, let what): "the name of \(what)"
    case .fields(let fields):
      "an object of "
        + fields.map { "\"\($0.name)\" (\($0.shape.expectation))" }.joined(separator: " and ")
    }
  }

  /// Checks `value` against this shape.
  ///
  /// - Returns: The mistake, or `nil` if the value fits.
  public func problem(with value: JSON) -> ArgumentProblem? {
    switch self {
    case .integer(let range, _):
      guard let number = value.integer, range.contains(number) else { return mismatch(value) }
    case .number(let range, _):
      guard let number = value.number, range.contains(number) else { return mismatch(value) }
    case .text(let longest, _):
      guard let text = value.string, !text.isEmpty, text.unicodeScalars.count <= longest else {
        return mismatch(value)
      }
    case .fields(let fields): return Self.problem(with: value, fields: fields, shape: self)
    }
    return nil
  }

  private func mismatch(_ value: JSON) -> ArgumentProblem {
    ArgumentProblem(
      path: [], found: Self.brief(value), expected: expectation, hint: quotationHint(for: value))
  }

  /// The next action for a number in quotes.
  private func quotationHint(for value: JSON) -> String? {
    guard let text = value.string, let meant = try? JSON(parsing: text), meant.string == nil,
      problem(with: meant) == nil
    else { return nil }
    return "Write \(meant.text()) without quotes."
  }

  private static func brief(_ value: JSON) -> String {
    switch value {
    case .array, .object: value.kind
    default: value.text().quotation
    }
  }

  private static func problem(with value: JSON, fields: [ArgumentField], shape: ArgumentShape)
    -> ArgumentProblem?
  {
    guard let object = value.object else { return shape.mismatch(value) }
    for (key, value) in object {
      guard let field = fields.first(where: { $0.name == key }) else {
        return ArgumentProblem(
          path: JSONPath([.key(key)]), found: "the unknown key \"\(key.quotation)\"",
          expected: shape.expectation)
      }
      if var problem = field.shape.problem(with: value) {
        problem.path = JSONPath([.key(key)] + problem.path.elements)
        return problem
      }
    }
    return nil
  }
}

/// One field of an argument that is an object. Fields may be left out.
public struct ArgumentField: Sendable, Hashable {
  /// The key of the field in the JSON object.
  public let name: String
  /// The valid values of the field.
  public let shape: ArgumentShape

  public init(_ name: String, _ shape: ArgumentShape) {
    self.name = name
    self.shape = shape
  }
}

/// A mistake in an argument, with its place.
public struct ArgumentProblem: Sendable, Hashable {
  /// The path from the argument to the wrong value.
  public var path: JSONPath
  /// The value, as text for people.
  public let found: String
  /// The valid values: "a whole number from 0 to 100 (%)".
  public let expected: String
  /// The next action, if the value shows what was meant.
  public var hint: String?
}

/// The argument that a command takes.
public struct ArgumentSpec: Sendable, Hashable {
  /// The valid values of the argument.
  public let shape: ArgumentShape
  /// Whether the command is refused without it.
  public let isRequired: Bool

  /// An argument that must be given.
  public static func required(_ shape: ArgumentShape) -> ArgumentSpec {
    ArgumentSpec(shape: shape, isRequired: true)
  }
  /// An argument that may be left out.
  public static func optional(_ shape: ArgumentShape) -> ArgumentSpec {
    ArgumentSpec(shape: shape, isRequired: false)
  }
}

extension ArgumentShape {
  /// 0 to 100 %.
  public static let percent = ArgumentShape.integer(percentRange, unit: "%")
  /// The range of `percent`: volume and brightness.
  public static let percentRange = 0...100
  /// The longest name of an input or a station, in code points: at most 800 bytes.
  public static let longestName = 200
  /// A position in a film or song, up to 48 hours.
  public static let seconds = ArgumentShape.number(0...172_800, unit: "s")
}
