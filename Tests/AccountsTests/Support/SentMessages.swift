import Accounts
import Synchronization

/// Takes messages instead of sending them.
final class SentMessages: MessageDelivery {
  private struct State {
    var messages: [AccountMessage] = []
    var channels = Set(CodeChannel.allCases)
    var failure: AccountError?
  }
  private let state = Mutex(State())

  /// What was sent, the oldest first.
  var messages: [AccountMessage] { state.withLock { $0.messages } }

  /// The newest code.
  var code: String? { messages.last { $0.code != nil }?.code }

  /// Where messages without a code went, the oldest first.
  var notices: [AccountMessage] { messages.filter { $0.code == nil } }

  func reach(_ channels: Set<CodeChannel>) { state.withLock { $0.channels = channels } }
  func fail(with error: AccountError?) { state.withLock { $0.failure = error } }

  func reaches(_ channel: CodeChannel) -> Bool { state.withLock { $0.channels.contains(channel) } }

  func deliver(_ message: AccountMessage) async throws(AccountError) {
    if let failure = state.withLock({ $0.failure }) { throw failure }
    post(message)
  }

  func post(_ message: AccountMessage) {
    state.withLock { if $0.failure == nil { $0.messages.append(message) } }
  }
}

extension AccountMessage {
  /// The code in it.
  var code: String? { text.firstMatch(of: /\b[0-9]{6}\b/).map { String($0.output) } }
}

extension String {
  /// Another code of the same length.
  var wrong: String {
    String(self.map { $0 == "9" ? "0" : Character(String((Int(String($0)) ?? 0) + 1)) })
  }
}
