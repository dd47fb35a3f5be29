/// The answers that are being written, with the bytes that the controller holds for each.
///
/// A value without effects: `insert` says which connections have to be dropped.
struct UnreadAnswers<Connection: Sendable>: Sendable {
  /// Whom an answer is for.
  enum Recipient: Hashable, Sendable {
    /// An account or guest pass, by its id.
    case user(String)
    /// A client without a session, by the bytes of its address; `nil` for this machine.
    case stranger([UInt8]?)

    fileprivate var isStranger: Bool { if case .stranger = self { true } else { false } }
  }

  private struct Answer {
    let recipient: Recipient
    let bytes: Int
    let connection: Connection
    /// The change at which the client last took a part of it.
    var progress: Int
  }

  private let limits: UnreadAnswerLimits
  private var changes = 0
  private var answers: [Int: Answer] = [:]

  init(_ limits: UnreadAnswerLimits) { self.limits = limits }

  /// The bytes of all answers.
  var bytes: Int { answers.values.reduce(0) { $0 + $1.bytes } }

  /// Adds an answer.
  ///
  /// Where it exceeds a bound, other answers are removed until it fits or none is left: first the one whose client
  /// has taken nothing for longest, of the user, or of the recipient who has the most bytes. So a client that reads is
  /// served although others do not.
  ///
  /// - Returns: The key of the new answer, and the connections to drop.
  mutating func insert(
    _ bytes: Int, for recipient: Recipient, on connection: Connection
  ) -> (key: Int, dropped: [Connection]) {
    var dropped: [Connection] = []
    while let key = obstacle(to: bytes, for: recipient),
      let answer = answers.removeValue(forKey: key)
    {
      dropped.append(answer.connection)
    }
    changes += 1
    answers[changes] = Answer(
      recipient: recipient, bytes: bytes, connection: connection, progress: changes)
    return (changes, dropped)
  }

  /// Records that the client has taken a part of an answer.
  mutating func recordProgress(of key: Int) {
    changes += 1
    answers[key]?.progress = changes
  }

  /// Removes an answer that is written, or whose connection is closed.
  mutating func remove(_ key: Int) { answers[key] = nil }

  /// Returns the answer that has to give way to a new one; `nil` if there is room, or nothing to remove.
  private func obstacle(to bytes: Int, for recipient: Recipient) -> Int? {
    let own = answers.filter { $0.value.recipient == recipient }
    if !recipient.isStranger, total(own) + bytes > limits.ofOneUser, let answer = mostStalled(own) {
      return answer
    }
    let strangers = answers.filter { $0.value.recipient.isStranger }
    if recipient.isStranger, total(strangers) + bytes > limits.ofStrangers,
      let answer = mostStalled(largestShare(of: strangers))
    {
      return answer
    }
    // A single answer may be larger than a user's share, but all together have their bound.
    if total(answers) + bytes > limits.ofAll { return mostStalled(largestShare(of: answers)) }
    return nil
  }

  private func total(_ answers: [Int: Answer]) -> Int {
    answers.values.reduce(0) { $0 + $1.bytes }
  }

  /// The answers of the recipient who has the most bytes among them.
  private func largestShare(of answers: [Int: Answer]) -> [Int: Answer] {
    var shares: [Recipient: Int] = [:]
    for answer in answers.values { shares[answer.recipient, default: 0] += answer.bytes }
    let largest = shares.max { $0.value < $1.value }?.key
    return answers.filter { $0.value.recipient == largest }
  }

  private func mostStalled(_ answers: [Int: Answer]) -> Int? {
    answers.min { $0.value.progress < $1.value.progress }?.key
  }
}

/// The bounds of unread answers, in bytes.
package struct UnreadAnswerLimits: Sendable, Hashable {
  /// For an account or guest pass.
  package var ofOneUser = 8 << 20
  /// For all clients without a session together.
  package var ofStrangers = 8 << 20
  /// For all clients.
  package var ofAll = 32 << 20

  /// The limits of docs/security.md.
  package static let standard = UnreadAnswerLimits()

  package init() {}
}
