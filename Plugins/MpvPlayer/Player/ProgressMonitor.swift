import Platform

/// Finds the faults of an mpv that answers, but does not play: a position that stands still, or a lost sound output.
///
/// After the end of a sound server, mpv keeps its output and waits for it for ever. After the loss of a sound card, it
/// plays on silently.
struct ProgressMonitor: Sendable {
  /// The time for which a position may stay the same while a medium plays.
  static let limit = Duration.seconds(2)
  /// The limit of a medium without sound, whose position changes only with its next frame.
  static let limitWithoutSound = Duration.seconds(10)
  /// The fewest equal answers: after a moment in which the whole machine stood still, one answer is not enough.
  private static let fewestAnswers = 4

  private var seconds: Double?
  private var since = Duration.zero
  private var answers = 0
  private var answersWithoutOutput = 0

  /// Takes an answer of mpv while a medium plays and mpv does not wait for data. Returns the fault, if there is one.
  ///
  /// - Parameters:
  ///   - seconds: The position.
  ///   - hasOutput: Whether mpv has a sound output.
  mutating func fault(
    at seconds: Double?, hasSound: Bool, hasOutput: Bool, now: Duration
  ) -> String? {
    answersWithoutOutput = hasSound && !hasOutput ? answersWithoutOutput + 1 : 0
    // An output that changes its format is closed for a moment.
    if answersWithoutOutput > 1 { return "mpv lost its sound output" }
    guard let seconds, seconds == self.seconds else {
      (self.seconds, since, answers) = (seconds, now, 1)
      return nil
    }
    answers += 1
    let limit = hasSound ? Self.limit : Self.limitWithoutSound
    guard answers >= Self.fewestAnswers, now - since >= limit else { return nil }
    return "mpv stands still, because its output hangs"
  }

  /// Begins anew, because the medium is paused, waits for data or seeks, or mpv has ended.
  mutating func reset() { self = ProgressMonitor() }
}
