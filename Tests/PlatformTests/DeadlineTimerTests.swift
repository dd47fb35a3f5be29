import Platform
import Synchronization
import TestSupport
import Testing

@Suite("DeadlineTimer")
struct DeadlineTimerTests {
  /// Records the times of the calls, and asks for the next one.
  private final class Recorder: Sendable {
    let times = Mutex<[Duration]>([])
    let next = Mutex<Duration?>(nil)

    func tick(_ now: Duration) -> Duration? {
      times.withLock { $0.append(now) }
      return next.withLock { $0.take() }
    }
    func hasCalls(_ count: Int) async -> Bool {
      await eventually { times.withLock { $0.count } == count }
    }
  }

  private let clock = ManualClock()
  private let recorder = Recorder()
  private let timer: DeadlineTimer

  init() { timer = DeadlineTimer(clock) }

  @Test("calls at once, at the time that a call asks for, and then not until it is woken")
  func calls() async {
    recorder.next.withLock { $0 = .seconds(5) }
    timer.start { [recorder] in recorder.tick($0) }
    await clock.waitForSleepers()
    clock.advance(by: .seconds(5))
    #expect(await recorder.hasCalls(2))
    #expect(await eventually { clock.sleeperCount == 0 })
    timer.wake()
    #expect(await recorder.hasCalls(3))
    #expect(recorder.times.withLock(\.self) == [.zero, .seconds(5), .seconds(5)])
    await timer.stop()
  }

  @Test("an earlier time replaces a later one, a later time changes nothing")
  func earlierTime() async {
    timer.start(at: nil) { [recorder] in recorder.tick($0) }
    timer.wake(at: .seconds(9))
    await clock.waitForSleepers()
    timer.wake(at: .seconds(3))
    timer.wake(at: .seconds(20))
    #expect(await eventually { clock.timeToNextDeadline == .seconds(3) })
    #expect(clock.sleeperCount == 1)
    clock.advance(by: .seconds(3))
    #expect(await recorder.hasCalls(1))
    #expect(await eventually { clock.sleeperCount == 0 })
    clock.advance(by: .seconds(30))
    #expect(recorder.times.withLock(\.self) == [.seconds(3)])
    await timer.stop()
  }

  @Test("keeps a time that it is given during a call")
  func timeDuringCall() async {
    timer.start { [recorder, timer] in
      if $0 == .zero { timer.wake(at: .seconds(2)) }
      return recorder.tick($0)
    }
    await clock.waitForSleepers()
    clock.advance(by: .seconds(2))
    #expect(await recorder.hasCalls(2))
    await timer.stop()
  }

  @Test("calls nothing after it was stopped")
  func stops() async {
    timer.start(at: .seconds(1)) { [recorder] in recorder.tick($0) }
    await clock.waitForSleepers()
    await timer.stop()
    #expect(clock.sleeperCount == 0)
    timer.wake()
    clock.advance(by: .seconds(2))
    #expect(recorder.times.withLock { $0.isEmpty })
  }

  @Test("does not begin again after it was stopped")
  func staysStopped() async {
    timer.start(at: .seconds(1)) { [recorder] in recorder.tick($0) }
    await timer.stop()
    timer.start { [recorder] in recorder.tick($0) }
    timer.wake()
    clock.advance(by: .seconds(2))
    #expect(clock.sleeperCount == 0)
    #expect(recorder.times.withLock { $0.isEmpty })
  }

  @Test("returns the keys that are due, earliest first, and the next time")
  func deadlines() {
    var deadlines = Deadlines<String>()
    for (key, seconds) in [("late", 9), ("second", 2), ("first", 1), ("gone", 1)] {
      deadlines[key] = .seconds(seconds)
    }
    deadlines.keep { $0 != "gone" }
    #expect(deadlines.next == .seconds(1))
    #expect(deadlines.removeDue(at: .seconds(2)) == ["first", "second"])
    #expect(deadlines.next == .seconds(9))
  }
}
