import Devices

/// How long to wait before the next try: 0.5 s, doubled each time up to 60 s, spread by jitter so
/// that several plugins that fell together do not start together.
package struct Backoff: Sendable, Hashable {
  package static let shortest = Duration.milliseconds(500)
  package static let longest = Duration.seconds(60)
  /// How far jitter moves a wait, as a part of it, up or down.
  package static let spread = 0.2

  /// Tries since the last success.
  package private(set) var tries = 0

  package init() {}

  /// The wait before the next try.
  ///
  /// - Parameter random: 0 to 1, evenly spread.
  package mutating func next(random: Double) -> Duration {
    let doubled = Self.shortest * Double(1 << min(tries, 7))
    tries += 1
    let factor = 1 + Self.spread * (2 * random - 1)
    return min(min(doubled, Self.longest) * factor, Self.longest)
  }

  /// All is well again.
  package mutating func reset() { tries = 0 }
}
