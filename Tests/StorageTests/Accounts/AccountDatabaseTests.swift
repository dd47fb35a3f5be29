import AccountTestSupport
import Accounts
import Foundation
import GRDB
import Testing
import TheaterStorage

@testable import Storage

@Suite(.fromTerminal) struct AccountDatabaseTests {
  private let fixture: StorageFixture
  private let database: TheaterDatabase
  private let accountService: AccountService

  init() throws {
    fixture = try StorageFixture()
    database = try fixture.open()
    accountService = fixture.accountService(database)
  }

  /// Registers the owner and logs in.
  private func owner() async throws -> LoggedIn {
    let code = try #require(try await accountService.open())
    _ = try await accountService.registration.register(People.owner(code))
    return try await accountService.logIn(People.credentials())
  }

  /// The outcomes of `count` simultaneous registrations.
  private func race(
    _ count: Int, _ request: @escaping @Sendable (Int) -> RegistrationRequest
  ) async -> [AccountError?] {
    await withTaskGroup { group in
      for index in 0..<count {
        group.addTask {
          await refusal { () async throws(AccountError) in
            try await accountService.registration.register(request(index))
          }
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
  }

  private func count(_ table: String) throws -> Int {
    try database.pool.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM \(table)") ?? -1 }
  }

  /// The end of a guest pass.
  enum PassEnd: CaseIterable, Sendable { case revoked, expired, roleChanged, accountRemoved }

  @Test(
    "E10 · the end of a guest pass deletes the guest's saved positions for good, and no others",
    arguments: PassEnd.allCases)
  func guestPositions(_ end: PassEnd) async throws {
    let anna = try await owner().principal
    let invitation = try await accountService.invitations.make(by: anna, role: .owner).code
    _ = try await accountService.registration.register(People.member(invitation))
    let ben = try await accountService.logIn(People.credentials("ben@example.org")).principal
    func request(_ seconds: TimeInterval) -> GuestPassRequest {
      GuestPassRequest(
        name: "Visitors", activities: ["film"], volumeLimit: 40, ageLimit: nil, validity: seconds)
    }
    let ended = try await accountService.guestPasses.make(request(3600), by: ben).pass.id
    let other = try await accountService.guestPasses.make(request(86_400), by: anna).pass.id
    for user in [anna.account, ended, other] {
      try await database.positions.save(10, item: "jaws", user: user.text)
    }
    switch end {
    case .revoked: try await accountService.guestPasses.revoke(ended, by: anna)
    case .expired:
      fixture.advance(3600)
      _ = try await accountService.guestPasses.make(request(3600), by: anna)
    case .roleChanged: try await accountService.people.setRole(.member, of: ben.account, by: anna)
    case .accountRemoved: try await accountService.people.remove(ben.account, by: anna)
    }
    let positions = database.positions
    #expect(try await positions.position(item: "jaws", user: ended.text) == nil)
    // The film of the guest may go on, and its position is saved every few seconds.
    for user in [anna.account, ended, other] {
      try await positions.save(10, item: "jaws", user: user.text)
    }
    #expect(try await positions.position(item: "jaws", user: ended.text) == nil)
    if end == .accountRemoved {
      try await positions.save(10, item: "jaws", user: ben.account.text)
      #expect(try await positions.position(item: "jaws", user: ben.account.text) == nil)
    }
    #expect(try await positions.position(item: "jaws", user: other.text) == 10)
    #expect(try await positions.position(item: "jaws", user: anna.account.text) == 10)
  }

  @Test("E7 · of 50 first registrations at once the database lets one be the owner")
  func oneOwner() async throws {
    let code = try #require(try await accountService.open())
    let outcomes = await race(50) { People.owner(code, email: "person\($0)@example.org") }
    #expect(outcomes.count { $0 == nil } == 1)
    #expect(outcomes.count { $0 == .setupClosed } == 49)
    #expect(try count("account") == 1)
  }

  @Test("E7 · two controllers on one database, each with its code, make one owner")
  func twoControllers() async throws {
    let other = fixture.accountService(try fixture.open())
    let codes = (
      try #require(try await accountService.open()), try #require(try await other.open())
    )
    async let first = refusal { () async throws(AccountError) in
      try await accountService.registration.register(
        People.owner(codes.0, email: "anna@example.org"))
    }
    async let second = refusal { () async throws(AccountError) in
      try await other.registration.register(People.owner(codes.1, email: "mallory@example.org"))
    }
    let outcomes = await [first, second]
    #expect(outcomes.contains(nil) && outcomes.contains(.setupClosed))
    #expect(try count("account") == 1)
  }

  @Test("E7 · the schema itself admits one founder")
  func founder() async throws {
    _ = try await owner()
    #expect(throws: DatabaseError.self) {
      try database.pool.write {
        try $0.execute(
          sql: """
            INSERT INTO account (id, name, email, emailKey, role, passwordHash, createdAt, founder)
            SELECT 'x', name, 'x', 'x', role, passwordHash, createdAt, founder FROM account
            """)
      }
    }
  }

  @Test("E7 · of 20 simultaneous registrations of one address one succeeds; the others get `taken`")
  func oneAddress() async throws {
    let principal = try await owner().principal
    var codes: [EntryCode] = []
    for _ in 0..<20 { codes.append(try await accountService.invitations.make(by: principal).code) }
    let outcomes = await race(20) { [codes] in
      People.member(codes[$0], email: $0.isMultiple(of: 2) ? "Ben@example.org" : "ben@example.org")
    }
    #expect(outcomes.count { $0 == nil } == 1)
    #expect(outcomes.count { $0 == .taken } == 19)
    #expect(try count("account") == 2)
    // A refusal with `taken` leaves the invitation valid.
    #expect(try count("invitation") == 19)
  }

  @Test("E7 · of 20 registrations with one invitation at once one succeeds")
  func oneInvitation() async throws {
    let code = try await accountService.invitations.make(by: owner().principal).code
    let outcomes = await race(20) { People.member(code, email: "person\($0)@example.org") }
    #expect(outcomes.count { $0 == nil } == 1)
    #expect(outcomes.count { $0 == .codeInvalid } == 19)
    #expect(try count("account") == 2)
  }

  @Test("E1 · account, session and invitation outlive the controller, to the millisecond")
  func reopened() async throws {
    let loggedIn = try await owner()
    let code = try await accountService.invitations.make(by: loggedIn.principal).code
    try database.close()
    let again = fixture.accountService(try fixture.open())
    #expect(try await again.open() == nil)
    #expect(try await again.sessions.resolve(loggedIn.token.text) == loggedIn.principal)
    #expect(try await again.registration.register(People.member(code)).role == .member)
    #expect(try await again.logIn(People.credentials("BEN@example.org")).principal.name == "Ben")
  }

  @Test("A10 · a session that was ended stays ended after a restart")
  func loggedOut() async throws {
    let token = try await owner().token.text
    try await accountService.sessions.logOut(token)
    #expect(try count("session") == 0)
    try database.close()
    let again = fixture.accountService(try fixture.open())
    let error = await refusal { () async throws(AccountError) in
      try await again.sessions.resolve(token)
    }
    #expect(error == .notLoggedIn)
  }

  @Test("E1 · the last use survives a restart; expired sessions and invitations are deleted")
  func expiry() async throws {
    let used = try await owner().token.text
    let unused = try await accountService.logIn(People.credentials()).token.text
    _ = try await accountService.invitations.make(by: accountService.sessions.resolve(used))
    fixture.advance(6 * 86_400)
    _ = try await accountService.sessions.resolve(used)
    fixture.advance(6 * 86_400)
    let again = fixture.accountService(try fixture.open())
    #expect(try await again.open() == nil)
    #expect(try count("session") == 1)
    #expect(try count("invitation") == 0)
    _ = try await again.sessions.resolve(used)
    let error = await refusal { () async throws(AccountError) in
      try await again.sessions.resolve(unused)
    }
    #expect(error == .notLoggedIn)
  }

  @Test("N-E1 · neither password nor code nor token occurs in the files of the database")
  func canaries() async throws {
    let setup = try #require(try await accountService.open())
    _ = try await accountService.registration.register(People.owner(setup))
    let loggedIn = try await accountService.logIn(People.credentials())
    let invitation = try await accountService.invitations.make(by: loggedIn.principal).code
    let secrets = [setup.text, invitation.text].flatMap { [$0, $0.replacing("-", with: "")] }
    for round in 0..<2 {
      if round == 1 { try database.close() }
      let bytes = try fixture.bytes()
      // These two are stored, so the search works.
      #expect(bytes.range(of: Data("anna@example.org".utf8)) != nil)
      #expect(bytes.range(of: Data("$argon2id$".utf8)) != nil)
      for secret in secrets + [People.password, loggedIn.token.text] {
        #expect(bytes.range(of: Data(secret.utf8)) == nil)
      }
    }
  }

  @Test("stores typed text unchanged or refuses it, never with an internal error")
  func naughty() async throws {
    let principal = try await owner().principal
    let strings = [
      "أمينة بنت محمد", "\u{202E}txt.exe", "a\u{200B}b", "'; DROP TABLE account;--",
      "<script>alert(1)",
      "../../etc/passwd", "NULL", "undefined", "%s%n%d", "${HOME}", "🏳️‍🌈", "Z̸͇̀ȃ̴l̷g̵o̷", "a\0b",
      "\u{FFFF}",
      String(repeating: "x", count: 1_000_000), String(repeating: "\u{FDFA}", count: 20_000),
    ]
    let input: Set<AccountError.Code> = [.empty, .malformed, .tooShort, .tooLong, .unsuitable]
    for (index, string) in strings.enumerated() {
      let email = "person\(index)@example.org"
      for (name, address, password) in [
        (string, email, People.password), ("Ben", string, People.password), ("Ben", email, string),
      ] {
        let code = try await accountService.invitations.make(by: principal).code
        let request = RegistrationRequest(
          admission: .invitation(code.text), name: name, email: address, password: password)
        let error = await refusal { () async throws(AccountError) in
          try await accountService.registration.register(request)
        }
        if let error {
          #expect(input.contains(error.code) || error.code == .taken)
        } else {
          let credentials = PasswordCredentials(email: address, password: password)
          #expect(try await accountService.logIn(credentials).principal.name == name)
        }
        let wrong = await refusal { () async throws(AccountError) in
          try await accountService.logIn(PasswordCredentials(email: email, password: "x\(string)"))
        }
        #expect(wrong.map { input.union([.wrongCredentials]).contains($0.code) } == true)
      }
    }
  }

  @Test("E7 · on a full disk invitations fail, and sessions stay valid")
  func full() async throws {
    let loggedIn = try await owner()
    try await database.pool.writeWithoutTransaction {
      _ = try Int.fetchOne($0, sql: "PRAGMA max_page_count = 1")
    }
    let code = await fillUp(as: loggedIn.principal)
    #expect(code == .storageFull)
    let token = loggedIn.token.text
    #expect(try await accountService.sessions.resolve(token) == loggedIn.principal)
    #expect(
      try await fixture.accountService(database).sessions.resolve(token) == loggedIn.principal)
    #expect(try await fixture.accountService(database).open() == nil)
  }

  /// Makes invitations until one fails, and returns its error code; nil if none fails.
  private func fillUp(as principal: SessionPrincipal) async -> AccountError.Code? {
    for _ in 0..<10_000 {
      let error = await refusal { () async throws(AccountError) in
        try await accountService.invitations.make(by: principal)
      }
      if let error { return error.code }
    }
    return nil
  }

  @Test("E1 · a closed database accepts no session, and its error shows no SQL")
  func closed() async throws {
    let token = try await owner().token.text
    try database.close()
    let error = await refusal { () async throws(AccountError) in
      try await fixture.accountService(database).sessions.resolve(token)
    }
    #expect(error?.code == .storageFailed)
    #expect(error?.message.contains("SELECT") == false)
  }
}
