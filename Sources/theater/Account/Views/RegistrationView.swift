import AccountFlows
import Validation

/// The registration wizard in a terminal.
struct RegistrationView: TerminalView {
  let style: ANSIStyle
  /// Answers from the command line; each is used once, at its step.
  var given: [FieldName: String]
  /// Whether Escape leads from the first step to the screen before.
  let isLeavable: Bool
  let texts: Texts
  private var focus = FieldFocus()

  init(
    given: [FieldName: String], isLeavable: Bool = false,
    style: ANSIStyle = ANSIStyle(hasColour: Console.hasColour), texts: Texts = .current
  ) {
    self.texts = texts
    self.given = given
    self.isLeavable = isLeavable
    self.style = style
  }

  func lines(_ wizard: RegistrationWizard, turn: Int) -> [String] {
    let steps = RegistrationWizard.Step.allCases
    let place = texts(
      "step.of", "step {number} of {total}",
      ["number": "\(wizard.step.number)", "total": "\(steps.count)"])
    var lines = [
      style.strong("\(texts("register.title", "Register")), \(place.lowercased())"),
      question(of: wizard.step), "",
    ]
    for step in steps.prefix(wizard.step.number - 1) {
      for field in step.fields.compactMap({ wizard.form[$0] }) {
        lines.append(
          style.field(
            field.declaration.label, field.text, isHidden: false, hasCursor: false,
            isValid: true))
      }
    }
    lines += style.fields(
      wizard.step.fields, of: wizard.form, focus: focus, isLocked: wizard.isLocked)
    lines.append("")
    if wizard.isLoading {
      let deed =
        wizard.step == .password
        ? texts("register.busy", "Registering…") : texts("form.checking", "Asking…")
      lines.append(style.progress(deed, turn: turn))
    } else if let text = wizard.outcome?.text {
      lines.append(style.bad("✗ \(text)"))
    }
    if !wizard.isLocked { lines.append(style.faint(help(wizard))) }
    return lines
  }

  /// The title of a step.
  private func question(of step: RegistrationWizard.Step) -> String {
    switch step {
    case .name: texts("ask.name", "What is your name?")
    case .email: texts("ask.email", "Enter your e-mail")
    case .password: texts("ask.password", "Choose a password")
    }
  }

  private func help(_ wizard: RegistrationWizard) -> String {
    var words = [wizard.step == .password ? "Enter: register" : "Enter: on"]
    if wizard.canGoBack || isLeavable { words.append("Esc: back") }
    if wizard.step == .password {
      words += ["Space: accept", "Ctrl-T: \(focus.isRevealed ? "hide" : "show")"]
    }
    return (words + ["Ctrl-C: stop"]).joined(separator: " · ")
  }

  mutating func inputs(for key: Key, on wizard: RegistrationWizard) -> [RegistrationWizard.Input] {
    guard !wizard.isLocked else { return [] }
    let fields = wizard.step.fields
    switch focus.handle(key, fields: fields, form: wizard.form) {
    case .type(let field, let text): return [.typed(field, text)]
    case .leave(let field): return [.left(field)]
    case .submit:
      // Moves the focus to the field that needs a correction, else to the first field of the next
      // step.
      if !focus.moveToInvalid(in: fields, of: wizard.form), wizard.step != .password {
        focus.move(to: nil)
      }
      return [.next]
    case .back:
      guard wizard.canGoBack else { return [] }
      focus.move(to: nil)
      focus.hideSecrets()
      return [.back]
    case nil: return []
    }
  }

  mutating func knownInputs(for wizard: RegistrationWizard) -> [RegistrationWizard.Input] {
    guard !wizard.isLocked, wizard.outcome == nil else { return [] }
    let known = wizard.step.fields.compactMap { field in
      given.removeValue(forKey: field).map { RegistrationWizard.Input.typed(field, $0) }
    }
    return known.isEmpty ? [] : known + [.next]
  }

  func canLeave(_ wizard: RegistrationWizard) -> Bool { isLeavable && !wizard.canGoBack }

  /// A refused setup code or invitation cannot be corrected in the wizard.
  func exitError(for wizard: RegistrationWizard) -> ExitError? {
    guard case .failed(let failure) = wizard.outcome, failure.field == "code" else { return nil }
    return ExitError(failure)
  }
}
