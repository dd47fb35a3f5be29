import JSON

/// The failure of a case: the line sent, and the expected and received behaviour.
package struct ConformanceFailure: Error, Sendable, CustomStringConvertible {
  /// The behaviour that the protocol requires.
  package let expected: String
  /// The observed behaviour, and advice where the next action is not evident.
  package internal(set) var received: String
  /// The rule that is broken; `nil` for the main rule of the case.
  package internal(set) var rule: ProtocolRule?
  /// Whether the failure shows that a rule is broken. A case that could not run, for example, shows none.
  package internal(set) var breaksRule = true
  /// Whether the plugin's output or input ended before the awaited line. The exit status is added to
  /// ``received`` then.
  var isEndOfPlugin = false
  /// The last line that was sent to the plugin, shortened; `nil` if there was none.
  package internal(set) var sent: String?
  /// The last lines of the plugin on standard error, oldest first.
  package internal(set) var stderrLines: [String] = []

  /// - Parameters:
  ///   - advice: The next action of the plugin's author; `nil` where it is evident.
  ///   - rule: The rule that is broken; `nil` for the main rule of the case.
  init(
    _ expected: String, received: String, advice: String? = nil, rule: ProtocolRule? = nil
  ) {
    self.expected = expected
    self.received = advice.map { "\(received); \($0)" } ?? received
    self.rule = rule
  }

  /// Returns the failure of a case that could not run or did not end, which breaks no rule of the protocol.
  static func withoutRule(_ expected: String, received: String) -> ConformanceFailure {
    var failure = ConformanceFailure(expected, received: received)
    failure.breaksRule = false
    return failure
  }

  package var description: String {
    (sent.map { "after \($0): " } ?? "") + "expected \(expected), received \(received)"
      + (stderrLines.isEmpty ? "" : "; stderr: " + stderrLines.joined(separator: " / "))
  }
}

/// The reason why a case does not apply to a device.
package enum NotApplicable: Error, Sendable, Hashable, CustomStringConvertible {
  /// Any other reason, as a sentence without its full stop.
  case because(String)
  /// The catalogue of the player is empty.
  case noItems

  package var description: String {
    switch self {
    case .because(let reason): reason
    case .noItems: "the player lists no items; give it some with --options"
    }
  }
}

/// Throws a `ConformanceFailure` unless `condition` is true.
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

/// Returns the value, or throws a `ConformanceFailure` if it is `nil`.
func require<Value>(
  _ value: Value?, _ expected: @autoclosure () -> String, received: @autoclosure () -> some Any,
  rule: ProtocolRule? = nil
) throws -> Value {
  guard let value else {
    throw ConformanceFailure(expected(), received: short("\(received())"), rule: rule)
  }
  return value
}

/// Returns the text as one line of at most 240 bytes.
func short(_ text: String) -> String { text.boundedLine(maximumBytes: 240) }

/// Returns a value as JSON, at most 240 bytes; "nothing" for `nil`.
func text(_ json: JSON?) -> String { json.map { short($0.text()) } ?? "nothing" }
