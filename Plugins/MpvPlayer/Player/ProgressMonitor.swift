import Platform

/// A detector for an mpv that answers, but does not play: its position stands still, or it has lost its sound output.
///
/// When a sound server ends, mpv waits for its output for ever. When a sound card is removed, mpv plays on silently.
struct ProgressMonitor: Sendable {
  /// How long the position may stay the same while a medium with sound plays.
  static let limit = Duration.seconds(2)
  /// The same for a medium without sound. Its position changes only with its next frame, which may come late.
  static let limitWithoutSound = Duration.seconds(10)
  /// The smallest number of equal answers. After the whole machine was suspended, one late answer proves no hang.
  private static let fewestAnswers = 4

  private var seconds: Double?
  private var since = Duration.zero
  private var answers = 0
  private var answersWithoutOutput = 0
  private var answersWithoutPicture = 0

  /// Evaluates an answer about the position while a medium plays and mpv does not wait for data.
  ///
  /// - Parameters:
  ///   - seconds: The position in seconds; nil if mpv reports none.
  ///   - hasSound: Whether the medium has sound.
  ///   - hasOutput: Whether mpv has a sound output.
  ///   - hasLostPicture: Whether mpv has closed its video output although the medium has a picture.
  /// - Returns: The fault as the beginning of a sentence; nil without a fault.
  mutating func fault(
    at seconds: Double?, hasSound: Bool, hasOutput: Bool, hasLostPicture: Bool = false,
    now: Duration
  ) -> String? {
    answersWithoutOutput = hasSound && !hasOutput ? answersWithoutOutput + 1 : 0
    // mpv closes its output for a moment when the format changes, so one answer without an output is no fault.
    if answersWithoutOutput > 1 { return "mpv lost its sound output" }
    answersWithoutPicture = hasLostPicture ? answersWithoutPicture + 1 : 0
    if answersWithoutPicture > 1 { return "mpv lost its display" }
    guard let seconds, seconds == self.seconds else {
      (self.seconds, since, answers) = (seconds, now, 1)
      return nil
    }
    answers += 1
    let limit = hasSound ? Self.limit : Self.limitWithoutSound
    guard answers >= Self.fewestAnswers, now - since >= limit else { return nil }
    return "mpv stands still, because its output hangs"
  }

  /// Forgets all answers, because the medium is paused, waits for data or seeks, or mpv was killed.
  mutating func reset() { self = ProgressMonitor() }
}
