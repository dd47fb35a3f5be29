import JSON

/// The declaration of a form, as data: its fields, and the groups that drive its controls (B1, B5).
public struct FormDeclaration: Hashable, Sendable {
  /// The name, unique among the declared forms.
  public var name: String
  /// In display order.
  public var fields: [FieldDeclaration]
  /// The groups and the controls that each of them enables.
  public var groups: [FormGroup]

  /// A form of these fields, whose groups enable controls.
  public init(_ name: String, fields: [FieldDeclaration], groups: [FormGroup]) {
    self.name = name
    self.fields = fields
    self.groups = groups
  }

  /// `{"name": "contacts", "fields": […], "groups": [{"name": "sendCode", "fields": ["phone"],
  /// "controls": ["sendCode"]}]}`. A field has a `"kind"` unless it is a text: `"toggle"`,
  /// `{"choice": ["name", …]}`, `{"number": {"from": 1, "to": 730}}`.
  public var json: JSON {
    [
      "name": .string(name), "fields": .array(fields.map(\.jsonWithKind)),
      "groups": .array(groups.map(\.json)),
    ]
  }
}

extension Form {
  /// The form of a declaration.
  public init(_ declaration: FormDeclaration, values: [FieldName: String] = [:]) {
    self.init(declaration.fields, groups: declaration.groups, values: values)
  }
}

extension FieldDeclaration {
  fileprivate var jsonWithKind: JSON {
    guard let kind = kind.json, var object = json.object else { return json }
    object["kind"] = kind
    return .object(object)
  }
}

extension FieldKind {
  /// nil for a text.
  fileprivate var json: JSON? {
    switch self {
    case .text: nil
    case .choice(let options): ["choice": .array(options.map { .string($0) })]
    case .toggle: "toggle"
    case .number(let range):
      ["number": ["from": .number(range.lowerBound), "to": .number(range.upperBound)]]
    }
  }
}

extension FormGroup {
  fileprivate var json: JSON {
    [
      "name": .string(name.text), "fields": .array(fields.map { .string($0.text) }),
      "controls": .array(controls.map { .string($0.text) }),
    ]
  }
}
