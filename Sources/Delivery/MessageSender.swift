import Accounts

/// Sends messages through one channel, on the calling thread.
package protocol MessageSender: Sendable {
  /// Sends a message. Returns when the first server on its way has accepted it.
  /// - Throws: `deliveryFailed`; its hint names the setting to check.
  func send(_ message: AccountMessage) throws(AccountError)
}

/// Writes messages to the log instead of sending them. For demonstration only, because every reader
/// of the log can use the codes.
package struct LogSender: MessageSender {
  private let log: @Sendable (String) -> Void

  /// - Parameter log: Writes one line.
  package init(log: @escaping @Sendable (String) -> Void) {
    self.log = log
  }

  /// Writes one line with the recipient and the text, code included. Never throws.
  package func send(_ message: AccountMessage) throws(AccountError) {
    log(
      "DEMONSTRATION, NOT SENT: to \(message.destination.text): \(message.text) "
        + "(\"delivery\" is \"log\": everybody who reads this log can use the code)")
  }
}
