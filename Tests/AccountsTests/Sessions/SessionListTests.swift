import AccountTestSupport
import Foundation
import Synchronization
import Testing

@testable import Accounts

@Suite(.fromTerminal) struct SessionListTests {
  private let household: Household

  init() throws { household = try Household() }

  /// Logs in from a device at an address.
  private func logIn(from device: String, _ address: String = "192.168.1.20") async throws
    -> LoggedIn
  {
    try await Origin.$current.withValue(Origin(address: address, device: device)) {
      try await household.logIn()
    }
  }

  private func isRefused(_ loggedIn: LoggedIn, at accountService: AccountService? = nil) async
    -> Bool
  {
    await refusal { () async throws(AccountError) in
      try await (accountService ?? household.accountService).sessions.resolve(loggedIn.token.text)
    } == .notLoggedIn
  }

  @Test("A10 · lists one's own sessions with device, address, times, and which one is current")
  func list() async throws {
    try await household.registerOwner()
    let phone = try await logIn(from: "Firefox on Android", "fe80::1")
    household.clock.advance(3600)
    let laptop = try await logIn(from: "theater on desk")
    let list = try await household.accountService.sessions.list(of: laptop.principal)
    #expect(list.map(\.session.origin.device) == ["theater on desk", "Firefox on Android"])
    #expect(list.map(\.session.origin.address) == ["192.168.1.20", "fe80::1"])
    #expect(list.map(\.isCurrent) == [true, false])
    #expect(list[1].session.id == phone.principal.session)
    #expect(list[1].session.openedAt == household.clock.now.addingTimeInterval(-3600))
    #expect(list[1].session.lastSeenAt == list[1].session.openedAt)
    #expect(list[1].expires == household.clock.now.addingTimeInterval(7 * 86_400 - 3600))
    household.clock.advance(7 * 86_400 - 1800)
    _ = try await household.accountService.sessions.resolve(laptop.token.text)
    let open = try await household.accountService.sessions.list(of: laptop.principal)
    #expect(open.map(\.session.lastSeenAt) == [household.clock.now])
  }

  @Test("A10 · a session that another one ended is refused at once, by a restarted controller too")
  func endOne() async throws {
    try await household.registerOwner()
    let phone = try await logIn(from: "phone")
    let laptop = try await logIn(from: "laptop")
    let events = household.accountService.events.subscribe()
    try await household.accountService.sessions.end(phone.principal.session, of: laptop.principal)
    #expect(await isRefused(phone))
    #expect(await isRefused(phone, at: household.restarted()))
    #expect(await !isRefused(laptop))
    #expect(await events.first { _ in true } == .loggedOut(phone.principal))
    let again = await refusal { () async throws(AccountError) in
      try await household.accountService.sessions.end(phone.principal.session, of: laptop.principal)
    }
    #expect(again == .unknownSession)
  }

  @Test("A10 · another person's session cannot be ended, and its id counts as unknown")
  func endOthers() async throws {
    let owner = try await household.ownerLogsIn()
    let code = try await household.accountService.invitations.make(by: owner.principal).code
    _ = try await household.accountService.registration.register(.guest(code.text))
    let member = try await household.logIn("ben@example.org")
    let error = await refusal { () async throws(AccountError) in
      try await household.accountService.sessions.end(owner.principal.session, of: member.principal)
    }
    #expect(error == .unknownSession)
    #expect(await !isRefused(owner))
    #expect(try await household.accountService.sessions.list(of: member.principal).count == 1)
  }

  @Test("A10 · ends all other sessions, or all, including those that are not in the cache")
  func endAll() async throws {
    try await household.registerOwner()
    var opened: [LoggedIn] = []
    for index in 0..<5 { opened.append(try await logIn(from: "\(index)")) }
    // Nothing is cached after a restart.
    let accountService = household.restarted()
    #expect(
      try await accountService.sessions.endAll(of: opened[0].principal, exceptCurrent: true) == 4)
    for each in opened.dropFirst() { #expect(await isRefused(each, at: accountService)) }
    #expect(await !isRefused(opened[0], at: accountService))
    #expect(
      try await accountService.sessions.endAll(of: opened[0].principal, exceptCurrent: false) == 1)
    #expect(await isRefused(opened[0], at: accountService))
  }

  @Test("E1 · the 21st session of an account or guest pass ends the oldest one at once")
  func most() async throws {
    try await household.registerOwner()
    var people: [LoggedIn] = []
    for index in 0..<20 {
      people.append(try await logIn(from: "\(index)"))
      household.clock.advance(1)
    }
    let owner = people[19].principal
    let pass = try await household.accountService.guestPasses.make(.music, by: owner)
    var guests: [LoggedIn] = []
    for _ in 0..<20 {
      guests.append(try await household.accountService.guestPasses.logIn(with: pass.code.text))
      household.clock.advance(1)
    }
    for each in people + guests { #expect(await !isRefused(each)) }

    let events = household.accountService.events.subscribe()
    let guest = try await household.accountService.guestPasses.logIn(with: pass.code.text)
    let person = try await logIn(from: "another")
    let ended = await events.compactMap { event -> SessionPrincipal? in
      if case .loggedOut(let who) = event { who } else { nil }
    }.prefix(2).reduce(into: [SessionID]()) { $0.append($1.session) }
    #expect(ended == [guests[0].principal.session, people[0].principal.session])
    for accountService in [household.accountService, household.restarted()] {
      for gone in [people[0], guests[0]] { #expect(await isRefused(gone, at: accountService)) }
      for each in people.dropFirst() + guests.dropFirst() + [person, guest] {
        #expect(await !isRefused(each, at: accountService))
      }
    }
  }

  @Test("E1 · a new session is not the oldest one after the clock was set back")
  func mostWithClockBack() async throws {
    try await household.registerOwner()
    for index in 0..<20 { _ = try await logIn(from: "\(index)") }
    household.clock.set(household.clock.now.addingTimeInterval(-3600))
    let new = try await logIn(from: "another")
    #expect(await !isRefused(new))
    #expect(try await household.accountService.sessions.list(of: new.principal).count == 20)
  }

  @Test("A10 · ends a session although a proof replaces its token meanwhile")
  func endDuringProof() async throws {
    try await household.registerOwner()
    let phone = try await logIn(from: "phone")
    let laptop = try await logIn(from: "laptop")
    let accountService = household.accountService
    let proof = Mutex<LoggedIn?>(nil)
    await household.store.afterNextSessionList {
      let proven = try? await accountService.prove(
        phone.token.text, password: Household.password)
      proof.withLock { $0 = proven }
    }
    #expect(
      try await accountService.sessions.endAll(of: laptop.principal, exceptCurrent: true) == 1)
    let renewed = try #require(proof.withLock { $0 })
    #expect(await isRefused(renewed))
    #expect(await isRefused(renewed, at: household.restarted()))
    #expect(try await accountService.sessions.list(of: laptop.principal).count == 1)
  }

  @Test("A10 · sessions are ended at once on a full disk too, and the end can be repeated")
  func endOnFullDisk() async throws {
    try await household.registerOwner()
    let phone = try await logIn(from: "phone")
    let laptop = try await logIn(from: "laptop")
    let full = AccountError(.storageFull, message: "full", hint: "free")
    await household.store.failWrites(with: full)
    let error = await refusal { () async throws(AccountError) in
      try await household.accountService.sessions.endAll(of: laptop.principal, exceptCurrent: true)
    }
    #expect(error == full)
    #expect(await isRefused(phone))
    await household.store.failWrites(with: nil)
    try await household.accountService.sessions.endAll(of: laptop.principal, exceptCurrent: true)
    #expect(await isRefused(phone, at: household.restarted()))
    #expect(await !isRefused(laptop))
  }

  @Test("A10 · records the end of a session and a logout that a full disk delayed, once each")
  func repeatedEnd() async throws {
    try await household.registerOwner()
    let phone = try await logIn(from: "phone")
    let laptop = try await logIn(from: "laptop")
    let sessions = household.accountService.sessions
    let full = AccountError(.storageFull, message: "full", hint: "free")
    await household.store.failWrites(with: full)
    let ended = await refusal { () async throws(AccountError) in
      try await sessions.end(phone.principal.session, of: laptop.principal)
    }
    let loggedOut = await refusal { () async throws(AccountError) in
      try await sessions.logOut(laptop.token.text)
    }
    #expect(ended == full && loggedOut == full)
    await household.store.failWrites(with: nil)
    try await sessions.end(phone.principal.session, of: laptop.principal)
    try await sessions.logOut(laptop.token.text)
    for gone in [phone, laptop] { #expect(await isRefused(gone, at: household.restarted())) }
    let entries = try await household.accountService.audit.entries(newest: 100)
    let actions = entries.map(\.action).filter { $0 == .sessionEnded || $0 == .logout }
    #expect(actions == [.sessionEnded, .logout])
    #expect(entries.last?.actor == AuditActor(laptop.principal))
  }
}

@Suite(.fromTerminal) struct ProofTests {
  private let household: Household

  init() throws { household = try Household() }

  private func isFresh(_ token: String, at accountService: AccountService? = nil) async throws
    -> Bool
  {
    let accountService = accountService ?? household.accountService
    let principal = try await accountService.sessions.resolve(token)
    return await refusal { () async throws(AccountError) in
      try accountService.sessions.requireFreshProof(principal)
    } == nil
  }

  @Test("E1 · a sensitive change needs a proof when the login is more than five minutes old")
  func freshness() async throws {
    let token = try await household.ownerLogsIn().token.text
    household.clock.advance(299)
    #expect(try await isFresh(token))
    #expect(try await isFresh(token, at: household.restarted()))
    household.clock.advance(1)
    #expect(try await !isFresh(token))
    // Setting the clock back does not make the proof younger.
    household.clock.set(household.clock.now.addingTimeInterval(-3600))
    #expect(try await !isFresh(token))
    household.clock.reboot()
    #expect(try await !isFresh(token, at: household.restarted()))
  }

  @Test("E1 · a proof gives the session a new token, and the old token is refused")
  func newToken() async throws {
    let before = try await household.ownerLogsIn()
    household.clock.advance(3600)
    let after = try await household.accountService.prove(
      before.token.text, password: Household.password)
    #expect(after.token.text != before.token.text)
    #expect(after.principal.session == before.principal.session)
    #expect(try await isFresh(after.token.text))
    let old = await refusal { () async throws(AccountError) in
      try await household.accountService.sessions.resolve(before.token.text)
    }
    #expect(old == .notLoggedIn)
    #expect(try await household.accountService.sessions.list(of: after.principal).count == 1)
    #expect(try await isFresh(after.token.text, at: household.restarted()))
  }

  @Test("E1 · a wrong password proves nothing and changes nothing")
  func wrong() async throws {
    let loggedIn = try await household.ownerLogsIn()
    household.clock.advance(3600)
    let error = await refusal { () async throws(AccountError) in
      try await household.accountService.prove(loggedIn.token.text, password: "not the right one")
    }
    #expect(error == .wrongPassword)
    #expect(try await !isFresh(loggedIn.token.text))
    let last = try await household.accountService.audit.entries(newest: 1).last
    #expect(last?.action == .proof)
    #expect(last?.outcome == .refused("wrongCredentials"))
  }
}
