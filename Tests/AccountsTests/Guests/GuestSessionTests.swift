import AccountTestSupport
import Foundation
import Testing

@testable import Accounts

/// The sessions of guest passes: their rights, limits and length.
@Suite(.fromTerminal) struct GuestSessionTests {
  private let household: Household

  init() throws { household = try Household() }

  @Test("E1 · a pass opens sessions until it expires, each for a day at most")
  func lifetime() async throws {
    let owner = try await household.ownerLogsIn()
    let pass = try await household.accountService.guestPasses.make(.music, by: owner.principal)
    let first = try await household.accountService.guestPasses.logIn(with: pass.code.text)
    #expect(first.principal.role == .guest)
    #expect(first.principal.name == "Visitors")
    #expect(first.principal.email == nil)
    #expect(first.principal.pass == pass.pass)
    #expect(first.principal.expires == household.clock.now.addingTimeInterval(86_400))
    household.clock.advance(86_399)
    #expect(await !household.isRefused(first, at: household.restarted()))
    household.clock.advance(1)
    #expect(await household.isRefused(first))
    #expect(await household.isRefused(first, at: household.restarted()))
    // Two days after it was made the pass is over, and every session with it.
    household.clock.advance(86_399 / 2)
    let link = "http://livingroom.local:8080/guest#\(pass.code.text)"
    let second = try await household.accountService.guestPasses.logIn(with: link)
    #expect(second.principal.expires == pass.pass.expires)
    household.clock.advance(86_400)
    #expect(await household.isRefused(second))
    let error = await refusal { () async throws(AccountError) in
      try await household.accountService.guestPasses.logIn(with: pass.code.text)
    }
    #expect(error == .guestPassInvalid)
  }

  @Test(
    "E1 E15 A10 · a wall tablet's session lasts while it is used, ends after 90 days without, and is the only one of its pass"
  )
  func wallTablet() async throws {
    let owner = try await household.ownerLogsIn()
    let pass = try await household.accountService.guestPasses.make(
      GuestPassRequest(wallTablet: "Kitchen", activities: ["film"], ageLimit: nil),
      by: owner.principal)
    let first = try await household.accountService.guestPasses.logIn(with: pass.code.text)
    let tablet = try await household.accountService.guestPasses.logIn(with: pass.code.text)
    #expect(await household.isRefused(first))
    #expect(tablet.principal.isWallTablet)
    #expect(tablet.principal.role == .guest)
    for _ in 1...5 {
      household.clock.advance(89 * 86_400)
      try await household.accountService.sessions.deleteExpired()
      #expect(await !household.isRefused(tablet, at: household.restarted()))
      _ = try await household.accountService.sessions.resolve(tablet.token.text)
    }
    household.clock.advance(90 * 86_400)
    #expect(await household.isRefused(tablet, at: household.restarted()))
    let another = try await household.accountService.guestPasses.logIn(with: pass.code.text)
    let relogin = try await household.logIn()
    try await household.accountService.guestPasses.revoke(pass.pass.id, by: relogin.principal)
    #expect(await household.isRefused(another))
  }

  @Test("E1 · a guest's session does not outlive a day by a clock that was set back")
  func clockBack() async throws {
    let owner = try await household.ownerLogsIn()
    let pass = try await household.accountService.guestPasses.make(.music, by: owner.principal)
    let guest = try await household.accountService.guestPasses.logIn(with: pass.code.text)
    household.clock.set(household.clock.now.addingTimeInterval(-3650 * 86_400))
    household.clock.advance(86_400)
    #expect(await household.isRefused(guest))
  }

  @Test("E1 · guests hand out nothing and prove nothing")
  func guestsMayNot() async throws {
    let owner = try await household.ownerLogsIn()
    let pass = try await household.accountService.guestPasses.make(.music, by: owner.principal)
    let guest = try await household.accountService.guestPasses.logIn(with: pass.code.text)
    let errors = [
      await refusal { () async throws(AccountError) in
        try await household.accountService.guestPasses.make(.music, by: guest.principal)
      },
      await refusal { () async throws(AccountError) in
        try await household.accountService.invitations.make(by: guest.principal)
      },
      await refusal { () async throws(AccountError) in
        try await household.accountService.people.list(for: guest.principal)
      },
      await refusal { () async throws(AccountError) in
        try await household.accountService.prove(guest.token.text, password: Household.password)
      },
    ]
    #expect(errors.map { $0?.code } == Array(repeating: .forbidden, count: 4))
    let name = await refusal { () async throws(AccountError) in
      try await household.accountService.people.setName("Eve", by: guest.principal)
    }
    #expect(name == .unknownAccount)
  }
}
