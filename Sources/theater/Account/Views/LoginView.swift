import AccountFlows
import Validation

/// The login screen in a terminal.
struct LoginView: TerminalView {
  let style: ANSIStyle
  let texts: Texts
  private var focus = FieldFocus()
  private var oneTime: CodeFlowView
  /// Whether the password has been sent and not been touched since.
  private var hasSentPassword = false

  /// - Parameters:
  ///   - hasEmail: Whether the e-mail field is filled; the cursor then starts at the password.
  ///   - isLeavable: Whether Escape leads from a login by code to the screen before.
  init(
    hasEmail: Bool = false, isLeavable: Bool = false,
    style: ANSIStyle = ANSIStyle(hasColour: Console.hasColour), texts: Texts = .current
  ) {
    self.texts = texts
    self.style = style
    oneTime = CodeFlowView(isLeavable: isLeavable, style: style)
    if hasEmail { focus.move(to: .password) }
  }

  func lines(_ screen: LoginScreen, turn: Int) -> [String] {
    if screen.step == .oneTimeCode, let flow = screen.oneTime {
      return oneTime.lines(flow, turn: turn)
    }
    var lines = [style.strong("[▶] Welcome to the home theater."), ""]
    switch screen.step {
    case .oneTimeCode: break
    case .password:
      lines += screen.form.fieldNames.compactMap { screen.form[$0] }.map { field in
        style.field(
          texts.label(of: field.declaration), field.text,
          isHidden: field.declaration.isSecret && !focus.isRevealed,
          hasCursor: !screen.isLocked && field.name == focus.focused(in: screen.form.fieldNames),
          isValid: field.isValid)
          + (field.display == .invalidShown ? "  " + style.bad(field.message ?? "") : "")
          + (field.name == .password && replacesPassword(screen)
            ? "  " + style.faint("typing replaces it") : "")
      }
      lines += style.encodingProblem(focus)
    case .secondFactor:
      lines.append("The account has a second factor.")
      lines.append(
        style.field(
          "code", screen.code, isHidden: false, hasCursor: !screen.isLocked,
          isValid: screen.canSubmit))
    }
    lines.append("")
    lines += style.outcome(
      progress: screen.isLoading ? texts("login.busy", "Logging in…") : nil,
      failure: screen.failure?.text, turn: turn)
    if !screen.isLocked { lines += help(screen) }
    return lines
  }

  private func help(_ screen: LoginScreen) -> [String] {
    let button = style.button(texts("login.go", "Log in"), isEnabled: screen.canSubmit)
    guard screen.step == .password else {
      return ["\(button)  \(style.faint("Enter · Esc: back · Ctrl-C: stop"))"]
    }
    let reveal = "Ctrl-T: \(focus.isRevealed ? "hide" : "show")"
    return [
      "\(button)  \(style.faint("Tab: next field · \(reveal) · Ctrl-C: stop"))",
      style.faint("Ctrl-N: register · Ctrl-P: forgotten password · Ctrl-O: log in with a code"),
    ]
  }

  mutating func inputs(for key: Key, on screen: LoginScreen) -> [LoginScreen.Input] {
    guard !screen.isLocked else { return [] }
    if screen.step == .oneTimeCode, let flow = screen.oneTime {
      return oneTime.inputs(for: key, on: flow).map { .oneTime($0) }
    }
    return screen.step == .secondFactor ? code(key, screen) : fields(key, screen)
  }

  func canLeave(_ screen: LoginScreen) -> Bool {
    screen.step == .oneTimeCode && screen.oneTime.map(oneTime.canLeave) ?? false
  }

  private mutating func fields(_ key: Key, _ screen: LoginScreen) -> [LoginScreen.Input] {
    switch key {
    case .register: return [.leave(for: .registration)]
    case .newPassword: return [.leave(for: .forgottenPassword)]
    case .oneTimeCode: return [.leave(for: .oneTimeCode)]
    default: break
    }
    let replaces = replacesPassword(screen)
    hasSentPassword = hasSentPassword && key == .reveal
    if replaces, let text = "".edited(by: key) { return [.typed(.password, text)] }
    switch focus.handle(key, fields: screen.form.fieldNames, form: screen.form) {
    case .type(let field, let text): return [.typed(field, text)]
    case .leave(let field): return [.left(field)]
    case .submit:
      let wrong = screen.form.fieldNames.first { screen.form[$0]?.isValid == false }
      if let wrong { focus.move(to: wrong) }
      hasSentPassword = wrong == nil
      return [.submit]
    case .back, nil: return []
    }
  }

  /// Whether the next text replaces the password, as that of a selected field: the controller has refused it.
  private func replacesPassword(_ screen: LoginScreen) -> Bool {
    guard hasSentPassword, !screen.isLocked, screen.step == .password,
      focus.focused(in: screen.form.fieldNames) == .password,
      case .refused? = screen.failure
    else { return false }
    return true
  }

  private func code(_ key: Key, _ screen: LoginScreen) -> [LoginScreen.Input] {
    switch key {
    case .enter: [.submit]
    case .back: [.back]
    default: screen.code.edited(by: key).map { [.code($0)] } ?? []
    }
  }

  func exitError(for screen: LoginScreen) -> ExitError? {
    screen.oneTime.flatMap(oneTime.exitError)
  }
}
