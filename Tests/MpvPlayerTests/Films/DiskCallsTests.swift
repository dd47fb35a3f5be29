import Foundation
import MediaFolders
import Platform
import Synchronization
import TestSupport
import Testing

/// Calls to disks and shares that do not answer.
@Suite("Disks that do not answer", .timeLimit(.minutes(1)))
struct DiskCallsTests {
  /// A share that answers only while it is told to.
  private final class Share: Sendable {
    let isDead = Mutex(true)
    let calls = Mutex(0)

    func read() -> Int {
      calls.withLock { $0 += 1 }
      while isDead.withLock(\.self) { usleep(1000) }
      return 7
    }
  }

  @Test("gives up a call at its limit, and does not wait again before the share answers")
  func dead() async throws {
    let clock = ManualClock()
    let calls = DiskCalls(clock: clock)
    let share = Share()
    let first = Task { try await calls.run(at: "/share") { share.read() } }
    #expect(await eventually { clock.sleeperCount == 1 && share.calls.withLock(\.self) == 1 })
    clock.advance(by: DiskCalls.limit)
    await #expect(throws: (any Error).self) { try await first.value }
    for _ in 1...100 {
      await #expect(throws: (any Error).self) {
        try await calls.run(at: "/share") { share.read() }
      }
    }
    #expect(share.calls.withLock(\.self) == 1, "no further thread waits for it")
    #expect(try await calls.run(at: "/disk") { 5 } == 5)
    share.isDead.withLock { $0 = false }
    let answers = await eventually { (try? await calls.run(at: "/share") { share.read() }) == 7 }
    #expect(answers)
  }

  @Test("lets a long call go on while its folder answers, and gives it up when it does not")
  func long() async throws {
    let clock = ManualClock()
    let calls = DiskCalls(clock: clock)
    let (walk, folder) = (Share(), Share())
    folder.isDead.withLock { $0 = false }
    let first = Task {
      try await calls.runLong(at: "/share") {
        _ = folder.read()
      } _: {
        walk.read()
      }
    }
    for number in 1...3 {
      try #require(await eventually { clock.timeToNextDeadline == DiskCalls.interval })
      clock.advance(by: DiskCalls.interval)
      try #require(await eventually { folder.calls.withLock(\.self) == number })
    }
    folder.isDead.withLock { $0 = true }
    try #require(await eventually { clock.timeToNextDeadline == DiskCalls.interval })
    clock.advance(by: DiskCalls.interval)
    try #require(await eventually { folder.calls.withLock(\.self) == 4 })
    try #require(await eventually { clock.timeToNextDeadline == DiskCalls.limit })
    clock.advance(by: DiskCalls.limit)
    await #expect(throws: (any Error).self) { try await first.value }
    for share in [walk, folder] { share.isDead.withLock { $0 = false } }
  }

  @Test("does not give up a place that is slow but answers, and gives up one that is silent")
  func slow() async throws {
    let clock = ManualClock()
    let calls = DiskCalls(clock: clock)
    let (film, check) = (Share(), Share())
    check.isDead.withLock { $0 = false }
    let inspection = Task {
      try await calls.runInTime(at: "/share") {
        _ = check.read()
      } _: {
        film.read()
      }
    }
    #expect(await eventually { clock.sleeperCount == 1 && film.calls.withLock(\.self) == 1 })
    clock.advance(by: DiskCalls.limit)
    #expect(try await inspection.value == nil)
    #expect(try await calls.run(at: "/share") { 5 } == 5, "the share is not overdue")
    #expect(await eventually { clock.sleeperCount == 0 })
    check.isDead.withLock { $0 = true }
    let other = Task {
      try await calls.runInTime(at: "/share") {
        _ = check.read()
      } _: {
        film.read()
      }
    }
    for number in 2...3 {
      #expect(
        await eventually {
          clock.sleeperCount == 1 && film.calls.withLock(\.self) == 2
            && check.calls.withLock(\.self) == number - 1
        })
      clock.advance(by: DiskCalls.limit)
    }
    await #expect(throws: (any Error).self) { try await other.value }
    for share in [film, check] { share.isDead.withLock { $0 = false } }
  }

  @Test("lets many calls wait while a disk spins up, and none of them fails")
  func spinUp() async throws {
    let calls = DiskCalls(limit: .seconds(50))
    let share = Share()
    let waiting = (0..<40).map { _ in Task { try await calls.run(at: "/slow") { share.read() } } }
    #expect(await eventually { share.calls.withLock(\.self) == DiskCalls.mostCalls })
    share.isDead.withLock { $0 = false }
    for call in waiting { #expect(try await call.value == 7) }
  }

  @Test("fails a call that does not get its turn within its limit")
  func full() async throws {
    let calls = DiskCalls(limit: .seconds(50))
    let share = Share()
    let waiting = (0..<DiskCalls.mostCalls).map { _ in
      Task { try await calls.run(at: "/slow") { share.read() } }
    }
    #expect(await eventually { share.calls.withLock(\.self) == DiskCalls.mostCalls })
    let failure = await #expect(throws: MediaFailure.self) {
      try await calls.run(at: "/slow", limit: .milliseconds(50)) { 5 }
    }
    #expect(failure?.kind == .unreachable)
    #expect(failure?.message.contains("/slow: its disk or share does not answer") == true)
    share.isDead.withLock { $0 = false }
    for call in waiting { #expect(try await call.value == 7) }
  }
}
