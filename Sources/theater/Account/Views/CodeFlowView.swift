import AccountFlows
import Validation

/// In a terminal: where a code is to go, then the code, and the way back.
struct CodeFlowView: TerminalView {
  var paint = ANSIStyle(hasColour: Console.hasColour)
  private var typing = FieldTyping()

  init(paint: ANSIStyle = ANSIStyle(hasColour: Console.hasColour)) { self.paint = paint }

  func lines(_ flow: CodeFlow, turn: Int) -> [String] {
    if flow.step == .code, let code = flow.code { return face.lines(code, turn: turn) }
    let place = flow.place
    var lines = [paint.strong("Where is the code to go?"), ""]
    lines += paint.fields([place.field], of: place.form, typing: typing, isLocked: place.isLocked)
    lines.append("")
    if place.isLoading {
      lines.append(paint.progress("Sending …", turn: turn))
    } else if let failure = place.failure {
      lines.append(paint.bad("✗ \(failure.text)"))
    }
    if !place.isLocked { lines.append(paint.faint("Enter: send · Ctrl-C: stop")) }
    return lines
  }

  private var face: CodeView { CodeView(paint: paint, hasBack: true) }

  mutating func inputs(for key: Key, on flow: CodeFlow) -> [CodeFlow.Input] {
    guard !flow.isLocked else { return [] }
    if flow.step == .code, let code = flow.code {
      return key == .back ? [.back] : face.inputs(for: key, on: code).map { .code($0) }
    }
    let place = flow.place
    switch typing.take(key, fields: [place.field], form: place.form) {
    case .type(_, let text): return [.place(.typed(text))]
    case .submit: return [.place(.submit)]
    case .leave, .back, nil: return []
    }
  }

  /// What another address, or some patience, does not mend.
  func ending(_ flow: CodeFlow) -> ExitError? {
    guard flow.step == .place else { return nil }
    return flow.failure?.ending(unlessMendedBy: flow.place.field.text)
  }
}
