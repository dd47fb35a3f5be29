import AccountFlows
import Validation

/// The login screen in a terminal.
struct LoginView: TerminalView {
  let paint: ANSIStyle
  private var typing = FieldTyping()
  private var oneTime: CodeFlowView

  /// - Parameter email: Whether the address is known already.
  init(hasEmail: Bool, paint: ANSIStyle = ANSIStyle(hasColour: Console.hasColour)) {
    self.paint = paint
    oneTime = CodeFlowView(paint: paint)
    if hasEmail { typing.goTo(.password) }
  }

  func lines(_ screen: LoginScreen, turn: Int) -> [String] {
    if screen.step == .oneTimeCode, let flow = screen.oneTime {
      return oneTime.lines(flow, turn: turn)
    }
    var lines = [paint.strong("Log in"), ""]
    switch screen.step {
    case .oneTimeCode: break
    case .password:
      lines += screen.form.fieldNames.compactMap { screen.form[$0] }.map { field in
        paint.field(
          field.declaration.label, field.text,
          isHidden: field.declaration.isSecret && !typing.isRevealed,
          hasCursor: !screen.isLocked && field.name == typing.focus(in: screen.form.fieldNames),
          isValid: field.isValid)
          + (field.display == .invalidShown ? "  " + paint.bad(field.message ?? "") : "")
      }
      if typing.isGarbled { lines.append(paint.bad("  The terminal sent no UTF-8.")) }
    case .secondFactor:
      lines.append("The account is guarded by a second factor.")
      lines.append(
        paint.field(
          "code", screen.code, isHidden: false, hasCursor: !screen.isLocked,
          isValid: screen.canSubmit))
    }
    lines.append("")
    if screen.isLoading {
      lines.append(paint.progress("Logging in …", turn: turn))
    } else if let failure = screen.failure {
      lines.append(paint.bad("✗ \(failure.text)"))
    }
    if !screen.isLocked { lines.append(help(screen)) }
    return lines
  }

  private func help(_ screen: LoginScreen) -> String {
    let button = screen.canSubmit ? paint.strong("[ Log in ]") : paint.faint("[ Log in ]")
    let keys =
      screen.step == .secondFactor
      ? "Enter · Esc: back · Ctrl-C: stop"
      : "Tab: next field · Ctrl-T: \(typing.isRevealed ? "hide" : "show") · Ctrl-C: stop"
    return "\(button)  \(paint.faint(keys))"
  }

  mutating func inputs(for key: Key, on screen: LoginScreen) -> [LoginScreen.Input] {
    guard !screen.isLocked else { return [] }
    if screen.step == .oneTimeCode, let flow = screen.oneTime {
      return oneTime.inputs(for: key, on: flow).map { .oneTime($0) }
    }
    return screen.step == .secondFactor ? code(key, screen) : fields(key, screen)
  }

  private mutating func fields(_ key: Key, _ screen: LoginScreen) -> [LoginScreen.Input] {
    switch typing.take(key, fields: screen.form.fieldNames, form: screen.form) {
    case .type(let field, let text): return [.typed(field, text)]
    case .leave(let field): return [.left(field)]
    case .submit:
      let wrong = screen.form.fieldNames.first { screen.form[$0]?.isValid == false }
      if let wrong { typing.goTo(wrong) }
      return [.submit]
    case .back, nil: return []
    }
  }

  private func code(_ key: Key, _ screen: LoginScreen) -> [LoginScreen.Input] {
    switch key {
    case .enter: [.submit]
    case .back: [.back]
    default: screen.code.typing(key).map { [.code($0)] } ?? []
    }
  }

  func ending(_ screen: LoginScreen) -> ExitError? { screen.oneTime.flatMap(oneTime.ending) }
}
