import Foundation
import Testing

@testable import Accounts

/// What people prove and change of their own account, at the gate.
@Suite struct OwnAccountTests {
  private let house: Household
  private let new = "another evening with friends"

  init() throws { house = try Household() }

  private var gate: Gate { house.gate }
  private var code: String { house.box.code ?? "" }

  /// The owner, logged in, with a verified address.
  private func verified() async throws -> LoggedIn {
    let loggedIn = try await house.ownerLogsIn()
    let request = try await gate.sendEmailCode(to: nil, by: loggedIn.principal)
    try await gate.confirm(code, of: request.id.text, for: .verifyEmail, by: loggedIn.principal)
    house.clock.advance(60)
    return loggedIn
  }

  /// A confirmed second factor, with its secret.
  private func enrolled(_ principal: Principal) async throws -> ([UInt8], [EntryCode]) {
    let secret = try Base32.bytes(try await gate.enrolFactor(by: principal).secret)
    let codes = try await gate.confirmFactor(totp(secret), by: principal)
    house.clock.advance(90)
    return (secret, codes)
  }

  @Test("A9 E1 · a second factor ends the sessions that have not proven it")
  func factorEndsOthers() async throws {
    let other = try await house.ownerLogsIn()
    let own = try await house.logIn("anna@example.org")
    _ = try await enrolled(own.principal)
    #expect(try await gate.resolve(own.token.text).account == own.principal.account)
    #expect(
      await refused { () async throws(AccountError) in try await gate.resolve(other.token.text) }
        == .notLoggedIn)
  }

  @Test("A9 E1 · with a second factor the password alone changes no password: a fresh proof does")
  func factorGuardsPassword() async throws {
    let own = try await house.ownerLogsIn()
    _ = try await enrolled(own.principal)
    house.clock.advance(600)
    let error = await refused { () async throws(AccountError) in
      try await gate.changePassword(Household.password, to: new, by: own.principal)
    }
    #expect(error == .proofNeeded)
  }

  private func totp(_ secret: [UInt8]) -> String {
    TOTP.code(secret, step: TOTP.step(at: house.clock.now))
  }

  private func email(_ text: String = "anna@example.org") throws -> CodeDestination {
    .email(try EmailAddress(text))
  }

  private func refused<Value>(
    _ body: () async throws(AccountError) -> Value
  ) async -> AccountError.Code? {
    await refusal(body)?.code
  }

  // MARK: Addresses

  @Test("D1 D8 · the code that was sent verifies the address, and across a restart too")
  func verifies() async throws {
    let principal = try await house.ownerLogsIn().principal
    #expect(try await gate.ownAccount(of: principal).contact.emailVerifiedAt == nil)
    let request = try await gate.sendEmailCode(to: nil, by: principal)
    #expect(try house.box.messages.last?.destination == email())
    let later = house.restarted()
    try await later.confirm(code, of: request.id.text, for: .verifyEmail, by: principal)
    #expect(try await later.ownAccount(of: principal).contact.emailVerifiedAt == house.clock.now)
    #expect(try await later.audit.entries(newest: 1).last?.deed == .contactVerified)
  }

  @Test("D8 · somebody else's code verifies nothing")
  func foreignCode() async throws {
    let owner = try await house.ownerLogsIn().principal
    let invitation = try await gate.invite(by: owner)
    _ = try await gate.register(.guest(invitation.code.text))
    let ben = try await house.logIn("ben@example.org").principal
    let request = try await gate.sendEmailCode(to: nil, by: ben)
    let code = self.code
    let error = await refused { () async throws(AccountError) in
      try await gate.confirm(code, of: request.id.text, for: .verifyEmail, by: owner)
    }
    #expect(error == .codeExpired)
  }

  @Test(
    "a new address is the account's with its code, for a fresh proof, and shows in open sessions")
  func newAddress() async throws {
    let loggedIn = try await house.ownerLogsIn()
    let request = try await gate.sendEmailCode(to: "new@example.org", by: loggedIn.principal)
    #expect(try await gate.resolve(loggedIn.token.text).email == "anna@example.org")
    try await gate.confirm(code, of: request.id.text, for: .verifyEmail, by: loggedIn.principal)
    #expect(try await gate.resolve(loggedIn.token.text).email == "new@example.org")
    _ = try await house.logIn("new@example.org")
    house.clock.advance(301)
    let stale = try await gate.resolve(loggedIn.token.text)
    let error = await refused { () async throws(AccountError) in
      try await gate.sendEmailCode(to: "third@example.org", by: stale)
    }
    #expect(error == .proofNeeded)
  }

  @Test("an address or number of another account is told as taken only to who reads it")
  func taken() async throws {
    let owner = try await house.ownerLogsIn().principal
    let invitation = try await gate.invite(by: owner)
    _ = try await gate.register(.guest(invitation.code.text))
    let ben = try await house.logIn("ben@example.org").principal
    let mail = try await gate.sendEmailCode(to: "anna@example.org", by: ben)
    let mailCode = code
    let foreign = await refused { () async throws(AccountError) in
      try await gate.confirm(mailCode, of: mail.id.text, for: .verifyEmail, by: ben)
    }
    #expect(foreign == .taken)
    for (index, principal) in [owner, ben].enumerated() {
      let request = try await gate.sendPhoneCode(to: "+49 30 1234567", by: principal)
      let code = self.code
      let error = await refused { () async throws(AccountError) in
        try await gate.confirm(code, of: request.id.text, for: .verifyPhone, by: principal)
      }
      #expect(error == (index == 0 ? nil : .taken))
    }
    #expect(try await gate.ownAccount(of: owner).contact.phone?.text == "+49301234567")
    #expect(try await gate.ownAccount(of: ben).contact.phone == nil)
  }

  @Test("D9 · a failed delivery is told to who waits for it")
  func undelivered() async throws {
    let principal = try await house.ownerLogsIn().principal
    house.box.fail(with: .deliveryFailed("it rains", hint: "Wait."))
    let error = await refused { () async throws(AccountError) in
      try await gate.sendEmailCode(to: nil, by: principal)
    }
    #expect(error == .deliveryFailed)
  }

  // MARK: Passwords

  @Test("a password is changed for the old one; other sessions end, this one stays")
  func changed() async throws {
    let loggedIn = try await house.ownerLogsIn()
    let other = try await house.logIn()
    let wrong = await refused { () async throws(AccountError) in
      try await gate.changePassword("not it", to: new, by: loggedIn.principal)
    }
    #expect(wrong == .wrongCredentials)
    let short = await refusal { () async throws(AccountError) in
      try await gate.changePassword(Household.password, to: "too short", by: loggedIn.principal)
    }
    #expect(short?.code == .tooShort && short?.field == .newPassword)
    try await gate.changePassword(Household.password, to: new, by: loggedIn.principal)
    _ = try await gate.resolve(loggedIn.token.text)
    let ended = await refused { () async throws(AccountError) in
      try await gate.resolve(other.token.text)
    }
    #expect(ended == .notLoggedIn)
    _ = try await house.logIn("anna@example.org", new)
  }

  @Test("D8 A10 · a reset ends every session at once, for the running controller too")
  func resetEndsSessions() async throws {
    let loggedIn = try await verified()
    let told = gate.events.subscribe()
    let request = try await gate.beginReset(email())
    try await gate.finishReset(code, of: request.id.text, newPassword: new)
    let old = await refused { () async throws(AccountError) in
      try await gate.resolve(loggedIn.token.text)
    }
    #expect(old == .notLoggedIn)
    let event = await told.first { _ in true }
    guard case .loggedOut(let who)? = event else { return #expect(Bool(false), "\(event as Any)") }
    #expect(who.session == loggedIn.principal.session)
  }

  @Test("D8 · a forgotten password is set with a code to the verified address; every session ends")
  func reset() async throws {
    let loggedIn = try await verified()
    let request = try await gate.beginReset(email())
    let code = self.code
    let short = await refusal { () async throws(AccountError) in
      try await gate.finishReset(code, of: request.id.text, newPassword: "too short")
    }
    #expect(short?.field == .newPassword)
    // In use, so that the running controller knows it by heart.
    _ = try await gate.resolve(loggedIn.token.text)
    // The code is still good after a password that broke the rule.
    try await gate.finishReset(code, of: request.id.text, newPassword: new)
    for gate in [gate, house.restarted()] {
      let old = await refused { () async throws(AccountError) in
        try await gate.resolve(loggedIn.token.text)
      }
      #expect(old == .notLoggedIn)
    }
    _ = try await house.logIn("anna@example.org", new)
    let again = await refused { () async throws(AccountError) in
      try await gate.finishReset(code, of: request.id.text, newPassword: new)
    }
    #expect(again == .codeExpired)
  }

  @Test("E7 · asking for a reset tells nobody which addresses are known, verified, or neither")
  func resetTellsNothing() async throws {
    _ = try await verified()
    let invitation = try await gate.invite(by: try await house.logIn().principal)
    _ = try await gate.register(.guest(invitation.code.text))
    let sent = house.box.messages.count
    var answers: [CodeRequest] = []
    for address in ["anna@example.org", "ben@example.org", "nobody@example.org"] {
      answers.append(try await gate.beginReset(email(address)))
    }
    #expect(Set(answers.map(\.resendWait)).count == 1)
    #expect(Set(answers.map(\.id)).count == 3)
    // Only the verified one got a message.
    #expect(house.box.messages.count == sent + 1)
    for answer in answers {
      let error = await refusal { () async throws(AccountError) in
        try await gate.finishReset("000000", of: answer.id.text, newPassword: new)
      }
      #expect(error == .codeWrong(triesLeft: 4))
    }
  }

  // MARK: Logging in by code

  @Test("E4 D1 · a code to the verified address logs in through the same skeleton, once")
  func codeLogin() async throws {
    _ = try await verified()
    let told = gate.events.subscribe()
    let request = try await gate.sendLoginCode(to: email("ANNA@example.org"))
    let credentials = CodeCredentials(request: request.id.text, code: code)
    let loggedIn = try await gate.logIn(credentials)
    #expect(try await gate.resolve(loggedIn.token.text).name == "Anna")
    #expect(await told.first { _ in true } == .loggedIn(loggedIn.principal, by: "code"))
    let again = await refused { () async throws(AccountError) in
      try await gate.logIn(credentials)
    }
    #expect(again == .codeExpired)
    #expect(!"\(credentials)".contains(code))
  }

  @Test("E4 · a code to a verified phone logs in too")
  func phoneLogin() async throws {
    let principal = try await house.ownerLogsIn().principal
    let phone = CodeDestination.phone(try PhoneNumber("+49 30 1234567"))
    let request = try await gate.sendPhoneCode(to: "+49301234567", by: principal)
    try await gate.confirm(code, of: request.id.text, for: .verifyPhone, by: principal)
    let login = try await gate.sendLoginCode(to: phone)
    #expect(house.box.messages.last?.destination == phone)
    let loggedIn = try await gate.logIn(CodeCredentials(request: login.id.text, code: code))
    #expect(loggedIn.principal.account == principal.account)
  }

  // MARK: The second factor

  @Test("with a second factor the right password alone opens nothing, and says what is missing")
  func secondFactor() async throws {
    let principal = try await house.ownerLogsIn().principal
    let (secret, recovery) = try await enrolled(principal)
    func logIn(_ code: String?, _ password: String = Household.password) async -> AccountError? {
      await refusal { () async throws(AccountError) in
        try await gate.logIn(
          PasswordCredentials(email: "anna@example.org", password: password, secondFactor: code))
      }
    }
    #expect(await logIn(nil) == .secondFactorNeeded)
    #expect(await logIn(nil, "not the password") == .wrongCredentials)
    #expect(await logIn("000000") == .secondFactorWrong)
    #expect(AccountError.secondFactorWrong.code == .wrongCredentials)
    let shown = totp(secret)
    #expect(await logIn(shown, "not the password") == .wrongCredentials)
    #expect(await logIn(shown) == nil)
    #expect(await logIn(shown) == .secondFactorWrong)
    #expect(await logIn(recovery[0].text) == nil)
    #expect(try await gate.ownAccount(of: principal).recoveryCodesLeft == 9)
  }

  @Test("a login by code asks for the second factor too; wrong ones use the code up")
  func secondFactorByCode() async throws {
    let principal = try await verified().principal
    let (secret, _) = try await enrolled(principal)
    let request = try await gate.sendLoginCode(to: email())
    func logIn(_ factor: String?) async -> AccountError? {
      let credentials = CodeCredentials(request: request.id.text, code: code, secondFactor: factor)
      return await refusal { () async throws(AccountError) in try await gate.logIn(credentials) }
    }
    #expect(await logIn(nil) == .secondFactorNeeded)
    #expect(await logIn("000000") == .secondFactorWrong)
    #expect(await logIn(totp(secret)) == nil)
    house.clock.advance(60)
    let next = try await gate.sendLoginCode(to: email())
    for _ in 0..<5 {
      let wrong = CodeCredentials(request: next.id.text, code: code, secondFactor: "000000")
      _ = await refusal { () async throws(AccountError) in try await gate.logIn(wrong) }
    }
    let right = CodeCredentials(request: next.id.text, code: code, secondFactor: totp(secret))
    let usedUp = await refused { () async throws(AccountError) in try await gate.logIn(right) }
    #expect(usedUp == .codeExpired)
  }

  @Test("beside a second factor eight characters do; removing it demands fifteen first")
  func shorterPassword() async throws {
    let principal = try await house.ownerLogsIn().principal
    let (secret, _) = try await enrolled(principal)
    try await gate.changePassword(Household.password, to: "8 letter", by: principal)
    let removal = await refusal { () async throws(AccountError) in
      try await gate.removeFactor(password: "8 letter", by: principal)
    }
    #expect(removal == .passwordTooShortAlone(minimum: 15))
    try await gate.changePassword("8 letter", to: new, by: principal)
    try await gate.removeFactor(password: new, by: principal)
    _ = try await house.logIn("anna@example.org", new)
    let tooShort = await refused { () async throws(AccountError) in
      try await gate.changePassword(new, to: "8 letter", by: principal)
    }
    #expect(tooShort == .tooShort)
    #expect(!totp(secret).isEmpty)
  }

  @Test("a second factor and its codes are made and removed by a proof no older than five minutes")
  func proofs() async throws {
    let principal = try await house.ownerLogsIn().principal
    house.clock.advance(301)
    let enrolment = await refused { () async throws(AccountError) in
      try await gate.enrolFactor(by: principal)
    }
    #expect(enrolment == .proofNeeded)
    let renewal = await refused { () async throws(AccountError) in
      try await gate.renewRecoveryCodes(by: principal)
    }
    #expect(renewal == .proofNeeded)
    let removal = await refused { () async throws(AccountError) in
      try await gate.removeFactor(password: Household.password, by: principal)
    }
    #expect(removal == .proofNeeded)
    let phone = await refused { () async throws(AccountError) in
      try await gate.sendPhoneCode(to: "+49301234567", by: principal)
    }
    #expect(phone == .proofNeeded)
  }

  @Test("a reset leaves the second factor where it is")
  func resetKeepsFactor() async throws {
    let principal = try await verified().principal
    _ = try await enrolled(principal)
    let request = try await gate.beginReset(email())
    try await gate.finishReset(code, of: request.id.text, newPassword: "8 letter")
    let login = await refused { () async throws(AccountError) in
      try await gate.logIn(
        PasswordCredentials(email: "anna@example.org", password: "8 letter"))
    }
    #expect(login == .secondFactorNeeded)
  }
}
