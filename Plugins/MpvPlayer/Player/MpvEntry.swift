import JSON

/// The state of the medium that mpv has loaded or is loading, according to mpv's events.
struct MpvEntry: Equatable, Sendable {
  /// What an event changes.
  enum Change: Equatable, Sendable {
    /// mpv begins to open the medium.
    case begun
    /// mpv has read the medium's metadata, but does not play it yet.
    case loaded
    /// The medium begins to play, or goes on after a seek.
    case playing
    case ended
    /// The text says what failed.
    case failed(String)
    /// Whether mpv waits for data.
    case stalled(Bool)
    case chapter
  }

  /// Whether mpv has read the metadata of the medium.
  private(set) var isLoaded = false
  /// Whether the medium has begun to play since the last opening or seek.
  private(set) var isPlaying = false
  /// Whether the medium has ended.
  private(set) var hasEnded = false
  /// The reason why mpv gave up the medium; nil while it has not.
  private(set) var failure: String?
  /// mpv's number of the loaded medium (`playlist_entry_id`); nil without one. Each medium of a process gets a higher
  /// number.
  private var number: Int?
  /// The highest number of the earlier media. mpv's late events about them are ignored.
  private var lastNumber = 0
  /// The beginning of mpv's log since the last opening, and its last line: together at most 402 characters.
  private var log: String?
  /// The last error of mpv's log about reading the medium since the data last went on; nil without one.
  private(set) var readError: String?

  /// Whether mpv waits for data of the medium.
  private(set) var isStalled = false
  /// Whether mpv has opened a sound output.
  private(set) var hasSoundOutput = false
  /// Whether mpv has closed the video output that it had opened for the medium, as when the display is gone.
  private(set) var hasLostVideoOutput = false
  private var hasVideoOutput = false

  /// The highest number of the media that mpv has begun to open.
  private var begunNumber = 0

  /// Whether mpv has left the medium before, and begun to open this one.
  var hasBegun: Bool {
    isLoaded || hasEnded || failure != nil || number.map { begunNumber >= $0 } != false
  }

  /// mpv's log in parentheses, to append to a message; empty without log lines.
  var logText: String { log.map { " (\($0))" } ?? "" }

  /// The reason of the failure of a film for which mpv could not open a video output.
  var noPicture: String {
    "the picture cannot be shown: no video output could be opened\(logText). See the options \"display\" "
      + "and \"videoOutput\""
  }

  /// Whether mpv holds a medium that it has loaded.
  var isHeld: Bool { number != nil }

  /// Prepares for another medium: events of the one before are ignored from now on.
  mutating func beginOpening() {
    unload()
    (isLoaded, isPlaying, hasEnded) = (false, false, false)
    (failure, log, readError) = (nil, nil, nil)
    hasLostVideoOutput = false
  }

  /// Prepares for a seek, after which the medium begins to play again.
  mutating func beginSeek() { isPlaying = false }

  /// Stores mpv's number of the medium that it loads.
  mutating func load(_ number: Int?) { self.number = number }

  /// Stores mpv's number of a medium that a newer opening has replaced.
  mutating func ignore(_ number: Int?) { lastNumber = max(lastNumber, number ?? 0) }

  /// Removes the medium, because it has ended, has failed or was stopped.
  mutating func unload() {
    ignore(number)
    number = nil
  }

  /// Forgets the last error of reading, because data came after it.
  mutating func clearReadError() { readError = nil }

  /// Handles an event of mpv. Returns what it changes; nil for nothing.
  mutating func handle(_ event: MpvEvent) -> Change? {
    switch event {
    case .startFile(let begun):
      begunNumber = max(begunNumber, begun ?? 0)
      return .begun
    case .fileLoaded:
      isLoaded = true
      return .loaded
    case .playbackRestart:
      isPlaying = true
      return .playing
    case .endFile(let ended, let reason, let error):
      if let ended, ended <= lastNumber { return nil }
      switch reason {
      case .eof:
        hasEnded = true
        return .ended
      case .error:
        let reason = error.isEmpty ? "mpv cannot play it" : error
        let isVideoOutput = log?.contains("video_out") == true
        let text = isVideoOutput ? noPicture : "it cannot be played: \(reason)\(logText)"
        failure = text
        return .failed(text)
      case .stop, .quit, .redirect, .unknown: break
      }
    case .propertyChange("paused-for-cache", let value):
      isStalled = value.bool == true
      return .stalled(isStalled)
    case .propertyChange("current-ao", let value): hasSoundOutput = value.string != nil
    case .propertyChange("current-vo", let value):
      hasLostVideoOutput = hasVideoOutput && value.string == nil
      hasVideoOutput = value.string != nil
    case .propertyChange("chapter", _): return .chapter
    case .log(let text):
      log = log.map { "\($0.prefix(200)); \(text)" } ?? text
      if ReadErrors.contains(text) { readError = text }
    case .propertyChange, .other: break
    }
    return nil
  }
}

/// The lines of mpv's log that say that a medium could not be read to its end.
///
/// Other errors of demuxers and decoders are frequent in films that are whole, such as recordings of television.
enum ReadErrors {
  private static let texts = [
    "ends prematurely", "partial file", "input/output error", "i/o error", "error reading",
    "read error", "connection reset", "connection refused", "connection timed out",
    "network is unreachable", "no route to host", "host is unreachable", "stale file handle",
    "transport endpoint is not connected", "http error 5",
  ]

  /// Returns whether a line is such an error.
  static func contains(_ line: String) -> Bool {
    let line = line.lowercased()
    return texts.contains { line.contains($0) }
  }
}
