import AccountTestSupport
import Foundation
import Jobs
import Storage
import Synchronization
import TestSupport
import Testing
import Validation

@testable import Accounts

/// A login method that records its steps, and refuses the login at one of them.
private final class RecordingLogin: LoginMethod {
  enum Step: String { case validate, will, authenticate, between, after, failed }

  let name = "recording"
  let account: Account
  let refusesAt: Step?
  private let log = Mutex<[Step]>([])

  init(account: Account, refusesAt: Step? = nil) {
    self.account = account
    self.refusesAt = refusesAt
  }

  var steps: [Step] { log.withLock { $0 } }

  private func record(_ step: Step) throws(AccountError) {
    log.withLock { $0.append(step) }
    if step == refusesAt { throw .wrongCredentials }
  }

  func validate(_ credentials: String) throws(AccountError) { try record(.validate) }
  func willAuthenticate(_ credentials: String) async throws(AccountError) { try record(.will) }
  func authenticate(_ credentials: String) async throws(AccountError) -> AccountRecord {
    try record(.authenticate)
    return AccountRecord(account: account, passwordHash: PasswordHash("unused"))
  }
  func didAuthenticate(_ proof: AuthenticatedIdentity, by: String) async throws(AccountError) {
    try record(.between)
  }
  func didLogIn(_ principal: SessionPrincipal) async { log.withLock { $0.append(.after) } }
  func didFail(_ error: AccountError, with credentials: String) async {
    log.withLock { $0.append(.failed) }
  }
}

/// A login method that implements only the required step.
private struct MinimalLogin: LoginMethod {
  let name = "minimal"
  let account: Account
  func authenticate(_ credentials: Void) async throws(AccountError) -> AccountRecord {
    AccountRecord(account: account, passwordHash: PasswordHash("unused"))
  }
}

/// A login method that runs `meanwhile` while it authenticates, before the session is opened.
private struct InterruptedLogin: LoginMethod {
  let name = "interrupted"
  let record: AccountRecord
  let meanwhile: @Sendable () async throws(AccountError) -> Void
  func authenticate(_ credentials: Void) async throws(AccountError) -> AccountRecord {
    try await meanwhile()
    return record
  }
}

@Suite(.fromTerminal) struct LoginTests {
  private let store: ProbeStore
  private let events = AccountEvents()
  private let sessions: Sessions
  private let audit: AuditLog
  private let rateLimiter: RateLimiter
  private let account: Account
  private let factors: AccountDatabase

  init() async throws {
    let database = try TheaterDatabase(inMemory: .system)
    store = try ProbeStore(database)
    factors = AccountDatabase(database)
    let stores = database.accountStores
    audit = AuditLog(store: stores.audit, clock: .system)
    rateLimiter = RateLimiter(
      attempts: stores.attempts, devices: stores.devices, audit: audit, clock: .system,
      random: .system)
    sessions = Sessions(store: store, events: events, audit: audit)
    account = Account(
      id: AccountID("1"), name: try DisplayName("Anna"),
      email: try EmailAddress("anna@example.org"), role: .owner, createdAt: Date(milliseconds: 0))
    try await store.insertFirst(
      AccountRecord(account: account, passwordHash: PasswordHash("unused")))
  }

  private func login<Method: LoginMethod>(_ method: Method) -> Login<Method> {
    Login(method, sessions: sessions, events: events, audit: audit, rateLimiter: rateLimiter)
  }

  @Test("E4 E2 · runs the steps and hooks in a fixed order, and reports each stage")
  func order() async throws {
    let method = RecordingLogin(account: account)
    let stages = Mutex<[LoginStage]>([])
    _ = try await login(method).logIn("x") { stage in stages.withLock { $0.append(stage) } }
    #expect(method.steps == [.validate, .will, .authenticate, .between, .after])
    #expect(stages.withLock { $0 } == LoginStage.allCases)
  }

  @Test(
    "E4 A9 · a refusal at any step ends the login, calls `didFail`, and opens no session",
    arguments: [
      (RecordingLogin.Step.validate, 1), (.will, 2), (.authenticate, 3), (.between, 4),
    ])
  fileprivate func refusals(_ step: RecordingLogin.Step, _ count: Int) async throws {
    let method = RecordingLogin(account: account, refusesAt: step)
    let events = self.events.subscribe()
    let error = await refusal { () async throws(AccountError) in
      try await login(method).logIn("x")
    }
    #expect(error == .wrongCredentials)
    #expect(method.steps.count == count + 1)
    #expect(method.steps.last == .failed)
    // The next event is that of a login that succeeds.
    let next = try await login(MinimalLogin(account: account)).logIn(())
    #expect(await events.first { _ in true }?.isLogin(of: next.principal, by: "minimal") == true)
  }

  @Test("E4 · a login method needs to implement only `authenticate`")
  func defaults() async throws {
    let login = login(MinimalLogin(account: account))
    #expect(try await login.logIn(()).principal.name == "Anna")
  }

  @Test("E4 A9 · a login under way opens no session if the password is changed meanwhile")
  func outrunByAChange() async throws {
    let record = AccountRecord(account: account, passwordHash: PasswordHash("unused"))
    let login = login(
      InterruptedLogin(record: record) { [store] () async throws(AccountError) in
        _ = try await store.changePassword(
          record.passwordHash, of: record.account.id, to: PasswordHash("another"),
          keeping: SessionID("none"))
      })
    #expect(
      await refusal { () async throws(AccountError) in try await login.logIn(()) }
        == .wrongCredentials)
    #expect(try await store.sessions(of: account.id).isEmpty)
  }

  @Test("E4 A9 · a login under way opens no session if a second factor is added meanwhile")
  func outrunByAFactor() async throws {
    let record = AccountRecord(account: account, passwordHash: PasswordHash("unused"))
    let login = login(
      InterruptedLogin(record: record) { [factors] () async throws(AccountError) in
        try await factors.enrol(sealed: [1], of: record.account.id)
        _ = try await factors.activate(
          sealed: [1], of: record.account.id, step: 1, recoveryCodes: [],
          keeping: SessionID("none"), at: Date(milliseconds: 0))
      })
    #expect(
      await refusal { () async throws(AccountError) in try await login.logIn(()) }
        == .wrongCredentials)
    #expect(try await store.sessions(of: account.id).isEmpty)
  }

  @Test("E4 A10 · a login under way opens a session with the age limit that is set meanwhile")
  func outrunByAnAgeLimit() async throws {
    let record = AccountRecord(account: account, passwordHash: PasswordHash("unused"))
    let login = login(
      InterruptedLogin(record: record) { [factors, sessions] () async throws(AccountError) in
        try await factors.setAgeLimit(12, of: record.account.id)
        sessions.reloadHolder(record.account.id)
      })
    let loggedIn = try await login.logIn(())
    #expect(loggedIn.principal.ageLimit == 12)
    #expect(try await sessions.resolve(loggedIn.token.text).ageLimit == 12)
  }

  @Test("E4 · a cancelled login opens no session")
  func cancelled() async throws {
    let login = login(MinimalLogin(account: account))
    let attempt = Task {
      while !Task.isCancelled { await Task.yield() }
      return await refusal { () async throws(AccountError) in try await login.logIn(()) }
    }
    attempt.cancel()
    #expect(await attempt.value == .cancelled)
    #expect(try await store.sessions(of: account.id).isEmpty)
  }
}

@Suite(.fromTerminal) struct PasswordLoginTests {
  private let household: Household

  init() throws { household = try Household() }

  @Test("E1 E3 N-E2 · a login returns the token separately from the person's data")
  func success() async throws {
    let account = try await household.registerOwner()
    let events = household.accountService.events.subscribe()
    let loggedIn = try await household.logIn("Anna@Example.org")
    let principal = try await household.accountService.sessions.resolve(loggedIn.token.text)
    #expect(principal == loggedIn.principal)
    #expect(principal.account == account.id)
    #expect(principal.name == "Anna")
    #expect(principal.email == "anna@example.org")
    #expect(principal.role == .owner)
    #expect(principal.expires == household.clock.now.addingTimeInterval(7 * 86_400))
    let event = try #require(await events.first { _ in true })
    #expect(event.isLogin(of: principal, by: "password"))
    var shown = "\(event)"
    dump(event, to: &shown)
    #expect(!shown.contains(loggedIn.token.text))
    // Neither the hash nor a value that would hold it.
    #expect(!shown.contains("$argon2id$") && !shown.contains("PasswordHash"))
    #expect(!shown.contains("AccountRecord"))
  }

  @Test("A7 A9 · each invalid field, and wrong credentials, are refused with their own error")
  func form() async throws {
    try await household.registerOwner()
    let cases: [(String, String, AccountError)] = [
      ("", Household.password, .empty(.email)),
      ("anna", Household.password, .malformedEmail),
      ("anna@example.org", "", .empty(.password)),
      ("anna@example.org", "wrong", .wrongCredentials),
      ("nobody@example.org", Household.password, .wrongCredentials),
    ]
    for (email, password, expected) in cases {
      let error = await refusal { () async throws(AccountError) in
        try await household.accountService.logIn(
          PasswordCredentials(email: email, password: password))
      }
      #expect(error == expected)
    }
  }

  @Test("A9 · every refusal says what happened and what to do, in sentences")
  func sentences() {
    let errors: [AccountError] = [
      .empty(.name), .tooLong(.email, limit: "254 characters"), .malformedEmail, .malformedName,
      .codeInvalid, .setupClosed, .taken, .wrongCredentials,
      .notLoggedIn, .forbidden("invite people"), .busy, .cancelled, .internalFailure("It failed."),
    ]
    for error in errors {
      #expect(error.message.hasSuffix(".") && error.hint.hasSuffix("."))
    }
    #expect(Set(errors.map(\.message)).count == errors.count)
  }

  @Test("N-A4 · an account logs in although its password breaks the present rules")
  func olderRule() async throws {
    let lax = AccountService(
      stores: household.stores,
      policy: AccountPolicy(rules: .seedE),
      hashing: Household.cheap, clock: household.clock.wall)
    let code = try #require(try await lax.open())
    _ = try await lax.registration.register(.owner(code.text, password: "short"))
    #expect(try await household.logIn("anna@example.org", "short").principal.name == "Anna")
  }

  @Test("A8 · a password matches in composed and decomposed form, and in full length only")
  func unicode() async throws {
    try await household.registerOwner(password: "\u{FB01}lmabend im caf\u{E9}")
    #expect(
      try await household.logIn("anna@example.org", "filmabend im cafe\u{301}").token.text != "")
    let error = await refusal { () async throws(AccountError) in
      try await household.accountService.logIn(
        PasswordCredentials(email: "anna@example.org", password: "filmabend im cafe"))
    }
    #expect(error == .wrongCredentials)
  }

  /// Parameters of hashes that differ from those of the registered owner.
  private let dearer = Argon2Parameters(memoryKiB: 16, passes: 1, lanes: 1)
  private let credentials = PasswordCredentials(
    email: "anna@example.org", password: Household.password)

  /// The stored hash of the owner's password.
  private func storedHash() async throws -> PasswordHash? {
    try await household.store.account(withEmail: EmailAddress("anna@example.org"))?.passwordHash
  }

  @Test("E1 · a login replaces a hash of other parameters, and keeps one of the present ones")
  func rehash() async throws {
    try await household.registerOwner()
    let accountService = household.restarted(hashing: dearer)
    _ = try await accountService.logIn(credentials)
    let replaced = try await storedHash()
    #expect(replaced?.wasMade(with: dearer) == true)
    _ = try await accountService.logIn(credentials)
    #expect(try await storedHash() == replaced)
  }

  @Test("E1 · a login succeeds although a full disk prevents a new hash; the next login stores it")
  func rehashOnFullDisk() async throws {
    try await household.registerOwner()
    let accountService = household.restarted(hashing: dearer)
    let old = try await storedHash()
    await household.store.failHashReplacements(
      with: AccountError(.storageFull, message: "full", hint: "free"))
    let loggedIn = try await accountService.logIn(credentials)
    #expect(try await accountService.sessions.resolve(loggedIn.token.text).name == "Anna")
    #expect(try await storedHash() == old)
    await household.store.failHashReplacements(with: nil)
    _ = try await accountService.logIn(credentials)
    let new = try await storedHash()
    #expect(new?.wasMade(with: dearer) == true)
  }

  @Test("E1 A10 · a login that waits while its owner is demoted opens a member's session")
  func demotedMeanwhile() async throws {
    let anna = try await household.ownerLogsIn()
    let ben = try await household.invited(by: anna, "ben@example.org", as: .owner)
    let work = HeldWork()
    let held = (0..<2).map { _ in household.hashes.submit { _ in work.run() } }
    await work.waitUntilRunning(2)
    let attempt = Task { [household] in try await household.logIn("ben@example.org") }
    let hashes = household.hashes
    let isWaiting = await eventually { hashes.load.pending == 1 }
    #expect(isWaiting)
    try await household.accountService.people.setRole(
      .member, of: ben.principal.account, by: anna.principal)
    work.finish(2)
    for job in held { try await job.value }
    let loggedIn = try await attempt.value
    #expect(loggedIn.principal.role == .member)
    #expect(try await household.now(loggedIn).role == .member)
  }

  @Test("a login computes one hash for an unknown address, as for a wrong password")
  func sameCost() async throws {
    try await household.registerOwner()
    for email in ["anna@example.org", "nobody@example.org"] {
      let before = household.hashes.begun
      let credentials = PasswordCredentials(email: email, password: "not the password")
      let error = await refusal { () async throws(AccountError) in
        try await household.accountService.logIn(credentials)
      }
      #expect(error == .wrongCredentials)
      #expect(household.hashes.begun == before + 1)
    }
  }
}
