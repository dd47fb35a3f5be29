import AccountTestSupport
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Accounts

@Suite(.fromTerminal) struct SessionEndTests {
  private let household: Household
  private let day: TimeInterval = 86_400

  init() throws { household = try Household() }

  /// Counts the ends of what a token opens.
  private final class Watch: Sendable {
    private let ends = Mutex(0)
    private let watch = Mutex<SessionEndMonitor.Watch?>(nil)

    /// Begins, and comes back when it waits: for both clocks.
    init(_ loggedIn: LoggedIn, at household: Household) async throws {
      await begin(loggedIn, household.accountService.sessions)
      try await household.clock.expectWaiting()
    }

    init(_ loggedIn: LoggedIn, in sessions: Sessions) async { await begin(loggedIn, sessions) }

    private func begin(_ loggedIn: LoggedIn, _ sessions: Sessions) async {
      let begun = await sessions.watch(loggedIn.token.text, for: loggedIn.principal) {
        self.ends.withLock { $0 += 1 }
      }
      watch.withLock { $0 = begun }
    }

    /// The number of calls so far.
    var count: Int { ends.withLock { $0 } }

    var hasEnded: Bool { get async { await eventually { self.count == 1 } } }
  }

  @Test("A10 · reports a session's end after 7 days without use; waiting does not count as use")
  func idle() async throws {
    let watch = try await Watch(household.ownerLogsIn(), at: household)
    for _ in 0..<6 {
      household.clock.advance(day)
      try await household.clock.expectWaiting()
    }
    household.clock.advance(day)
    #expect(await watch.hasEnded)
  }

  @Test("A10 · the end moves with each use, to 30 days at most")
  func used() async throws {
    let loggedIn = try await household.ownerLogsIn()
    let watch = try await Watch(loggedIn, at: household)
    for _ in 0..<5 {
      household.clock.advance(5 * day)
      _ = try await household.accountService.sessions.resolve(loggedIn.token.text)
      household.clock.advance(1)
      try await household.clock.expectWaiting()
    }
    household.clock.advance(5 * day)
    #expect(await watch.hasEnded)
  }

  @Test("A10 · a clock that is set forward ends it at once")
  func setForward() async throws {
    let watch = try await Watch(household.ownerLogsIn(), at: household)
    household.clock.set(household.clock.now.addingTimeInterval(10 * 365 * day))
    #expect(await watch.hasEnded)
  }

  @Test("A10 · a clock that is set back does not keep it from ending after 30 days")
  func setBack() async throws {
    let watch = try await Watch(household.ownerLogsIn(), at: household)
    household.clock.set(household.clock.now.addingTimeInterval(-10 * 365 * day))
    try await household.clock.expectWaiting()
    household.clock.advance(30 * day)
    #expect(await watch.hasEnded)
  }

  @Test("A10 · a proof ends the streams of the old token at once, and none of the new one")
  func proof() async throws {
    let old = try await household.ownerLogsIn()
    let first = try await Watch(old, at: household)
    let new = try await household.accountService.prove(old.token.text, password: Household.password)
    #expect(await first.hasEnded)
    let second = try await Watch(new, at: household)
    try await household.accountService.sessions.logOut(new.token.text)
    #expect(await second.hasEnded)
  }

  @Test(
    "A10 · a changed role ends the stream at once; the same role and other accounts' changes do not"
  )
  func role() async throws {
    let owner = try await household.ownerLogsIn()
    let code = try await household.accountService.invitations.make(by: owner.principal).code
    _ = try await household.accountService.registration.register(.guest(code.text))
    let member = try await household.logIn("ben@example.org")
    let watch = try await Watch(member, at: household)
    try await household.accountService.people.setRole(
      .member, of: member.principal.account, by: owner.principal)
    let another = try await household.logIn("ben@example.org")
    try await household.accountService.sessions.logOut(another.token.text)
    try await household.clock.expectWaiting()
    try await household.accountService.people.setRole(
      .owner, of: member.principal.account, by: owner.principal)
    #expect(await watch.hasEnded)
  }

  @Test("A10 · reports an end before the wait, and a broken store, at once")
  func before() async throws {
    let loggedIn = try await household.ownerLogsIn()
    try await household.accountService.sessions.logOut(loggedIn.token.text)
    let watch = await Watch(loggedIn, in: household.accountService.sessions)
    #expect(watch.count == 1)
    let other = try await household.logIn()
    let restarted = household.restarted()
    await household.store.failSessionReads(
      with: AccountError(.storageFailed, message: "broken", hint: "mend"))
    let second = await Watch(other, in: restarted.sessions)
    #expect(second.count == 1)
    #expect(await !restarted.sessions.isOpen(other.token.text, for: other.principal))
  }

  @Test("A10 · of many watched sessions reports the one that ends, once, and watches the others on")
  func many() async throws {
    var sessions = [try await household.ownerLogsIn()]
    for _ in 0..<7 { sessions.append(try await household.logIn()) }
    var begun: [Watch] = []
    for session in sessions { begun.append(try await Watch(session, at: household)) }
    let watches = begun
    try await household.accountService.sessions.logOut(sessions[3].token.text)
    #expect(await watches[3].hasEnded)
    // One is used before the others end.
    household.clock.advance(6 * day)
    _ = try await household.accountService.sessions.resolve(sessions[6].token.text)
    household.clock.advance(day)
    #expect(await eventually { watches.map(\.count) == [1, 1, 1, 1, 1, 1, 0, 1] })
    try await household.clock.expectWaiting()
    household.clock.advance(6 * day)
    #expect(await eventually { watches.allSatisfy { $0.count == 1 } })
  }

  @Test("the system's timer for a time of day strikes at that time, and not when it is cancelled")
  func systemClocks() async throws {
    let clock = WallClock.system
    let date = clock.now().addingTimeInterval(0.05)
    try await clock.sleep(until: date)
    #expect(clock.now() >= date)
    let steady = SteadyClock.system
    let now = steady.now()
    try await steady.sleep(
      until: SteadyTime(boot: now.boot, milliseconds: now.milliseconds + 50))
    #expect(steady.now().milliseconds >= now.milliseconds + 50)
    let day = Task { try await clock.sleep(until: Date(timeIntervalSinceNow: 86_400)) }
    day.cancel()
    await #expect(throws: CancellationError.self) { try await day.value }
    let boot = Task { try await steady.sleep(until: SteadyTime(boot: "another", milliseconds: 0)) }
    boot.cancel()
    await #expect(throws: CancellationError.self) { try await boot.value }
  }
}

extension AccountClock {
  /// Returns when both clocks have a waiting task: the watchers have checked, and wait again.
  func expectWaiting() async throws {
    let isWaiting = await eventually { self.waiting == 2 }
    try #require(isWaiting)
  }
}
