/// The fields of accounts and their rules, as data with a name and a version: the one source for
/// server, terminal and page (C1, C2).
package struct RuleSet: Hashable, Sendable {
  /// Its name, such as `standard`.
  package var name: String
  /// Grows whenever its rules change; 1 or more.
  package var version: Int
  /// In display order.
  package var fields: [FieldDeclaration]

  package init(_ name: String, version: Int = 1, fields: [FieldDeclaration]) {
    self.name = name
    self.version = version
    self.fields = fields
  }

  /// The declaration of a field; one without rules where the set has none.
  package subscript(name: FieldName) -> FieldDeclaration {
    get { fields.first { $0.name == name } ?? FieldDeclaration(name) }
    set {
      if let index = fields.firstIndex(where: { $0.name == name }) {
        fields[index] = newValue
      } else {
        fields.append(newValue)
      }
    }
  }

  /// Evaluates the rules of the field `name` for `text`.
  package func report(
    on text: String, in name: FieldName, context: RuleContext = RuleContext()
  ) -> RuleReport {
    var context = context
    for field in fields { context.labels[field.name] = field.label }
    let declaration = self[name]
    return RuleReport(text, rules: declaration.rules, field: declaration.label, in: context)
  }
}

extension FieldName {
  package static let name: FieldName = "name"
  package static let email: FieldName = "email"
  package static let phone: FieldName = "phone"
  package static let password: FieldName = "password"
  package static let passwordAgain: FieldName = "passwordAgain"

  /// The fields of rule sets.
  package static let ofAccounts = [name, email, phone, password, passwordAgain]
}
