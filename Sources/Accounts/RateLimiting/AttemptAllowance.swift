/// How many wrong guesses cost no time, and how the waits grow after them.
struct AttemptAllowance: Hashable, Sendable {
  /// Guesses that may fail before there is any wait. As many may be on their way at once.
  let free: Int
  /// The longest wait. Waits end, and a guess that has to wait is not counted: nobody is locked out
  /// for good, and nobody is kept out longer by knocking.
  let longest: Duration

  /// For one account from one source.
  static let pair = AttemptAllowance(free: 5, longest: .seconds(900))
  /// For one account from everywhere: 1,440 guesses a day at most, however many sources.
  static let account = AttemptAllowance(free: 10, longest: .seconds(60))
  /// For one source at all accounts. A household may share one.
  static let source = AttemptAllowance(free: 30, longest: .seconds(60))
  /// For one account from the machine's own terminal, which no guess from elsewhere closes.
  static let terminal = AttemptAllowance(free: 50, longest: .seconds(60))
  /// For a device that has logged in before; then it counts as any other.
  static let device = AttemptAllowance(free: 5, longest: .zero)

  /// How long to wait after so many failures: 1 s after the last free one, then twice as long each
  /// time.
  func wait(after failures: Int) -> Duration {
    guard failures >= free else { return .zero }
    // Beyond 2³² seconds every `longest` is reached.
    return min(longest, .seconds(Int64(1) << min(32, failures - free)))
  }
}
