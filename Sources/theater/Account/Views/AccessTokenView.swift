import AccountFlows
import Validation

/// The form for a new access token in a terminal.
struct AccessTokenView: TerminalView {
  var style = ANSIStyle(hasColour: Console.hasColour)
  private(set) var focus = FieldFocus()

  func lines(_ screen: AccessTokenScreen, turn: Int) -> [String] {
    var lines = [style.strong("A new access token"), ""]
    lines += style.fields(
      screen.form.fieldNames, of: screen.form, focus: focus, isLocked: screen.isOver)
    lines.append("")
    guard !screen.isOver else { return lines }
    return lines + [
      "\(style.button("Create", isEnabled: screen.canSubmit))  "
        + style.faint("Tab: next field · Ctrl-C: stop"),
      style.faint("All words for what it may do: \(ProgramName.name) token words"),
    ]
  }

  mutating func inputs(for key: Key, on screen: AccessTokenScreen) -> [AccessTokenScreen.Input] {
    guard !screen.isOver else { return [] }
    return focus.inputs(
      for: key, fields: screen.form.fieldNames, form: screen.form,
      typed: AccessTokenScreen.Input.typed, left: AccessTokenScreen.Input.left, submit: .submit)
  }
}
