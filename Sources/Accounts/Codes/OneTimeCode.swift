/// A short code that is sent to a person's mailbox or phone and typed back (D8).
public struct OneTimeCode: Sendable, Redacted {
  /// The secret itself, for the one message that carries it.
  public let text: String

  /// Generates a code.
  init(digits: Int, from random: RandomSource) {
    var text = ""
    while text.utf8.count < digits {
      // 250 is a multiple of ten: the last six values would favour the digits 0 to 5.
      for byte in random.bytes(digits) where byte < 250 && text.utf8.count < digits {
        text.append(String(byte % 10))
      }
    }
    self.text = text
  }

  /// Reads a typed code; spaces and hyphens are ignored.
  /// - Throws: `empty` or `malformed`, with the field `code`.
  public init(typed: String, digits: Int) throws(AccountError) {
    guard typed.utf8.count <= 4 * digits else { throw .malformedCode(digits: digits) }
    let text = typed.filter { $0 != "-" && !$0.isWhitespace }
    if text.isEmpty { throw .empty(.code) }
    guard text.utf8.count == digits, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
      throw .malformedCode(digits: digits)
    }
    self.text = text
  }
}

extension AccountError {
  static func malformedCode(digits: Int) -> AccountError {
    AccountError(
      .malformed, field: .code, message: "The code has \(digits) digits.",
      hint: "Type it as it stands in the message.")
  }

  /// - Parameter triesLeft: 1 or more; at 0 the error is `codeExpired`.
  public static func codeWrong(triesLeft: Int) -> AccountError {
    AccountError(
      .codeWrong, field: .code, message: "The code is wrong.",
      hint: triesLeft == 1
        ? "Look at the newest message; one try is left."
        : "Look at the newest message; \(triesLeft) tries are left.", triesLeft: triesLeft)
  }

  /// The code can no longer be used, for whichever reason.
  public static let codeExpired = AccountError(
    .codeExpired, field: .code,
    message: "The code has expired, was used or replaced, or was mistyped too often.",
    hint: "Ask for a new one.")

  /// - Parameter wait: The time until the next code may be sent.
  public static func tooEarly(_ wait: Duration) -> AccountError {
    let seconds = wait.wholeSeconds
    return AccountError(
      .tooEarly, message: "A code was sent not long ago.",
      hint: "Ask again in \(words(seconds)); look into the spam folder meanwhile.",
      retryAfter: seconds)
  }

  /// The configuration has no delivery for the channel.
  public static func deliveryUnavailable(_ channel: CodeChannel) -> AccountError {
    AccountError(
      .deliveryUnavailable, message: "This theater cannot send \(channel.messages).",
      hint: "An owner sets it up in devices.json: \"accounts\", \"delivery\", \"\(channel.key)\".")
  }

  /// - Parameters:
  ///   - reason: The end of a sentence, without the code.
  ///   - hint: What to check; one sentence.
  public static func deliveryFailed(_ reason: String, hint: String) -> AccountError {
    AccountError(
      .deliveryFailed, message: "The message was not sent: \(reason).", hint: hint)
  }
}

extension Duration {
  /// Whole seconds, rounded up.
  public var wholeSeconds: Int {
    let (seconds, attoseconds) = components
    return Int(clamping: attoseconds > 0 ? seconds &+ 1 : seconds)
  }
}
