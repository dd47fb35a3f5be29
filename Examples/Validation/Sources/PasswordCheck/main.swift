import Foundation
import JSON
import Validation

// The rules are data: edit rules.json and run again.
let path = CommandLine.arguments.dropFirst().first ?? "rules.json"
let rules = try RuleSet(JSON(parsing: String(contentsOfFile: path, encoding: .utf8)))

var form = Form(
  rules.fields, groups: [FormGroup("account", fields: [.password], controls: ["register"])])

/// Prints the rules of the password, each marked as kept or not, and the state of the button.
func show(_ form: Form) {
  guard let field = form[.password] else { return }
  for result in field.report.results {
    print(result.outcome == .satisfied ? "✓" : "✗", result.statement)
  }
  print(form.isEnabled("register") ? "[ Register ]" : "  Register  ", field.message ?? "")
}

show(form)
// Each line stands for the whole text of the field, as after a keystroke.
while let text = readLine() {
  _ = form.send(.type(.password, text))
  show(form)
}
