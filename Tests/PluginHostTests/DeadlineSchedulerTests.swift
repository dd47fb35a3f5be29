import Platform
import PluginHost
import Synchronization
import TestSupport
import Testing

@Suite("DeadlineScheduler")
struct DeadlineSchedulerTests {
  /// Records the calls of a client, and lets a test wait for the next.
  private final class CallRecorder: Sendable {
    private let calls: AsyncStream<Duration>
    private let call: AsyncStream<Duration>.Continuation
    init() { (calls, call) = AsyncStream.makeStream() }
    func record(_ now: Duration) { call.yield(now) }
    func next() async -> Duration? {
      for await now in calls { return now }
      return nil
    }
  }

  @Test("Calls each client once, at its earliest deadline")
  func order() async {
    let clock = ManualClock()
    let scheduler = DeadlineScheduler(clock: clock)
    let recorder = CallRecorder()
    let key = scheduler.add { recorder.record(clock.now()) }
    scheduler.schedule(key, at: .seconds(5))
    await clock.waitForSleepers()
    scheduler.schedule(key, at: .seconds(2))
    scheduler.schedule(key, at: .seconds(9))
    clock.advance(by: .seconds(2))
    #expect(await recorder.next() == .seconds(2))
    // The call at the earliest time drops the later ones; the client must request another call.
    scheduler.schedule(key, at: .seconds(20))
    clock.advance(by: .seconds(18))
    #expect(await recorder.next() == .seconds(20))
    await scheduler.stop()
  }

  /// A clock whose sleepers wake a little too early, as rounding can make them.
  private struct HastyClock: TheaterClock {
    let clock = SystemClock()
    func now() -> Duration { clock.now() }
    func sleep(until deadline: Duration) async throws(CancellationError) {
      try await clock.sleep(until: deadline - .milliseconds(2))
    }
  }

  @Test("Calls no client before its deadline when the clock wakes too early")
  func hasty() async throws {
    let clock = HastyClock()
    let scheduler = DeadlineScheduler(clock: clock)
    let recorder = CallRecorder()
    let key = scheduler.add { recorder.record(clock.now()) }
    let due = clock.now() + .milliseconds(20)
    scheduler.schedule(key, at: due)
    let woken = try #require(await recorder.next())
    #expect(woken >= due)
    await scheduler.stop()
  }
}
