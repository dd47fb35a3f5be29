import AccountTestSupport
import Foundation
import Testing

@testable import Accounts

/// Lists and revocation of unused invitations and guest passes.
@Suite(.fromTerminal) struct OpenInvitationTests {
  private let household: Household

  init() throws { household = try Household() }

  @Test("an invitation makes a member or an owner, expires after its validity, and can be revoked")
  func invitations() async throws {
    let anna = try await household.ownerLogsIn()
    #expect(
      try await household.invited(by: anna, "cleo@example.org", as: .owner).principal.role == .owner
    )
    let short = try await household.accountService.invitations.make(
      by: anna.principal, validity: 3600)
    let long = try await household.accountService.invitations.make(
      by: anna.principal, validity: 7200)
    #expect(try await household.accountService.invitations.list(for: anna.principal).count == 2)
    household.clock.advance(3600)
    #expect(
      try await household.accountService.invitations.list(for: anna.principal).map(\.id) == [
        long.invitation.id
      ])
    try await household.accountService.invitations.revoke(long.invitation.id, by: anna.principal)
    for code in [short.code, long.code] {
      let error = await refusal { () async throws(AccountError) in
        try await household.accountService.registration.register(.guest(code.text))
      }
      #expect(error == .codeInvalid)
    }
    let again = await refusal { () async throws(AccountError) in
      try await household.accountService.invitations.revoke(long.invitation.id, by: anna.principal)
    }
    #expect(again == .unknownInvitation)
    for validity in [TimeInterval(0), 59, 7_862_400, .infinity, .nan] {
      let error = await refusal { () async throws(AccountError) in
        try await household.accountService.invitations.make(by: anna.principal, validity: validity)
      }
      #expect(error?.code == .outOfRange)
    }
  }

  @Test("the invitations and passes of a former owner are void")
  func demotedOwner() async throws {
    let anna = try await household.ownerLogsIn()
    let cleo = try await household.invited(by: anna, "cleo@example.org", as: .owner)
    let invitation = try await household.accountService.invitations.make(
      by: cleo.principal, role: .owner)
    let pass = try await household.accountService.guestPasses.make(.music, by: cleo.principal)
    let guest = try await household.accountService.guestPasses.logIn(with: pass.code.text)
    try await household.accountService.people.setRole(
      .member, of: cleo.principal.account, by: anna.principal)
    #expect(await household.isRefused(guest))
    let error = await refusal { () async throws(AccountError) in
      try await household.accountService.registration.register(.guest(invitation.code.text))
    }
    #expect(error == .codeInvalid)
    // A request that was in progress makes no invitation either.
    let late = await refusal { () async throws(AccountError) in
      try await household.accountService.invitations.make(by: cleo.principal, role: .owner)
    }
    #expect(late?.code == .forbidden)
    let latePass = await refusal { () async throws(AccountError) in
      try await household.accountService.guestPasses.make(.music, by: cleo.principal)
    }
    #expect(latePass?.code == .forbidden)
  }
}
