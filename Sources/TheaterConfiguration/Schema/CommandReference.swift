import Devices

/// The tables of commands in docs/configuration.md, generated from the command tables.
package enum CommandReference {
  /// A heading and a table for each role, in Markdown.
  package static var markdown: String {
    Role.allCases.map { role in
      "### `\(role.rawValue)`\n\n| Step | Argument | What it does |\n|---|---|---|\n"
        + role.commands.map(row).joined() + "\n"
    }.joined()
  }

  private static func row(_ spec: CommandSpec) -> String {
    "| \(forms(spec)) | \(argument(spec)) | \(spec.help)\(capabilityNote(spec)) |\n"
  }

  /// The forms of the command in a step.
  private static func forms(_ spec: CommandSpec) -> String {
    guard let takes = spec.argument else { return "`\"\(spec.name)\"`" }
    let given = "`{\"\(spec.name)\": \(example(takes.shape))}`"
    return takes.isRequired ? given : "`\"\(spec.name)\"` or \(given)"
  }

  private static func example(_ shape: ArgumentShape) -> String {
    switch shape {
    case .integer(let range, _): "\((range.lowerBound + range.upperBound) / 2)"
    case .number(let range, _): "\(Int(range.lowerBound.rounded(.up)))"
    case .text: "\"name\""
    case .fields(let fields):
      "{" + fields.map { "\"\($0.name)\": \(example($0.shape))" }.joined(separator: ", ") + "}"
    }
  }

  private static func argument(_ spec: CommandSpec) -> String {
    spec.argument.map { $0.shape.expectation } ?? ""
  }

  private static func capabilityNote(_ spec: CommandSpec) -> String {
    spec.capability.map { " Only devices that can `\($0)`." } ?? ""
  }
}
