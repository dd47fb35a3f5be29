import AccountTestSupport
import Testing

@testable import Accounts

@Suite(.fromTerminal) struct CodeRegistrationTests {
  private let household: Household
  private let owner: LoggedIn
  /// The code of an invitation.
  private let invitation: String

  init() async throws {
    household = try Household()
    owner = try await household.ownerLogsIn()
    let issued = try await household.accountService.invitations.make(by: owner.principal)
    invitation = issued.code.text
  }

  private var accountService: AccountService { household.accountService }

  private func send(to destination: CodeDestination) async throws(AccountError) -> CodeRequest {
    try await accountService.registration.sendCode(to: destination, for: invitation)
  }

  private func confirmation(_ destination: CodeDestination) async throws -> CodeConfirmation {
    let request = try await send(to: destination)
    return CodeConfirmation(try #require(household.sentMessages.code), of: request.id.text)
  }

  private func register(
    _ code: CodeConfirmation, email: String = "ben@example.org",
    password: String = Household.password, with invitation: String? = nil
  ) async throws(AccountError) -> LoggedIn {
    try await accountService.register(
      RegistrationRequest(
        admission: .invitation(invitation ?? self.invitation), name: "Ben", email: email,
        password: password),
      confirming: code)
  }

  @Test(
    "D10 · an e-mail address, its code, name and password: then in, and the address is verified")
  func byEmail() async throws {
    let code = try await confirmation(household.mailbox("ben@example.org"))
    let ben = try await register(code)
    #expect(try await household.now(ben).email == "ben@example.org")
    let own = try await accountService.contacts.ownAccount(of: ben.principal)
    #expect(own.contact.emailVerifiedAt != nil && own.account.role == .member)
    #expect(try await accountService.invitations.list(for: owner.principal).isEmpty)
  }

  @Test("D10 · a phone number, its code, name, address and password: the number is verified")
  func byPhone() async throws {
    let phone = CodeDestination.phone(try PhoneNumber("+49 170 1234567"))
    let ben = try await register(confirmation(phone))
    let contact = try await accountService.contacts.ownAccount(of: ben.principal).contact
    #expect(contact.phone?.text == "+491701234567" && contact.emailVerifiedAt == nil)
  }

  @Test("D10 · a code registers once, and for the address alone to which it was sent")
  func once() async throws {
    let code = try await confirmation(household.mailbox("ben@example.org"))
    #expect(
      await refusalCode { () async throws(AccountError) in
        try await register(code, email: "eve@example.org")
      } == .codeExpired)
    _ = try await register(code)
    let another = try await accountService.invitations.make(by: owner.principal).code.text
    #expect(
      await refusalCode { () async throws(AccountError) in
        try await register(code, email: "eve@example.org", with: another)
      } == .codeExpired)
    #expect(try await accountService.invitations.list(for: owner.principal).count == 1)
  }

  @Test("D10 D8 · a wrong or expired code makes no account and keeps the invitation")
  func wrong() async throws {
    let code = try await confirmation(household.mailbox("ben@example.org"))
    let wrong = CodeConfirmation((household.sentMessages.code ?? "").wrong, of: code.request)
    #expect(
      await refusalCode { () async throws(AccountError) in try await register(wrong) }
        == .codeWrong)
    household.clock.advance(601)
    #expect(
      await refusalCode { () async throws(AccountError) in try await register(code) }
        == .codeExpired)
    #expect(try await accountService.invitations.list(for: owner.principal).count == 1)
    #expect(try await accountService.people.list(for: owner.principal).count == 1)
  }

  @Test("D10 C5 · a password that breaks the rules leaves code and invitation valid")
  func weakPassword() async throws {
    let code = try await confirmation(household.mailbox("ben@example.org"))
    #expect(
      await refusalCode { () async throws(AccountError) in
        try await register(code, password: "short")
      } == .tooShort)
    _ = try await register(code)
  }

  @Test("D10 E7 · without a valid invitation no code is sent, and nothing is said about an address")
  func strangers() async throws {
    let taken = try household.mailbox("anna@example.org")
    for code in ["x", "0000-0000"] {
      #expect(
        await refusalCode { () async throws(AccountError) in
          try await accountService.registration.sendCode(to: taken, for: code)
        } == .codeInvalid)
    }
    #expect(household.sentMessages.messages.isEmpty)
    // The setup code, which is for the first owner alone, is no invitation.
    let request = RegistrationRequest.owner("x")
    #expect(
      await refusalCode { () async throws(AccountError) in
        try await accountService.register(request, confirming: CodeConfirmation("1", of: "2"))
      } == .codeInvalid)
  }

  @Test("D10 · missing personal data is named after the codes were right, and keeps them valid")
  func missingData() async throws {
    let code = try await confirmation(household.mailbox("ben@example.org"))
    func missing(_ code: CodeConfirmation) async -> AccountError? {
      await refusal { () async throws(AccountError) in
        try await accountService.register(
          RegistrationRequest(
            admission: .invitation(invitation), name: "", email: "", password: ""),
          confirming: code)
      }
    }
    let wrong = CodeConfirmation((household.sentMessages.code ?? "").wrong, of: code.request)
    #expect(await missing(wrong)?.code == .codeWrong)
    #expect(await missing(code) == .empty(.name))
    _ = try await register(code)
  }

  @Test("D10 · guesses at the code of a registration wait, although the invitation is right")
  func guesses() async throws {
    let code = try await confirmation(household.mailbox("ben@example.org"))
    let wrong = CodeConfirmation((household.sentMessages.code ?? "").wrong, of: code.request)
    var codes: [AccountError.Code?] = []
    for _ in 1...31 {
      codes.append(
        await refusalCode { () async throws(AccountError) in
          try await asking(from: "192.0.2.1") { () async throws(AccountError) in
            try await register(wrong)
          }
        })
    }
    #expect(codes.prefix(5) == [.codeWrong, .codeWrong, .codeWrong, .codeWrong, .codeExpired])
    #expect(codes.last == .tooManyTries && codes.count { $0 == .tooManyTries } == 1)
  }

  @Test("D10 · guesses of others at the address do not keep the new account from being logged in")
  func earlierGuesses() async throws {
    let code = try await confirmation(household.mailbox("ben@example.org"))
    for number in 1...10 {
      _ = await refusalCode { () async throws(AccountError) in
        try await asking(from: "192.0.2.\(number)") { () async throws(AccountError) in
          try await accountService.logIn(
            PasswordCredentials(email: "ben@example.org", password: "not the right one"))
        }
      }
    }
    let ben = try await asking(from: "198.51.100.1") { () async throws(AccountError) in
      try await register(code)
    }
    #expect(try await household.now(ben).email == "ben@example.org")
  }

  @Test("D10 · refused codes and taken addresses stand in the audit log, without the code")
  func audited() async throws {
    let code = try await confirmation(household.mailbox("ben@example.org"))
    let wrong = CodeConfirmation((household.sentMessages.code ?? "").wrong, of: code.request)
    _ = await refusalCode { () async throws(AccountError) in try await register(wrong) }
    let (anna, ben) = (try household.mailbox(), try household.mailbox("ben@example.org"))
    _ = await refusalCode { () async throws(AccountError) in try await send(to: anna) }
    _ = await refusalCode { () async throws(AccountError) in
      try await accountService.registration.sendCode(to: ben, for: "0000-0000")
    }
    _ = try await register(code)
    let entries = try await accountService.audit.entries(newest: 10)
    let refused = entries.filter { $0.outcome != .done }
    #expect(refused.map(\.outcome.word) == ["codeWrong", "taken", "codeInvalid"])
    #expect(
      refused.map(\.actor?.name) == ["ben@example.org", "anna@example.org", "ben@example.org"])
    #expect(refused.allSatisfy { $0.action == .registration && $0.actor?.account == nil })
    #expect(
      entries.suffix(2).map(\.action) == [.registration, .login]
        && entries.suffix(2).allSatisfy { $0.actor?.account != nil })
    for entry in entries { #expect(!"\(entry)".contains(wrong.code)) }
  }

  @Test("D10 E6 · the holder of an invitation is told before the code that an address is taken")
  func taken() async throws {
    let taken = try household.mailbox("anna@example.org")
    #expect(
      await refusalCode { () async throws(AccountError) in try await send(to: taken) } == .taken)
    #expect(household.sentMessages.messages.isEmpty)
  }

  @Test("D10 E7 · of two people who register with one address at once, one gets the account")
  func race() async throws {
    let first = try await confirmation(household.mailbox("ben@example.org"))
    let code = try await accountService.invitations.make(by: owner.principal).code.text
    _ = try await accountService.registration.register(.guest(code))
    #expect(
      await refusalCode { () async throws(AccountError) in try await register(first) } == .taken)
    #expect(try await accountService.invitations.list(for: owner.principal).count == 1)
  }

  @Test("D10 · a code of another purpose registers no account")
  func purpose() async throws {
    let request = try await accountService.contacts.sendEmailCode(to: nil, by: owner.principal)
    let code = CodeConfirmation(household.sentMessages.code ?? "", of: request.id.text)
    #expect(
      await refusalCode { () async throws(AccountError) in try await register(code) }
        == .codeExpired)
  }
}
