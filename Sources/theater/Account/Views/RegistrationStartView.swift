import AccountFlows
import Validation

/// The first screen of a registration in a terminal: the code that the person has, and whether to
/// begin with a name or with a contact to verify.
struct RegistrationStartView: TerminalView {
  /// Whether Escape leads to the screen before.
  var isLeavable = false
  var style = ANSIStyle(hasColour: Console.hasColour)
  private(set) var focus = FieldFocus()

  func lines(_ screen: RegistrationStart, turn: Int) -> [String] {
    var lines = [style.strong(Texts.current("register.title", "Register")), ""]
    lines += style.fields(screen.fields, of: screen.form, focus: focus, isLocked: screen.isOver)
    lines.append("")
    guard !screen.isOver else { return lines }
    let keys =
      ["Tab: next field", "arrows: choose"] + (isLeavable ? ["Esc: back"] : []) + ["Ctrl-C: stop"]
    lines.append(
      "\(style.button("Begin", isEnabled: screen.canSubmit))  "
        + style.faint(keys.joined(separator: " · ")))
    return lines
  }

  mutating func inputs(for key: Key, on screen: RegistrationStart) -> [RegistrationStart.Input] {
    guard !screen.isOver else { return [] }
    return focus.inputs(
      for: key, fields: screen.fields, form: screen.form, typed: RegistrationStart.Input.typed,
      left: RegistrationStart.Input.left, submit: .submit)
  }

  func canLeave(_ screen: RegistrationStart) -> Bool { isLeavable }
}
