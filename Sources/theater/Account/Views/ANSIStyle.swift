import AccountFlows
import Validation

/// The styles of text in a terminal, and the lines of form fields and rules.
struct ANSIStyle: Sendable {
  var hasColour: Bool

  func strong(_ text: String) -> String { styled(text, "1") }
  func faint(_ text: String) -> String { styled(text, "2") }
  func good(_ text: String) -> String { styled(text, "32") }
  func bad(_ text: String) -> String { styled(text, "31") }

  private func styled(_ text: String, _ style: String) -> String {
    hasColour ? "\u{1B}[\(style)m\(text)\u{1B}[0m" : text
  }

  /// A line with a spinner.
  ///
  /// - Parameter turn: Counts up with time; each step turns the spinner.
  func progress(_ text: String, turn: Int) -> String {
    "\(["|", "/", "-", "\\"][turn & 3]) \(text)"
  }

  /// A line with a field's label and text.
  ///
  /// - Parameters:
  ///   - isHidden: Whether dots stand for the characters.
  ///   - hasCursor: Whether the person types into it.
  func field(_ label: String, _ text: String, isHidden: Bool, hasCursor: Bool, isValid: Bool)
    -> String
  {
    let shown = isHidden ? String(repeating: "•", count: text.count) : Self.visible(text)
    return start(label, hasCursor, isValid) + shown + (hasCursor ? "_" : "")
  }

  /// A line with the label and the chosen option of a choice.
  func choice(_ label: String, _ option: String, hasCursor: Bool) -> String {
    start(label, hasCursor, true) + (hasCursor ? "‹ \(option) ›" : option)
  }

  /// A line with a toggle, which the space bar switches.
  func toggle(_ label: String, isOn: Bool, hasCursor: Bool) -> String {
    "\(hasCursor ? "▸" : " ") [\(isOn ? good("x") : " ")] \(hasCursor ? strong(label) : label)"
  }

  /// Marks for cursor and validity, and the label.
  private func start(_ label: String, _ hasCursor: Bool, _ isValid: Bool) -> String {
    let name = label + String(repeating: " ", count: max(0, 18 - label.count))
    return "\(hasCursor ? "▸" : " ")\(isValid ? good("✓") : " ") "
      + "\(hasCursor ? strong(name) : name) "
  }

  /// A button, which looks enabled without colours too.
  func button(_ label: String, isEnabled: Bool) -> String {
    isEnabled ? strong("[ \(label) ]") : faint("( \(label) )")
  }

  /// Returns a line with the number of kept rules, then a line for each rule: its requirement, or
  /// its instruction if it is broken and a mistake may be shown.
  func rules(_ report: RuleReport, isShown: Bool) -> [String] {
    guard report.total > 0 || !report.results.isEmpty else { return [] }
    let bar = ProgressBar(fraction: report.fraction, width: 12).text
    let head = "    \(bar) \(report.satisfied) of \(report.total)"
    return [head] + report.results.map { "    \(rule($0, isShown: isShown))" }
  }

  private func rule(_ result: RuleResult, isShown: Bool) -> String {
    switch result.outcome {
    case .satisfied: good("✓ ") + faint(result.statement)
    case .pending: "… \(result.statement)"
    case .unsatisfied where result.isAdvice:
      faint("· \(Texts.current("rules.advice", "Advice:")) \(result.statement)")
    case .unsatisfied: isShown ? bad("✗ \(result.message)") : "· \(result.statement)"
    }
  }

  /// The text with control and format characters replaced, so that it cannot control the terminal.
  static func visible(_ text: String) -> String {
    String(
      String.UnicodeScalarView(
        text.unicodeScalars.map { scalar in
          switch scalar.properties.generalCategory {
          case .control, .lineSeparator, .paragraphSeparator: "\u{FFFD}"
          case .format where scalar != "\u{200D}": "\u{FFFD}"
          default: scalar
          }
        }))
  }
}
