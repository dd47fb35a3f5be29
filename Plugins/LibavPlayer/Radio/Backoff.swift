/// How long to wait before the next try: from half a second, doubling, to a minute.
struct Backoff: Sendable {
  /// The first wait in milliseconds.
  var first = 500
  /// The longest wait in milliseconds.
  var longest = 60_000
  /// Tries that have failed in a row.
  private(set) var failures = 0

  /// The wait after one more failure, in milliseconds, varied by a tenth so that listeners of a
  /// station that was down do not all come back at once.
  mutating func next() -> Int {
    let wait = min(longest, first << min(failures, 16))
    failures += 1
    return wait + Int.random(in: 0...(wait / 10))
  }

  /// It works again.
  mutating func reset() { failures = 0 }
}
