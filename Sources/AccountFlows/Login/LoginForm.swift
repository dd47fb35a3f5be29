import Validation

/// The form of login: an address that looks like one, and a password that is not empty.
///
/// No rule for passwords beyond that: an account outlives the rules of its day.
struct LoginForm: Sendable {
  private static let group: GroupName = "login"
  private static let button: ControlName = "logIn"

  private(set) var form: Form

  /// - Parameter email: What the address begins with.
  init(email: String = "") {
    form = Form(
      [
        FieldDeclaration(
          .email, label: "e-mail address", rules: [Rule(.notEmpty), Rule(.email)]),
        FieldDeclaration(.password, isSecret: true),
      ],
      groups: [FormGroup(Self.group, fields: [.email, .password], controls: [Self.button])],
      values: [.email: email])
  }

  init(email: String, password: String) {
    self.init(email: email)
    _ = form.send(.type(.password, password))
  }

  var proof: Credentials.Proof { .password(form.text(.password), email: form.text(.email)) }

  /// Whether everything in it may be sent.
  var isValid: Bool { form.isEnabled(Self.button) }

  /// The first field that is wrong, with what to do.
  var mistake: ScreenFailure? {
    let wrong = form.fieldNames.lazy.compactMap { form[$0] }.first { !$0.isValid }
    return wrong.map { .malformed(field: $0.name.text, message: $0.message ?? "") }
  }

  mutating func type(_ text: String, into field: FieldName) { _ = form.send(.type(field, text)) }
  mutating func leave(_ field: FieldName) { _ = form.send(.leave(field)) }
  mutating func reveal() { _ = form.send(.submit(Self.group)) }
}
