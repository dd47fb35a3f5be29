import Foundation
import Testing

@testable import Accounts

/// What a guest pass opens, for how long, and what it does not.
@Suite struct GuestSessionTests {
  private let house: Household

  init() throws { house = try Household() }

  @Test("E1 · a pass opens sessions until it expires, each for a day at most")
  func lifetime() async throws {
    let owner = try await house.ownerLogsIn()
    let pass = try await house.accountService.makeGuestPass(.music, by: owner.principal)
    let first = try await house.accountService.enter(withGuestPass: pass.code.text)
    #expect(first.principal.role == .guest)
    #expect(first.principal.name == "Visitors")
    #expect(first.principal.email == nil)
    #expect(first.principal.pass == pass.pass)
    #expect(first.principal.expires == house.clock.now.addingTimeInterval(86_400))
    house.clock.advance(86_399)
    #expect(await !house.isRefused(first, at: house.restarted()))
    house.clock.advance(1)
    #expect(await house.isRefused(first))
    #expect(await house.isRefused(first, at: house.restarted()))
    // Two days after it was made the pass is over, and every session with it.
    house.clock.advance(86_399 / 2)
    let link = "http://livingroom.local:8080/guest#\(pass.code.text)"
    let second = try await house.accountService.enter(withGuestPass: link)
    #expect(second.principal.expires == pass.pass.expires)
    house.clock.advance(86_400)
    #expect(await house.isRefused(second))
    let error = await refusal { () async throws(AccountError) in
      try await house.accountService.enter(withGuestPass: pass.code.text)
    }
    #expect(error == .guestPassInvalid)
  }

  @Test("E1 · a guest's session does not outlive a day by a clock that was set back")
  func clockBack() async throws {
    let owner = try await house.ownerLogsIn()
    let pass = try await house.accountService.makeGuestPass(.music, by: owner.principal)
    let guest = try await house.accountService.enter(withGuestPass: pass.code.text)
    house.clock.set(house.clock.now.addingTimeInterval(-3650 * 86_400))
    house.clock.advance(86_400)
    #expect(await house.isRefused(guest))
  }

  @Test("E1 · guests hand out nothing and prove nothing")
  func guestsMayNot() async throws {
    let owner = try await house.ownerLogsIn()
    let pass = try await house.accountService.makeGuestPass(.music, by: owner.principal)
    let guest = try await house.accountService.enter(withGuestPass: pass.code.text)
    let errors = [
      await refusal { () async throws(AccountError) in
        try await house.accountService.makeGuestPass(.music, by: guest.principal)
      },
      await refusal { () async throws(AccountError) in
        try await house.accountService.invite(by: guest.principal)
      },
      await refusal { () async throws(AccountError) in
        try await house.accountService.people(for: guest.principal)
      },
      await refusal { () async throws(AccountError) in
        try await house.accountService.prove(guest.token.text, password: Household.password)
      },
    ]
    #expect(errors.map { $0?.code } == Array(repeating: .forbidden, count: 4))
    let name = await refusal { () async throws(AccountError) in
      try await house.accountService.setName("Eve", by: guest.principal)
    }
    #expect(name == .unknownAccount)
  }
}
