import Platform

/// The progress of the opening of a medium.
struct FilmOpening: Sendable {
  /// The present step. From `requested` on, each one says whether mpv was told to begin paused.
  enum Step: Equatable, Sendable {
    /// mpv crashed or hung; the medium is opened again at this time.
    case waiting(until: Duration)
    case requested(isPaused: Bool)
    /// mpv leaves the medium before, until this time at most. To close a file on a dead disk or share, it waits for
    /// that, but answers meanwhile.
    case replacing(isPaused: Bool, until: Duration)
    /// mpv reads the medium, until this time at most.
    case loading(isPaused: Bool, until: Duration)
    case readingFacts(isPaused: Bool)
    /// mpv begins to play the medium, until this time at most.
    case starting(isPaused: Bool, until: Duration)
    case checking(isPaused: Bool)
    case settling(isPaused: Bool)
  }

  var start: FilmModel.Start
  var step = Step.requested(isPaused: false)
  /// Until when a display that is gone is waited for; nil for a film that has not played yet.
  var displayDeadline: Duration?

  init(_ start: FilmModel.Start) { self.start = start }

  /// The end of the present step; nil for a step whose request always gets an answer.
  var deadline: Duration? {
    switch step {
    case .waiting(let time), .replacing(_, let time), .loading(_, let time), .starting(_, let time):
      time
    case .requested, .readingFacts, .checking, .settling: nil
    }
  }

  /// Whether mpv is asked for the position, to detect a hang.
  var isPolled: Bool {
    switch step {
    case .loading, .starting: true
    default: false
    }
  }

  /// Whether mpv was told to begin paused.
  var isPausedInProcess: Bool {
    switch step {
    case .waiting: false
    case .requested(let isPaused), .replacing(let isPaused, _), .loading(let isPaused, _),
      .readingFacts(let isPaused),
      .starting(let isPaused, _), .checking(let isPaused), .settling(let isPaused):
      isPaused
    }
  }
}
