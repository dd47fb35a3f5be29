import AccountFlows
import Validation

/// The screen for a new password in a terminal.
struct NewPasswordView: TerminalView {
  let style: ANSIStyle
  let texts: Texts
  private var focus = FieldFocus()

  init(style: ANSIStyle = ANSIStyle(hasColour: Console.hasColour), texts: Texts = .current) {
    self.style = style
    self.texts = texts
  }

  func lines(_ screen: NewPasswordScreen, turn: Int) -> [String] {
    var lines = [style.strong(texts("reset.yours", "Your new password")), ""]
    lines += style.fields(
      NewPasswordScreen.fields, of: screen.form, focus: focus, isLocked: screen.isLocked)
    lines.append("")
    lines += style.outcome(
      progress: screen.isLoading ? "Setting it…" : nil, failure: screen.failure?.text, turn: turn)
    if !screen.isLocked {
      let reveal = "Ctrl-T: \(focus.isRevealed ? "hide" : "show")"
      lines.append(style.faint("Enter: set · \(reveal) · Ctrl-C: stop"))
    }
    return lines
  }

  mutating func inputs(for key: Key, on screen: NewPasswordScreen) -> [NewPasswordScreen.Input] {
    guard !screen.isLocked else { return [] }
    switch focus.handle(key, fields: NewPasswordScreen.fields, form: screen.form) {
    case .type(let field, let text): return [.typed(field, text)]
    case .leave(let field): return [.left(field)]
    case .submit:
      if !focus.moveToInvalid(in: NewPasswordScreen.fields, of: screen.form) { focus.move(to: nil) }
      return [.submit]
    case .back, nil: return []
    }
  }

  /// The failures that neither another password nor another try later can fix.
  func exitError(for screen: NewPasswordScreen) -> ExitError? {
    screen.failure?.exitError(unlessFixableBy: "newPassword")
  }
}
