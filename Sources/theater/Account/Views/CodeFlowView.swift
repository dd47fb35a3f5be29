import AccountFlows
import Validation

/// The one-time code flow in a terminal: the address, then the code.
struct CodeFlowView: TerminalView {
  let style: ANSIStyle
  /// Whether Escape leads from the address to the screen before.
  let isLeavable: Bool
  private var focus = FieldFocus()

  init(isLeavable: Bool = false, style: ANSIStyle = ANSIStyle(hasColour: Console.hasColour)) {
    self.isLeavable = isLeavable
    self.style = style
  }

  func lines(_ flow: CodeFlow, turn: Int) -> [String] {
    if flow.step == .code, let code = flow.code { return codeView.lines(code, turn: turn) }
    let place = flow.place
    var lines = [style.strong("Where is the code to go?"), ""]
    lines += style.fields([place.field], of: place.form, focus: focus, isLocked: place.isLocked)
    lines.append("")
    if place.isLoading {
      lines.append(style.progress("Sending …", turn: turn))
    } else if let failure = place.failure {
      lines.append(style.bad("✗ \(failure.text)"))
    }
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
