import HTTPTypes
import Hummingbird
import HummingbirdCore
import NIOCore
import Synchronization

/// Bounds the bytes of answers that clients have not read yet: of one user, of all strangers together, and of all.
///
/// An answer counts with the bytes that the controller holds for it until the system has taken the last of them. When
/// there is no room for another one, the connections are dropped that have taken nothing for longest.
package final class UnreadAnswerLimiter: Sendable {
  typealias Recipient = UnreadAnswers<any Channel>.Recipient

  /// Answers of at most this size are not counted: a connection has one at a time.
  static let smallest = 16 * 1024
  /// The size of the parts in which an answer is written, in bytes.
  static let part = 32 * 1024
  /// The bytes that are held for an answer whose text is made part by part: a part, and what the connection buffers.
  static let held = 3 * part

  /// The room of one answer; released when it is deallocated.
  final class Share: Sendable {
    private let limiter: UnreadAnswerLimiter
    private let key: Int

    fileprivate init(_ limiter: UnreadAnswerLimiter, _ key: Int) {
      self.limiter = limiter
      self.key = key
    }

    deinit { limiter.answers.withLock { $0.remove(key) } }

    /// Records that the client has taken a part of the answer.
    func recordProgress() { limiter.answers.withLock { $0.recordProgress(of: key) } }
  }

  private let answers: Mutex<UnreadAnswers<any Channel>>

  package init(_ limits: UnreadAnswerLimits = .standard) {
    answers = Mutex(UnreadAnswers(limits))
  }

  /// The bytes that are held for unread answers.
  package var bytes: Int { answers.withLock { $0.bytes } }

  /// Counts an answer, and drops the connections that have to give way to it.
  ///
  /// - Returns: Its room; `nil` for a small answer, which is not counted.
  func count(_ bytes: Int, for recipient: Recipient, on channel: any Channel) -> Share? {
    guard bytes > Self.smallest else { return nil }
    let (key, dropped) = answers.withLock { $0.insert(bytes, for: recipient, on: channel) }
    for channel in dropped { channel.triggerUserOutboundEvent(ConnectionDrop(), promise: nil) }
    return Share(self, key)
  }
}

extension UnreadAnswers.Recipient {
  /// The client of a connection without a session.
  static func stranger(on channel: any Channel) -> Self {
    .stranger(channel.remoteAddress?.connectionSource)
  }
}

extension Response {
  /// This answer, counted while it is written. It is written in parts, each when the client has taken what came before,
  /// so that a connection buffers little of it, encrypted or not.
  func counted(
    by limiter: UnreadAnswerLimiter, for recipient: UnreadAnswerLimiter.Recipient,
    on channel: any Channel
  ) -> Response {
    let body = body
    let length = body.contentLength
    let bytes = length ?? UnreadAnswerLimiter.held
    guard bytes > UnreadAnswerLimiter.smallest else { return self }
    var response = self
    response.body = ResponseBody(contentLength: length) { writer in
      let share = limiter.count(bytes, for: recipient, on: channel)
      try await body.write(PartWriter(writer: writer, share: share))
    }
    return response
  }
}

/// Writes a body in parts. Each write waits until the connection takes more.
private struct PartWriter: ResponseBodyWriter {
  var writer: any ResponseBodyWriter
  let share: UnreadAnswerLimiter.Share?

  mutating func write(_ buffer: ByteBuffer) async throws {
    var rest = buffer
    while rest.readableBytes > 0,
      let part = rest.readSlice(length: min(rest.readableBytes, UnreadAnswerLimiter.part))
    {
      try await writer.write(part)
      share?.recordProgress()
    }
  }

  consuming func finish(_ trailingHeaders: HTTPFields?) async throws {
    try await writer.finish(trailingHeaders)
  }
}
