import Foundation
import Testing

@testable import Accounts

/// People are told of changes that somebody else could have made in their place.
@Suite struct NoticeTests {
  private let house: Household
  private let new = "another evening with friends"

  init() throws { house = try Household() }

  private var accountService: AccountService { house.accountService }
  private var code: String { house.box.code ?? "" }

  private func takesPhone(_ number: String, _ principal: SessionPrincipal) async throws {
    let request = try await accountService.sendPhoneCode(to: number, by: principal)
    try await accountService.confirm(code, of: request.id.text, for: .verifyPhone, by: principal)
    house.clock.advance(60)
  }

  private func email(_ text: String = "anna@example.org") throws -> CodeDestination {
    .email(try EmailAddress(text))
  }

  @Test("another e-mail address is told at the one before, without the new one")
  func emailChange() async throws {
    let owner = try await house.ownerLogsIn().principal
    // Verifying the present address changes nothing.
    let present = try await accountService.sendEmailCode(to: "ANNA@example.org", by: owner)
    try await accountService.confirm(code, of: present.id.text, for: .verifyEmail, by: owner)
    #expect(house.box.notices.isEmpty)
    house.clock.advance(60)
    let request = try await accountService.sendEmailCode(to: "new@example.org", by: owner)
    #expect(house.box.notices.isEmpty)
    try await accountService.confirm(code, of: request.id.text, for: .verifyEmail, by: owner)
    let notice = try #require(house.box.notices.first)
    #expect(try notice.destination == email())
    #expect(notice.text.contains("another e-mail address") && !notice.text.contains("new@"))
    #expect(house.box.notices.count == 1)
    let entry = try #require(try await accountService.audit.entries(newest: 1).last)
    #expect(entry.deed == .emailChanged && entry.subject == "new@example.org")
    #expect(entry.actor?.name == "anna@example.org")
  }

  @Test("a phone number is told at the address, and at the number before where there was one")
  func phoneChange() async throws {
    let owner = try await house.ownerLogsIn().principal
    try await takesPhone("+49 30 1234567", owner)
    #expect(try house.box.notices.map(\.destination) == [email()])
    try await takesPhone("+49 30 1234567", owner)
    #expect(house.box.notices.count == 1)
    try await takesPhone("+49 30 7654321", owner)
    #expect(
      try house.box.notices.dropFirst().map(\.destination) == [
        email(), .phone(PhoneNumber("+49301234567")),
      ])
  }

  @Test(
    "another password, a second factor and new recovery codes are told at the address",
    .timeLimit(.minutes(5)))
  func otherChanges() async throws {
    let owner = try await house.ownerLogsIn().principal
    let told = accountService.events.subscribe()
    let secret = try Base32.bytes(try await accountService.enrolFactor(by: owner).secret)
    _ = try await accountService.confirmFactor(
      TOTP.code(secret, step: TOTP.step(at: house.clock.now)), by: owner)
    _ = try await accountService.renewRecoveryCodes(by: owner)
    try await accountService.removeFactor(password: Household.password, by: owner)
    try await accountService.changePassword(Household.password, to: new, by: owner)
    let verification = try await accountService.sendEmailCode(to: nil, by: owner)
    try await accountService.confirm(code, of: verification.id.text, for: .verifyEmail, by: owner)
    let reset = try await accountService.beginReset(email())
    try await accountService.finishReset(code, of: reset.id.text, newPassword: Household.password)

    let changes: [AccountChange] = [
      .factorAdded, .recoveryCodes, .factorRemoved, .password, .forgottenPassword,
    ]
    #expect(house.box.notices.map(\.text) == (try changes.map { try notice($0).text }))
    #expect(try house.box.notices.allSatisfy { try $0.destination == email() })
    var events: [AccountEvent] = []
    for await event in told {
      if case .changed = event { events.append(event) }
      if events.count == changes.count { break }
    }
    #expect(events == changes.map { .changed(owner.account, .owner, $0) })
    let deeds = try await accountService.audit.entries(newest: 100).map(\.deed)
    #expect(deeds.suffix(6) == changes.prefix(4).map(\.deed) + [.contactVerified, .passwordReset])
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
    #expect(Set(try AccountChange.allCases.map { try notice($0).text }).count == 7)
  }

  @Test("a change stays where its notice cannot be sent")
  func undelivered() async throws {
    let owner = try await house.ownerLogsIn().principal
    house.box.fail(with: .deliveryFailed("it rains", hint: "Wait."))
    try await accountService.changePassword(Household.password, to: new, by: owner)
    house.box.fail(with: nil)
    house.box.reach([])
    try await accountService.changePassword(new, to: Household.password, by: owner)
    #expect(house.box.notices.isEmpty)
    _ = try await house.logIn()
  }

  @Test("who changes nothing is told of nothing")
  func refusals() async throws {
    let owner = try await house.ownerLogsIn().principal
    let told = accountService.events.subscribe()
    for password in ["not the password", Household.password] {
      _ = await refusal { () async throws(AccountError) in
        try await accountService.changePassword(password, to: "short", by: owner)
      }
      _ = await refusal { () async throws(AccountError) in
        try await accountService.removeFactor(password: password, by: owner)
      }
    }
    let next = try await house.logIn().principal
    #expect(await told.first { _ in true } == .loggedIn(next, by: "password"))
    #expect(house.box.messages.isEmpty)
  }
}
