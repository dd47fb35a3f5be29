import Accounts

/// Sends messages through one channel, on the calling thread.
package protocol MessageSender: Sendable {
  /// Returns when the next server has accepted the message.
  /// - Throws: `deliveryFailed` with what to check.
  func send(_ message: AccountMessage) throws(AccountError)
}
