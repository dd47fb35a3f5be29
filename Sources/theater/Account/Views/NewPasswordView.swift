import AccountFlows
import Validation

/// The screen for a new password in a terminal.
struct NewPasswordView: TerminalView {
  let paint: ANSIStyle
  private var typing = FieldTyping()

  init(paint: ANSIStyle = ANSIStyle(hasColour: Console.hasColour)) { self.paint = paint }

  func lines(_ screen: NewPasswordScreen, turn: Int) -> [String] {
    var lines = [paint.strong("Your new password"), ""]
    lines += paint.fields(
      NewPasswordScreen.fields, of: screen.form, typing: typing, isLocked: screen.isLocked)
    lines.append("")
    if screen.isLoading {
      lines.append(paint.progress("Setting it …", turn: turn))
    } else if let failure = screen.failure {
      lines.append(paint.bad("✗ \(failure.text)"))
    }
    if !screen.isLocked {
      let reveal = "Ctrl-T: \(typing.isRevealed ? "hide" : "show")"
      lines.append(paint.faint("Enter: set · \(reveal) · Ctrl-C: stop"))
    }
    return lines
  }

  mutating func inputs(for key: Key, on screen: NewPasswordScreen) -> [NewPasswordScreen.Input] {
    guard !screen.isLocked else { return [] }
    switch typing.take(key, fields: NewPasswordScreen.fields, form: screen.form) {
    case .type(let field, let text): return [.typed(field, text)]
    case .leave(let field): return [.left(field)]
    case .submit:
      if !typing.goToMistake(in: NewPasswordScreen.fields, of: screen.form) { typing.goTo(nil) }
      return [.submit]
    case .back, nil: return []
    }
  }

  /// What another password, or some patience, does not mend.
  func ending(_ screen: NewPasswordScreen) -> ExitError? {
    screen.failure?.ending(unlessMendedBy: "newPassword")
  }
}
