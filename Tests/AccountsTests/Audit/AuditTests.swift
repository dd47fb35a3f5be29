import AccountTestSupport
import Foundation
import Storage
import Testing

@testable import Accounts

@Suite(.fromTerminal) struct AuditTests {
  private let household: Household

  init() throws { household = try Household() }

  private func lines() async throws -> [String] {
    try await household.accountService.audit.entries(newest: 100).map {
      [
        $0.actor?.name ?? "-", $0.action.rawValue, $0.subject ?? "-", $0.outcome.word,
        $0.origin.address,
      ].joined(separator: " ")
    }
  }

  @Test(
    "E1 A10 · the audit log records registrations, logins, refusals and logouts with their origin")
  func comingAndGoing() async throws {
    try await Origin.$current.withValue(Origin(address: "192.168.1.20", device: "Firefox")) {
      try await household.registerOwner()
      let token = try await household.logIn().token.text
      _ = await refusal { () async throws(AccountError) in
        try await household.accountService.logIn(
          PasswordCredentials(email: "anna@example.org", password: "not the right one"))
      }
      try await household.accountService.sessions.logOut(token)
    }
    #expect(
      try await lines() == [
        "anna@example.org registration owner done 192.168.1.20",
        "anna@example.org login password done 192.168.1.20",
        "anna@example.org login password wrongCredentials 192.168.1.20",
        "anna@example.org logout - done 192.168.1.20",
      ])
    let refused = try await household.accountService.audit.entries(newest: 100)[2]
    // A typed address proves nothing.
    #expect(refused.actor?.account == nil)
    #expect(refused.at == household.clock.now)
  }

  @Test(
    "E1 A10 · a logout that could not be stored is recorded once, when a later login deletes its session",
    arguments: [0, 19])
  func leftoverLogout(otherSessions: Int) async throws {
    let token = try await household.ownerLogsIn().token.text
    household.clock.advance(1)
    // With 20 sessions the next login deletes this one as the oldest.
    for _ in 0..<otherSessions { _ = try await household.logIn() }
    await household.store.failWrites(
      with: AccountError(.storageFull, message: "full", hint: "free"))
    await Origin.$current.withValue(Origin(address: "192.168.1.20", device: "Firefox")) {
      _ = await refusal { () async throws(AccountError) in
        try await household.accountService.sessions.logOut(token)
      }
    }
    await household.store.failWrites(with: nil)
    #expect(try await lines().allSatisfy { !$0.contains("logout") })
    for _ in 0..<2 {
      _ = try await household.logIn()
      #expect(
        try await lines().filter { $0.contains("logout") }
          == ["anna@example.org logout - done 192.168.1.20"])
    }
  }

  @Test("E1 · does not record a text that is no address: it could be a password in the wrong field")
  func noAddress() async throws {
    try await household.registerOwner()
    for typed in [Household.password, "", "anna"] {
      _ = await refusal { () async throws(AccountError) in
        try await household.accountService.logIn(PasswordCredentials(email: typed, password: "x"))
      }
    }
    #expect(try await lines().count == 1)
  }

  @Test("records a refused code without the code")
  func refusedCode() async throws {
    try await household.registerOwner()
    let code = "0000-0000-0000-0000-0000"
    _ = await refusal { () async throws(AccountError) in
      try await household.accountService.registration.register(.guest(code))
    }
    #expect(try await lines().last == "ben@example.org registration - codeInvalid local")
    #expect(try await !lines().joined().contains("0000"))
  }

  @Test("records playback stopped by an age limit, with the person who started it")
  func limitStopped() async throws {
    let owner = try await household.ownerLogsIn()
    let pass = try await household.accountService.guestPasses.make(.music, by: owner.principal).pass
    for user in [owner.principal.account.text, pass.id.text, "nobody", nil] {
      await household.accountService.recordLimitStop(
        of: "\"The Short Cut\", rated 16 on dvd", startedBy: user)
    }
    let stopped = "- limitStopped \"The Short Cut\", rated 16 on dvd"
    #expect(
      try await lines().suffix(4) == [
        "\(stopped), begun by anna@example.org done controller",
        "\(stopped), begun by \(pass.name.text) done controller",
        "\(stopped), begun by nobody done controller",
        "\(stopped) done controller",
      ])
  }

  @Test("F5 · another certificate is written down with both fingerprints, whole")
  func certificateRenewed() async throws {
    let prints = ["AB", "CD"].map { Array(repeating: $0, count: 32).joined(separator: ":") }
    await household.accountService.recordCertificate(prints[0], replacing: prints[1])
    #expect(
      try await lines() == [
        "- certificateRenewed SHA-256 \(prints[0]), until now \(prints[1]) done controller"
      ])
  }

  @Test("E1 · a full disk stops no login; entries that could not be written are counted")
  func fullDisk() async throws {
    let store = FullAuditStore()
    var stores = household.stores
    stores.audit = store
    let accountService = AccountService(
      stores: stores, hashing: Household.cheap, clock: household.clock.wall)
    let code = try #require(try await accountService.open())
    _ = try await accountService.registration.register(.owner(code.text))
    for _ in 0..<3 {
      _ = try await accountService.logIn(
        PasswordCredentials(email: "anna@example.org", password: Household.password))
    }
    await store.freeSpace()
    _ = try await accountService.logIn(
      PasswordCredentials(email: "anna@example.org", password: Household.password))
    let entries = try await accountService.audit.entries(newest: 10)
    #expect(entries.map(\.action) == [.recordsLost, .login])
    #expect(entries.first?.subject == "4")
  }

  @Test("E1 · a device's own name cannot disturb a terminal or a page")
  func disturbing() {
    let origin = Origin(
      address: "::1", device: "a\u{1B}[2Jb\u{202E}c\u{85}" + String(repeating: "x", count: 99))
    #expect(origin.device.hasPrefix("a?[2Jb?c?xx"))
    #expect(origin.device.unicodeScalars.count == Origin.longest)
    #expect("a\u{1B}b\u{200F}ä".escapingDisturbing == "a\\u{1B}b\\u{200F}ä")
  }
}

/// An audit log on a disk that is full until a test frees it.
private actor FullAuditStore: AuditStore {
  private var isFull = true
  private var kept: [AuditEntry] = []

  func freeSpace() { isFull = false }

  func append(_ entries: [AuditEntry]) async throws(AccountError) {
    if isFull { throw AccountError(.storageFull, message: "full", hint: "free") }
    kept += entries
  }

  func page(
    newest limit: Int, since: Date?, before place: Int64?
  ) async throws(AccountError) -> AuditPage {
    AuditPage(entries: kept.suffix(limit), before: nil)
  }
}
