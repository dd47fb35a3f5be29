/// The failure of a screen's request; each case has one text. Never holds a secret.
public enum ScreenFailure: Error, Sendable, Hashable {
  /// The input is malformed; nothing was sent.
  case malformed(field: String, message: String)
  /// The request was not sent, or not fully answered; the reason.
  case network(String)
  /// The controller refused.
  case refused(Refusal)
  /// It succeeded, but this machine could not store the result; the reason as a sentence.
  case notKept(String)

  /// The text for the person.
  public var text: String {
    switch self {
    case .malformed(_, let message): message
    case .network(let reason): "The request to the controller failed: \(reason)"
    case .refused(let refusal):
      [refusal.message, refusal.hint].compactMap { $0 }.joined(separator: " ")
    case .notKept(let reason):
      "The login succeeded, but its secret could not be stored here: \(reason)"
    }
  }

  /// The invalid field; nil when there is none.
  public var field: String? {
    switch self {
    case .malformed(let field, _): field
    case .network, .notKept: nil
    case .refused(let refusal): refusal.field
    }
  }
}

/// A refusal of the controller.
public struct Refusal: Sendable, Hashable {
  /// For programs: `wrongCredentials`, `taken`, …
  public var code: String
  /// The invalid field.
  public var field: String?
  /// The description of the failure; one sentence.
  public var message: String
  /// The next action; one sentence.
  public var hint: String?
  /// Seconds until the same request can succeed.
  public var retryAfter: Int?
  /// The attempts that a code has left.
  public var triesLeft: Int?

  /// - Parameter retryAfter: Seconds until a retry can succeed.
  public init(
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
