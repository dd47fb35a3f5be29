@testable import Accounts
import Foundation
import GRDB
import Testing

@testable import Storage

@Suite struct AuditTableTests {
  private let scratch: ScratchFolder
  private let database: TheaterDatabase
  private let store: AccountDatabase

  init() throws {
    scratch = try ScratchFolder()
    database = try scratch.open()
    store = AccountDatabase(database)
  }

  private func entry(_ subject: String, by account: String?) -> AuditEntry {
    AuditEntry(
      at: scratch.now, deed: .login, outcome: account == nil ? .refused("wrongCredentials") : .done,
      actor: AuditActor(account: account.map { AccountID($0) }, name: "anna@example.org"),
      subject: subject, origin: Origin(address: "::1", device: "Firefox"))
  }

  @Test("E7 · entries come back as they went in, the newest of them, in their order")
  func entries() async throws {
    let all = [entry("1", by: nil), entry("2", by: "a"), entry("3", by: "a")]
    try await store.append(all)
    #expect(try await store.entries(newest: 10, since: nil) == all)
    #expect(try await store.entries(newest: 2, since: scratch.now).map(\.subject) == ["2", "3"])
    let later = scratch.now.addingTimeInterval(1)
    #expect(try await store.entries(newest: 10, since: later).isEmpty)
    try database.close()
    let again = AccountDatabase(try scratch.open())
    #expect(try await again.entries(newest: 10, since: nil) == all)
  }

  @Test("E7 · the log is bounded; guessing passwords does not push out what others did")
  func strangers() async throws {
    try await store.append([entry("kept", by: "a")])
    try await store.append((0..<21_000).map { entry("\($0)", by: nil) })
    let kept = try await store.entries(newest: 100_000, since: nil)
    #expect(kept.first?.subject == "kept")
    #expect(kept.count <= 1 + AccountDatabase.mostStrangersEntries + 500)
    #expect(kept.last?.subject == "20999")
    // As if 179,000 further ones of strangers had come: ids are no number of entries.
    try await database.pool.write {
      try $0.execute(sql: "UPDATE sqlite_sequence SET seq = 200000 WHERE name = 'audit'")
    }
    try await store.append([entry("newest", by: nil)])
    let after = try await store.entries(newest: 100_000, since: nil)
    #expect(after.first?.subject == "kept")
    #expect(after.last?.subject == "newest")
    #expect(after.count == kept.count + 1)
  }

  @Test("E7 · an account has its share of the log, and pushes out its own entries alone")
  func shares() async throws {
    let own = AuditEntry(
      at: scratch.now, deed: .unlocked, outcome: .done, actor: nil, subject: "ours",
      origin: .controller)
    try await store.append([entry("kept", by: "a"), own])
    // Every second entry: whose one is looked at must not depend on whose the last one is.
    try await store.append(
      (0..<11_000).flatMap { [entry("\($0)", by: "b"), entry("\($0)", by: "c")] })
    let kept = try await store.entries(newest: 100_000, since: nil)
    #expect(kept.first?.subject == "kept")
    #expect(kept.dropFirst().first == own)
    for account in ["b", "c"] {
      let entries = kept.filter { $0.actor?.account?.text == account }
      #expect(entries.count >= AccountDatabase.mostEntriesOfOne)
      #expect(entries.count <= AccountDatabase.mostEntriesOfOne + 500)
      #expect(entries.last?.subject == "10999")
    }
  }
}

@Suite struct PeopleSchemaTests {
  private let scratch: ScratchFolder

  init() throws { scratch = try ScratchFolder() }

  @Test("E7 · sessions and invitations of an older database go on; a session is to be proven again")
  func migrates() async throws {
    try DurableFile.makeFolder(scratch.folder)
    try DurableFile.make(scratch.file)
    let old = try DatabaseQueue(path: scratch.file)
    try Schema.migrator.migrate(old, upTo: "3 audit")
    let token = try #require(SessionToken(String(repeating: "a", count: 43)))
    try await old.write { [now = scratch.now.milliseconds] in
      try $0.execute(
        sql: """
          INSERT INTO account VALUES
            ('a', 'Anna', 'anna@example.org', 'anna@example.org', 'owner', 'hash', ?, 1);
          """, arguments: [now])
      try $0.execute(
        sql: "INSERT INTO session VALUES (?, 's', 'a', ?, ?)",
        arguments: [Data(token.digest.bytes), now, now])
      try $0.execute(
        sql: "INSERT INTO invitation VALUES (?, 'member', 'a', ?, ?)",
        arguments: [Data(repeating: 1, count: 32), now, now + 60_000])
    }
    try old.close()
    let gate = scratch.gate(try scratch.open())
    let principal = try await gate.resolve(token.text)
    #expect(principal.name == "Anna")
    let error = await refusal { () async throws(AccountError) in
      try gate.requireFreshProof(principal)
    }
    #expect(error?.code == .proofNeeded)
    let open = try await gate.openInvitations(for: principal)
    #expect(open.first?.id.text.count == 16)
    try await gate.endSession(principal.session, of: principal)
  }
}
