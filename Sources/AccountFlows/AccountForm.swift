import Validation

/// The forms of accounts, declared once for the terminal and the page (B5, B7, B8).
public enum AccountForm: String, CaseIterable, Sendable {
  /// Registration in steps; its last step has the toggle "I accept".
  case registration
  /// The e-mail address and the phone number of the person who is logged in.
  case contacts
  /// A new access token, with a number of days.
  case accessToken

  /// The declaration, with the controller's rules for names, addresses and passwords.
  public func declaration(_ rules: RuleSet) -> FormDeclaration {
    switch self {
    case .registration: Self.registration(rules)
    case .contacts: Self.contacts(rules)
    case .accessToken: Self.newAccessToken
    }
  }

  private static func registration(_ rules: RuleSet) -> FormDeclaration {
    FormDeclaration(
      AccountForm.registration.rawValue,
      fields: RegistrationWizard.Step.allCases.flatMap(\.fields).map(rules.declaration),
      groups: RegistrationWizard.Step.allCases.map { step in
        FormGroup(GroupName(step.rawValue), fields: step.fields, controls: [step.button])
      })
  }

  private static func contacts(_ rules: RuleSet) -> FormDeclaration {
    FormDeclaration(
      AccountForm.contacts.rawValue,
      fields: [
        rules[.email].required,
        // The present password: an older one may break the rules for new ones.
        FieldDeclaration(.password, label: rules[.password].label, isSecret: true),
        rules[.phone].required,
      ],
      groups: [
        FormGroup("register", fields: [.email, .password, .phone], controls: [.register]),
        FormGroup("sendCode", fields: [.phone], controls: [.sendCode]),
      ])
  }

  /// At most 100 characters for a name, and 1 to 730 days: the limits of `AccessTokens.create`.
  private static let newAccessToken = FormDeclaration(
    AccountForm.accessToken.rawValue,
    fields: [
      FieldDeclaration(.name, rules: [Rule(.notEmpty), Rule(.maxLength(100))]),
      FieldDeclaration(.permissions, label: "what it may do", rules: [Rule(.notEmpty)]),
      FieldDeclaration(
        .days, .number(1...730), label: "number of days",
        rules: [
          Rule(
            .wholeNumber, statement: "a whole number",
            message: "Give the {field} as a whole number.")
        ]),
    ],
    groups: [
      FormGroup("create", fields: [.name, .permissions, .days], controls: [.create])
    ])
}

extension RuleSet {
  /// The declaration of a field of registration; the toggle is declared here, unless the rules have
  /// one in another language.
  func declaration(of name: FieldName) -> FieldDeclaration {
    let isDeclared = fields.contains { $0.name == name }
    return name == .accept && !isDeclared ? .accept : self[name]
  }
}

extension FieldName {
  /// The toggle "I accept" of registration.
  public static let accept: FieldName = "accept"
  /// The permissions of an access token, separated by commas.
  public static let permissions: FieldName = "permissions"
  /// The number of days for which an access token is valid.
  public static let days: FieldName = "days"
  /// The code of a second factor.
  public static let factor: FieldName = "factor"
}

extension ControlName {
  /// The button that registers.
  public static let register: ControlName = "register"
  /// The button that sends a code to the phone.
  public static let sendCode: ControlName = "sendCode"
  /// The button that creates an access token.
  public static let create: ControlName = "create"
}

extension FieldDeclaration {
  /// The toggle "I accept": what the controller keeps about a person.
  public static let accept = FieldDeclaration(
    .accept, .toggle,
    label: "I accept that my name, my e-mail address and what I do are kept here",
    message: .text("Accept this to register."))

  /// The declaration of a field that must not be empty.
  fileprivate var required: FieldDeclaration {
    var copy = withoutQuestions
    copy.isRequired = true
    return copy
  }

  /// The declaration without asynchronous rules, for a form whose texts the controller checks when
  /// it is submitted.
  var withoutQuestions: FieldDeclaration {
    var copy = self
    copy.rules.removeAll { if case .asked = $0.check { true } else { false } }
    return copy
  }
}

extension Check {
  fileprivate static let wholeNumber: Check =
    (try? Pattern("[0-9]+")).map { .pattern($0) } ?? .digit
}
