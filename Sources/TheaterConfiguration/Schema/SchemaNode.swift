import JSON

/// The valid values of a part of `devices.json`.
///
/// The controller checks values with `problems(with:at:)`; editors use its JSON Schema,
/// `schema(_:)`.
package indirect enum SchemaNode: Sendable, Hashable {
  case anything
  case null
  case boolean
  /// A number in a range.
  case number(NumberSchema)
  /// A text that keeps rules.
  case text(TextSchema)
  /// One of exactly these values.
  case constants([JSON])
  /// An array whose elements all have this shape; any length.
  case list(SchemaNode)
  /// An object with these members.
  case object(ObjectSchema)
  /// Any of these. If two of them are for the same kind of value, the first one yields the error.
  case either([SchemaNode])
  /// A definition of the schema under this name.
  case named(String, SchemaNode)
  /// A reference to the definition of this name, inside that definition. The reader checks it level
  /// by level.
  case reference(String)
  /// Exported to the schema, but checked by the reader, whose errors are more precise.
  case deferred(SchemaNode)
}

/// A number and its range.
package struct NumberSchema: Sendable, Hashable {
  /// Whether it is an integer.
  package var isWhole = false
  /// The smallest valid number; `nil` without a limit.
  package var minimum: Double?
  /// The largest valid number; `nil` without a limit.
  package var maximum: Double?
  /// The unit for people: `%`, `s`.
  package var unit: String?

  /// - Parameters:
  ///   - isWhole: Whether only integers are valid.
  ///   - minimum: Inclusive; `nil` without a limit.
  ///   - maximum: Inclusive; `nil` without a limit.
  package init(
    isWhole: Bool = false, minimum: Double? = nil, maximum: Double? = nil, unit: String? = nil
  ) {
    self.isWhole = isWhole
    self.minimum = minimum
    self.maximum = maximum
    self.unit = unit
  }
}

/// A text and its rules. Lengths count Unicode code points, as JSON Schema does.
package struct TextSchema: Sendable, Hashable {
  /// The smallest length, in code points.
  package var shortest = 0
  /// The greatest length, in code points; `nil` without a limit.
  package var longest: Int?
  /// The valid characters and form; `nil` for any text.
  package var rule: TextRule?
  /// Its meaning in errors: "the id of a device".
  package var what = "a text"
  /// Whether it is a path; a relative path is relative to the folder of the configuration file.
  package var isPath = false

  package init(
    shortest: Int = 0, longest: Int? = nil, rule: TextRule? = nil, what: String = "a text",
    isPath: Bool = false
  ) {
    self.shortest = shortest
    self.longest = longest
    self.rule = rule
    self.what = what
    self.isPath = isPath
  }
}

/// An object with named fields, and perhaps further members of one shape.
package struct ObjectSchema: Sendable, Hashable {
  /// Its meaning in errors: "a device".
  package var what = "an object"
  /// The members with names of their own, in display order.
  package var fields: [Field] = []
  /// The valid members beside the fields; `nil` if there must be none.
  package var others: Others?
  /// The smallest number of members.
  package var fewest = 0
  /// Whether exactly one member is given.
  package var isSingle = false
  /// Fields of which at most one may be given.
  package var alternatives: [String] = []
  /// Further rules for objects whose fields have certain values.
  package var variants: [Variant] = []

  package init(
    _ what: String = "an object", fields: [Field] = [], others: Others? = nil, fewest: Int = 0,
    isSingle: Bool = false, alternatives: [String] = [], variants: [Variant] = []
  ) {
    self.what = what
    self.fields = fields
    self.others = others
    self.fewest = fewest
    self.isSingle = isSingle
    self.alternatives = alternatives
    self.variants = variants
  }

  /// A member with a name of its own.
  package struct Field: Sendable, Hashable {
    /// The key in the file.
    package var name: String
    /// The valid values.
    package var shape: SchemaNode
    /// Whether the object is invalid without it.
    package var isRequired = false
    /// The default value; `nil` if the field has none.
    package var standard: JSON?
    /// One sentence for editors and the reference.
    package var help: String?

    package init(
      _ name: String, _ shape: SchemaNode, isRequired: Bool = false, standard: JSON? = nil,
      help: String? = nil
    ) {
      self.name = name
      self.shape = shape
      self.isRequired = isRequired
      self.standard = standard
      self.help = help
    }
  }

  /// Members whose names the author of the file chooses.
  package struct Others: Sendable, Hashable {
    /// The valid names; `nil` for any name.
    package var key: TextSchema?
    /// Names with another meaning, which are refused.
    package var reserved: [String] = []
    /// The valid values of all these members.
    package var shape: SchemaNode
    /// Whether there is exactly one of them; checked by the reader.
    package var isSingle = false

    package init(
      key: TextSchema? = nil, reserved: [String] = [], shape: SchemaNode, isSingle: Bool = false
    ) {
      self.key = key
      self.reserved = reserved
      self.shape = shape
      self.isSingle = isSingle
    }
  }

  /// Further fields of objects in which other fields have certain values.
  package struct Variant: Sendable, Hashable {
    /// The variant holds when all of these do.
    package var conditions: [Condition]
    /// The further fields.
    package var fields: [Field]

    package init(when conditions: [Condition], fields: [Field]) {
      self.conditions = conditions
      self.fields = fields
    }
  }

  /// A field and its value.
  package struct Condition: Sendable, Hashable {
    /// The key of the field in the same object.
    package var field: String
    /// The value that the field must have.
    package var value: JSON

    package init(_ field: String, is value: JSON) {
      self.field = field
      self.value = value
    }
  }
}
