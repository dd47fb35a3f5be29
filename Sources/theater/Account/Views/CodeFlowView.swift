import AccountFlows
import Validation

/// The one-time code flow in a terminal: the address, then the code.
struct CodeFlowView: TerminalView {
  /// Whether Escape leads from the address to the screen before.
  var isLeavable = false
  var style = ANSIStyle(hasColour: Console.hasColour)
  private(set) var focus = FieldFocus()

  func lines(_ flow: CodeFlow, turn: Int) -> [String] {
    if flow.step == .code, let code = flow.code { return codeView.lines(code, turn: turn) }
    let screen = flow.contactScreen
    var lines = [style.strong("Where should the code be sent?"), ""]
    lines += style.fields([screen.field], of: screen.form, focus: focus, isLocked: screen.isLocked)
    lines.append("")
    lines += style.outcome(
      progress: screen.isLoading ? "Sending…" : nil, failure: screen.failure?.text, turn: turn)
    if !screen.isLocked {
      lines.append(style.faint("Enter: send\(isLeavable ? " · Esc: back" : "") · Ctrl-C: stop"))
    }
    return lines
  }

  private var codeView: CodeView { CodeView(style: style, hasBack: true) }

  mutating func inputs(for key: Key, on flow: CodeFlow) -> [CodeFlow.Input] {
    guard !flow.isLocked else { return [] }
    if flow.step == .code, let code = flow.code {
      return key == .back ? [.back] : codeView.inputs(for: key, on: code).map { .code($0) }
    }
    let screen = flow.contactScreen
    switch focus.handle(key, fields: [screen.field], form: screen.form) {
    case .type(_, let text): return [.contact(.typed(text))]
    case .submit: return [.contact(.submit)]
    case .leave, .back, nil: return []
    }
  }

  func canLeave(_ flow: CodeFlow) -> Bool { isLeavable && flow.step == .contact }

  /// The failures that neither another address nor another try later can fix.
  func exitError(for flow: CodeFlow) -> ExitError? {
    guard flow.step == .contact else { return nil }
    return flow.failure?.exitError(unlessFixableBy: flow.contactScreen.field.text)
  }
}
