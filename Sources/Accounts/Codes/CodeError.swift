extension AccountError {
  static func malformedCode(digits: Int) -> AccountError {
    AccountError(
      .malformed, field: .code, message: "The code has \(digits) digits.",
      hint: "Type it as it stands in the message.")
  }

  package static func codeWrong(triesLeft: Int) -> AccountError {
    AccountError(
      .codeWrong, field: .code, message: "The code is wrong.",
      hint: triesLeft == 1
        ? "Look at the newest message; one try is left."
        : "Look at the newest message; \(triesLeft) tries are left.", triesLeft: triesLeft)
  }

  package static let codeExpired = AccountError(
    .codeExpired, field: .code,
    message: "The code has expired, was used or replaced, or was mistyped too often.",
    hint: "Ask for a new one.")

  /// - Parameter wait: until the next code may be sent.
  package static func tooEarly(_ wait: Duration) -> AccountError {
    let seconds = wait.wholeSeconds
    return AccountError(
      .tooEarly, message: "A code was sent not long ago.",
      hint: "Ask again in \(words(seconds)); look into the spam folder meanwhile.",
      retryAfter: seconds)
  }

  package static func deliveryUnavailable(_ channel: CodeChannel) -> AccountError {
    AccountError(
      .deliveryUnavailable, message: "This theater cannot send \(channel.messages).",
      hint: "An owner sets it up in devices.json: \"accounts\", \"delivery\", \"\(channel.key)\".")
  }

  /// - Parameters:
  ///   - reason: what happened, as the end of a sentence, without the code.
  ///   - hint: what to check, as a sentence.
  package static func deliveryFailed(_ reason: String, hint: String) -> AccountError {
    AccountError(
      .deliveryFailed, message: "The message was not sent: \(reason).", hint: hint)
  }
}

extension Duration {
  /// In whole seconds, rounded up: who waits that long has waited long enough.
  package var wholeSeconds: Int {
    let (seconds, attoseconds) = components
    return Int(clamping: attoseconds > 0 ? seconds &+ 1 : seconds)
  }
}
