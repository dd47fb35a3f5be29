import AccountTestSupport
import Testing

@testable import Accounts

/// A new password in the place of one that is known, or forgotten.
@Suite(.fromTerminal) struct PasswordChangeTests {
  private let household: Household
  private let new = "another evening with friends"

  init() throws { household = try Household() }

  private var accountService: AccountService { household.accountService }
  private var code: String { household.sentMessages.code ?? "" }

  @Test("a password is changed for the old one; other sessions end, this one stays")
  func changed() async throws {
    let loggedIn = try await household.ownerLogsIn()
    let other = try await household.logIn()
    let wrong = await refusalCode { () async throws(AccountError) in
      try await accountService.passwords.change("not it", to: new, by: loggedIn.principal)
    }
    #expect(wrong == .wrongCredentials)
    let short = await refusal { () async throws(AccountError) in
      try await accountService.passwords.change(
        Household.password, to: "too short", by: loggedIn.principal)
    }
    #expect(short?.code == .tooShort && short?.field == .newPassword)
    try await accountService.passwords.change(Household.password, to: new, by: loggedIn.principal)
    _ = try await accountService.sessions.resolve(loggedIn.token.text)
    let ended = await refusalCode { () async throws(AccountError) in
      try await accountService.sessions.resolve(other.token.text)
    }
    #expect(ended == .notLoggedIn)
    _ = try await household.logIn("anna@example.org", new)
  }

  @Test("A9 E1 · with a second factor the password alone changes no password: a fresh proof does")
  func factorGuardsPassword() async throws {
    let own = try await household.ownerLogsIn()
    _ = try await household.enrolled(own.principal)
    household.clock.advance(600)
    let error = await refusalCode { () async throws(AccountError) in
      try await accountService.passwords.change(Household.password, to: new, by: own.principal)
    }
    #expect(error == .proofNeeded)
  }

  @Test("eight characters suffice with a second factor; its removal requires fifteen")
  func shorterPassword() async throws {
    let principal = try await household.ownerLogsIn().principal
    let (secret, _) = try await household.enrolled(principal)
    try await accountService.passwords.change(Household.password, to: "8 letter", by: principal)
    let removal = await refusal { () async throws(AccountError) in
      try await accountService.secondFactor.remove(password: "8 letter", by: principal)
    }
    #expect(removal == .passwordTooShortAlone(minimum: 15))
    try await accountService.passwords.change("8 letter", to: new, by: principal)
    try await accountService.secondFactor.remove(password: new, by: principal)
    _ = try await household.logIn("anna@example.org", new)
    let tooShort = await refusalCode { () async throws(AccountError) in
      try await accountService.passwords.change(new, to: "8 letter", by: principal)
    }
    #expect(tooShort == .tooShort)
    #expect(!household.totp(secret).isEmpty)
  }

  @Test("D8 · a forgotten password is set with a code to the verified address; every session ends")
  func reset() async throws {
    let loggedIn = try await household.verifiedOwner()
    let request = try await accountService.passwords.beginReset(household.mailbox())
    let code = self.code
    let short = await refusal { () async throws(AccountError) in
      try await accountService.passwords.finishReset(
        code, of: request.id.text, newPassword: "too short")
    }
    #expect(short?.field == .newPassword)
    // Used once, so that the running controller has it in its cache.
    _ = try await accountService.sessions.resolve(loggedIn.token.text)
    // The code is still good after a password that broke the rule.
    try await accountService.passwords.finishReset(code, of: request.id.text, newPassword: new)
    for accountService in [accountService, household.restarted()] {
      let old = await refusalCode { () async throws(AccountError) in
        try await accountService.sessions.resolve(loggedIn.token.text)
      }
      #expect(old == .notLoggedIn)
    }
    _ = try await household.logIn("anna@example.org", new)
    let again = await refusalCode { () async throws(AccountError) in
      try await accountService.passwords.finishReset(code, of: request.id.text, newPassword: new)
    }
    #expect(again == .codeExpired)
  }

  @Test("D8 A10 · a reset ends every session at once, for the running controller too")
  func resetEndsSessions() async throws {
    let loggedIn = try await household.verifiedOwner()
    let events = accountService.events.subscribe()
    let request = try await accountService.passwords.beginReset(household.mailbox())
    try await accountService.passwords.finishReset(code, of: request.id.text, newPassword: new)
    let old = await refusalCode { () async throws(AccountError) in
      try await accountService.sessions.resolve(loggedIn.token.text)
    }
    #expect(old == .notLoggedIn)
    let event = await events.first { _ in true }
    guard case .loggedOut(let who)? = event else { return #expect(Bool(false), "\(event as Any)") }
    #expect(who.session == loggedIn.principal.session)
  }

  @Test("a reset request answers alike for unknown, unverified and verified addresses")
  func resetTellsNothing() async throws {
    _ = try await household.verifiedOwner()
    let invitation = try await accountService.invitations.make(
      by: try await household.logIn().principal)
    _ = try await accountService.registration.register(.guest(invitation.code.text))
    let sent = household.sentMessages.messages.count
    var answers: [CodeRequest] = []
    for address in ["anna@example.org", "ben@example.org", "nobody@example.org"] {
      answers.append(try await accountService.passwords.beginReset(household.mailbox(address)))
    }
    #expect(Set(answers.map(\.resendWait)).count == 1)
    #expect(Set(answers.map(\.id)).count == 3)
    // Only the verified one got a message.
    #expect(household.sentMessages.messages.count == sent + 1)
    for answer in answers {
      let error = await refusal { () async throws(AccountError) in
        try await accountService.passwords.finishReset(
          "000000", of: answer.id.text, newPassword: new)
      }
      #expect(error == .codeWrong(triesLeft: 4))
    }
  }

  @Test("a reset keeps the second factor")
  func resetKeepsFactor() async throws {
    let principal = try await household.verifiedOwner().principal
    _ = try await household.enrolled(principal)
    let request = try await accountService.passwords.beginReset(household.mailbox())
    try await accountService.passwords.finishReset(
      code, of: request.id.text, newPassword: "8 letter")
    let login = await refusalCode { () async throws(AccountError) in
      try await accountService.logIn(
        PasswordCredentials(email: "anna@example.org", password: "8 letter"))
    }
    #expect(login == .secondFactorNeeded)
  }
}
