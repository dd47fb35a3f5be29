/// The wait before the next contact with a device or server that does not answer: a second at first, doubling
/// up to a minute, moved by up to a fifth at random.
package struct ReconnectDelay: Sendable {
  /// The wait after the first failure, before jitter.
  package static let shortest = Duration.seconds(1)
  /// No wait is longer, jitter included.
  package static let longest = Duration.seconds(60)
  private static let spread = 0.2

  /// Failures in a row.
  package private(set) var failures = 0

  package init() {}

  /// Returns the wait after one more failure.
  ///
  /// - Parameter random: 0 to 1, evenly spread.
  package mutating func next(random: Double) -> Duration {
    let doubled = min(Self.longest, Self.shortest * (1 << min(failures, 6)))
    failures += 1
    return min(Self.longest, doubled * (1 + Self.spread * (2 * random - 1)))
  }

  /// Begins again with the shortest wait.
  package mutating func reset() { failures = 0 }
}
