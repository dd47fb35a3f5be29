import JSON

/// The steps of a run as lines, each told once, when it is over.
struct StepLines {
  private var told: Set<Int> = []

  /// The lines for the steps that have ended since the last time.
  mutating func news(in run: JSON) -> [String] {
    var lines: [String] = []
    for (index, step) in (run["steps"]?.array ?? []).map(\.printable).enumerated() {
      guard let status = step["status"]?.string, status != "waiting", status != "running",
        told.insert(index).inserted
      else { continue }
      lines.append(Self.line(step, status))
    }
    return lines
  }

  private static func line(_ step: JSON, _ status: String) -> String {
    let device = step["device"]?.string ?? "?"
    let command = step["command"].map(CommandText.text) ?? "?"
    let time = step["seconds"]?.number.map { $0 >= 0.1 ? " (\(tenths($0)) s)" : "" } ?? ""
    switch status {
    case "done": return "  ✓ \(device) \(command)\(time)"
    case "accepted": return "  ✓ \(device) \(command): accepted, not confirmed\(time)"
    case "skipped": return "  · \(device) \(command): so already"
    default:
      let error = step["error"]
      let hint = error?["hint"]?.string.map { "\n      \($0)" } ?? ""
      return "  ✗ \(device) \(command): \(error?["message"]?.string ?? status)\(hint)"
    }
  }

  private static func tenths(_ seconds: Double) -> String {
    let tenths = Int((min(max(seconds, 0), 1e9) * 10).rounded())
    return "\(tenths / 10).\(tenths % 10)"
  }
}

/// A command as a person would type it.
enum CommandText {
  /// `{"dim": 40}` as `dim 40`, `{"play": {"item": "x"}}` as `play x`.
  static func text(_ command: JSON) -> String {
    guard let object = command.object else { return command.string ?? command.text() }
    return object.map { name, argument in
      switch argument {
      case .object(let fields):
        let parts = fields.map { key, value in
          switch key {
          case "item": words(value)
          case "position": "at \(value.number.map(TimeText.text) ?? words(value))"
          default: "\(key)=\(words(value))"
          }
        }
        return "\(name) \(parts.joined(separator: " "))"
      default: return "\(name) \(words(argument))"
      }
    }.joined(separator: " ")
  }

  private static func words(_ value: JSON) -> String { value.string ?? value.text() }
}
