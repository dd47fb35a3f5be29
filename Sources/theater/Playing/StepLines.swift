import JSON
import Scenes

/// The steps of runs and plans as lines.
struct StepLines {
  private var shown: Set<String> = []
  /// The steps that are under way, in the order in which they began.
  private var running: [(id: String, work: String)] = []

  /// What the run does now: `lights dim 10, screen down`; `nil` if no step is under way.
  var underWay: String? {
    running.isEmpty ? nil : running.map(\.work).joined(separator: ", ")
  }

  /// The line for a step of a run that has ended; `nil` for one that has not or that was shown
  /// before, and for a group, whose members have lines of their own.
  mutating func line(for step: JSON) -> String? {
    let step = step.printable
    guard let status = step["status"]?.string, let work = Self.work(step),
      let id = step["id"]?.string
    else { return nil }
    running.removeAll { $0.id == id }
    if status == "running" { running.append((id, work)) }
    guard status != "waiting", status != "running", shown.insert(id).inserted else { return nil }
    let time = step["seconds"]?.number.map { $0 >= 0.1 ? " (\(Self.tenths($0)) s)" : "" } ?? ""
    switch NodeReport.Status(rawValue: status) {
    case .done: return "  ✓ \(work)\(Self.kind(of: step) == .wait ? "" : time)"
    case .accepted: return "  ✓ \(work): accepted, not confirmed\(time)"
    case .skipped: return "  · \(work): \(Self.reason(of: step))"
    case .cancelled: return "  – \(work): cancelled"
    // Of a newer controller.
    case nil: return "  \(work): \(status)"
    case .waiting, .running: return nil
    case .failed:
      let error = step["error"]
      let hint = HintedCommands.lines(for: error).map { "\n      \($0)" }.joined()
      return "  ✗ step \(id), \(work): \(error?["message"]?.string ?? status)\(hint)"
    }
  }

  /// Why a command was not sent.
  private static func reason(of step: JSON) -> String {
    guard let reason = step["reason"]?.string else { return "already so" }
    switch NodeReport.Omission(rawValue: reason) {
    case .person: return "left out, somebody has changed it meanwhile"
    case .room: return "left out, another room uses it"
    case nil: return "left out: \(reason)"
    }
  }

  /// The line for a step of a plan.
  static func line(planned step: JSON) -> String {
    let step = step.printable
    let id = step["id"]?.string ?? ""
    let indent = String(repeating: "  ", count: id.split(separator: ".").count)
    guard let work = work(step) else {
      return "\(indent)\(id) \(kind(of: step) == .parallel ? "at the same time:" : "in order:")"
    }
    switch step["action"]?.string.flatMap(PlanNode.Action.init) {
    case .skip:
      let reported = (step["reported"]?.object ?? [:]).map { key, value in
        "\(key) is \(value.string ?? value.text())"
      }
      return "\(indent)\(id) · \(work): not sent, \(reported.joined())"
    case .decideLater: return "\(indent)\(id) ? \(work): sent unless it is so by then"
    case .send: return "\(indent)\(id) → \(work)"
    case nil:
      // A wait has no action; an unknown one is of a newer controller.
      return "\(indent)\(id) → \(work)\(step["action"]?.string.map { ": \($0)" } ?? "")"
    }
  }

  /// The lines about the devices that a plan or a run leaves as they are.
  static func kept(in report: JSON) -> [String] {
    (report.printable["kept"]?.array ?? []).map { kept in
      let device = kept["device"]?.string ?? "?"
      let room = kept["room"]?.string ?? "?"
      return
        "  · \(device): left as it is, \(kept["title"]?.string ?? "something") in \(room) uses it"
    }
  }

  private static func kind(of step: JSON) -> PlanNode.Kind? {
    step["kind"]?.string.flatMap(PlanNode.Kind.init)
  }

  /// `lights dim 10`, `wait 2 s`; `nil` for a group.
  private static func work(_ step: JSON) -> String? {
    switch kind(of: step) {
    case .command:
      let device = step["device"]?.string ?? "?"
      return "\(device) \(step["command"].map(CommandText.text) ?? "?")"
    case .wait: return "wait \(tenths(step["duration"]?.number ?? 0)) s"
    case .sequence, .parallel: return nil
    // Of a newer controller.
    case nil: return step["kind"]?.string ?? "?"
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
