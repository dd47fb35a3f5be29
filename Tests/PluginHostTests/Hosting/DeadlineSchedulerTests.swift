import Devices
import PluginHost
import Synchronization
import TestSupport
import Testing

@Suite("DeadlineScheduler")
struct DeadlineSchedulerTests {
  /// Counts who was woken, and lets a test wait for it.
  private final class Bell: Sendable {
    private let rings: AsyncStream<Duration>
    private let ring: AsyncStream<Duration>.Continuation
    init() { (rings, ring) = AsyncStream.makeStream() }
    func strike(_ now: Duration) { ring.yield(now) }
    func next() async -> Duration? {
      for await now in rings { return now }
      return nil
    }
  }

  @Test("Each is woken at its earliest time, once")
  func order() async throws {
    let clock = ManualClock()
    let timetable = DeadlineScheduler(clock: clock)
    try await withThrowingDiscardingTaskGroup { group in
      group.addTask { await timetable.run() }
      let bell = Bell()
      let key = timetable.add { bell.strike(clock.now()) }
      timetable.wake(key, at: .seconds(5))
      await clock.waitForSleepers()
      timetable.wake(key, at: .seconds(2))
      timetable.wake(key, at: .seconds(9))
      await clock.waitForSleepers(2)
      clock.advance(by: .seconds(2))
      #expect(await bell.next() == .seconds(2))
      // The later times were not needed: who wants them asks again.
      timetable.wake(key, at: .seconds(20))
      clock.advance(by: .seconds(18))
      #expect(await bell.next() == .seconds(20))
      group.cancelAll()
    }
  }

  /// A clock whose sleepers wake a little too early, as rounding can make them.
  private struct HastyClock: TheaterClock {
    let clock = SystemClock()
    func now() -> Duration { clock.now() }
    func sleep(until deadline: Duration) async throws(CancellationError) {
      try await clock.sleep(until: deadline - .milliseconds(2))
    }
  }

  @Test("A clock that wakes too early does not make anyone miss its time")
  func hasty() async throws {
    let clock = HastyClock()
    let timetable = DeadlineScheduler(clock: clock)
    try await withThrowingDiscardingTaskGroup { group in
      group.addTask { await timetable.run() }
      let bell = Bell()
      let key = timetable.add { bell.strike(clock.now()) }
      let due = clock.now() + .milliseconds(20)
      timetable.wake(key, at: due)
      let woken = try #require(await bell.next())
      #expect(woken >= due)
      group.cancelAll()
    }
  }
}
