import JSON

/// What a part of `devices.json` may look like.
///
/// One description serves both readers of the file: `problems(with:at:)` checks a value against it,
/// and `schema(_:)` writes it as JSON Schema for editors.
package indirect enum SchemaNode: Sendable, Hashable {
  case anything
  case null
  case boolean
  case number(NumberSchema)
  case text(TextSchema)
  /// One of these values, as written.
  case constants([JSON])
  case list(SchemaNode)
  case object(ObjectSchema)
  /// Any of these; of two shapes for the same kind of value the first explains what is wrong.
  case either([SchemaNode])
  /// Written once in the schema, under this name.
  case named(String, SchemaNode)
  /// The shape of this name, inside itself. Checked by a reader, level by level.
  case reference(String)
  /// Stated in the schema, but checked by a reader that knows more and explains better.
  case deferred(SchemaNode)
}

/// A number and its range.
package struct NumberSchema: Sendable, Hashable {
  package var isWhole = false
  package var minimum: Double?
  package var maximum: Double?
  /// `%`, `s`: for people.
  package var unit: String?

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
  package var shortest = 0
  package var longest: Int?
  package var rule: TextRule?
  /// What it names, in a person's words: "the id of a device".
  package var what = "a text"
  /// Whether it is a path; a relative one starts at the configuration file.
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

/// An object: named fields, and perhaps further members of one shape.
package struct ObjectSchema: Sendable, Hashable {
  /// What it is, in a person's words: "a device".
  package var what = "an object"
  package var fields: [Field] = []
  /// The members beside the fields; `nil` when there must be none.
  package var others: Others?
  /// How many members it has at least.
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
    package var name: String
    package var shape: SchemaNode
    package var isRequired = false
    /// What stands for it when it is not given.
    package var standard: JSON?
    /// For people.
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

  /// Members whose names are up to the writer.
  package struct Others: Sendable, Hashable {
    /// What their names look like; `nil` when any name will do.
    package var key: TextSchema?
    /// Names that mean something else.
    package var reserved: [String] = []
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

  /// Fields that hold, in addition, when others have these values.
  package struct Variant: Sendable, Hashable {
    package var conditions: [Condition]
    package var fields: [Field]

    package init(when conditions: [Condition], fields: [Field]) {
      self.conditions = conditions
      self.fields = fields
    }
  }

  /// A field and its value.
  package struct Condition: Sendable, Hashable {
    package var field: String
    package var value: JSON

    package init(_ field: String, is value: JSON) {
      self.field = field
      self.value = value
    }
  }
}
