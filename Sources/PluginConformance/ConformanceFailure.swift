import JSON

/// A broken rule: what was sent, expected and received.
package struct ConformanceFailure: Error, Sendable, CustomStringConvertible {
  package let expected: String
  package let received: String
  /// The rule that is broken; `nil` for the main rule of the case.
  package internal(set) var rule: ProtocolRule?
  /// The last line that the plugin was sent, shortened; `nil` if it was sent none.
  package internal(set) var sent: String?
  /// The last lines of the plugin on standard error, oldest first.
  package internal(set) var stderrLines: [String] = []

  init(_ expected: String, received: String, rule: ProtocolRule? = nil) {
    self.expected = expected
    self.received = received
    self.rule = rule
  }

  package var description: String {
    (sent.map { "after \($0): " } ?? "") + "expected \(expected), received \(received)"
      + (stderrLines.isEmpty ? "" : "; stderr: " + stderrLines.joined(separator: " / "))
  }
}

/// The reason why a case does not apply to a device.
package enum NotApplicable: Error, Sendable, Hashable, CustomStringConvertible {
  case because(String)
  /// The player lists nothing that it could play.
  case noItems

  package var description: String {
    switch self {
    case .because(let reason): reason
    case .noItems: "the player lists no items; give it some with --options"
    }
  }
}

/// Fails the case unless `condition` is true.
///
/// - Parameter rule: The rule that is broken; `nil` for the main rule of the case.
func expect(
  _ condition: Bool, _ expected: @autoclosure () -> String,
  received: @autoclosure () -> some Any, rule: ProtocolRule? = nil
) throws {
  if !condition {
    throw ConformanceFailure(expected(), received: short("\(received())"), rule: rule)
  }
}

/// Returns the value. Fails the case if there is none.
func require<Value>(
  _ value: Value?, _ expected: @autoclosure () -> String, received: @autoclosure () -> some Any,
  rule: ProtocolRule? = nil
) throws -> Value {
  guard let value else {
    throw ConformanceFailure(expected(), received: short("\(received())"), rule: rule)
  }
  return value
}

/// The text as one line of at most 240 bytes.
func short(_ text: String) -> String { text.boundedLine(maximumBytes: 240) }

/// A value as the JSON that the wire has for it.
func text(_ json: JSON?) -> String { json.map { short($0.text()) } ?? "nothing" }
