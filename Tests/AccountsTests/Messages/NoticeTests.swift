import AccountTestSupport
import Foundation
import Testing

@testable import Accounts

/// People get a message about changes that another person could have made in their name.
@Suite(.fromTerminal) struct NoticeTests {
  private let household: Household
  private let new = "another evening with friends"

  init() throws { household = try Household() }

  private var accountService: AccountService { household.accountService }
  private var code: String { household.sentMessages.code ?? "" }

  private func verifyPhone(_ number: String, _ principal: SessionPrincipal) async throws {
    let request = try await accountService.contacts.sendPhoneCode(to: number, by: principal)
    try await accountService.contacts.confirm(
      code, of: request.id.text, for: .verifyPhone, by: principal)
    household.clock.advance(60)
  }

  private func email(_ text: String = "anna@example.org") throws -> CodeDestination {
    .email(try EmailAddress(text))
  }

  @Test("announces a new e-mail address at the old one, without naming the new one")
  func emailChange() async throws {
    let owner = try await household.ownerLogsIn().principal
    // Verifying the present address changes nothing.
    let present = try await accountService.contacts.sendEmailCode(to: "ANNA@example.org", by: owner)
    try await accountService.contacts.confirm(
      code, of: present.id.text, for: .verifyEmail, by: owner)
    #expect(household.sentMessages.notices.isEmpty)
    household.clock.advance(60)
    let request = try await accountService.contacts.sendEmailCode(to: "new@example.org", by: owner)
    #expect(household.sentMessages.notices.isEmpty)
    try await accountService.contacts.confirm(
      code, of: request.id.text, for: .verifyEmail, by: owner)
    let notice = try #require(household.sentMessages.notices.first)
    #expect(try notice.destination == email())
    #expect(notice.text.contains("another e-mail address") && !notice.text.contains("new@"))
    #expect(household.sentMessages.notices.count == 1)
    let entry = try #require(try await accountService.audit.entries(newest: 1).last)
    #expect(entry.action == .emailChanged && entry.subject == "new@example.org")
    #expect(entry.actor?.name == "anna@example.org")
  }

  @Test("announces a new phone number at the address and at the old number")
  func phoneChange() async throws {
    let owner = try await household.ownerLogsIn().principal
    try await verifyPhone("+49 30 1234567", owner)
    #expect(try household.sentMessages.notices.map(\.destination) == [email()])
    try await verifyPhone("+49 30 1234567", owner)
    #expect(household.sentMessages.notices.count == 1)
    try await verifyPhone("+49 30 7654321", owner)
    #expect(
      try household.sentMessages.notices.dropFirst().map(\.destination) == [
        email(), .phone(PhoneNumber("+49301234567")),
      ])
  }

  @Test(
    "announces a new password, second factor and recovery codes at the address",
    .timeLimit(.minutes(5)))
  func otherChanges() async throws {
    let owner = try await household.ownerLogsIn().principal
    let events = accountService.events.subscribe()
    let secret = try Base32.bytes(try await accountService.secondFactor.enrol(by: owner).secret)
    _ = try await accountService.secondFactor.confirm(
      TOTP.code(secret, step: TOTP.step(at: household.clock.now)), by: owner)
    _ = try await accountService.secondFactor.renewRecoveryCodes(by: owner)
    try await accountService.secondFactor.remove(password: Household.password, by: owner)
    try await accountService.passwords.change(Household.password, to: new, by: owner)
    let verification = try await accountService.contacts.sendEmailCode(to: nil, by: owner)
    try await accountService.contacts.confirm(
      code, of: verification.id.text, for: .verifyEmail, by: owner)
    let reset = try await accountService.passwords.beginReset(email())
    try await accountService.passwords.finishReset(
      code, of: reset.id.text, newPassword: Household.password)

    let changes: [AccountChange] = [
      .factorAdded, .recoveryCodes, .factorRemoved, .password, .forgottenPassword,
    ]
    #expect(household.sentMessages.notices.map(\.text) == (try changes.map { try notice($0).text }))
    #expect(try household.sentMessages.notices.allSatisfy { try $0.destination == email() })
    var published: [AccountEvent] = []
    for await event in events {
      if case .changed = event { published.append(event) }
      if published.count == changes.count { break }
    }
    #expect(published == changes.map { .changed(owner.account, .owner, $0) })
    let deeds = try await accountService.audit.entries(newest: 100).map(\.action)
    #expect(
      deeds.suffix(6) == changes.prefix(4).map(\.action) + [.contactVerified, .passwordReset])
  }

  private func notice(_ change: AccountChange) throws -> AccountMessage {
    AccountMessage(change, to: try email())
  }

  @Test("a notice is one line of ASCII for a text message, holds no code and says what to do")
  func words() throws {
    for change in AccountChange.allCases {
      let notice = try notice(change)
      #expect(notice.text.utf8.count <= 160)
      #expect((notice.text + notice.subject).utf8.allSatisfy { (0x20...0x7E).contains($0) })
      #expect(notice.text.contains("If it was not you, "))
      #expect(notice.code == nil)
    }
    #expect(Set(try AccountChange.allCases.map { try notice($0).text }).count == 8)
  }

  @Test("a change counts although its notice cannot be sent")
  func undelivered() async throws {
    let owner = try await household.ownerLogsIn().principal
    household.sentMessages.fail(with: .deliveryFailed("it rains", hint: "Wait."))
    try await accountService.passwords.change(Household.password, to: new, by: owner)
    household.sentMessages.fail(with: nil)
    household.sentMessages.setChannels([])
    try await accountService.passwords.change(new, to: Household.password, by: owner)
    #expect(household.sentMessages.notices.isEmpty)
    _ = try await household.logIn()
  }

  @Test("sends no notice when nothing changes")
  func refusals() async throws {
    let owner = try await household.ownerLogsIn().principal
    let events = accountService.events.subscribe()
    for password in ["not the password", Household.password] {
      _ = await refusal { () async throws(AccountError) in
        try await accountService.passwords.change(password, to: "short", by: owner)
      }
      _ = await refusal { () async throws(AccountError) in
        try await accountService.secondFactor.remove(password: password, by: owner)
      }
    }
    let next = try await household.logIn().principal
    #expect(await events.first { _ in true }?.isLogin(of: next, by: "password") == true)
    #expect(household.sentMessages.messages.isEmpty)
  }
}
