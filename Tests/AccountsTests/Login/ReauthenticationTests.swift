import AccountTestSupport
import Foundation
import Testing

@testable import Accounts

/// Every operation that checks a password or a code is rate-limited as a login is.
@Suite(.fromTerminal) struct ReauthenticationTests {
  private let household: Household
  private let new = "another evening with friends"
  private let wrong = "not the password at all"

  init() throws { household = try Household() }

  private var accountService: AccountService { household.accountService }

  private func change(
    _ principal: SessionPrincipal, _ old: String, from address: String, device: DeviceToken? = nil
  ) async -> AccountError? {
    await refusal { () async throws(AccountError) in
      try await asking(from: address, device: device) { () throws(AccountError) in
        try await accountService.passwords.change(old, to: new, by: principal)
      }
    }
  }

  private func remove(
    _ principal: SessionPrincipal, _ password: String, from address: String
  ) async -> AccountError? {
    await refusal { () async throws(AccountError) in
      try await asking(from: address) { () throws(AccountError) in
        try await accountService.secondFactor.remove(password: password, by: principal)
      }
    }
  }

  private func finishReset(
    _ code: String, of request: String, _ password: String, from address: String,
    device: DeviceToken? = nil
  ) async -> AccountError? {
    await refusal { () async throws(AccountError) in
      try await asking(from: address, device: device) { () throws(AccountError) in
        try await accountService.passwords.finishReset(code, of: request, newPassword: password)
      }
    }
  }

  /// Logs in the owner at 192.168.1.20. Returns the owner and the token of that device, now a known
  /// one.
  private func owner() async throws -> (principal: SessionPrincipal, device: DeviceToken) {
    try await household.registerOwner()
    let loggedIn = try await asking(from: "192.168.1.20") { () throws(AccountError) in
      try await accountService.logIn(
        PasswordCredentials(email: "anna@example.org", password: Household.password))
    }
    return (loggedIn.principal, try #require(loggedIn.device))
  }

  @Test("guesses at the current password are counted together for all purposes")
  func together() async throws {
    let owner = try await owner().principal
    let token = try await household.logIn().token.text
    for _ in 0..<2 {
      #expect(await change(owner, wrong, from: "192.168.1.66") == .wrongPassword)
      #expect(await remove(owner, wrong, from: "192.168.1.66") == .wrongPassword)
    }
    func prove(_ password: String) async -> AccountError? {
      await refusal { () async throws(AccountError) in
        try await asking(from: "192.168.1.66") { () throws(AccountError) in
          try await accountService.prove(token, password: password)
        }
      }
    }
    #expect(await prove(wrong)?.code == .wrongCredentials)
    // The sixth attempt has to wait, even with the right password.
    let waiting = [
      await change(owner, Household.password, from: "192.168.1.66"),
      await remove(owner, Household.password, from: "192.168.1.66"),
      await prove(Household.password),
    ]
    #expect(waiting.allSatisfy { $0?.code == .tooManyTries && $0?.retryAfter == 1 })
    household.clock.advance(1)
    #expect(await change(owner, wrong, from: "192.168.1.66") == .wrongPassword)
    #expect(await change(owner, wrong, from: "192.168.1.66")?.retryAfter == 2)
    household.clock.advance(2)
    #expect(await change(owner, Household.password, from: "192.168.1.66") == nil)
  }

  @Test("guesses in another person's session delay neither a known device nor the terminal")
  func ownerIsNotLockedOut() async throws {
    let (owner, device) = try await owner()
    for host in 100..<120 {
      for _ in 0..<6 { _ = await change(owner, wrong, from: "192.168.1.\(host)") }
    }
    #expect(await change(owner, wrong, from: "192.168.1.21")?.code == .tooManyTries)
    #expect(
      await change(owner, Household.password, from: "192.168.1.66", device: device) == nil)
    let atTerminal = await refusal { () async throws(AccountError) in
      try await asking(from: "local (uid 1000)") { () throws(AccountError) in
        try await accountService.passwords.change(new, to: Household.password, by: owner)
      }
    }
    #expect(atTerminal == nil)
  }

  @Test("a known device loses its status after five wrong current passwords")
  func stolenDevice() async throws {
    let (owner, device) = try await owner()
    for _ in 0..<10 {
      #expect(await change(owner, wrong, from: "192.168.1.66", device: device) == .wrongPassword)
    }
    let error = await change(owner, wrong, from: "192.168.1.66", device: device)
    #expect(error?.code == .tooManyTries)
  }

  @Test("neither an unsuitable new password nor an empty present one causes a wait")
  func noGuess() async throws {
    let owner = try await owner().principal
    for _ in 0..<10 {
      let short = await refusal { () async throws(AccountError) in
        try await asking(from: "192.168.1.66") { () throws(AccountError) in
          try await accountService.passwords.change(Household.password, to: "short", by: owner)
        }
      }
      #expect(short?.code == .tooShort)
      #expect(await change(owner, "", from: "192.168.1.66")?.code == .empty)
    }
    #expect(await change(owner, Household.password, from: "192.168.1.66") == nil)
  }

  @Test("the first code of a new second factor cannot be guessed either")
  func enrolment() async throws {
    let owner = try await owner().principal
    let secret = try Base32.bytes(try await accountService.secondFactor.enrol(by: owner).secret)
    let right = TOTP.code(secret, step: TOTP.step(at: household.clock.now))
    func confirm(_ code: String) async -> AccountError? {
      await refusal { () async throws(AccountError) in
        try await asking(from: "192.168.1.66") { () throws(AccountError) in
          try await accountService.secondFactor.confirm(code, by: owner)
        }
      }
    }
    for _ in 0..<10 { #expect(await confirm("12345")?.code == .malformed) }
    for _ in 0..<5 { #expect(await confirm(right.wrong) == .totpCodeWrong) }
    #expect(await confirm(right)?.code == .tooManyTries)
    household.clock.advance(1)
    #expect(await confirm(right) == nil)
  }

  @Test("a source waits after thirty wrong codes; other sources and known devices do not")
  func codesFromOneSource() async throws {
    let (_, device) = try await owner()
    let unknown = String(repeating: "0", count: 32)
    for _ in 0..<30 {
      #expect(await finishReset("123456", of: unknown, new, from: "192.168.1.66") == .codeExpired)
    }
    #expect(
      await finishReset("123456", of: unknown, new, from: "192.168.1.66")?.code == .tooManyTries)
    let login = await refusal { () async throws(AccountError) in
      try await asking(from: "192.168.1.66") { () throws(AccountError) in
        try await accountService.logIn(CodeCredentials(request: unknown, code: "123456"))
      }
    }
    #expect(login?.code == .tooManyTries)
    #expect(await finishReset("123456", of: unknown, new, from: "192.168.1.20") == .codeExpired)
    let known = await finishReset(
      "123456", of: unknown, new, from: "192.168.1.66", device: device)
    #expect(known == .codeExpired)
  }

  @Test("a right code does not clear the failures of its source at other accounts")
  func rightCodeClearsNothing() async throws {
    let owner = try await owner().principal
    let mail = try await accountService.contacts.sendEmailCode(to: nil, by: owner)
    try await accountService.contacts.confirm(
      household.sentMessages.code ?? "", of: mail.id.text, for: .verifyEmail, by: owner)
    let reset = try await accountService.passwords.beginReset(
      .email(try EmailAddress("anna@example.org")))
    func spray(_ person: Int) async -> AccountError.Code? {
      await refusal { () async throws(AccountError) in
        try await asking(from: "192.168.1.66") { () throws(AccountError) in
          try await accountService.logIn(
            PasswordCredentials(email: "person\(person)@example.org", password: wrong))
        }
      }?.code
    }
    for person in 0..<29 { #expect(await spray(person) == .wrongCredentials) }
    // The code stays valid while the new password breaks the rules.
    for _ in 0..<3 {
      let short = await finishReset(
        household.sentMessages.code ?? "", of: reset.id.text, "short", from: "192.168.1.66")
      #expect(short?.code == .tooShort)
    }
    #expect(await spray(30) == .wrongCredentials)
    #expect(await spray(31) == .tooManyTries)
  }

  @Test("records a refused proof with its session's account, and no refusals during a wait")
  func audit() async throws {
    let owner = try await owner().principal
    for _ in 0..<20 { _ = await change(owner, wrong, from: "192.168.1.66") }
    _ = await finishReset("123456", of: "0", new, from: "192.168.1.67")
    let refused = try await accountService.audit.entries(newest: 100).filter { $0.outcome != .done }
    #expect(refused.map(\.action) == [.passwordChanged, .passwordReset])
    #expect(refused.map(\.count) == [5, 1])
    #expect(refused.first?.actor?.account == owner.account)
    #expect(refused.first?.origin.address == "192.168.1.66")
    #expect(refused.last?.actor == nil)
  }
}
