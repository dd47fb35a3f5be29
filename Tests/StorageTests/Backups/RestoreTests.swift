@testable import Accounts
import AccountTestSupport
import Foundation
import GRDB
import Glibc
import Testing
import TheaterStorage

@testable import Storage

/// Faults in the keys, files and names of backups, and the records that a restore voids.
@Suite(.fromTerminal) struct RestoreTests {
  private let fixture: StorageFixture

  init() throws { fixture = try StorageFixture() }

  /// Makes a database whose owner is logged in, with an active second factor if `factor` is true.
  @discardableResult
  private func makeDatabase(factor: Bool) async throws -> LoggedIn {
    let database = try fixture.open()
    let accountService = fixture.accountService(database)
    let code = try #require(try await accountService.open())
    _ = try await accountService.registration.register(People.owner(code))
    let owner = try await accountService.logIn(People.credentials())
    if factor {
      _ = try await accountService.secondFactor.enrol(by: owner.principal)
      try await database.write { try $0.execute(sql: "UPDATE secondFactor SET activeSince = 1") }
    }
    try database.close()
    return owner
  }

  private func key(_ backup: Backup) -> String { "\(backup.path)/\(KeyFile.name)" }

  private func replace(_ path: String, with bytes: Data?) throws {
    try FileManager.default.removeItem(atPath: path)
    if let bytes { try bytes.write(to: URL(fileURLWithPath: path)) }
  }

  /// The errors of verifying and restoring.
  private func refusals(_ backup: Backup) async -> [StorageError?] {
    [
      await refusal { () throws(StorageError) in try fixture.backups.verify(backup).accounts },
      await refusal { () throws(StorageError) in
        try fixture.backups.restore(backup, at: fixture.now)?.name
      },
    ]
  }

  @Test(
    "refuses a backup whose key is missing, too short, a link, a pipe or another database's",
    .timeLimit(.minutes(5)), arguments: 0..<5)
  func damagedKey(_ damage: Int) async throws {
    try await makeDatabase(factor: true)
    let backup = try fixture.backups.create(.asked, at: fixture.now)
    try fixture.backups.verify(backup)
    let path = key(backup)
    switch damage {
    case 0: try replace(path, with: nil)
    case 1: try replace(path, with: Data(repeating: 1, count: 10))
    case 2: try replace(path, with: Data(repeating: 1, count: 32))
    case 3:
      try replace(path, with: nil)
      #expect(symlink(fixture.folder + "/" + KeyFile.name, path) == 0)
    default:
      try replace(path, with: nil)
      #expect(mkfifo(path, 0o600) == 0)
    }
    let before = try Data(contentsOf: URL(fileURLWithPath: fixture.file))
    for error in await refusals(backup) {
      #expect([.damagedKey, .damaged].contains(error?.code))
      #expect(error?.message.contains(KeyFile.name) == true)
    }
    #expect(try Data(contentsOf: URL(fileURLWithPath: fixture.file)) == before)
    #expect(fixture.backups.newestGood == nil)
  }

  @Test("without second factors a backup may lack its key, but a damaged key is refused")
  func keyOfNothing() async throws {
    try await makeDatabase(factor: false)
    let backup = try fixture.backups.create(.asked, at: fixture.now)
    try replace(key(backup), with: Data(repeating: 1, count: 10))
    for error in await refusals(backup) { #expect(error?.code == .damagedKey) }
    try replace(key(backup), with: nil)
    try fixture.backups.verify(backup)
    try fixture.backups.restore(backup, at: fixture.now)
  }

  @Test("finds and names a foreign key beforehand, and makes no daily backup with it")
  func liveKey() async throws {
    #expect(try !fixture.backups.checkKey())
    try await makeDatabase(factor: true)
    #expect(try fixture.backups.checkKey())
    let path = fixture.folder + "/" + KeyFile.name
    try replace(path, with: Data(repeating: 1, count: 32))
    let found = await refusal { () throws(StorageError) in try fixture.backups.checkKey() }
    #expect(found == .wrongKey(path))
    // `restore` would refuse a backup with this key.
    let made = await refusal { () throws(StorageError) in
      try fixture.backups.create(.daily, at: fixture.now)
    }
    #expect(made == .wrongKey(path))
    #expect(fixture.backups.all.isEmpty)
    // The database still opens, and the backup before a migration is made with this key too.
    try fixture.open().close()
    let queue = try DatabaseQueue(path: fixture.file)
    _ = try fixture.backups.create(.before(9), of: queue, at: fixture.now)
  }

  @Test(
    "refuses anything but a regular file as the database", .timeLimit(.minutes(5)))
  func noFile() async throws {
    try await makeDatabase(factor: false)
    let backup = try fixture.backups.create(.asked, at: fixture.now)
    try replace(backup.database, with: nil)
    #expect(mkfifo(backup.database, 0o600) == 0)
    for error in await refusals(backup) { #expect(error?.code == .damaged) }
    try replace(backup.database, with: nil)
    #expect(symlink(fixture.file, backup.database) == 0)
    for error in await refusals(backup) { #expect(error?.code == .damaged) }
  }

  @Test(
    "refuses an unknown backup", arguments: ["", ".", "..", "/", "x/..", "./.", ".draft"])
  func names(_ name: String) async throws {
    try await makeDatabase(factor: false)
    _ = try fixture.backups.create(.asked, at: fixture.now)
    // Both `.` and `..` hold a database now.
    try FileManager.default.copyItem(
      atPath: fixture.file, toPath: "\(fixture.backups.folder)/\(TheaterDatabase.fileName)")
    let error = await refusal { () throws(StorageError) in try fixture.backups.find(name) }
    #expect(error?.code == .missing)
  }

  @Test("a restored backup holds no valid session, code, known device, invitation or access token")
  func entrances() async throws {
    let before = try await makeDatabase(factor: false).token.text
    let backup: Backup
    let guest: String
    let (invitation, pass): (EntryCode, EntryCode)
    let token: AccessTokenSecret
    do {
      let mailbox = SentMessages()
      let database = try fixture.open()
      let accountService = fixture.accountService(database, delivery: mailbox)
      let owner = try await accountService.sessions.resolve(before)
      invitation = try await accountService.invitations.make(by: owner).code
      let visitors = try await accountService.guestPasses.make(
        GuestPassRequest(
          name: "Visitors", activities: ["film"], volumeLimit: 40, ageLimit: nil, validity: 3600),
        by: owner)
      pass = visitors.code
      try await database.positions.save(10, item: "jaws", user: visitors.pass.id.text)
      try await database.positions.save(20, item: "jaws", user: owner.account.text)
      guest = try await accountService.guestPasses.logIn(with: pass.text).token.text
      let issued = try await accountService.tokens.make(
        AccessTokenRequest(name: "doorbell", scopes: [.view], validity: 86_400), by: owner)
      token = issued.secret
      let sent = try await accountService.contacts.sendEmailCode(to: nil, by: owner)
      let code = try #require(mailbox.code)
      backup = try fixture.backups.create(.asked, at: fixture.now)
      // Uses or ends each of them after the backup; the restore must not make one valid again.
      _ = try await accountService.contacts.confirm(
        code, of: sent.id.text, for: .verifyEmail, by: owner)
      _ = try await accountService.registration.register(People.member(invitation))
      try await accountService.guestPasses.revoke(visitors.pass.id, by: owner)
      try await accountService.tokens.revoke(issued.token.id, of: owner)
      try await accountService.sessions.logOut(before)
      try database.close()
    }

    try fixture.backups.restore(backup, at: fixture.now)
    let database = try fixture.open()
    let accountService = fixture.accountService(database)
    for token in [before, guest] {
      let error = await refusal { () async throws(AccountError) in
        try await accountService.sessions.resolve(token)
      }
      #expect(error == .notLoggedIn)
    }
    let register = await refusal { () async throws(AccountError) in
      try await accountService.registration.register(People.member(invitation))
    }
    #expect(register == .codeInvalid)
    let enter = await refusal { () async throws(AccountError) in
      try await accountService.guestPasses.logIn(with: pass.text)
    }
    #expect(enter == .guestPassInvalid)
    let use = await refusal { () async throws(AccountError) in
      try await accountService.tokens.resolve(token.text, isProtected: true)
    }
    #expect(use == .invalidToken)
    let left = try await database.read { database in
      try ["session", "oneTimeCode", "device", "invitation", "guestPass", "accessToken"].filter {
        try Bool.fetchOne(database, sql: "SELECT EXISTS (SELECT 1 FROM \($0))") == true
      }
    }
    #expect(left == [])
    // The owner's position is kept, the guest's is not.
    let (users, accounts) = try await database.read { database in
      (
        try String.fetchAll(database, sql: "SELECT user FROM position"),
        try String.fetchAll(database, sql: "SELECT id FROM account")
      )
    }
    #expect(users == accounts)
    // The backup itself is as it was.
    #expect(try fixture.backups.verify(backup).accounts == 1)
    #expect(try await accountService.logIn(People.credentials()).principal.name == "Anna")
    try database.close()
  }
}
