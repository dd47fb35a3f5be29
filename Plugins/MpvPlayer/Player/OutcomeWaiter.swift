import Platform

/// Waits for the outcomes of one opening (first `loaded`, then another one) or of one seek.
struct OutcomeWaiter: Sendable {
  private let stream: AsyncStream<MpvEntry.Outcome>
  private let continuation: AsyncStream<MpvEntry.Outcome>.Continuation

  init() {
    (stream, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(2))
  }

  /// Gives an outcome to the opening or seek that waits.
  func take(_ outcome: MpvEntry.Outcome) { continuation.yield(outcome) }

  /// Ends the wait without an outcome.
  func cancel() { continuation.finish() }

  /// Waits for the next outcome. Without one in time mpv counts as hung.
  func outcome(within limit: Duration, on clock: any TheaterClock) async -> MpvEntry.Outcome {
    let deadline = clock.now() + limit
    let timer = Task {
      if (try? await clock.sleep(until: deadline)) != nil { continuation.finish() }
    }
    defer { timer.cancel() }
    for await outcome in stream { return outcome }
    return .failed("it did not begin to play within \(Int(limit / .seconds(1))) s")
  }
}
