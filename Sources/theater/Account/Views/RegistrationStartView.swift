import AccountFlows
import Validation

/// The first screen of a registration in a terminal: which code, and what to begin with.
struct RegistrationStartView: TerminalView {
  let style: ANSIStyle
  /// Whether Escape leads to the screen before.
  let isLeavable: Bool
  private var focus = FieldFocus()

  init(isLeavable: Bool = false, style: ANSIStyle = ANSIStyle(hasColour: Console.hasColour)) {
    self.isLeavable = isLeavable
    self.style = style
  }

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
    switch focus.handle(key, fields: screen.fields, form: screen.form) {
    case .type(let field, let text): return [.typed(field, text)]
    case .leave(let field): return [.left(field)]
    case .submit:
      _ = focus.moveToInvalid(in: screen.fields, of: screen.form)
      return [.submit]
    case .back, nil: return []
    }
  }

  func canLeave(_ screen: RegistrationStart) -> Bool { isLeavable }
}
