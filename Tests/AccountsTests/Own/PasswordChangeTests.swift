import Testing

@testable import Accounts

/// A new password in the place of one that is known, or forgotten.
@Suite struct PasswordChangeTests {
  private let house: Household
  private let new = "another evening with friends"

  init() throws { house = try Household() }

  private var accountService: AccountService { house.accountService }
  private var code: String { house.box.code ?? "" }

  @Test("a password is changed for the old one; other sessions end, this one stays")
  func changed() async throws {
    let loggedIn = try await house.ownerLogsIn()
    let other = try await house.logIn()
    let wrong = await refusalCode { () async throws(AccountError) in
      try await accountService.changePassword("not it", to: new, by: loggedIn.principal)
    }
    #expect(wrong == .wrongCredentials)
    let short = await refusal { () async throws(AccountError) in
      try await accountService.changePassword(
        Household.password, to: "too short", by: loggedIn.principal)
    }
    #expect(short?.code == .tooShort && short?.field == .newPassword)
    try await accountService.changePassword(Household.password, to: new, by: loggedIn.principal)
    _ = try await accountService.resolve(loggedIn.token.text)
    let ended = await refusalCode { () async throws(AccountError) in
      try await accountService.resolve(other.token.text)
    }
    #expect(ended == .notLoggedIn)
    _ = try await house.logIn("anna@example.org", new)
  }

  @Test("A9 E1 · with a second factor the password alone changes no password: a fresh proof does")
  func factorGuardsPassword() async throws {
    let own = try await house.ownerLogsIn()
    _ = try await house.enrolled(own.principal)
    house.clock.advance(600)
    let error = await refusalCode { () async throws(AccountError) in
      try await accountService.changePassword(Household.password, to: new, by: own.principal)
    }
    #expect(error == .proofNeeded)
  }

  @Test("beside a second factor eight characters do; removing it demands fifteen first")
  func shorterPassword() async throws {
    let principal = try await house.ownerLogsIn().principal
    let (secret, _) = try await house.enrolled(principal)
    try await accountService.changePassword(Household.password, to: "8 letter", by: principal)
    let removal = await refusal { () async throws(AccountError) in
      try await accountService.removeFactor(password: "8 letter", by: principal)
    }
    #expect(removal == .passwordTooShortAlone(minimum: 15))
    try await accountService.changePassword("8 letter", to: new, by: principal)
    try await accountService.removeFactor(password: new, by: principal)
    _ = try await house.logIn("anna@example.org", new)
    let tooShort = await refusalCode { () async throws(AccountError) in
      try await accountService.changePassword(new, to: "8 letter", by: principal)
    }
    #expect(tooShort == .tooShort)
    #expect(!house.totp(secret).isEmpty)
  }

  @Test("D8 · a forgotten password is set with a code to the verified address; every session ends")
  func reset() async throws {
    let loggedIn = try await house.verifiedOwner()
    let request = try await accountService.beginReset(house.mailbox())
    let code = self.code
    let short = await refusal { () async throws(AccountError) in
      try await accountService.finishReset(code, of: request.id.text, newPassword: "too short")
    }
    #expect(short?.field == .newPassword)
    // In use, so that the running controller knows it by heart.
    _ = try await accountService.resolve(loggedIn.token.text)
    // The code is still good after a password that broke the rule.
    try await accountService.finishReset(code, of: request.id.text, newPassword: new)
    for accountService in [accountService, house.restarted()] {
      let old = await refusalCode { () async throws(AccountError) in
        try await accountService.resolve(loggedIn.token.text)
      }
      #expect(old == .notLoggedIn)
    }
    _ = try await house.logIn("anna@example.org", new)
    let again = await refusalCode { () async throws(AccountError) in
      try await accountService.finishReset(code, of: request.id.text, newPassword: new)
    }
    #expect(again == .codeExpired)
  }

  @Test("D8 A10 · a reset ends every session at once, for the running controller too")
  func resetEndsSessions() async throws {
    let loggedIn = try await house.verifiedOwner()
    let told = accountService.events.subscribe()
    let request = try await accountService.beginReset(house.mailbox())
    try await accountService.finishReset(code, of: request.id.text, newPassword: new)
    let old = await refusalCode { () async throws(AccountError) in
      try await accountService.resolve(loggedIn.token.text)
    }
    #expect(old == .notLoggedIn)
    let event = await told.first { _ in true }
    guard case .loggedOut(let who)? = event else { return #expect(Bool(false), "\(event as Any)") }
    #expect(who.session == loggedIn.principal.session)
  }

  @Test("E7 · asking for a reset tells nobody which addresses are known, verified, or neither")
  func resetTellsNothing() async throws {
    _ = try await house.verifiedOwner()
    let invitation = try await accountService.invite(by: try await house.logIn().principal)
    _ = try await accountService.register(.guest(invitation.code.text))
    let sent = house.box.messages.count
    var answers: [CodeRequest] = []
    for address in ["anna@example.org", "ben@example.org", "nobody@example.org"] {
      answers.append(try await accountService.beginReset(house.mailbox(address)))
    }
    #expect(Set(answers.map(\.resendWait)).count == 1)
    #expect(Set(answers.map(\.id)).count == 3)
    // Only the verified one got a message.
    #expect(house.box.messages.count == sent + 1)
    for answer in answers {
      let error = await refusal { () async throws(AccountError) in
        try await accountService.finishReset("000000", of: answer.id.text, newPassword: new)
      }
      #expect(error == .codeWrong(triesLeft: 4))
    }
  }

  @Test("a reset leaves the second factor where it is")
  func resetKeepsFactor() async throws {
    let principal = try await house.verifiedOwner().principal
    _ = try await house.enrolled(principal)
    let request = try await accountService.beginReset(house.mailbox())
    try await accountService.finishReset(code, of: request.id.text, newPassword: "8 letter")
    let login = await refusalCode { () async throws(AccountError) in
      try await accountService.logIn(
        PasswordCredentials(email: "anna@example.org", password: "8 letter"))
    }
    #expect(login == .secondFactorNeeded)
  }
}
