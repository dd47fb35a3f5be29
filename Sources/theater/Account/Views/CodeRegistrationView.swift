import AccountFlows
import Validation

/// Registration by code in a terminal: the address or number, its code, then the personal data (D10).
struct CodeRegistrationView: TerminalView {
  let style: ANSIStyle
  /// Answers from the command line; each is used once.
  private var given: [FieldName: String]
  private var focus = FieldFocus()
  private var oneTime: CodeFlowView

  /// - Parameter isLeavable: Whether Escape leads from the address to the screen before.
  init(
    given: [FieldName: String] = [:], isLeavable: Bool = false,
    style: ANSIStyle = ANSIStyle(hasColour: Console.hasColour)
  ) {
    self.given = given
    self.style = style
    oneTime = CodeFlowView(isLeavable: isLeavable, style: style)
  }

  func lines(_ screen: CodeRegistration, turn: Int) -> [String] {
    guard screen.step == .personalData else { return oneTime.lines(screen.flow, turn: turn) }
    var lines = [style.strong("The code is right. Now your account"), ""]
    lines += style.fields(screen.fields, of: screen.form, focus: focus, isLocked: screen.isLocked)
    lines.append("")
    lines += style.outcome(
      progress: screen.isLoading ? "Registering…" : nil, failure: screen.failure?.text, turn: turn)
    if !screen.isLocked {
      let reveal = "Ctrl-T: \(focus.isRevealed ? "hide" : "show")"
      lines.append(
        "\(style.button(Texts.current("register.go", "Register"), isEnabled: screen.canSubmit))  "
          + style.faint("Tab: next field · Space: accept · \(reveal) · Ctrl-C: stop"))
    }
    return lines
  }

  mutating func inputs(for key: Key, on screen: CodeRegistration) -> [CodeRegistration.Input] {
    guard !screen.isLocked else { return [] }
    guard screen.step == .personalData else {
      return oneTime.inputs(for: key, on: screen.flow).map { .code($0) }
    }
    return focus.inputs(
      for: key, fields: screen.fields, form: screen.form, typed: CodeRegistration.Input.typed,
      left: CodeRegistration.Input.left, submit: .submit)
  }

  mutating func knownInputs(for screen: CodeRegistration) -> [CodeRegistration.Input] {
    guard screen.step == .personalData, !screen.isLocked else { return [] }
    let known = screen.fields.filter { given[$0] != nil }
    // Moves the focus to the first field without a known answer.
    if !known.isEmpty { focus.move(to: screen.fields.first { !known.contains($0) }) }
    return known.compactMap { field in given.removeValue(forKey: field).map { .typed(field, $0) } }
  }

  func canLeave(_ screen: CodeRegistration) -> Bool {
    screen.step == .code && oneTime.canLeave(screen.flow)
  }

  /// A refused invitation cannot be corrected here.
  func exitError(for screen: CodeRegistration) -> ExitError? {
    if let failure = screen.failure, case .refused(let refusal) = failure,
      refusal.code == "codeInvalid"
    {
      return ExitError(failure)
    }
    return screen.step == .code ? oneTime.exitError(for: screen.flow) : nil
  }
}
