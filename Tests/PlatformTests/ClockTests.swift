import Platform
import Synchronization
import TestSupport
import Testing

@Suite("Clocks", .timeLimit(.minutes(5)))
struct ManualClockTests {
  private final class Woken: Sendable {
    private let seconds = Mutex<[Int]>([])
    var all: [Int] { seconds.withLock { $0 } }
    func add(_ second: Int) { seconds.withLock { $0.append(second) } }
  }

  @Test("a manual clock stands still until it is advanced, then wakes each sleeper that is due")
  func moves() async throws {
    let clock = ManualClock()
    let woken = Woken()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for second in [3, 1, 2] {
        group.addTask {
          try await clock.sleep(until: .seconds(second))
          woken.add(second)
        }
      }
      await clock.waitForSleepers(3)
      #expect(woken.all == [])
      clock.advance(by: .seconds(1))
      _ = try await group.next()
      #expect(woken.all == [1])
      clock.advance(by: .seconds(2))
      try await group.waitForAll()
      #expect(Set(woken.all) == [1, 2, 3])
      #expect(clock.now() == .seconds(3))
    }
  }

  @Test("a sleep until a past time returns at once, and a cancelled sleeper throws")
  func cancels() async throws {
    let clock = ManualClock()
    clock.advance(by: .seconds(5))
    try await clock.sleep(until: .seconds(5))
    await withTaskGroup(of: Bool.self) { group in
      group.addTask {
        do {
          try await clock.sleep(until: .seconds(100))
          return false
        } catch {
          return true
        }
      }
      await clock.waitForSleepers()
      group.cancelAll()
      #expect(await group.next() == true)
    }
  }

  @Test("the machine's clock never goes back and sleeps at least as long as asked")
  func systemClock() async throws {
    let clock = SystemClock()
    let start = clock.now()
    try await clock.sleep(until: start + .milliseconds(5))
    #expect(clock.now() - start >= .milliseconds(5))
    try await clock.sleep(until: start)
  }
}
