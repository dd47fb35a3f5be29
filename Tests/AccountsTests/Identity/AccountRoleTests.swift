import AccountTestSupport
import Testing

@testable import Accounts

@Suite(.fromTerminal) struct AccountRoleTests {
  private let household: Household

  init() throws { household = try Household() }

  @Test("a changed role counts for sessions that are open")
  func roles() async throws {
    let anna = try await household.ownerLogsIn()
    let ben = try await household.invited(by: anna, "ben@example.org")
    try await household.accountService.people.setRole(
      .owner, of: ben.principal.account, by: anna.principal)
    #expect(try await household.now(ben).role == .owner)
    try await household.accountService.people.setRole(
      .member, of: ben.principal.account, by: anna.principal)
    #expect(try await household.now(ben).role == .member)
    let error = await refusal { () async throws(AccountError) in
      try await household.accountService.people.setRole(
        .owner, of: ben.principal.account, by: household.now(ben))
    }
    #expect(error?.code == .forbidden)
    let guest = await refusal { () async throws(AccountError) in
      try await household.accountService.people.setRole(
        .guest, of: ben.principal.account, by: anna.principal)
    }
    #expect(guest?.code == .outOfRange)
  }

  @Test("the last owner can neither leave nor step down")
  func lastOwner() async throws {
    let anna = try await household.ownerLogsIn()
    _ = try await household.invited(by: anna, "ben@example.org")
    let step = await refusal { () async throws(AccountError) in
      try await household.accountService.people.setRole(
        .member, of: anna.principal.account, by: anna.principal)
    }
    #expect(step == .lastOwner)
    let leave = await refusal { () async throws(AccountError) in
      try await household.accountService.people.remove(anna.principal.account, by: anna.principal)
    }
    #expect(leave == .lastOwner)
    #expect(try await household.now(anna).role == .owner)
  }

  @Test("of 50 owners who all step down or leave at once, one or more remain")
  func parallel() async throws {
    let anna = try await household.ownerLogsIn()
    var owners = [anna]
    for index in 1..<10 {
      owners.append(try await household.invited(by: anna, "owner\(index)@example.org", as: .owner))
    }
    await withTaskGroup { [household] group in
      for index in 0..<50 {
        let one = owners[index % owners.count].principal
        group.addTask {
          _ = await refusal { () async throws(AccountError) in
            if index.isMultiple(of: 2) {
              try await household.accountService.people.remove(one.account, by: one)
            } else {
              try await household.accountService.people.setRole(.member, of: one.account, by: one)
            }
          }
        }
      }
    }
    #expect(try await household.stores.people.people().filter { $0.role == .owner }.count == 1)
  }
}
