import AccountTestSupport
import Foundation
import Testing

@testable import Accounts

/// Access tokens as people make, use and revoke them.
@Suite(.fromTerminal) struct AccessTokenTests {
  private let household: Household

  init() throws { household = try Household() }

  private var tokens: AccessTokens { household.accountService.tokens }

  /// The rights of a token now; nil if it is refused as unknown.
  private func rights(
    _ issued: IssuedAccessToken, at service: AccountService? = nil
  ) async -> TokenPrincipal? {
    try? await (service ?? household.accountService).tokens.resolve(
      issued.secret.text, isProtected: true)
  }

  @Test("a token acts for its owner, with its scopes alone")
  func made() async throws {
    let owner = try await household.ownerLogsIn()
    let issued = try await tokens.make(.doorbell, by: owner.principal)
    let rights = try #require(await rights(issued))
    #expect(rights.account == owner.principal.account && rights.email == "anna@example.org")
    #expect(rights.scopes == [.command("pause"), .command("resume")])
    #expect(rights.may(.command("pause")) && !rights.may(.command("off")) && !rights.may(.view))
    #expect(rights.expires == issued.token.expires)
    #expect(await self.rights(issued, at: household.restarted()) == rights)
  }

  @Test("making a token needs a fresh proof, and no guest may")
  func proof() async throws {
    let owner = try await household.ownerLogsIn()
    let pass = try await household.accountService.guestPasses.make(.music, by: owner.principal)
    let guest = try await household.accountService.guestPasses.logIn(with: pass.code.text)
    #expect(
      await refusalCode { () async throws(AccountError) in
        try await tokens.make(.doorbell, by: guest.principal)
      } == .forbidden)
    household.clock.advance(6 * 60)
    #expect(
      await refusalCode { () async throws(AccountError) in
        try await tokens.make(.doorbell, by: household.now(owner))
      } == .proofNeeded)
    #expect(try await tokens.list(of: owner.principal).isEmpty)
  }

  @Test("no token is made in a session that has ended meanwhile")
  func endedSession() async throws {
    let owner = try await household.ownerLogsIn()
    let other = try await household.logIn()
    try await household.accountService.sessions.logOut(owner.token.text)
    #expect(
      await refusalCode { () async throws(AccountError) in
        try await tokens.make(.doorbell, by: owner.principal)
      } == .notLoggedIn)
    #expect(try await tokens.list(of: other.principal).isEmpty)
  }

  @Test("refuses a token without a name, without scopes, or that is valid too long")
  func wrong() async throws {
    let owner = try await household.ownerLogsIn()
    func request(
      name: String = "bell", scopes: Set<TokenScope> = [.view], validity: TimeInterval = 3600
    ) -> AccessTokenRequest {
      AccessTokenRequest(name: name, scopes: scopes, validity: validity)
    }
    let many = Set((0...AccessTokens.mostScopes).map { TokenScope.scene("s\($0)") })
    let wrong: [(AccessTokenRequest, AccountError.Code)] = [
      (request(name: " "), .empty), (request(name: "a\nb"), .malformed),
      (request(scopes: []), .outOfRange), (request(scopes: many), .outOfRange),
      (request(validity: 59), .outOfRange), (request(validity: 731 * 86_400), .outOfRange),
      (request(validity: .nan), .outOfRange), (request(validity: .infinity), .outOfRange),
    ]
    for (request, code) in wrong {
      #expect(
        await refusalCode { () async throws(AccountError) in
          try await tokens.make(request, by: owner.principal)
        } == code)
    }
  }

  @Test("an account has at most 20 tokens, each with a name of its own; expired ones do not count")
  func most() async throws {
    let owner = try await household.ownerLogsIn()
    func make(_ name: String) async throws(AccountError) -> IssuedAccessToken {
      try await tokens.make(
        AccessTokenRequest(name: name, scopes: [.view], validity: 240), by: owner.principal)
    }
    for number in 0..<20 { _ = try await make("token \(number)") }
    #expect(
      await refusalCode { () async throws(AccountError) in try await make("one more") }
        == .tooManyTokens)
    // All are of the same moment, so their order is not fixed.
    let list = try await tokens.list(of: owner.principal)
    let first = try #require(list.first { $0.name.text == "token 0" })
    try await tokens.revoke(first.id, of: owner.principal)
    #expect(
      await refusalCode { () async throws(AccountError) in try await make("token 5") } == .taken)
    _ = try await make("one more")
    household.clock.advance(240)
    #expect(try await tokens.list(of: owner.principal).isEmpty)
    _ = try await make("token 5")
    #expect(try await tokens.list(of: owner.principal).count == 1)
  }

  @Test("at once, no two requests make the 21st token")
  func atOnce() async throws {
    let owner = try await household.ownerLogsIn()
    await withDiscardingTaskGroup { group in
      for number in 0..<40 {
        group.addTask { [tokens] in
          _ = try? await tokens.make(
            AccessTokenRequest(name: "\(number)", scopes: [.view], validity: 3600),
            by: owner.principal)
        }
      }
    }
    #expect(try await tokens.list(of: owner.principal).count == 20)
  }

  @Test("a revoked token is refused at once; another person's cannot be revoked")
  func revoked() async throws {
    let owner = try await household.ownerLogsIn()
    let member = try await household.invited(by: owner, "ben@example.org")
    let issued = try await tokens.make(.doorbell, by: owner.principal)
    let other = try await tokens.make(.named("other"), by: owner.principal)
    #expect(
      await refusalCode { () async throws(AccountError) in
        try await tokens.revoke(issued.token.id, of: member.principal)
      } == .notFound)
    #expect(
      await refusalCode { () async throws(AccountError) in
        try await tokens.revoke(issued.token.id, of: owner.principal.account, by: member.principal)
      } == .forbidden)
    #expect(await rights(issued) != nil)
    try await tokens.revoke(issued.token.id, of: owner.principal)
    #expect(await rights(issued) == nil)
    #expect(await rights(issued, at: household.restarted()) == nil)
    #expect(await rights(other) != nil)
    #expect(
      await refusalCode { () async throws(AccountError) in
        try await tokens.revoke(issued.token.id, of: owner.principal)
      } == .notFound)
    // An owner revokes a member's.
    let bens = try await tokens.make(.doorbell, by: member.principal)
    try await tokens.revoke(bens.token.id, of: member.principal.account, by: owner.principal)
    #expect(await rights(bens) == nil)
    #expect(try await tokens.revokeAll(of: owner.principal) == 1)
    #expect(await rights(other) == nil)
  }

  @Test("a revoked token is refused at once on a full disk too, and revoking it can be repeated")
  func revokedOnFullDisk() async throws {
    let owner = try await household.ownerLogsIn()
    var stores = household.stores
    stores.tokens = FullTokenStore(base: household.stores.tokens)
    let full = AccountService(
      stores: stores, hashing: Household.cheap, clock: household.clock.wall,
      steady: household.clock.steady)
    let issued = try await tokens.make(.doorbell, by: owner.principal)
    #expect(await rights(issued, at: full) != nil)
    #expect(
      await refusalCode { () async throws(AccountError) in
        try await full.tokens.revoke(issued.token.id, of: owner.principal)
      } == .storageFull)
    #expect(await rights(issued, at: full) == nil)
    #expect(try await full.tokens.list(of: owner.principal).count == 1)
    try await tokens.revoke(issued.token.id, of: owner.principal)
    #expect(await rights(issued, at: household.restarted()) == nil)
  }

  @Test("the rights follow the account at each use: role, age limit, removal")
  func presentRights() async throws {
    let owner = try await household.ownerLogsIn()
    let other = try await household.invited(by: owner, "ben@example.org", as: .owner)
    let issued = try await tokens.make(
      AccessTokenRequest(name: "backup", scopes: [.everything], validity: 86_400),
      by: other.principal)
    let first = await rights(issued)
    #expect(first?.role == .owner && first?.ageLimit == nil)
    let people = household.accountService.people
    try await people.setRole(.member, of: other.principal.account, by: owner.principal)
    try await people.setAgeLimit(12, of: other.principal.account, by: owner.principal)
    let second = await rights(issued)
    #expect(second?.role == .member && second?.ageLimit == 12)
    try await people.remove(other.principal.account, by: owner.principal)
    #expect(await rights(issued) == nil)
  }

  @Test("a role that the account gets later gives an earlier token nothing")
  func promotion() async throws {
    let owner = try await household.ownerLogsIn()
    let member = try await household.invited(by: owner, "ben@example.org")
    let issued = try await tokens.make(
      AccessTokenRequest(name: "all", scopes: [.everything], validity: 86_400),
      by: member.principal)
    try await household.accountService.people.setRole(
      .owner, of: member.principal.account, by: owner.principal)
    #expect(await rights(issued)?.role == .member)
  }

  @Test("a token expires by the time of day, and by the steady clock when the clock is set back")
  func expiry() async throws {
    let owner = try await household.ownerLogsIn()
    let issued = try await tokens.make(.named("a", validity: 7200), by: owner.principal)
    household.clock.advance(7199)
    #expect(await rights(issued) != nil)
    household.clock.advance(1)
    #expect(await rights(issued) == nil)

    let later = try await household.logIn()
    let second = try await tokens.make(.named("b", validity: 7200), by: later.principal)
    household.clock.set(household.clock.now.addingTimeInterval(-3600))
    #expect(await rights(second) != nil)
    household.clock.advance(7200)
    #expect(await rights(second) == nil)
  }

  @Test("a token that seems to be made more than a day in the future is refused after a restart")
  func clockSetBack() async throws {
    let owner = try await household.ownerLogsIn()
    let issued = try await tokens.make(.doorbell, by: owner.principal)
    let now = household.clock.now
    household.clock.reboot()
    household.clock.set(now.addingTimeInterval(-2 * 86_400))
    #expect(await rights(issued) == nil)
    household.clock.set(now)
    #expect(await rights(issued) != nil)
  }

  @Test("the last use is listed, and written at most once a minute")
  func lastUse() async throws {
    let owner = try await household.ownerLogsIn()
    let issued = try await tokens.make(.doorbell, by: owner.principal)
    func last() async throws -> TokenUse? {
      try await tokens.list(of: owner.principal).first?.lastUse
    }
    #expect(try await last() == nil)
    _ = await rights(issued)
    let first = household.clock.now
    #expect(try await last() == TokenUse(date: first, address: "local"))
    household.clock.advance(59)
    _ = await rights(issued)
    #expect(try await last()?.date == first)
    // A restart of the controller does not write more often.
    _ = await rights(issued, at: household.restarted())
    #expect(try await last()?.date == first)
    household.clock.advance(1)
    _ = await rights(issued)
    #expect(try await last()?.date == household.clock.now)
  }

  @Test("wrong tokens wait after 30, but delay neither a right token nor a login")
  func guessing() async throws {
    let owner = try await household.ownerLogsIn()
    let issued = try await tokens.make(.doorbell, by: owner.principal)
    func attempt(_ text: String, from address: String = "192.0.2.7") async -> AccountError? {
      await refusal { () async throws(AccountError) in
        try await asking(from: address) { () async throws(AccountError) in
          try await tokens.resolve(text, isProtected: true)
        }
      }
    }
    // Malformed, with a wrong checksum, and well-formed.
    let text = issued.secret.text
    let wrong = [
      "theater_", text.dropLast() + (text.last == "0" ? "1" : "0"),
      AccessTokenSecret(from: .system).text,
    ]
    for number in 0..<30 { #expect(await attempt(wrong[number % 3]) == .invalidToken) }
    let delayed = await attempt(wrong[2])
    #expect(delayed?.code == .tooManyTries && delayed?.retryAfter == 1)
    #expect(await attempt(issued.secret.text) == nil)
    #expect(await attempt(wrong[2], from: "192.0.2.8") == .invalidToken)
    _ = try await asking(from: "192.0.2.7") { () async throws(AccountError) in
      try await household.accountService.logIn(
        PasswordCredentials(email: "anna@example.org", password: Household.password))
    }
    household.clock.advance(1)
    #expect(await attempt(wrong[2]) == .invalidToken)
    #expect(await attempt(wrong[2])?.retryAfter == 2)
  }

  @Test("an unencrypted request is refused before its token is looked at")
  func unencrypted() async throws {
    let owner = try await household.ownerLogsIn()
    let issued = try await tokens.make(.doorbell, by: owner.principal)
    for text in [issued.secret.text, "theater_wrong"] {
      #expect(
        await refusal { () async throws(AccountError) in
          try await tokens.resolve(text, isProtected: false)
        } == .unencryptedToken)
    }
    #expect(try await tokens.list(of: owner.principal).first?.lastUse == nil)
  }

  @Test("a changed password keeps the tokens; a forgotten one that is reset revokes them")
  func passwords() async throws {
    let owner = try await household.verifiedOwner()
    let issued = try await tokens.make(.doorbell, by: try await household.now(owner))
    let new = "another evening with friends"
    try await household.accountService.passwords.change(
      Household.password, to: new, by: try await household.now(owner))
    #expect(await rights(issued) != nil)
    let request = try await household.accountService.passwords.beginReset(household.mailbox())
    try await household.accountService.passwords.finishReset(
      household.sentMessages.code ?? "", of: request.id.text, newPassword: Household.password)
    #expect(await rights(issued) == nil)
  }

  @Test("making, revoking and refused uses are in the audit log; a message tells of a new token")
  func audit() async throws {
    let owner = try await household.ownerLogsIn()
    let issued = try await tokens.make(.doorbell, by: owner.principal)
    let notice = try #require(household.sentMessages.notices.last)
    #expect(notice.text.contains("new access token") && !notice.text.contains("theater_"))
    let rights = try #require(await rights(issued))
    await tokens.recordRefusal(of: rights, to: "POST /off")
    _ = await refusal { () async throws(AccountError) in
      try await tokens.resolve("theater_wrong", isProtected: true)
    }
    try await tokens.revoke(issued.token.id, of: owner.principal)
    let entries = try await household.accountService.audit.entries(newest: 4)
    #expect(entries.map(\.action) == [.tokenMade, .tokenUsed, .tokenUsed, .tokenRevoked])
    #expect(entries.map(\.outcome.word) == ["done", "forbidden", "notLoggedIn", "done"])
    #expect(entries[0].subject == "doorbell: pause, resume")
    #expect(entries[1].actor?.name == "anna@example.org, token doorbell")
    #expect(entries[1].subject == "POST /off" && entries[2].actor == nil)
    #expect(entries[3].subject == "doorbell")
    let log = "\(entries)"
    #expect(!log.contains(issued.secret.text) && !log.contains("theater_"))
  }
}

/// Access tokens on a disk that is full when one is to be forgotten.
private struct FullTokenStore: AccessTokenStore {
  let base: any AccessTokenStore

  func insert(
    _ token: AccessToken, digest: SecretDigest, most: Int, in session: SessionID
  ) async throws(AccountError) {
    try await base.insert(token, digest: digest, most: most, in: session)
  }
  func accessToken(
    digest: SecretDigest
  ) async throws(AccountError) -> (token: AccessToken, account: Account)? {
    try await base.accessToken(digest: digest)
  }
  func accessTokens(of account: AccountID) async throws(AccountError) -> [AccessToken] {
    try await base.accessTokens(of: account)
  }
  func setLastUse(_ use: TokenUse, of token: TokenID) async throws(AccountError) {
    throw AccountError(.storageFull, message: "full", hint: "free")
  }
  func deleteAccessTokens(_ ids: [TokenID]) async throws(AccountError) {
    throw AccountError(.storageFull, message: "full", hint: "free")
  }
}

extension AccessTokenRequest {
  /// Pauses and resumes for a year.
  static let doorbell = AccessTokenRequest(
    name: "doorbell", scopes: [.command("pause"), .command("resume")], validity: 365 * 86_400)

  /// May view.
  static func named(_ name: String, validity: TimeInterval = 86_400) -> AccessTokenRequest {
    AccessTokenRequest(name: name, scopes: [.view], validity: validity)
  }
}
