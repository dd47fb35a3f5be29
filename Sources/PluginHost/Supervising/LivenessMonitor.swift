import Devices

/// Decides whether a process still answers. Any line proves it; a silent process is pinged.
struct LivenessMonitor: Sendable {
  /// The next action.
  enum Verdict: Equatable {
    case ping(next: Duration)
    case wait(next: Duration)
    case lost
  }

  /// An answer that comes within this time counts from its ping: one wake-up a ping is enough.
  private static let quickAnswer = Duration.milliseconds(500)

  private var quietSince: Duration
  private var pingSent: Duration?
  private var misses = 0

  init(from now: Duration = .zero) { quietSince = now }

  /// Returns the next action at `now`.
  ///
  /// - Parameters:
  ///   - lastLine: When the last line came.
  ///   - hasOpenRequests: Whether a request other than a ping waits for its answer. It has its own
  ///     deadline, so no ping is needed meanwhile.
  mutating func check(lastLine: Duration, hasOpenRequests: Bool, at now: Duration) -> Verdict {
    let interval = Supervision.Limits.pingInterval
    if hasOpenRequests || lastLine > quietSince {
      quietSince = hasOpenRequests ? now : lastLine
      if let sent = pingSent, lastLine - sent < Self.quickAnswer {
        quietSince = min(quietSince, sent)
      }
      pingSent = nil
      misses = 0
    }
    if let sent = pingSent {
      guard now - sent >= interval else { return .wait(next: Self.nextCheck(sent + interval)) }
      misses += 1
      if misses >= Supervision.Limits.missedPings { return .lost }
    } else if now - quietSince < interval {
      return .wait(next: Self.nextCheck(quietSince + interval))
    }
    pingSent = now
    return .ping(next: Self.nextCheck(now + interval))
  }

  /// The first whole second of the clock from `time` on, so that one wake-up serves all plugins.
  private static func nextCheck(_ time: Duration) -> Duration {
    let (seconds, attoseconds) = time.components
    return .seconds(attoseconds > 0 ? seconds + 1 : seconds)
  }
}
