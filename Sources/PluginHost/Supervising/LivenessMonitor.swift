import Devices

/// Decides whether a process still answers. Any line proves it; a silent process is pinged.
struct LivenessMonitor: Sendable {
  /// What to do next.
  enum Verdict: Equatable {
    case ping(next: Duration)
    case wait(next: Duration)
    case lost
  }

  private var quietSince: Duration
  private var pingSent: Duration?
  private var misses = 0

  init(from now: Duration = .zero) { quietSince = now }

  /// Returns what to do at `now`.
  ///
  /// - Parameters:
  ///   - lastLine: When the last line came.
  ///   - hasOpenRequests: Whether a request other than a ping waits for its answer: that one has
  ///     its own deadline, so there is nothing to ask meanwhile.
  mutating func check(lastLine: Duration, hasOpenRequests: Bool, at now: Duration) -> Verdict {
    let interval = Supervision.Limits.pingInterval
    if hasOpenRequests || lastLine > quietSince {
      quietSince = hasOpenRequests ? now : lastLine
      pingSent = nil
      misses = 0
    }
    if let sent = pingSent {
      guard now - sent >= interval else { return .wait(next: sent + interval) }
      misses += 1
      if misses >= Supervision.Limits.missedPings { return .lost }
      pingSent = now
      return .ping(next: now + interval)
    }
    guard now - quietSince >= interval else { return .wait(next: quietSince + interval) }
    pingSent = now
    return .ping(next: now + interval)
  }
}
