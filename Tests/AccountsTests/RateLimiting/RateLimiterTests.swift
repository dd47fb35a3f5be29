import AccountTestSupport
import Foundation
import Testing
import Validation

@testable import Accounts

@Suite(.fromTerminal) struct RateLimiterTests {
  private let household: Household
  private let year: TimeInterval = 365 * 86_400

  init() throws { household = try Household() }

  /// Logs in from an address in the network.
  private func logIn(
    _ email: String = "anna@example.org", _ password: String = Household.password,
    from address: String = "192.168.1.66", device: DeviceToken? = nil,
    at accountService: AccountService? = nil
  ) async throws(AccountError) -> LoggedIn {
    try await asking(from: address, device: device) { () throws(AccountError) in
      try await (accountService ?? household.accountService).logIn(
        PasswordCredentials(email: email, password: password))
    }
  }

  /// The error of an attempt with a wrong password.
  private func attempt(
    _ email: String = "anna@example.org", from address: String = "192.168.1.66",
    device: DeviceToken? = nil, at accountService: AccountService? = nil
  ) async -> AccountError? {
    await refusal { () async throws(AccountError) in
      try await logIn(email, "not the password", from: address, device: device, at: accountService)
    }
  }

  private func attempt(times: Int, from address: String = "192.168.1.66") async {
    for _ in 0..<times { _ = await attempt(from: address) }
  }

  @Test("five wrong guesses are free, then each wait is twice as long, up to a quarter of an hour")
  func growingWaits() async throws {
    try await household.registerOwner()
    for _ in 0..<5 { #expect(await attempt() == .wrongCredentials) }
    for wait in [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900] {
      // Attempts during the wait are not counted.
      for _ in 0..<3 {
        let error = await attempt()
        #expect(error?.code == .tooManyTries)
        #expect(error?.retryAfter == wait)
      }
      household.clock.advance(TimeInterval(wait) - 0.001)
      #expect(await attempt()?.code == .tooManyTries)
      household.clock.advance(0.001)
      #expect(await attempt() == .wrongCredentials)
    }
    household.clock.advance(900)
    #expect(try await logIn().principal.name == "Anna")
    #expect(await attempt() == .wrongCredentials)
  }

  private static let wrong = String(repeating: "0", count: 20)

  @Test("guessing guest passes and codes for registering is slowed down by source, like passwords")
  func codes() async throws {
    let owner = try await household.ownerLogsIn()
    let pass = try await household.accountService.guestPasses.make(.music, by: owner.principal)
    let invitation = try await household.accountService.invitations.make(by: owner.principal)
    func enter(
      _ code: String = Self.wrong, from address: String = "192.168.1.66"
    ) async -> AccountError? {
      await refusal { () async throws(AccountError) in
        try await asking(from: address) { () throws(AccountError) in
          try await household.accountService.guestPasses.logIn(with: code)
        }
      }
    }
    func register(_ code: String = Self.wrong) async -> AccountError? {
      await refusal { () async throws(AccountError) in
        try await asking(from: "192.168.1.66") { () throws(AccountError) in
          try await household.accountService.registration.register(.guest(code))
        }
      }
    }
    for _ in 0..<15 {
      #expect(await enter() == .guestPassInvalid)
      #expect(await register() == .codeInvalid)
    }
    let written = try await household.accountService.audit.entries(newest: 1000).count
    for _ in 0..<5 {
      #expect(await enter()?.code == .tooManyTries)
      #expect(await register()?.code == .tooManyTries)
      #expect(await enter(pass.code.text)?.code == .tooManyTries)
      #expect(await register(invitation.code.text)?.code == .tooManyTries)
    }
    // Attempts during a wait are not recorded.
    #expect(try await household.accountService.audit.entries(newest: 1000).count == written)
    #expect(await enter(pass.code.text, from: "192.168.1.67") == nil)
    household.clock.advance(1)
    // Correct codes do not count.
    for _ in 0..<40 { #expect(await enter(pass.code.text) == nil) }
    #expect(await register(invitation.code.text) == nil)
    #expect(await enter() == .guestPassInvalid)
    #expect(await enter()?.code == .tooManyTries)
  }

  @Test("50 simultaneous guesses get as many answers as 50 guesses in a row")
  func parallelGuesses() async throws {
    try await household.registerOwner()
    let answers = await withTaskGroup { group in
      for _ in 0..<50 { group.addTask { await attempt() } }
      return await group.reduce(into: [AccountError?]()) { $0.append($1) }
    }
    #expect(answers.count { $0 == .wrongCredentials } == 5)
    #expect(answers.count { $0?.code == .tooManyTries } == 45)
  }

  @Test("a right password clears what was counted for that client")
  func success() async throws {
    try await household.registerOwner()
    for _ in 0..<2 {
      for _ in 0..<4 { #expect(await attempt() == .wrongCredentials) }
      #expect(try await logIn().principal.name == "Anna")
    }
  }

  @Test("an account that does not exist is throttled like one that does, answer by answer")
  func unknownAccounts() async throws {
    try await household.registerOwner()
    for _ in 0..<9 {
      let known = await attempt(from: "192.168.1.66")
      let unknown = await attempt("nobody@example.org", from: "192.168.1.67")
      #expect(known == unknown)
      household.clock.advance(2)
    }
    #expect(await attempt("nobody@example.org", from: "192.168.1.67")?.code == .tooManyTries)
  }

  @Test("guesses delay neither a known device nor the terminal of this machine")
  func ownerIsNotLockedOut() async throws {
    try await household.registerOwner()
    let device = try #require(try await logIn(from: "192.168.1.20").device)
    for host in 1...20 {
      await attempt(times: 6, from: "192.168.1.\(100 + host)")
      await attempt(times: 6, from: "192.168.1.20")
    }
    #expect(await attempt(from: "192.168.1.21")?.code == .tooManyTries)
    let known = try await logIn(from: "192.168.1.20", device: device)
    #expect(known.device == nil)
    #expect(try await logIn(from: "local").principal.name == "Anna")
    #expect(try await logIn(from: "local (uid 1000)").principal.name == "Anna")
  }

  @Test("a device is known to its own account alone, and a made-up one to none")
  func deviceOfAnother() async throws {
    let owner = try await household.ownerLogsIn().principal
    let code = try await household.accountService.invitations.make(by: owner).code
    _ = try await household.accountService.registration.register(.guest(code.text))
    let device = try #require(try await logIn("ben@example.org").device)
    await attempt(times: 6)
    #expect(await attempt(device: device)?.code == .tooManyTries)
    #expect(await attempt(device: DeviceToken(from: .system))?.code == .tooManyTries)
  }

  @Test("a known device loses its status after five failures in a row")
  func deviceLosesStanding() async throws {
    try await household.registerOwner()
    let device = try #require(try await logIn().device)
    for _ in 0..<4 { #expect(await attempt(device: device) == .wrongCredentials) }
    _ = try await logIn(device: device)
    for _ in 0..<5 { #expect(await attempt(device: device) == .wrongCredentials) }
    await attempt(times: 5)
    #expect(await attempt(device: device)?.code == .tooManyTries)
    household.clock.advance(900)
    // The right password makes it known again, by another token.
    #expect(try await logIn(device: device).device != nil)
  }

  @Test("one account, guessed at from everywhere, has at most one guess a minute")
  func manySources() async throws {
    try await household.registerOwner()
    for host in 0..<10 { #expect(await attempt(from: "10.0.0.\(host)") == .wrongCredentials) }
    for host in 10..<30 {
      let error = await attempt(from: "10.0.0.\(host)")
      #expect(error?.code == .tooManyTries)
      household.clock.advance(TimeInterval(error?.retryAfter ?? 0))
      #expect(await attempt(from: "10.0.0.\(host)") == .wrongCredentials)
    }
    #expect(await attempt(from: "10.0.0.99")?.retryAfter == 60)
  }

  @Test("one source that tries many accounts waits, others do not")
  func spraying() async throws {
    try await household.registerOwner()
    for person in 0..<30 {
      #expect(await attempt("person\(person)@example.org") == .wrongCredentials)
    }
    #expect(await attempt()?.code == .tooManyTries)
    #expect(try await logIn(from: "192.168.1.20").principal.name == "Anna")
  }

  @Test("an IPv6 network of 64 bits is one source, and a mapped IPv4 address is that address")
  func networks() {
    func source(_ address: String) -> AttemptSource {
      AttemptSource(Origin(address: address, device: ""))
    }
    #expect(source("2001:db8:1:2::1") == source("2001:db8:1:2:ffff::9"))
    #expect(source("2001:db8:1:2::1") != source("2001:db8:1:3::1"))
    #expect(source("fe80::1%eth0") == source("fe80::2"))
    #expect(source("::ffff:192.168.1.20") == source("192.168.1.20"))
    #expect(source("192.168.1.20") != source("192.168.1.21"))
  }

  @Test("waits survive a restart, and a wall clock that is set ten years either way")
  func survival() async throws {
    try await household.registerOwner()
    await attempt(times: 5)
    household.clock.advance(1)
    await attempt(times: 1)
    for years in [-10.0, 20, -10] {
      household.clock.set(household.clock.now.addingTimeInterval(years * year))
      let accountService = household.restarted()
      _ = try await accountService.open()
      #expect(await attempt(at: accountService)?.retryAfter == 2)
    }
    household.clock.advance(2)
    #expect(try await logIn(at: household.restarted()).principal.name == "Anna")
  }

  @Test("after a start of the machine a wait begins anew, and ends")
  func reboot() async throws {
    try await household.registerOwner()
    await attempt(times: 5)
    household.clock.advance(1)
    await attempt(times: 1)
    household.clock.reboot()
    let accountService = household.restarted()
    _ = try await accountService.open()
    #expect(await attempt(at: accountService)?.retryAfter == 2)
    household.clock.advance(2)
    #expect(await attempt(at: accountService) == .wrongCredentials)
  }

  @Test("a day without a failure is forgotten at the next start")
  func forgotten() async throws {
    try await household.registerOwner()
    await attempt(times: 5)
    household.clock.advance(86_400)
    let accountService = household.restarted()
    _ = try await accountService.open()
    for _ in 0..<5 { #expect(await attempt(at: accountService) == .wrongCredentials) }
  }

  @Test("a day without a failure is forgotten while the controller runs, too")
  func forgottenWhileRunning() async throws {
    try await household.registerOwner()
    await attempt(times: 5)
    household.clock.advance(86_400)
    for _ in 0..<5 { #expect(await attempt() == .wrongCredentials) }
    #expect(await attempt()?.code == .tooManyTries)
  }

  @Test("unlocking lifts the waits at one account")
  func unlock() async throws {
    try await household.registerOwner()
    await attempt(times: 6)
    for _ in 0..<6 { _ = await attempt("ben@example.org", from: "192.168.1.67") }
    try await household.accountService.rateLimiter.unlock(EmailAddress("ANNA@example.org"))
    #expect(await attempt() == .wrongCredentials)
    #expect(await attempt("ben@example.org", from: "192.168.1.67")?.code == .tooManyTries)
  }

  @Test("a busy controller or a full disk does not count as a wrong guess")
  func noVerdict() async throws {
    try await household.registerOwner()
    let full = AccountError(.storageFull, message: "full", hint: "free")
    await household.store.failWrites(with: full)
    for _ in 0..<20 {
      #expect(await refusal { () async throws(AccountError) in try await logIn() } == full)
    }
    await household.store.failWrites(with: nil)
    #expect(try await logIn().principal.name == "Anna")
  }

  @Test("refusals during a wait are not recorded one by one")
  func quietLog() async throws {
    try await household.registerOwner()
    await attempt(times: 100)
    let refused = try await household.accountService.audit.entries(newest: 200).filter {
      $0.outcome != .done
    }
    #expect(refused.map(\.count) == [5])
  }

  @Test("a setup code after the first owner is a guess like any other, and slowed down by source")
  func closedSetup() async throws {
    try await household.registerOwner()
    func register(_ code: String, from address: String) async -> AccountError? {
      await refusal { () async throws(AccountError) in
        try await asking(from: address) { () throws(AccountError) in
          try await household.accountService.registration.register(
            .owner(code, email: "mallory@example.org"))
        }
      }
    }
    func ask(from address: String) async -> AccountError? {
      await refusal { () async throws(AccountError) in
        try await asking(from: address) { () throws(AccountError) in
          try await household.accountService.registration.answer(
            .emailFree, about: "anna@example.org", for: .setupCode(Self.wrong))
        }
      }
    }
    for _ in 0..<15 {
      #expect(await register(Self.wrong, from: "192.168.1.66") == .setupClosed)
      #expect(await ask(from: "192.168.1.66") == .setupClosed)
    }
    for _ in 0..<100 {
      #expect(await register(Self.wrong, from: "192.168.1.66")?.code == .tooManyTries)
      #expect(await ask(from: "192.168.1.66")?.code == .tooManyTries)
    }
    #expect(await register(Self.wrong, from: "192.168.1.67") == .setupClosed)
    let refused = try await household.accountService.audit.entries(newest: 1000).filter {
      $0.outcome != .done
    }
    #expect(refused.map(\.count) == [15, 15, 1])
    #expect(refused.map(\.origin.address) == ["192.168.1.66", "192.168.1.66", "192.168.1.67"])
  }

  @Test("a login refused because too many are under way is neither counted nor recorded")
  func tooManyAtOnce() async throws {
    try await household.registerOwner()
    let written = try await household.accountService.audit.entries(newest: 1000).count
    await household.accountService.audit.recordRefusal(.busy, .login, by: nil)
    await household.accountService.audit.recordRefusal(.cancelled, .login, by: nil)
    #expect(try await household.accountService.audit.entries(newest: 1000).count == written)
  }

  @Test("a wait is reported in words and in seconds")
  func words() {
    let waits: [(Duration, Int, String)] = [
      (.milliseconds(1), 1, "Wait a second"), (.milliseconds(1_001), 2, "Wait 2 seconds"),
      (.seconds(119), 119, "119 seconds"), (.seconds(121), 121, "3 minutes"),
      (.seconds(900), 900, "15 minutes"),
    ]
    for (wait, seconds, words) in waits {
      let error = AccountError.tooManyTries(wait)
      #expect(error.retryAfter == seconds)
      #expect(error.hint.contains(words))
    }
  }
}

/// Without `.fromTerminal`: the limits for a front end that does not set the origin.
@Suite struct UnknownOriginTests {
  @Test("F5 · a request without an origin is limited like a stranger's, and is no terminal's")
  func unknown() async throws {
    #expect(Origin.current == .unknown)
    #expect(!Origin.unknown.isTerminal && !Origin.controller.isTerminal)
    let household = try Household()
    try await household.registerOwner()
    for _ in 0..<5 {
      #expect(
        await refusalCode { () async throws(AccountError) in
          try await household.accountService.logIn(
            PasswordCredentials(email: "anna@example.org", password: "wrong"))
        } == .wrongCredentials)
    }
    #expect(
      await refusalCode { () async throws(AccountError) in
        try await household.accountService.logIn(
          PasswordCredentials(email: "anna@example.org", password: Household.password))
      } == .tooManyTries)
  }
}
