/// A JSON value.
///
/// Integers stay exact (`Int`); everything with a fraction, an exponent or beyond 64 bits is a
/// `Double`. Two values are equal when they mean the same: `1` equals `1.0`, the order of an
/// object's keys does not count, and texts are equal when they read the same (canonical
/// equivalence): a device may report the composed form of a name that it was given in decomposed
/// form. Keys are compared by their bytes.
public enum JSON: Sendable {
  case null
  case bool(Bool)
  /// A number without fraction and exponent that fits into 64 bits.
  case integer(Int)
  case number(Double)
  case string(String)
  case array([JSON])
  /// The members, in their order.
  case object(JSONObject)
}

extension JSON {
  /// The text, when this is a string.
  public var string: String? { if case .string(let value) = self { value } else { nil } }
  /// The truth value, when this is one.
  public var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
  /// The elements, when this is an array.
  public var array: [JSON]? { if case .array(let value) = self { value } else { nil } }
  /// The members, when this is an object.
  public var object: JSONObject? { if case .object(let value) = self { value } else { nil } }
  /// Whether this is `null`.
  public var isNull: Bool { if case .null = self { true } else { false } }

  /// The whole number, when this is one: `40` and `40.0`, not `40.5`.
  public var integer: Int? {
    switch self {
    case .integer(let value): value
    case .number(let value): Int(exactly: value)
    default: nil
    }
  }

  /// The number, when this is one.
  public var number: Double? {
    switch self {
    case .integer(let value): Double(value)
    case .number(let value): value
    default: nil
    }
  }

  /// The member `key`, when this is an object that has it.
  public subscript(key: String) -> JSON? { object?[key] }

  /// Whether a list or an object in this value, or the value itself, has more than `most` elements.
  public func exceeds(elements most: Int) -> Bool {
    switch self {
    case .null, .bool, .integer, .number, .string: false
    case .array(let values):
      values.count > most || values.contains { $0.exceeds(elements: most) }
    case .object(let members):
      members.count > most || members.contains { $0.value.exceeds(elements: most) }
    }
  }

  /// The kind of this value, for people: "a string", "an object".
  public var kind: String {
    switch self {
    case .null: "null"
    case .bool: "true or false"
    case .integer: "a whole number"
    case .number: "a number"
    case .string: "a string"
    case .array: "a list"
    case .object: "an object"
    }
  }
}

extension JSON: Hashable {
  public static func == (left: JSON, right: JSON) -> Bool {
    switch (left, right) {
    case (.null, .null): true
    case (.bool(let a), .bool(let b)): a == b
    case (.integer(let a), .integer(let b)): a == b
    case (.string(let a), .string(let b)): a == b
    case (.array(let a), .array(let b)): a == b
    case (.object(let a), .object(let b)): a == b
    case (.number(let a), .number(let b)): a == b
    // Exactly, not by rounding the integer: else two different integers could equal one number.
    case (.integer(let a), .number(let b)), (.number(let b), .integer(let a)):
      Int(exactly: b) == a
    default: false
    }
  }

  public func hash(into hasher: inout Hasher) {
    switch self {
    case .null: hasher.combine(0)
    case .bool(let value): hasher.combine(value)
    case .integer(let value): hasher.combine(value)
    case .number(let value):
      if let whole = Int(exactly: value) { hasher.combine(whole) } else { hasher.combine(value) }
    case .string(let value): hasher.combine(value)
    case .array(let value): hasher.combine(value)
    case .object(let value): hasher.combine(value)
    }
  }
}

extension JSON: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
  ExpressibleByBooleanLiteral, ExpressibleByNilLiteral, ExpressibleByArrayLiteral,
  ExpressibleByDictionaryLiteral
{
  public init(stringLiteral value: String) { self = .string(value) }
  public init(integerLiteral value: Int) { self = .integer(value) }
  public init(floatLiteral value: Double) { self = .number(value) }
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  public init(nilLiteral: ()) { self = .null }
  public init(arrayLiteral elements: JSON...) { self = .array(elements) }
  public init(dictionaryLiteral elements: (String, JSON)...) { self = .object(.init(elements)) }
}

extension JSON: CustomStringConvertible {
  /// The compact JSON text.
  public var description: String { text() }
}
