import Platform

/// An event stream that is opened again after it was lost: where it continues, and when. Without I/O.
struct ReopenedStream: Sendable, Hashable {
  /// The last event that was used; the stream continues after it.
  var lastEvent: String?
  /// Whether no further event is wanted.
  var hasEnough = false
  private var delay = RetryDelay(from: .milliseconds(500), upTo: .seconds(15))
  /// The start of the open stream; `nil` while it is lost.
  private var openedAt: Duration?
  /// When a stream was open the last time.
  private var lastOpenAt: Duration
  /// Whether the stream is lost, and was already when the last attempt began.
  private var isLost = false

  /// A loss of the stream.
  struct Loss: Sendable, Hashable {
    /// How long to wait before the stream is opened again.
    let wait: Duration
    /// Whether the stream was open before, or has never been.
    let isNew: Bool
  }

  /// The longest time without an open stream.
  static let longestLoss = Duration.seconds(600)
  /// A stream that stays open for this long ends the series of failures.
  private static let stable = Duration.seconds(10)

  init(lastEvent: String?, at now: Duration) {
    self.lastEvent = lastEvent
    lastOpenAt = now
  }

  /// Notes that the stream is open.
  ///
  /// - Returns: Whether it was lost before.
  mutating func open(at now: Duration) -> Bool {
    openedAt = now
    lastOpenAt = now
    defer { isLost = false }
    return isLost
  }

  /// Notes that the stream is lost, or could not be opened.
  ///
  /// - Returns: `nil` after `longestLoss`.
  mutating func lose(at now: Duration) -> Loss? {
    if let openedAt {
      lastOpenAt = now
      if now - openedAt >= Self.stable { delay.reset() }
    }
    openedAt = nil
    guard now - lastOpenAt < Self.longestLoss else { return nil }
    defer { isLost = true }
    return Loss(wait: delay.next(), isNew: !isLost)
  }
}

/// Lines about the connection of a stream, beside the output of its command.
enum ConnectionLines {
  /// Writes a line to standard error.
  ///
  /// - Parameter reason: Why the stream is lost; `nil` when it is open again.
  static func write(_ reason: String?) async { Console.writeErrorLine(text(reason)) }

  static func text(_ reason: String?) -> String {
    reason.map { "the connection is lost (\($0)); trying again" } ?? "connected again"
  }
}
