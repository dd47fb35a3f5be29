import Foundation
import Testing

@testable import Accounts

@Suite struct SessionsTests {
  private let house: Household

  init() throws { house = try Household() }
  private let day: TimeInterval = 86_400

  private func isRefused(_ token: String, at accountService: AccountService? = nil) async -> Bool {
    await refusal { () async throws(AccountError) in
      try await (accountService ?? house.accountService).resolve(token)
    } == .notLoggedIn
  }

  @Test("A10 · after logout the token is refused at once, by a restarted controller too")
  func logout() async throws {
    let loggedIn = try await house.ownerLogsIn()
    let token = loggedIn.token.text
    let told = house.accountService.events.subscribe()
    try await house.accountService.logOut(token)
    #expect(await isRefused(token))
    #expect(await isRefused(token, at: house.restarted()))
    #expect(await told.first { _ in true } == .loggedOut(loggedIn.principal))
    let again = await refusal { () async throws(AccountError) in
      try await house.accountService.logOut(token)
    }
    #expect(again == .notLoggedIn)
  }

  @Test("A10 · logout ends one session and leaves the others")
  func others() async throws {
    let one = try await house.ownerLogsIn().token.text
    let other = try await house.logIn().token.text
    #expect(one != other)
    try await house.accountService.logOut(one)
    #expect(await isRefused(one))
    #expect(await !isRefused(other))
  }

  @Test("A10 · of many logouts of one session at once, one ends it")
  func parallel() async throws {
    let token = try await house.ownerLogsIn().token.text
    let told = house.accountService.events.subscribe()
    await withTaskGroup { group in
      for _ in 0..<20 {
        group.addTask {
          _ = await refusal { () async throws(AccountError) in
            try await house.accountService.logOut(token)
          }
        }
      }
    }
    let next = try await house.logIn().principal
    var events = told.makeAsyncIterator()
    guard case .loggedOut = await events.next() else { return #expect(Bool(false)) }
    #expect(await events.next() == .loggedIn(next, by: "password"))
  }

  @Test("A10 · a request that reads the session while it is ended is refused")
  func readDuringLogout() async throws {
    let token = try await house.ownerLogsIn().token.text
    // After a restart the first request reads the store, and the logout comes between reading and
    // answering.
    let accountService = house.restarted()
    await house.store.afterNextSessionRead { try? await accountService.logOut(token) }
    #expect(await isRefused(token, at: accountService))
  }

  @Test("A10 · a logout on a full disk counts at once, says so, and can be repeated")
  func fullDisk() async throws {
    let full = AccountError(.storageFull, message: "full", hint: "free")
    let token = try await house.ownerLogsIn().token.text
    await house.store.failWrites(with: full)
    let error = await refusal { () async throws(AccountError) in
      try await house.accountService.logOut(token)
    }
    #expect(error == full)
    #expect(await isRefused(token))
    await house.store.failWrites(with: nil)
    try await house.accountService.logOut(token)
    #expect(await isRefused(token, at: house.restarted()))
  }

  @Test("E1 · a session ends after 7 days without use")
  func idle() async throws {
    let token = try await house.ownerLogsIn().token.text
    house.clock.advance(7 * day - 1)
    #expect(await !isRefused(token))
    house.clock.advance(7 * day - 1)
    #expect(await !isRefused(token, at: house.restarted()))
    house.clock.advance(7 * day)
    #expect(await isRefused(token, at: house.restarted()))
    #expect(await isRefused(token))
  }

  @Test("E1 · a session ends after 30 days, however much it is used")
  func absolute() async throws {
    let token = try await house.ownerLogsIn().token.text
    for _ in 0..<29 {
      house.clock.advance(day)
      #expect(await !isRefused(token))
    }
    let principal = try await house.accountService.resolve(token)
    #expect(principal.expires == house.clock.now.addingTimeInterval(day))
    house.clock.advance(day)
    #expect(await isRefused(token))
    #expect(await isRefused(token, at: house.restarted()))
  }

  @Test("E1 · a clock that was set back ends no session early")
  func clockBack() async throws {
    let token = try await house.ownerLogsIn().token.text
    house.clock.set(house.clock.now.addingTimeInterval(-3650 * day))
    #expect(await !isRefused(token))
    #expect(await !isRefused(token, at: house.restarted()))
  }

  @Test("E1 · a clock that was set back lets no session live longer than 30 days")
  func clockBackLengthensNothing() async throws {
    let token = try await house.ownerLogsIn().token.text
    let today = house.clock.now
    house.clock.set(today.addingTimeInterval(-3650 * day))
    house.clock.advance(30 * day - 1)
    #expect(await !isRefused(token))
    house.clock.advance(1)
    #expect(await isRefused(token))
    #expect(await isRefused(token, at: house.restarted()))
  }

  @Test("E1 · after a restart of the machine with a clock set back nobody knows a session's age")
  func clockBackAcrossBoots() async throws {
    let token = try await house.ownerLogsIn().token.text
    let today = house.clock.now
    house.clock.reboot()
    #expect(await !isRefused(token, at: house.restarted()))
    house.clock.set(today.addingTimeInterval(-3650 * day))
    #expect(await isRefused(token, at: house.restarted()))
    // It is good again as soon as the clock is right.
    house.clock.set(today.addingTimeInterval(60))
    #expect(await !isRefused(token, at: house.restarted()))
  }

  @Test("E1 · a session in use costs no query, and one write a minute")
  func cached() async throws {
    let token = try await house.ownerLogsIn().token.text
    for _ in 0..<120 {
      house.clock.advance(1)
      #expect(await !isRefused(token))
    }
    #expect(await house.store.sessionReads == 0)
    #expect(await house.store.seenWrites == 2)
    let accountService = house.restarted()
    for _ in 0..<10 { #expect(await !isRefused(token, at: accountService)) }
    #expect(await house.store.sessionReads == 1)
  }

  @Test("E1 · last use that cannot be written keeps nobody out")
  func unwritable() async throws {
    let token = try await house.ownerLogsIn().token.text
    await house.store.failWrites(with: AccountError(.storageFull, message: "full", hint: "free"))
    house.clock.advance(3600)
    #expect(await !isRefused(token))
    #expect(try await house.restarted().open() == nil)
  }

  @Test("E1 · more sessions than the cache holds are all good")
  func capacity() async throws {
    var cache = SessionCache(lifetime: .standard, capacity: 2)
    let account = try await house.registerOwner()
    let digests = ["a", "b", "c"].map { SecretDigest(of: $0, purpose: "session token") }
    for (index, digest) in digests.enumerated() {
      let now = house.clock.now.addingTimeInterval(Double(index))
      let session = Session(
        id: SessionID("\(index)"), holder: .account(account), openedAt: now,
        opened: house.clock.steadyNow, lastSeenAt: now, proven: house.clock.steadyNow,
        origin: .controller)
      cache.insert(session, for: digest, generation: 0)
    }
    let now = Moment(day: house.clock.now, steady: house.clock.steadyNow)
    let kept = digests.map { digest in
      if case .valid = cache.use(digest, at: now) { true } else { false }
    }
    #expect(kept == [false, true, true])
  }

  @Test(
    "E1 · what is no token is refused without asking the store",
    arguments: [
      "", "x", String(repeating: "ä", count: 43), String(repeating: "a", count: 44), "\0",
    ]
  )
  func noToken(_ typed: String) async throws {
    _ = try await house.ownerLogsIn()
    #expect(await isRefused(typed))
    #expect(await house.store.sessionReads == 0)
    #expect(await isRefused(SessionToken(from: .system).text))
  }

  @Test("E3 · everyone who listens hears of registration, login and logout; who left does not")
  func listeners() async throws {
    let code = try #require(try await house.accountService.open())
    let heard = Task { [events = house.accountService.events.subscribe()] in
      var all: [AccountEvent] = []
      for await event in events {
        all.append(event)
        if case .loggedOut = event { break }
      }
      return all
    }
    let second = house.accountService.events.subscribe()
    let account = try await house.accountService.register(.owner(code.text))
    let loggedIn = try await house.logIn()
    try await house.accountService.logOut(loggedIn.token.text)
    let expected: [AccountEvent] = [
      .registered(account.id, .owner), .loggedIn(loggedIn.principal, by: "password"),
      .loggedOut(loggedIn.principal),
    ]
    #expect(await heard.value == expected)
    var iterator = second.makeAsyncIterator()
    for event in expected { #expect(await iterator.next() == event) }
  }
}
