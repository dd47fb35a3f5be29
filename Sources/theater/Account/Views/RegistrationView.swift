import AccountFlows
import Validation

/// The registration wizard in a terminal.
struct RegistrationView: TerminalView {
  let paint: ANSIStyle
  /// What is known already; each is used once, when its step comes.
  var given: [FieldName: String]
  private var typing = FieldTyping()

  init(given: [FieldName: String], paint: ANSIStyle = ANSIStyle(hasColour: Console.hasColour)) {
    self.given = given
    self.paint = paint
  }

  func lines(_ wizard: RegistrationWizard, turn: Int) -> [String] {
    let steps = RegistrationWizard.Step.allCases
    var lines = [paint.strong("Register, step \(wizard.step.number) of \(steps.count)"), ""]
    for step in steps.prefix(wizard.step.number - 1) {
      for field in step.fields.compactMap({ wizard.form[$0] }) {
        lines.append(
          paint.field(
            field.declaration.label, field.text, isHidden: false, hasCursor: false,
            isValid: true))
      }
    }
    lines += paint.fields(
      wizard.step.fields, of: wizard.form, typing: typing, isLocked: wizard.isLocked)
    lines.append("")
    if wizard.isLoading {
      let deed = wizard.step == .password ? "Registering …" : "Asking …"
      lines.append(paint.progress(deed, turn: turn))
    } else if let text = wizard.outcome?.text {
      lines.append(paint.bad("✗ \(text)"))
    }
    if !wizard.isLocked { lines.append(paint.faint(help(wizard))) }
    return lines
  }

  private func help(_ wizard: RegistrationWizard) -> String {
    var words = [wizard.step == .password ? "Enter: register" : "Enter: on"]
    if wizard.canGoBack { words.append("Esc: back") }
    if wizard.step == .password { words.append("Ctrl-T: \(typing.isRevealed ? "hide" : "show")") }
    return (words + ["Ctrl-C: stop"]).joined(separator: " · ")
  }

  mutating func inputs(for key: Key, on wizard: RegistrationWizard) -> [RegistrationWizard.Input] {
    guard !wizard.isLocked else { return [] }
    let fields = wizard.step.fields
    switch typing.take(key, fields: fields, form: wizard.form) {
    case .type(let field, let text): return [.typed(field, text)]
    case .leave(let field): return [.left(field)]
    case .submit:
      // The cursor goes where something is to be mended, and otherwise to the next step's begin.
      if !typing.goToMistake(in: fields, of: wizard.form), wizard.step != .password {
        typing.goTo(nil)
      }
      return [.next]
    case .back:
      typing.goTo(nil)
      typing.hide()
      return [.back]
    case nil: return []
    }
  }

  mutating func inputs(before wizard: RegistrationWizard) -> [RegistrationWizard.Input] {
    guard !wizard.isLocked, wizard.outcome == nil else { return [] }
    let known = wizard.step.fields.compactMap { field in
      given.removeValue(forKey: field).map { RegistrationWizard.Input.typed(field, $0) }
    }
    return known.isEmpty ? [] : known + [.next]
  }

  /// A code that admits nobody is not mended here.
  func ending(_ wizard: RegistrationWizard) -> ExitError? {
    guard case .failed(let failure) = wizard.outcome, failure.field == "code" else { return nil }
    return ExitError(failure)
  }
}
