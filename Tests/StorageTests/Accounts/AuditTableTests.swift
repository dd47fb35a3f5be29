@testable import Accounts
import AccountTestSupport
import Foundation
import GRDB
import Testing

@testable import Storage

@Suite(.fromTerminal) struct AuditTableTests {
  private let fixture: StorageFixture
  private let database: TheaterDatabase
  private let store: AccountDatabase

  init() throws {
    fixture = try StorageFixture()
    database = try fixture.open()
    store = AccountDatabase(database)
  }

  /// - Parameter account: nil for a refusal of a stranger.
  private func entry(
    _ subject: String?, by account: String?, from address: String = "::1",
    after seconds: Double = 0,
    action: AuditAction = .login, name: String = "anna@example.org"
  ) -> AuditEntry {
    AuditEntry(
      at: fixture.now.addingTimeInterval(seconds), action: action,
      outcome: account == nil ? .refused("wrongCredentials") : .done,
      actor: AuditActor(account: account.map { AccountID($0) }, name: name),
      subject: subject, origin: Origin(address: address, device: "Firefox"))
  }

  private func entries(since: Date? = nil) async throws -> [AuditEntry] {
    try await store.page(newest: 100_000, since: since, before: nil).entries
  }

  @Test("entries come back as they went in, the newest of them, in their order")
  func order() async throws {
    let all = [entry("1", by: nil), entry("2", by: "a"), entry("3", by: "a")]
    try await store.append(all)
    #expect(try await entries() == all)
    let two = try await store.page(newest: 2, since: fixture.now, before: nil)
    #expect(two.entries.map(\.subject) == ["2", "3"])
    let later = fixture.now.addingTimeInterval(1)
    #expect(try await entries(since: later).isEmpty)
    try database.close()
    let again = AccountDatabase(try fixture.open())
    #expect(try await again.page(newest: 10, since: nil, before: nil).entries == all)
  }

  @Test("the log is read page by page to its beginning, while entries are added and dropped")
  func pages() async throws {
    try await store.append((0..<25).map { entry("\($0)", by: "a", after: Double($0)) })
    var seen: [String] = []
    var sizes: [Int] = []
    var place: Int64?
    repeat {
      let page = try await store.page(newest: 10, since: nil, before: place)
      seen = page.entries.compactMap(\.subject) + seen
      sizes.append(page.entries.count)
      place = page.before
      try await store.append([entry("new", by: "b", after: 60)])
    } while place != nil
    #expect(seen == (0..<25).map(String.init))
    #expect(sizes == [10, 10, 5])
    let since = fixture.now.addingTimeInterval(20)
    let first = try await store.page(newest: 3, since: since, before: 26)
    #expect(first.entries.map(\.subject) == ["22", "23", "24"])
    let second = try await store.page(newest: 3, since: since, before: first.before)
    #expect(second.entries.map(\.subject) == ["20", "21"])
    #expect(second.before == nil)
  }

  @Test("a refusal that is repeated stands once, with how often, and when first and last")
  func repeats() async throws {
    let guesses = (0..<12_000).map { entry("password", by: nil, after: Double($0 / 10)) }
    try await store.append(guesses)
    let counted = try #require(try await entries().first)
    #expect(try await entries().count == 1)
    #expect(counted.count == 12_000)
    #expect(counted.at == fixture.now)
    #expect(counted.last == fixture.now.addingTimeInterval(1199))
    #expect(try await entries(since: fixture.now.addingTimeInterval(1199)) == [counted])
    // Another source, another account, another kind and another hour get entries of their own;
    // entries of others in between do not split a count.
    try await store.append([
      entry("password", by: nil, from: "10.0.0.2", after: 1200),
      entry("password", by: nil, after: 1200, name: "ben@example.org"),
      entry("password", by: nil, after: 1200, action: .proof),
      entry("password", by: "a", after: 1200), entry("password", by: "a", after: 1200),
      entry("password", by: nil, after: 1200), entry("password", by: nil, after: 3600),
    ])
    #expect(try await entries().map(\.count) == [12_001, 1, 1, 1, 1, 1, 1])
  }

  @Test("refusals of users with an account are counted too, apart from strangers'")
  func refusedAccount() async throws {
    func refused(_ account: String?) -> AuditEntry {
      AuditEntry(
        at: fixture.now, action: .proof, outcome: .refused("wrongCredentials"),
        actor: AuditActor(account: account.map { AccountID($0) }, name: "anna@example.org"),
        subject: nil, origin: Origin(address: "::1", device: "Firefox"))
    }
    try await store.append(["a", "b", nil, "a", nil, "a", "b"].map(refused))
    #expect(try await entries().map { $0.actor?.account?.text } == ["a", "b", nil])
    #expect(try await entries().map(\.count) == [3, 2, 2])
  }

  @Test(
    "one address makes 30 entries of refusals an hour, whatever it claims; more are counted")
  func oneAddress() async throws {
    try await store.append((0..<5000).map { entry(nil, by: nil, name: "person\($0)@example.org") })
    let kept = try await entries()
    #expect(kept.count == AccountDatabase.mostOfOneAddressInAnHour + 1)
    let rest = try #require(kept.last)
    #expect(rest.count == 5000 - AccountDatabase.mostOfOneAddressInAnHour)
    #expect(rest.actor == nil)
    #expect(rest.origin == Origin(address: "::1", device: ""))
    try await store.append([entry(nil, by: nil, from: "10.0.0.2")])
    #expect(try await entries().last?.origin.address == "10.0.0.2")
  }

  @Test("strangers make 100 entries an hour, from however many addresses; more are counted")
  func manyAddresses() async throws {
    try await store.append(
      (0..<5000).map { entry(nil, by: nil, from: "10.0.\($0 / 250).\($0 % 250)") })
    let kept = try await entries()
    #expect(kept.count == AccountDatabase.mostOfStrangersInAnHour + 1)
    let rest = try #require(kept.last)
    #expect(rest.count == 5000 - AccountDatabase.mostOfStrangersInAnHour)
    #expect(rest.origin.address == AccountDatabase.manyAddresses)
    #expect(rest.actor == nil && rest.action == .login)
    // An hour later each is seen again.
    try await store.append([entry(nil, by: nil, from: "10.1.0.1", after: 3600)])
    #expect(try await entries().last?.origin.address == "10.1.0.1")
  }

  @Test("a few addresses do not fill the hour, and hide no refusal at the terminal")
  func fewAddresses() async throws {
    for address in (1...5).map({ "10.0.0.\($0)" }) {
      try await store.append((0..<100).map { entry("\($0)", by: nil, from: address) })
    }
    let network = try await entries()
    // Entries and one sum each: the first address has 30, the second as many as make 50 in all, each
    // further one has 3.
    let (first, second, further) = (31, 20, 3 * 4)
    #expect(network.count == first + second + further)
    #expect(!network.contains { $0.origin.address == AccountDatabase.manyAddresses })
    for number in 0..<500 {
      let address = "10.1.\(number / 250).\(number % 250)"
      try await store.append([entry(nil, by: nil, from: address)])
    }
    #expect(try await entries().last?.origin.address == AccountDatabase.manyAddresses)
    try await store.append([entry("terminal", by: nil, from: "local (uid 1000)")])
    #expect(try await entries().last?.origin.address == "local (uid 1000)")
    #expect(try await entries().last?.subject == "terminal")
  }

  @Test("the log is bounded; guessing passwords does not push out what others did")
  func strangers() async throws {
    try await store.append([entry("kept", by: "a")])
    let quiet = entry(nil, by: nil, from: "192.168.1.66", after: -86_400)
    try await store.append([quiet])
    // 300 hours of a flood from ever new addresses, each hour with all the entries that it may have.
    for hour in 0..<300 {
      try await store.append(
        (0..<110).map {
          entry(
            nil, by: nil, from: "10.\(hour % 250).\(hour / 250).\($0)", after: Double(hour) * 3600)
        })
    }
    let kept = try await entries()
    let refused = kept.filter { $0.outcome != .done }
    #expect(kept.first?.subject == "kept")
    // Earlier refusals, in an hour with few of them, are still there.
    #expect(refused.first == quiet)
    #expect(refused.count <= AccountDatabase.mostStrangersEntries + 500)
    #expect(refused.count >= AccountDatabase.mostStrangersEntries - 500)
    // So is the beginning of the flood, and how many there were in each hour.
    #expect(refused.dropFirst().first?.origin.address == "10.0.0.0")
    #expect(refused.count { $0.origin.address == AccountDatabase.manyAddresses } == 300)
    // As if 179,000 further ones of strangers had come: ids are no number of entries.
    try await database.pool.write {
      try $0.execute(sql: "UPDATE sqlite_sequence SET seq = 200000 WHERE name = 'audit'")
    }
    try await store.append([entry("newest", by: nil, after: 301 * 3600)])
    let after = try await entries()
    #expect(after.first?.subject == "kept")
    #expect(after.last?.subject == "newest")
    #expect(after.count == kept.count + 1)
  }

  @Test("an account has its share of the log, and pushes out its own entries alone")
  func shares() async throws {
    let own = AuditEntry(
      at: fixture.now, action: .unlocked, outcome: .done, actor: nil, subject: "ours",
      origin: .controller)
    try await store.append([entry("kept", by: "a"), own])
    // The authors alternate: the share of one account must not depend on the author of the newest
    // entry.
    try await store.append(
      (0..<11_000).flatMap { [entry("\($0)", by: "b"), entry("\($0)", by: "c")] })
    let kept = try await entries()
    #expect(kept.first?.subject == "kept")
    #expect(kept.dropFirst().first == own)
    for account in ["b", "c"] {
      let entries = kept.filter { $0.actor?.account?.text == account }
      #expect(entries.count >= AccountDatabase.mostEntriesOfOne)
      #expect(entries.count <= AccountDatabase.mostEntriesOfOne + 500)
      #expect(entries.last?.subject == "10999")
    }
  }

  @Test("the audit log of an older database is kept, each entry counted once")
  func migrates() async throws {
    let older = try StorageFixture()
    try DurableFile.makeFolder(older.folder)
    try DurableFile.makeFile(older.file)
    let old = try DatabaseQueue(path: older.file)
    try DatabaseSchema.migrator.migrate(old, upTo: "7 audit shares")
    try await old.write { [now = older.now.milliseconds] in
      for number in 0..<3 {
        try $0.execute(
          sql: """
            INSERT INTO audit (at, deed, outcome, account, name, subject, address, device, isStranger)
            VALUES (?, 'login', 'wrongCredentials', NULL, 'anna@example.org', ?, '::1', '', 1)
            """,
          arguments: [now, "\(number)"])
      }
    }
    try old.close()
    let store = AccountDatabase(try older.open())
    let kept = try await store.page(newest: 10, since: older.now, before: nil).entries
    #expect(kept.map(\.subject) == ["0", "1", "2"])
    #expect(kept.allSatisfy { $0.count == 1 && $0.last == older.now })
    try await store.append([entry("2", by: nil)])
    let counted = try await store.page(newest: 1, since: nil, before: nil).entries.first
    #expect(counted?.count == 2)
  }
}

@Suite(.fromTerminal) struct PeopleSchemaTests {
  private let fixture: StorageFixture

  init() throws { fixture = try StorageFixture() }

  @Test("sessions and invitations of an older database go on; a session is to be proven again")
  func migrates() async throws {
    try DurableFile.makeFolder(fixture.folder)
    try DurableFile.makeFile(fixture.file)
    let old = try DatabaseQueue(path: fixture.file)
    try DatabaseSchema.migrator.migrate(old, upTo: "3 audit")
    let token = try #require(SessionToken(String(repeating: "a", count: 43)))
    try await old.write { [now = fixture.now.milliseconds] in
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
    let accountService = fixture.accountService(try fixture.open())
    let principal = try await accountService.sessions.resolve(token.text)
    #expect(principal.name == "Anna")
    let error = await refusal { () async throws(AccountError) in
      try accountService.sessions.requireFreshProof(principal)
    }
    #expect(error?.code == .proofNeeded)
    let open = try await accountService.invitations.list(for: principal)
    #expect(open.first?.id.text.count == 16)
    try await accountService.sessions.end(principal.session, of: principal)
  }
}
