import Accounts

/// One way to send a message, on the calling thread.
package protocol MessageSender: Sendable {
  /// Returns when the next server has taken the message.
  /// - Throws: `deliveryFailed` with what to check.
  func send(_ message: AccountMessage) throws(AccountError)
}
