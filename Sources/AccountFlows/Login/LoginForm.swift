import Validation

/// The form of a login: a well-formed address and a password that is not empty. The rules for new
/// passwords are not applied: an account may be older than these rules.
struct LoginForm: Sendable {
  private static let group: GroupName = "login"
  private static let button: ControlName = "logIn"

  private(set) var form: Form

  /// - Parameter email: The initial address.
  init(email: String = "") {
    form = Form(
      [
        FieldDeclaration(
          .email, label: "e-mail address", hidesMistakeOnEdit: true,
          rules: [Rule(.notEmpty), Rule(.email)]),
        FieldDeclaration(.password, isSecret: true, hidesMistakeOnEdit: true),
      ],
      groups: [FormGroup(Self.group, fields: [.email, .password], controls: [Self.button])],
      values: [.email: email])
  }

  init(email: String, password: String) {
    self.init(email: email)
    _ = form.send(.type(.password, password))
  }

  var proof: Credentials.Proof { .password(form.text(.password), email: form.text(.email)) }

  /// Whether it may be submitted.
  var isValid: Bool { form.isEnabled(Self.button) }

  /// The first invalid field, with its instruction.
  var mistake: ScreenFailure? {
    let wrong = form.fieldNames.lazy.compactMap { form[$0] }.first { !$0.isValid }
    return wrong.map { .malformed(field: $0.name.text, message: $0.message ?? "") }
  }

  mutating func type(_ text: String, into field: FieldName) { _ = form.send(.type(field, text)) }
  mutating func leave(_ field: FieldName) { _ = form.send(.leave(field)) }
  mutating func showMistakes() { _ = form.send(.submit(Self.group)) }
}
