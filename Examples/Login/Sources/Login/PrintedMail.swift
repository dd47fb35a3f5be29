import Accounts

/// Prints messages instead of sending them, and passes their codes on.
final class PrintedMail: MessageDelivery {
  private let codes: AsyncStream<String>
  private let code: AsyncStream<String>.Continuation

  init() { (codes, code) = AsyncStream.makeStream() }

  func supports(_ channel: CodeChannel) -> Bool { channel == .email }

  func deliver(_ message: AccountMessage) async throws(AccountError) { enqueue(message) }

  func enqueue(_ message: AccountMessage) {
    print("mail to \(message.destination.text): \(message.subject)")
    if let digits = message.text.firstMatch(of: /[0-9]{6}/) { code.yield(String(digits.output)) }
  }

  /// Waits for the next code.
  func nextCode() async -> String {
    for await code in codes { return code }
    return ""
  }
}
