/// The wait before the next attempt after a failure. It doubles with each failure, and varies by up to a
/// fifth at random, so that operations that failed together are not retried together.
package struct RetryDelay: Sendable, Hashable {
  /// The wait after the first failure, before the random part.
  package let shortest: Duration
  /// The longest wait, including the random part.
  package let longest: Duration
  private static let spread = 0.2

  /// Failures since the last success.
  package private(set) var failures = 0

  package init(from shortest: Duration = .milliseconds(500), upTo longest: Duration = .seconds(60))
  {
    self.shortest = shortest
    self.longest = longest
  }

  /// Returns the wait after one more failure.
  ///
  /// - Parameter random: 0 to 1, evenly spread.
  package mutating func next(random: Double = .random(in: 0...1)) -> Duration {
    let doubled = min(longest, shortest * (1 << min(failures, 16)))
    failures += 1
    return min(longest, doubled * (1 + Self.spread * (2 * random - 1)))
  }

  /// Begins again with the shortest wait.
  package mutating func reset() { failures = 0 }
}
