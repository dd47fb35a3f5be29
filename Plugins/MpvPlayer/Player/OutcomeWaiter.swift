import Platform

/// The wait for the outcomes of one opening (`loaded` and another one) or for the outcome of one seek.
struct OutcomeWaiter: Sendable {
  private let stream: AsyncStream<MpvEntry.Outcome>
  private let continuation: AsyncStream<MpvEntry.Outcome>.Continuation

  init() {
    (stream, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(2))
  }

  /// Passes an outcome to the opening or seek that waits.
  func deliver(_ outcome: MpvEntry.Outcome) { continuation.yield(outcome) }

  /// Ends the wait without an outcome.
  func cancel() { continuation.finish() }

  /// Waits for the next outcome. Returns `failed` if none comes within `limit`, after `cancel`, and in a cancelled
  /// task.
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
