import AccountTestSupport
import Foundation
import Testing

@testable import Accounts

@Suite(.fromTerminal) struct SessionsTests {
  private let household: Household

  init() throws { household = try Household() }
  private let day: TimeInterval = 86_400

  private func isRefused(_ token: String, at accountService: AccountService? = nil) async -> Bool {
    await refusal { () async throws(AccountError) in
      try await (accountService ?? household.accountService).sessions.resolve(token)
    } == .notLoggedIn
  }

  @Test("A10 · after logout the token is refused at once, by a restarted controller too")
  func logout() async throws {
    let loggedIn = try await household.ownerLogsIn()
    let token = loggedIn.token.text
    let events = household.accountService.events.subscribe()
    try await household.accountService.sessions.logOut(token)
    #expect(await isRefused(token))
    #expect(await isRefused(token, at: household.restarted()))
    #expect(await events.first { _ in true } == .loggedOut(loggedIn.principal))
    let again = await refusal { () async throws(AccountError) in
      try await household.accountService.sessions.logOut(token)
    }
    #expect(again == .notLoggedIn)
  }

  @Test("A10 · logout ends one session and leaves the others")
  func others() async throws {
    let one = try await household.ownerLogsIn().token.text
    let other = try await household.logIn().token.text
    #expect(one != other)
    try await household.accountService.sessions.logOut(one)
    #expect(await isRefused(one))
    #expect(await !isRefused(other))
  }

  @Test("A10 · of many logouts of one session at once, one ends it")
  func parallel() async throws {
    let token = try await household.ownerLogsIn().token.text
    let stream = household.accountService.events.subscribe()
    await withTaskGroup { group in
      for _ in 0..<20 {
        group.addTask {
          _ = await refusal { () async throws(AccountError) in
            try await household.accountService.sessions.logOut(token)
          }
        }
      }
    }
    let next = try await household.logIn().principal
    var events = stream.makeAsyncIterator()
    guard case .loggedOut = await events.next() else { return #expect(Bool(false)) }
    #expect(await events.next()?.isLogin(of: next, by: "password") == true)
  }

  @Test("A10 · a request that reads the session while it is ended is refused")
  func readDuringLogout() async throws {
    let token = try await household.ownerLogsIn().token.text
    // After a restart the first request reads the store, and the logout comes between reading and
    // answering.
    let accountService = household.restarted()
    await household.store.afterNextSessionRead { try? await accountService.sessions.logOut(token) }
    #expect(await isRefused(token, at: accountService))
  }

  @Test("A10 · a logout ends the session also while a proof replaces the token")
  func logoutDuringProof() async throws {
    let loggedIn = try await household.ownerLogsIn()
    let accountService = household.accountService
    await household.store.afterNextReplacement {
      try? await accountService.sessions.logOut(loggedIn.token.text)
    }
    let error = await refusal { () async throws(AccountError) in
      try await accountService.prove(loggedIn.token.text, password: Household.password)
    }
    #expect(error == .notLoggedIn)
    #expect(try await household.store.sessions(of: loggedIn.principal.account).isEmpty)
  }

  @Test("A10 · a logout on a full disk counts at once, says so, and can be repeated")
  func fullDisk() async throws {
    let full = AccountError(.storageFull, message: "full", hint: "free")
    let token = try await household.ownerLogsIn().token.text
    await household.store.failWrites(with: full)
    let error = await refusal { () async throws(AccountError) in
      try await household.accountService.sessions.logOut(token)
    }
    #expect(error == full)
    #expect(await isRefused(token))
    await household.store.failWrites(with: nil)
    try await household.accountService.sessions.logOut(token)
    #expect(await isRefused(token, at: household.restarted()))
  }

  @Test("A10 · a logout that could not be stored is stored with the next login")
  func leftoverSession() async throws {
    let token = try await household.ownerLogsIn().token.text
    await household.store.failWrites(
      with: AccountError(.storageFull, message: "full", hint: "free"))
    _ = await refusal { () async throws(AccountError) in
      try await household.accountService.sessions.logOut(token)
    }
    await household.store.failWrites(with: nil)
    #expect(await !isRefused(token, at: household.restarted()))
    _ = try await household.logIn()
    #expect(await isRefused(token, at: household.restarted()))
  }

  @Test("E1 · a session ends after 7 days without use")
  func idle() async throws {
    let token = try await household.ownerLogsIn().token.text
    household.clock.advance(7 * day - 1)
    #expect(await !isRefused(token))
    household.clock.advance(7 * day - 1)
    #expect(await !isRefused(token, at: household.restarted()))
    household.clock.advance(7 * day)
    #expect(await isRefused(token, at: household.restarted()))
    #expect(await isRefused(token))
  }

  @Test("E1 · a session ends after 30 days, however much it is used")
  func absolute() async throws {
    let token = try await household.ownerLogsIn().token.text
    for _ in 0..<29 {
      household.clock.advance(day)
      #expect(await !isRefused(token))
    }
    let principal = try await household.accountService.sessions.resolve(token)
    #expect(principal.expires == household.clock.now.addingTimeInterval(day))
    household.clock.advance(day)
    #expect(await isRefused(token))
    #expect(await isRefused(token, at: household.restarted()))
  }

  @Test("E1 · a clock that was set back ends no session early")
  func clockBack() async throws {
    let token = try await household.ownerLogsIn().token.text
    household.clock.set(household.clock.now.addingTimeInterval(-3650 * day))
    #expect(await !isRefused(token))
    #expect(await !isRefused(token, at: household.restarted()))
  }

  @Test("E1 · a clock that was set back lets no session live longer than 30 days")
  func clockBackLengthensNothing() async throws {
    let token = try await household.ownerLogsIn().token.text
    let today = household.clock.now
    household.clock.set(today.addingTimeInterval(-3650 * day))
    household.clock.advance(30 * day - 1)
    #expect(await !isRefused(token))
    household.clock.advance(1)
    #expect(await isRefused(token))
    #expect(await isRefused(token, at: household.restarted()))
  }

  @Test("E1 · after a restart with the clock set back a session of unknown age ends")
  func clockBackAcrossBoots() async throws {
    let token = try await household.ownerLogsIn().token.text
    let today = household.clock.now
    household.clock.reboot()
    #expect(await !isRefused(token, at: household.restarted()))
    household.clock.set(today.addingTimeInterval(-3650 * day))
    #expect(await isRefused(token, at: household.restarted()))
    // It is good again as soon as the clock is right.
    household.clock.set(today.addingTimeInterval(60))
    #expect(await !isRefused(token, at: household.restarted()))
  }

  @Test("E1 · a session in use costs no query, and one write a minute")
  func cached() async throws {
    let token = try await household.ownerLogsIn().token.text
    for _ in 0..<120 {
      household.clock.advance(1)
      #expect(await !isRefused(token))
    }
    #expect(await household.store.sessionReads == 0)
    #expect(await household.store.seenWrites == 2)
    let accountService = household.restarted()
    for _ in 0..<10 { #expect(await !isRefused(token, at: accountService)) }
    #expect(await household.store.sessionReads == 1)
  }

  @Test("E1 · a last use that cannot be written ends no session")
  func unwritable() async throws {
    let token = try await household.ownerLogsIn().token.text
    await household.store.failWrites(
      with: AccountError(.storageFull, message: "full", hint: "free"))
    household.clock.advance(3600)
    #expect(await !isRefused(token))
    #expect(try await household.restarted().open() == nil)
  }

  @Test("E1 · more sessions than the cache holds are all good")
  func capacity() async throws {
    var cache = SessionCache(lifetime: .standard, capacity: 2)
    let account = try await household.registerOwner()
    let digests = ["a", "b", "c"].map { SecretDigest(of: $0, purpose: "session token") }
    for (index, digest) in digests.enumerated() {
      let now = household.clock.now.addingTimeInterval(Double(index))
      let session = Session(
        id: SessionID("\(index)"), holder: .account(account), openedAt: now,
        opened: household.clock.steadyNow, lastSeenAt: now, proven: household.clock.steadyNow,
        origin: .controller)
      cache.insert(session, for: digest, generation: 0)
    }
    let now = Moment(date: household.clock.now, steady: household.clock.steadyNow)
    let kept = digests.map { digest in
      if case .valid = cache.use(digest, at: now) { true } else { false }
    }
    #expect(kept == [false, true, true])
  }

  @Test(
    "E1 · rejects a malformed token without a query",
    arguments: [
      "", "x", String(repeating: "ä", count: 43), String(repeating: "a", count: 44), "\0",
    ]
  )
  func noToken(_ typed: String) async throws {
    _ = try await household.ownerLogsIn()
    #expect(await isRefused(typed))
    #expect(await household.store.sessionReads == 0)
    #expect(await isRefused(SessionToken(from: .system).text))
  }

  @Test("E3 · publishes registration, login and logout to current listeners only")
  func listeners() async throws {
    let code = try #require(try await household.accountService.open())
    let heard = Task { [events = household.accountService.events.subscribe()] in
      var all: [AccountEvent] = []
      for await event in events {
        all.append(event)
        if case .loggedOut = event { break }
      }
      return all
    }
    let second = household.accountService.events.subscribe()
    let account = try await household.accountService.registration.register(.owner(code.text))
    let loggedIn = try await household.logIn()
    try await household.accountService.sessions.logOut(loggedIn.token.text)
    let all = await heard.value
    try #require(all.count == 3)
    #expect(all[0] == .registered(account.id, .owner))
    #expect(all[1].isLogin(of: loggedIn.principal, by: "password"))
    #expect(all[2] == .loggedOut(loggedIn.principal))
    var iterator = second.makeAsyncIterator()
    for event in all { #expect(await iterator.next() == event) }
  }
}
