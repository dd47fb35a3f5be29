import JSON

/// The medium that mpv has loaded or is loading, as mpv's events tell about it.
///
/// An event is the outcome of the opening or seek that waits for one; without a waiter it is a change that the
/// player has to act on.
struct MpvEntry: Sendable {
  /// The outcome of an opening or a seek.
  enum Outcome: Sendable {
    /// mpv has read the medium's facts, but does not play it yet.
    case loaded
    case playing
    case ended
    /// The text says what mpv cannot do.
    case failed(String)
    /// mpv has crashed, or was killed because it did not answer.
    case died
  }

  /// A change that no opening and no seek waits for.
  enum Change: Equatable, Sendable {
    case ended
    case failed(String)
    /// Whether mpv waits for data.
    case stalled(Bool)
    case chapter
  }

  /// Whether the medium was over before its opening was: little of it was left.
  private(set) var hasEndedEarly = false
  /// mpv's number of the loaded medium; numbers rise while a process runs.
  private var number: Int?
  /// The highest number of a medium before.
  private var lastNumber = 0
  private var waiter: OutcomeWaiter?
  /// The lines of mpv's log since the last opening, at most 402 bytes.
  private var log: String?

  /// Whether mpv waits for data.
  private(set) var isStalled = false
  /// Whether mpv has a sound output.
  private(set) var hasSoundOutput = false

  /// Whether mpv holds a medium.
  var isLoaded: Bool { number != nil }

  /// mpv's log lines in brackets, behind a message; empty without one.
  var logText: String { log.map { " (\($0))" } ?? "" }

  /// The reason of a film whose picture cannot be seen.
  var noPicture: String {
    "the picture cannot be shown: no video output could be opened\(logText). See the options \"display\" "
      + "and \"videoOutput\""
  }

  /// Another medium is about to be loaded: events of the one before are ignored from here on.
  mutating func beginOpening() {
    unload()
    log = nil
    hasEndedEarly = false
  }

  /// Takes over mpv's number of the medium that it loads.
  mutating func load(_ number: Int?) { self.number = number }

  /// The medium is over, has failed, or was stopped.
  mutating func unload() {
    lastNumber = max(lastNumber, number ?? 0)
    number = nil
  }

  /// Returns a waiter that is given the next outcome, in place of any one before.
  mutating func expectOutcome() -> OutcomeWaiter {
    let new = OutcomeWaiter()
    waiter = new
    return new
  }

  /// From here on events are changes.
  mutating func endWaiting() { waiter = nil }

  /// A stop has come: the opening or seek waits no longer.
  func cancelWaiting() { waiter?.cancel() }

  /// The process has ended. Returns whether an opening or a seek waited; it is told.
  mutating func processEnded() -> Bool {
    number = nil
    guard let waiter else { return false }
    waiter.take(.died)
    return true
  }

  /// Takes an event of mpv.
  ///
  /// - Parameter isOpening: Whether the player's state is `opening`.
  /// - Returns: The change for the player; nil for an event that was waited for, or that changes nothing.
  mutating func take(_ event: MpvEvent, isOpening: Bool) -> Change? {
    switch event {
    case .fileLoaded:
      waiter?.take(.loaded)
    case .playbackRestart:
      waiter?.take(.playing)
      // The opening or seek may go on late: an end that comes before is a change.
      waiter = nil
    case .endFile(let ended, let reason, let error):
      if let ended, ended <= lastNumber { return nil }
      switch reason {
      case .eof: return takeEnd(isOpening: isOpening)
      case .error: return takeFailure(error)
      case .stop, .quit, .redirect, .unknown: break
      }
    case .propertyChange("paused-for-cache", let value):
      isStalled = value.bool == true
      return .stalled(isStalled)
    case .propertyChange("current-ao", let value): hasSoundOutput = value.string != nil
    case .propertyChange("chapter", _): return .chapter
    case .log(let text): log = log.map { "\($0.prefix(200)); \(text)" } ?? text
    case .propertyChange, .other: break
    }
    return nil
  }

  private mutating func takeEnd(isOpening: Bool) -> Change? {
    hasEndedEarly = isOpening
    guard let waiter else { return .ended }
    waiter.take(.ended)
    return nil
  }

  private func takeFailure(_ error: String) -> Change? {
    let reason = error.isEmpty ? "mpv cannot play it" : error
    let isVideoOutput = log?.contains("video_out") == true
    let text = isVideoOutput ? noPicture : "it cannot be played: \(reason)\(logText)"
    guard let waiter else { return .failed(text) }
    waiter.take(.failed(text))
    return nil
  }
}
