import Accounts

/// Brings codes and notices to people (D9), on threads of its own: a server that hangs holds up neither a
/// request nor the other messages for long.
package final class MessageDispatcher: MessageDelivery {
  private let senders: [CodeChannel: any MessageSender]
  private let queue: RequestQueue
  private let log: @Sendable (String) -> Void

  /// How long a posted message stays: the answer to who asked is out by then. Beginning to send costs
  /// a thread, and an answer that is late by that would tell who has an account.
  static let stay = Duration.milliseconds(200)

  /// - Parameters:
  ///   - email: nil where no mail is sent.
  ///   - phone: nil where no text messages are sent.
  ///   - log: what went wrong after the answer, without codes.
  package init(
    email: (any MessageSender)?, phone: (any MessageSender)?,
    queue: RequestQueue = RequestQueue(workers: 2, waiting: 32),
    log: @escaping @Sendable (String) -> Void
  ) {
    var senders: [CodeChannel: any MessageSender] = [:]
    senders[.email] = email
    senders[.phone] = phone
    self.senders = senders
    self.queue = queue
    self.log = log
  }

  package func reaches(_ channel: CodeChannel) -> Bool { senders[channel] != nil }

  package func deliver(_ message: AccountMessage) async throws(AccountError) {
    let sender = try sender(for: message)
    do throws(AccountError) {
      try await queue.run { _ throws(AccountError) in try sender.send(message) }
    } catch {
      note(error)
      throw error
    }
  }

  package func post(_ message: AccountMessage) {
    do throws(AccountError) {
      let sender = try sender(for: message)
      let request = queue.submit(.after(Self.stay)) { [self] _ throws(AccountError) in
        do throws(AccountError) { try sender.send(message) } catch { note(error) }
      }
      if case .failed(let error) = request.stage { note(error) }
    } catch {
      note(error)
    }
  }

  private func sender(for message: AccountMessage) throws(AccountError) -> any MessageSender {
    guard let sender = senders[message.destination.channel] else {
      throw .deliveryUnavailable(message.destination.channel)
    }
    return sender
  }

  /// Not who was to get it: whoever reads the log should not learn who asks for codes.
  private func note(_ error: AccountError) { log("\(error.message) \(error.hint)") }
}
