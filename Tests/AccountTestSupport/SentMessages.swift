import Accounts
import Synchronization

/// A message delivery that records the messages instead of sending them.
package final class SentMessages: MessageDelivery {
  private struct State {
    var messages: [AccountMessage] = []
    var channels = Set(CodeChannel.allCases)
    var failure: AccountError?
  }
  private let state = Mutex(State())

  package init() {}

  /// All messages, the oldest first.
  package var messages: [AccountMessage] { state.withLock { $0.messages } }

  /// The newest code.
  package var code: String? { messages.last { $0.code != nil }?.code }

  /// The messages without a code, the oldest first.
  package var notices: [AccountMessage] { messages.filter { $0.code == nil } }

  /// Sets the channels over which messages can be delivered.
  package func setChannels(_ channels: Set<CodeChannel>) {
    state.withLock { $0.channels = channels }
  }
  /// Fails each delivery with `error`; `nil` ends that.
  package func fail(with error: AccountError?) { state.withLock { $0.failure = error } }

  package func supports(_ channel: CodeChannel) -> Bool {
    state.withLock { $0.channels.contains(channel) }
  }

  package func deliver(_ message: AccountMessage) async throws(AccountError) {
    if let failure = state.withLock({ $0.failure }) { throw failure }
    enqueue(message)
  }

  package func enqueue(_ message: AccountMessage) {
    state.withLock { if $0.failure == nil { $0.messages.append(message) } }
  }
}

extension AccountMessage {
  /// The code in the text: six digits, or a number of any length at the beginning.
  package var code: String? {
    text.firstMatch(of: /^[0-9]+|\b[0-9]{6}\b/).map { String($0.output) }
  }
}

extension String {
  /// A wrong code of the same length, for a code of digits.
  package var wrong: String {
    String(self.map { $0 == "9" ? "0" : Character(String((Int(String($0)) ?? 0) + 1)) })
  }
}
