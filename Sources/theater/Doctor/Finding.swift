import JSON

/// The result of one check, with its remedy.
struct Finding: Sendable, Hashable {
  enum Verdict: String, Sendable {
    case good
    /// It works, with a restriction.
    case notice
    case bad
  }

  let verdict: Verdict
  /// The checked subject: `sound card`.
  let subject: String
  let message: String
  /// The command or the action that fixes it.
  let remedy: String?

  private init(verdict: Verdict, subject: String, message: String, remedy: String?) {
    (self.verdict, self.subject) = (verdict, subject)
    (self.message, self.remedy) = (message, remedy)
  }

  static func good(_ subject: String, _ message: String) -> Finding {
    Finding(verdict: .good, subject: subject, message: message, remedy: nil)
  }
  static func notice(_ subject: String, _ message: String, remedy: String?) -> Finding {
    Finding(verdict: .notice, subject: subject, message: message, remedy: remedy)
  }
  static func bad(_ subject: String, _ message: String, remedy: String?) -> Finding {
    Finding(verdict: .bad, subject: subject, message: message, remedy: remedy)
  }

  /// The finding as text: a line, and one for the remedy.
  var text: String {
    let mark =
      switch verdict {
      case .good: "✓"
      case .notice: "!"
      case .bad: "✗"
      }
    return "\(mark) \(subject): \(message)" + (remedy.map { "\n    \($0)" } ?? "")
  }

  /// The finding as an element of the API's component `DoctorReport`.
  var check: JSON {
    let status =
      switch verdict {
      case .good: "ok"
      case .notice: "warning"
      case .bad: "failed"
      }
    var object: JSONObject = [
      "name": .string(subject), "status": .string(status), "message": .string(message),
    ]
    if let remedy { object["hint"] = .string(remedy) }
    return .object(object)
  }

  /// Reads an element of the API's component `DoctorReport`.
  init(check: JSON) {
    verdict =
      switch check["status"]?.string {
      case "ok": .good
      case "failed": .bad
      default: .notice
      }
    subject = check["name"]?.string ?? "?"
    message = check["message"]?.string ?? "?"
    remedy = check["hint"]?.string
  }

  /// The finding for scripts.
  var json: JSON {
    var object: JSONObject = [
      "verdict": .string(verdict.rawValue), "subject": .string(subject),
      "message": .string(message),
    ]
    if let remedy { object["remedy"] = .string(remedy) }
    return .object(object)
  }
}
