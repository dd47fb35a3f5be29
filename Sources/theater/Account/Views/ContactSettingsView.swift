import AccountFlows
import Validation

/// The form for one's contacts in a terminal, and the code for each of them (B7).
struct ContactSettingsView: TerminalView {
  var style = ANSIStyle(hasColour: Console.hasColour)
  var texts = Texts.current
  private var focus = FieldFocus()

  init(style: ANSIStyle = ANSIStyle(hasColour: Console.hasColour), texts: Texts = .current) {
    self.style = style
    self.texts = texts
  }

  func lines(_ screen: ContactSettings, turn: Int) -> [String] {
    if let code = screen.code { return codeView.lines(code, turn: turn) }
    var lines = [style.strong(texts("contacts.title", "Your e-mail address and phone")), ""]
    lines += style.fields(
      screen.form.fieldNames, of: screen.form, focus: focus, isLocked: screen.isLocked)
    lines.append("")
    lines += style.outcome(
      progress: screen.isLoading ? texts("form.checking", "Asking…") : nil,
      failure: screen.failure?.text, turn: turn)
    return screen.isLocked ? lines : lines + help(screen)
  }

  private var codeView: CodeView { CodeView(style: style, hasBack: true) }

  private func help(_ screen: ContactSettings) -> [String] {
    let register = style.button(
      texts("contacts.register", "Register"), isEnabled: screen.isEnabled(.register))
    let send = style.button(
      texts("code.send", "Send a code"), isEnabled: screen.isEnabled(.sendCode))
    let reveal = "Ctrl-T: \(focus.isRevealed ? "hide" : "show")"
    return [
      "\(register)  \(style.faint("Enter in the last field: both are verified"))",
      "\(send)  \(style.faint("Ctrl-R: the phone is verified"))",
      style.faint("Tab: next field · \(reveal) · Ctrl-C: stop"),
    ]
  }

  mutating func inputs(for key: Key, on screen: ContactSettings) -> [ContactSettings.Input] {
    guard !screen.isLocked else { return [] }
    if let code = screen.code {
      return key == .back ? [.back] : codeView.inputs(for: key, on: code).map { .code($0) }
    }
    if key == .resend {
      if screen.form[.phone]?.isValid == false { focus.move(to: .phone) }
      return [.sendCode]
    }
    return focus.inputs(
      for: key, fields: screen.form.fieldNames, form: screen.form,
      typed: ContactSettings.Input.typed, left: ContactSettings.Input.left, submit: .register)
  }
}
