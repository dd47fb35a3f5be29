import JSON

/// The state of the medium that mpv has loaded or is loading, according to mpv's events.
///
/// While an opening or a seek waits, an event is its outcome. Otherwise the event is a change, which the player must
/// handle.
struct MpvEntry: Sendable {
  /// The outcome of an opening or a seek.
  enum Outcome: Sendable {
    /// mpv has read the medium's metadata, but does not play it yet.
    case loaded
    case playing
    case ended
    /// The text says what failed.
    case failed(String)
    /// mpv has crashed, or was killed because it did not answer.
    case died
  }

  /// A change for which no opening and no seek waits.
  enum Change: Equatable, Sendable {
    case ended
    case failed(String)
    /// Whether mpv waits for data.
    case stalled(Bool)
    case chapter
  }

  /// Whether the medium ended before its opening was complete, because it began shortly before its end.
  private(set) var hasEndedEarly = false
  /// mpv's number of the loaded medium (`playlist_entry_id`); nil without one. Each medium of a process gets a higher
  /// number.
  private var number: Int?
  /// The highest number of the earlier media. mpv's late events about them are ignored.
  private var lastNumber = 0
  private var waiter: OutcomeWaiter?
  /// The beginning of mpv's log since the last opening, and its last line: together at most 402 characters.
  private var log: String?

  /// Whether mpv waits for data of the medium.
  private(set) var isStalled = false
  /// Whether mpv has opened a sound output.
  private(set) var hasSoundOutput = false

  /// Whether mpv holds a medium.
  var isLoaded: Bool { number != nil }

  /// mpv's log in parentheses, to append to a message; empty without log lines.
  var logText: String { log.map { " (\($0))" } ?? "" }

  /// The reason of the failure of a film for which mpv could not open a video output.
  var noPicture: String {
    "the picture cannot be shown: no video output could be opened\(logText). See the options \"display\" "
      + "and \"videoOutput\""
  }

  /// Prepares for another medium: events of the one before are ignored from now on.
  mutating func beginOpening() {
    unload()
    log = nil
    hasEndedEarly = false
  }

  /// Stores mpv's number of the medium that it loads.
  mutating func load(_ number: Int?) { self.number = number }

  /// Removes the medium, because it has ended, has failed or was stopped.
  mutating func unload() {
    lastNumber = max(lastNumber, number ?? 0)
    number = nil
  }

  /// Returns a waiter, which gets the next outcome. It replaces an earlier waiter.
  mutating func expectOutcome() -> OutcomeWaiter {
    let new = OutcomeWaiter()
    waiter = new
    return new
  }

  /// Removes the waiter: later events are changes.
  mutating func endWaiting() { waiter = nil }

  /// Ends the wait of an opening or a seek, because of a stop.
  func cancelWaiting() { waiter?.cancel() }

  /// Handles the end of the process. An opening or a seek that waits gets the outcome `died`.
  ///
  /// - Returns: Whether an opening or a seek waited. If not, the player must recover.
  mutating func processEnded() -> Bool {
    number = nil
    guard let waiter else { return false }
    waiter.deliver(.died)
    return true
  }

  /// Handles an event of mpv.
  ///
  /// - Parameter isOpening: Whether the player's state is `opening`.
  /// - Returns: The change for the player; nil for an event that was an outcome, or that changes nothing.
  mutating func handle(_ event: MpvEvent, isOpening: Bool) -> Change? {
    switch event {
    case .fileLoaded:
      waiter?.deliver(.loaded)
    case .playbackRestart:
      waiter?.deliver(.playing)
      // The task of the opening or seek may run only later. An end before that is a change, not its outcome.
      waiter = nil
    case .endFile(let ended, let reason, let error):
      if let ended, ended <= lastNumber { return nil }
      switch reason {
      case .eof: return handleEnd(isOpening: isOpening)
      case .error: return handleFailure(error)
      case .stop, .quit, .redirect, .unknown: break
      }
    case .propertyChange("paused-for-cache", let value):
      isStalled = value.bool == true
      return .stalled(isStalled)
    case .propertyChange("current-ao", let value): hasSoundOutput = value.string != nil
    case .propertyChange("chapter", _): return .chapter
    case .log(let text): log = log.map { "\($0.prefix(200)); \(text)" } ?? text
    case .startFile, .propertyChange, .other: break
    }
    return nil
  }

  private mutating func handleEnd(isOpening: Bool) -> Change? {
    hasEndedEarly = isOpening
    guard let waiter else { return .ended }
    waiter.deliver(.ended)
    return nil
  }

  private func handleFailure(_ error: String) -> Change? {
    let reason = error.isEmpty ? "mpv cannot play it" : error
    let isVideoOutput = log?.contains("video_out") == true
    let text = isVideoOutput ? noPicture : "it cannot be played: \(reason)\(logText)"
    guard let waiter else { return .failed(text) }
    waiter.deliver(.failed(text))
    return nil
  }
}
