/// A decision for each piece of a station's sound: play it, or gather it until there is enough.
///
/// A station that delivers more slowly than it plays would be heard in shreds. So after each break its sound is
/// gathered, each time for longer, before it is played again. Times are in nanoseconds.
struct GatheringPolicy {
  /// The sound that is gathered after the first break, and the most after any.
  static let shortest: Int64 = 2_000_000_000
  static let longest: Int64 = 16_000_000_000
  /// The time without a break after which the next one counts as the first.
  static let calm: Int64 = 120_000_000_000
  /// The remaining sound from which on it is known better than by counting.
  private static let certain: Int64 = 300_000_000

  /// The number of breaks so far.
  private(set) var breaks = 0
  /// When all played sound will have been heard, as far as it is known; nil before the first sound.
  private var end: Int64?
  private var goal = shortest
  private var lastBreak: Int64?
  /// The gathered sound; nil while sound is played at once.
  private var gathered: Int64?

  /// Adds a piece of sound that has arrived.
  ///
  /// - Parameters:
  ///   - length: The length of the piece.
  ///   - remaining: The length of the sound that was played and is not heard yet.
  /// - Returns: Whether to play it now, with all that was gathered before.
  mutating func add(_ length: Int64, remaining: Int64, now: Int64) -> Bool {
    if gathered == nil, let end, remaining == 0, now > end { beginGathering(at: now) }
    if let sum = gathered {
      gathered = sum + length
      guard sum + length >= goal else { return false }
      gathered = nil
      end = now + sum + length
      return true
    }
    // An amplifier may take sound faster than it plays it, so that none seems to remain.
    let known = remaining >= Self.certain ? now + remaining : max(end ?? now, now)
    end = known + length
    return true
  }

  private mutating func beginGathering(at now: Int64) {
    let isFirst = lastBreak.map { now - $0 > Self.calm } ?? true
    goal = isFirst ? Self.shortest : min(goal * 2, Self.longest)
    lastBreak = now
    gathered = 0
    breaks += 1
  }
}
