import AccountTestSupport
import Accounts
import Foundation
import Testing

@testable import Storage

/// One-time codes in a file, across restarts of the controller. Between them the time of day is set ten
/// years forwards or back.
@Suite(.fromTerminal) struct CodeDurabilityTests {
  private let fixture: StorageFixture
  private let sentMessages = SentMessages()

  init() throws { fixture = try StorageFixture() }

  /// A controller from its start to its end.
  private func withController<Value>(
    _ codes: CodePolicy = .standard, _ body: (AccountService) async throws -> Value
  ) async throws -> Value {
    let database = try fixture.open()
    let accountService = fixture.accountService(database, delivery: sentMessages, codes: codes)
    let value = try await body(accountService)
    try database.close()
    return value
  }

  /// The same, after the clock was set.
  private func afterRestart<Value>(
    _ years: Double, _ body: (AccountService) async throws -> Value
  ) async throws -> Value {
    fixture.set(years * 365.25 * 86_400)
    return try await withController { accountService in
      _ = try await accountService.open()
      return try await body(accountService)
    }
  }

  /// The owner, registered and logged in.
  private func owner() async throws -> SessionPrincipal {
    try await withController { accountService in
      let code = try #require(try await accountService.open())
      _ = try await accountService.registration.register(People.owner(code))
      return try await accountService.logIn(People.credentials()).principal
    }
  }

  private struct Sent {
    let request: String
    let code: String
    /// Another of the same length.
    var wrong: String { String(code.map { $0 == "9" ? "0" : "9" }) }
  }

  private func send(_ accountService: AccountService, _ owner: SessionPrincipal) async throws
    -> Sent
  {
    let request = try await accountService.contacts.sendEmailCode(to: nil, by: owner)
    return Sent(request: request.id.text, code: try #require(sentMessages.code))
  }

  private func confirm(
    _ accountService: AccountService, _ code: String, _ request: String, _ owner: SessionPrincipal
  ) async -> AccountError? {
    await refusal { () async throws(AccountError) in
      try await accountService.contacts.confirm(code, of: request, for: .verifyEmail, by: owner)
    }
  }

  @Test("D8 · five tries survive restarts and a clock set ten years", arguments: [-10.0, 0, 10])
  func tries(years: Double) async throws {
    let owner = try await owner()
    let sent = try await afterRestart(years) { try await send($0, owner) }
    for left in [4, 3, 2, 1] {
      let error = try await afterRestart(years) {
        await confirm($0, sent.wrong, sent.request, owner)
      }
      #expect(error == .codeWrong(triesLeft: left))
    }
    for code in [sent.wrong, sent.code] {
      let error = try await afterRestart(years) { await confirm($0, code, sent.request, owner) }
      #expect(error == .codeExpired)
    }
  }

  @Test("D8 · ten minutes survive restarts and a clock set ten years", arguments: [-10.0, 0, 10])
  func validity(years: Double) async throws {
    let owner = try await owner()
    let first = try await afterRestart(years) { try await send($0, owner) }
    fixture.advance(599.999)
    #expect(
      try await afterRestart(years) { await confirm($0, first.code, first.request, owner) } == nil)
    let second = try await afterRestart(years) { try await send($0, owner) }
    fixture.advance(600)
    let error = try await afterRestart(years) {
      await confirm($0, second.code, second.request, owner)
    }
    #expect(error == .codeExpired)
  }

  @Test("D8 · single use survives restarts and a clock set ten years", arguments: [-10.0, 0, 10])
  func once(years: Double) async throws {
    let owner = try await owner()
    let sent = try await afterRestart(years) { try await send($0, owner) }
    #expect(
      try await afterRestart(years) { await confirm($0, sent.code, sent.request, owner) } == nil)
    let again = try await afterRestart(years) { await confirm($0, sent.code, sent.request, owner) }
    #expect(again == .codeExpired)
  }

  @Test(
    "D8 · resend waits and five sends an hour survive restarts and a clock set ten years",
    arguments: [-10.0, 0, 10])
  func waits(years: Double) async throws {
    let owner = try await owner()
    func early() async throws -> Int? {
      try await afterRestart(years) { accountService in
        await refusal { () async throws(AccountError) in
          try await accountService.contacts.sendEmailCode(to: nil, by: owner)
        }?.retryAfter
      }
    }
    for wait in [30, 60, 120, 120] {
      _ = try await afterRestart(years) { try await send($0, owner) }
      #expect(try await early() == wait)
      fixture.advance(Double(wait) - 1)
      #expect(try await early() == 1)
      fixture.advance(1)
    }
    _ = try await afterRestart(years) { try await send($0, owner) }
    #expect(try await early() == 3600 - 330)
    fixture.advance(3600 - 330)
    #expect(try await early() == nil)
  }

  @Test(
    "D8 · a new code voids the old one, and each is bound to its request, across restarts too",
    arguments: [-10.0, 0, 10])
  func bound(years: Double) async throws {
    let owner = try await owner()
    let old = try await afterRestart(years) { try await send($0, owner) }
    fixture.advance(30)
    let new = try await afterRestart(years) { try await send($0, owner) }
    try await afterRestart(years) { accountService in
      #expect(await confirm(accountService, old.code, old.request, owner) == .codeExpired)
      #expect(await confirm(accountService, new.code, old.request, owner) == .codeExpired)
      #expect(await confirm(accountService, new.code, new.request, owner) == nil)
    }
  }

  @Test("D8 · a code stays valid when one that was made a moment before it is stored after it")
  func twoAtOnce() async throws {
    let database = try fixture.open()
    let store = AccountDatabase(database)
    func insert(_ name: String, at milliseconds: Int64) async throws -> PendingCode {
      let digest = try #require(SecretDigest(bytes: Data(repeating: UInt8(name.count), count: 32)))
      let code = PendingCode(
        request: CodeRequestID(name), purpose: .logIn, target: digest, account: nil,
        destination: nil, digest: digest,
        madeAt: SteadyTime(boot: "boot", milliseconds: milliseconds))
      _ = try await store.insert(code, within: [], most: nil, by: .standard)
      return code
    }
    for code in [try await insert("later", at: 1001), try await insert("earlier", at: 1000)] {
      let found = try await store.code(
        code.request, for: .logIn, digest: code.digest, by: .standard,
        at: SteadyTime(boot: "boot", milliseconds: 1002))
      #expect(found.request == code.request)
    }
    try database.close()
  }

  @Test("D8 · a code stands in no file of the database, before and after it is used")
  func hashed() async throws {
    let owner = try await owner()
    // So long that no other number looks like it.
    let sent = try await withController(CodePolicy(digits: 16)) { accountService in
      let sent = try await send(accountService, owner)
      #expect(sent.code.utf8.count == 16)
      #expect(try fixture.bytes().range(of: Data(sent.code.utf8)) == nil)
      #expect(try fixture.bytes().range(of: Data(sent.request.utf8)) != nil)
      #expect(await confirm(accountService, sent.code, sent.request, owner) == nil)
      return sent
    }
    #expect(try fixture.bytes().range(of: Data(sent.code.utf8)) == nil)
  }
}
