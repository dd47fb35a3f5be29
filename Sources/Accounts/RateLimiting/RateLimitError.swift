extension AccountError {
  /// Guessing is slowed down; the same for accounts that exist and others.
  /// - Parameter wait: until the next try counts.
  package static func tooManyTries(_ wait: Duration) -> AccountError {
    // Rounded up: who waits that long need not wait again.
    let seconds = max(1, Int((wait + .milliseconds(999)).components.seconds))
    return AccountError(
      .tooManyTries, message: "Too many tries failed.",
      hint: "Wait \(words(seconds)), then try again; a device that has logged in before need not. "
        + "At the controller's machine: `theater accounts unlock`.",
      retryAfter: seconds)
  }

  /// A wait as people say it: `a second`, `90 seconds`, `15 minutes`.
  static func words(_ seconds: Int) -> String {
    switch seconds {
    case 1: "a second"
    case ..<120: "\(seconds) seconds"
    default: "\((seconds + 59) / 60) minutes"
    }
  }
}
