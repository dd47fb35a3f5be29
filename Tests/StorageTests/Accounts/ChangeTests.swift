import AccountTestSupport
import Accounts
import Foundation
import GRDB
import Testing

@testable import Storage

/// A change of credentials and the end of the sessions that depend on them: both happen, or
/// neither.
@Suite(.fromTerminal) struct ChangeTests {
  private let fixture: StorageFixture
  private let database: TheaterDatabase
  private let sentMessages = SentMessages()
  private let accountService: AccountService
  private let new = "another evening with friends"

  init() throws {
    fixture = try StorageFixture()
    database = try fixture.open()
    accountService = fixture.accountService(database, delivery: sentMessages)
  }

  /// The owner with a verified address, logged in at two places.
  private func owner() async throws -> (here: LoggedIn, there: LoggedIn) {
    let code = try #require(try await accountService.open())
    _ = try await accountService.registration.register(People.owner(code))
    let here = try await accountService.logIn(People.credentials())
    let request = try await accountService.contacts.sendEmailCode(to: nil, by: here.principal)
    try await accountService.contacts.confirm(
      try #require(sentMessages.code), of: request.id.text, for: .verifyEmail, by: here.principal)
    return (here, try await accountService.logIn(People.credentials()))
  }

  /// Whether the running account service accepts a session, and whether a new one on the same
  /// database does.
  private func acceptances(of loggedIn: LoggedIn) async -> [Bool] {
    var answers: [Bool] = []
    for accountService in [accountService, fixture.accountService(database)] {
      answers.append(
        await refusal { () async throws(AccountError) in
          try await accountService.sessions.resolve(loggedIn.token.text)
        } == nil)
    }
    return answers
  }

  /// Makes each deletion of a session fail, as a failing disk would.
  private func breakStore() async throws {
    try await database.pool.write {
      try $0.execute(
        sql: """
          CREATE TRIGGER broken BEFORE DELETE ON session BEGIN SELECT RAISE(ABORT, 'gone'); END
          """)
    }
  }

  private func repairStore() async throws {
    try await database.pool.write { try $0.execute(sql: "DROP TRIGGER broken") }
  }

  @Test("a password and the sessions that it ends are changed in one step")
  func password() async throws {
    let (here, there) = try await owner()
    try await breakStore()
    let error = await refusal { () async throws(AccountError) in
      try await accountService.passwords.change(People.password, to: new, by: here.principal)
    }
    #expect(error?.code == .storageFailed)
    #expect(await acceptances(of: here) == [true, true])
    #expect(await acceptances(of: there) == [true, true])
    // The old password is still valid.
    _ = try await accountService.logIn(People.credentials())
    try await repairStore()
    try await accountService.passwords.change(People.password, to: new, by: here.principal)
    #expect(await acceptances(of: here) == [true, true])
    #expect(await acceptances(of: there) == [false, false])
  }

  @Test(
    "resets a password and ends its sessions in one transaction; the code outlasts a failed one",
    .timeLimit(.minutes(5)))
  func reset() async throws {
    let (here, there) = try await owner()
    let events = accountService.events.subscribe()
    let request = try await accountService.passwords.beginReset(
      .email(try EmailAddress("anna@example.org")))
    let code = try #require(sentMessages.code)
    try await breakStore()
    let error = await refusal { () async throws(AccountError) in
      try await accountService.passwords.finishReset(code, of: request.id.text, newPassword: new)
    }
    #expect(error?.code == .storageFailed)
    #expect(await acceptances(of: here) == [true, true])
    _ = try await accountService.logIn(People.credentials())
    try await repairStore()
    try await accountService.passwords.finishReset(code, of: request.id.text, newPassword: new)
    #expect(await acceptances(of: here) == [false, false])
    #expect(await acceptances(of: there) == [false, false])
    let login = await refusal { () async throws(AccountError) in
      try await accountService.logIn(People.credentials())
    }
    #expect(login == .wrongCredentials)
    // The account events contain each session that ended.
    var ended: Set<SessionID> = []
    for await event in events {
      if case .loggedOut(let who) = event { ended.insert(who.session) }
      if ended.count == 3 { break }
    }
    #expect(ended.isSuperset(of: [here.principal.session, there.principal.session]))
  }

  @Test("rejects a change of a password that was changed meanwhile, and ends no session")
  func raced() async throws {
    let (here, there) = try await owner()
    let store = AccountDatabase(database)
    let record = try #require(try await store.record(of: here.principal.account))
    let error = await refusal { () async throws(AccountError) in
      try await store.changePassword(
        PasswordHash("another"), of: record.account.id, to: PasswordHash("new"),
        keeping: here.principal.session)
    }
    #expect(error == .wrongPassword)
    #expect(await acceptances(of: there) == [true, true])
    _ = try await accountService.logIn(People.credentials())
  }

  @Test("confirming an address that was taken meanwhile changes nothing, and keeps the code valid")
  func address() async throws {
    let (here, _) = try await owner()
    fixture.advance(30)
    let invitation = try await accountService.invitations.make(by: here.principal).code
    let request = try await accountService.contacts.sendEmailCode(
      to: "ben@example.org", by: here.principal)
    let code = try #require(sentMessages.code)
    _ = try await accountService.registration.register(People.member(invitation))
    for _ in 0..<2 {
      let error = await refusal { () async throws(AccountError) in
        try await accountService.contacts.confirm(
          code, of: request.id.text, for: .verifyEmail, by: here.principal)
      }
      #expect(error?.code == .taken)
    }
    let own = try await accountService.contacts.ownAccount(of: here.principal)
    #expect(own.account.email.text == "anna@example.org")
    #expect(own.contact.emailVerifiedAt != nil)
  }
}
