/// What a field is, as data: nobody writes code for it (B5).
package struct FieldDeclaration: Hashable, Sendable {
  package var name: FieldName
  /// What people call it, in a sentence: "password".
  package var label: String
  /// Whether it must hold something. An empty field that need not is valid.
  package var isRequired: Bool
  /// Whether it is hidden while it is typed, unless the person asks to see it (C7).
  package var isSecret: Bool
  package var message: FieldMessage
  package var rules: [Rule]

  package init(
    _ name: FieldName, label: String? = nil, isRequired: Bool = true, isSecret: Bool = false,
    message: FieldMessage = .ofRules, rules: [Rule] = []
  ) {
    self.name = name
    self.label = label ?? name.text
    self.isRequired = isRequired
    self.isSecret = isSecret
    self.message = message
    self.rules = rules
  }

  /// The same declaration for another field.
  package func copied(to name: FieldName, label: String? = nil) -> FieldDeclaration {
    var copy = self
    copy.name = name
    copy.label = label ?? name.text
    return copy
  }
}

/// What is shown beside a field that is wrong.
package enum FieldMessage: Hashable, Sendable {
  /// The words of the first rule that is not kept.
  case ofRules
  /// Always this; `{field}` stands for the label.
  case text(String)
  /// Nothing: there is no place for words.
  case none
}
