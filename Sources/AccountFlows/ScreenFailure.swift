/// Why a screen did not get what it asked for: the ways are told apart, and each has one clear
/// text. Never holds a secret.
package enum ScreenFailure: Error, Sendable, Hashable {
  /// What was typed cannot be right; nobody was asked.
  case malformed(field: String, message: String)
  /// The controller was not reached, or the connection broke; the reason, as a sentence.
  case network(String)
  /// The controller said no.
  case refused(Refusal)
  /// It worked, but this machine could not keep what came of it; why, as a sentence.
  case notKept(String)

  /// What a person reads.
  package var text: String {
    switch self {
    case .malformed(_, let message): message
    case .network(let reason): "The controller was not reached: \(reason)"
    case .refused(let refusal):
      [refusal.message, refusal.hint].compactMap { $0 }.joined(separator: " ")
    case .notKept(let reason): "It worked, but could not be kept here: \(reason)"
    }
  }

  /// The field that has to change, where one is to blame.
  package var field: String? {
    switch self {
    case .malformed(let field, _): field
    case .network, .notKept: nil
    case .refused(let refusal): refusal.field
    }
  }
}

/// What a controller said when it refused.
package struct Refusal: Sendable, Hashable {
  /// What a program decides by: `wrongCredentials`, `taken`, …
  package var code: String
  /// The field that has to change.
  package var field: String?
  /// What happened, as a sentence.
  package var message: String
  /// What to do next, as a sentence.
  package var hint: String?
  /// Whole seconds after which the same may work.
  package var retryAfter: Int?
  /// How often a code may still be mistyped.
  package var triesLeft: Int?

  package init(
    _ code: String, field: String? = nil, message: String, hint: String? = nil,
    retryAfter: Int? = nil, triesLeft: Int? = nil
  ) {
    self.code = code
    self.field = field
    self.message = message
    self.hint = hint
    self.retryAfter = retryAfter
    self.triesLeft = triesLeft
  }
}
