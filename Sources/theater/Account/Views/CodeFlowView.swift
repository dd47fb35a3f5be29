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
    let place = flow.place
    var lines = [style.strong("Where should the code be sent?"), ""]
    lines += style.fields([place.field], of: place.form, focus: focus, isLocked: place.isLocked)
    lines.append("")
    lines += style.outcome(
      progress: place.isLoading ? "Sending …" : nil, failure: place.failure?.text, turn: turn)
    if !place.isLocked {
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
    let place = flow.place
    switch focus.handle(key, fields: [place.field], form: place.form) {
    case .type(_, let text): return [.place(.typed(text))]
    case .submit: return [.place(.submit)]
    case .leave, .back, nil: return []
    }
  }

  func canLeave(_ flow: CodeFlow) -> Bool { isLeavable && flow.step == .place }

  /// The failures that neither another address nor another try later can fix.
  func exitError(for flow: CodeFlow) -> ExitError? {
    guard flow.step == .place else { return nil }
    return flow.failure?.exitError(unlessFixableBy: flow.place.field.text)
  }
}
