import Accounts
import Jobs

/// Sends codes and notices (D9) on threads of its own, so that a hanging server delays neither requests
/// nor the other messages for long.
package final class MessageDispatcher: MessageDelivery {
  private let senders: [CodeChannel: any MessageSender]
  private let queue: JobQueue
  private let log: @Sendable (String) -> Void

  /// The delay of a posted message, so that the request is answered first. Starting a thread takes time,
  /// and a later answer would reveal that there is an account.
  static let sendDelay = Duration.milliseconds(200)

  /// - Parameters:
  ///   - email: nil when no mail is sent.
  ///   - phone: nil when no text messages are sent.
  ///   - log: Receives failures, without codes and without recipients.
  package init(
    email: (any MessageSender)?, phone: (any MessageSender)?,
    queue: JobQueue = JobQueue(workers: 2, capacity: 32),
    log: @escaping @Sendable (String) -> Void
  ) {
    var senders: [CodeChannel: any MessageSender] = [:]
    senders[.email] = email
    senders[.phone] = phone
    self.senders = senders
    self.queue = queue
    self.log = log
  }

  package func supports(_ channel: CodeChannel) -> Bool { senders[channel] != nil }

  /// Sends a message on a thread of the queue, and waits for it.
  /// - Throws: `deliveryUnavailable` without a sender for the channel; `deliveryFailed`; `busy`
  ///   when the queue is full; `cancelled`. Failures are logged as well.
  package func deliver(_ message: AccountMessage) async throws(AccountError) {
    let sender = try sender(for: message)
    do throws(JobError<AccountError>) {
      try await queue.run { _ throws(AccountError) in try sender.send(message) }
    } catch {
      let failure: AccountError =
        switch error {
        case .failed, .cancelled: AccountError(error)
        case .queueFull, .refused: .tooManyMessages
        }
      logFailure(failure)
      throw failure
    }
  }

  /// Sends a message 200 ms later on a thread of the queue. Failures are logged, including a full
  /// queue.
  package func enqueue(_ message: AccountMessage) {
    do throws(AccountError) {
      let sender = try sender(for: message)
      let job = queue.submit(.after(Self.sendDelay)) { [self] _ in
        do throws(AccountError) { try sender.send(message) } catch { logFailure(error) }
      }
      if job.stage == .refused { logFailure(.tooManyMessages) }
    } catch {
      logFailure(error)
    }
  }

  private func sender(for message: AccountMessage) throws(AccountError) -> any MessageSender {
    guard let sender = senders[message.destination.channel] else {
      throw .deliveryUnavailable(message.destination.channel)
    }
    return sender
  }

  /// Logs a failure without the recipient: a reader of the log should not learn who requests codes.
  private func logFailure(_ error: AccountError) { log("\(error.message) \(error.hint)") }
}
