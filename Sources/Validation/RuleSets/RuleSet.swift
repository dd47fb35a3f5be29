/// The fields of accounts and their rules, as data with a name and a version: the one source for
/// server, terminal and page (C1, C2).
public struct RuleSet: Hashable, Sendable {
  /// Its name, such as `standard`.
  public var name: String
  /// Grows whenever its rules change; 1 or more.
  public var version: Int
  /// In display order.
  public var fields: [FieldDeclaration]

  /// A rule set of these fields.
  public init(_ name: String, version: Int = 1, fields: [FieldDeclaration]) {
    self.name = name
    self.version = version
    self.fields = fields
  }

  /// The declaration of a field; one without rules where the set has none.
  public subscript(name: FieldName) -> FieldDeclaration {
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
  public func report(
    on text: String, in name: FieldName, context: RuleContext = RuleContext()
  ) -> RuleReport {
    var context = context
    for field in fields { context.labels[field.name] = field.label }
    let declaration = self[name]
    return RuleReport(text, rules: declaration.rules, field: declaration.label, in: context)
  }
}

extension FieldName {
  /// The name of a person.
  public static let name: FieldName = "name"
  /// The e-mail address.
  public static let email: FieldName = "email"
  /// The phone number.
  public static let phone: FieldName = "phone"
  /// The password.
  public static let password: FieldName = "password"
  /// The repetition of the password.
  public static let passwordAgain: FieldName = "passwordAgain"

  /// The fields of rule sets.
  package static let ofAccounts = [name, email, phone, password, passwordAgain]
}

/// The questions of rules `asked` that a controller answers (C8). A configuration with another question
/// is refused.
public enum AnsweredQuestion: String, Hashable, Sendable, CaseIterable {
  /// Whether no account has this e-mail address; answered only for holders of a code.
  case emailFree

  /// The field of the question.
  public var field: FieldName {
    switch self {
    case .emailFree: .email
    }
  }
}
