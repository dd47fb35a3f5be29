import AccountTestSupport
import Testing

@testable import Accounts

@Suite(.fromTerminal) struct PeopleTests {
  private let household: Household

  init() throws { household = try Household() }

  @Test("an owner sees all accounts; others do not")
  func list() async throws {
    let anna = try await household.ownerLogsIn()
    household.clock.advance(1)
    let ben = try await household.invited(by: anna, "ben@example.org")
    let people = try await household.accountService.people.list(for: anna.principal)
    #expect(people.map(\.email.text) == ["anna@example.org", "ben@example.org"])
    #expect(people.map(\.role) == [.owner, .member])
    let error = await refusal { () async throws(AccountError) in
      try await household.accountService.people.list(for: ben.principal)
    }
    #expect(error?.code == .forbidden)
  }

  @Test("ends the sessions of a removed account at once, and frees its address")
  func removal() async throws {
    let anna = try await household.ownerLogsIn()
    let ben = try await household.invited(by: anna, "ben@example.org")
    let events = household.accountService.events.subscribe()
    try await household.accountService.people.remove(ben.principal.account, by: anna.principal)
    #expect(await household.isRefused(ben))
    #expect(await events.first { _ in true } == .loggedOut(ben.principal))
    let error = await refusal { () async throws(AccountError) in
      try await household.accountService.logIn(
        PasswordCredentials(email: "ben@example.org", password: Household.password))
    }
    #expect(error == .wrongCredentials)
    let again = await refusal { () async throws(AccountError) in
      try await household.accountService.people.remove(ben.principal.account, by: anna.principal)
    }
    #expect(again == .unknownAccount)
    #expect(try await household.invited(by: anna, "ben@example.org").principal.name == "Ben")
  }

  @Test("a member removes their own account and no other")
  func ownRemoval() async throws {
    let anna = try await household.ownerLogsIn()
    let ben = try await household.invited(by: anna, "ben@example.org")
    let error = await refusal { () async throws(AccountError) in
      try await household.accountService.people.remove(anna.principal.account, by: ben.principal)
    }
    #expect(error?.code == .forbidden)
    try await household.accountService.people.remove(ben.principal.account, by: ben.principal)
    #expect(await household.isRefused(ben))
  }

  @Test("a new age limit and a new name apply to open sessions")
  func profile() async throws {
    let anna = try await household.ownerLogsIn()
    let ben = try await household.invited(by: anna, "ben@example.org")
    try await household.accountService.people.setAgeLimit(
      12, of: ben.principal.account, by: anna.principal)
    #expect(try await household.now(ben).ageLimit == 12)
    #expect(try await household.restarted().sessions.resolve(ben.token.text).ageLimit == 12)
    try await household.accountService.people.setAgeLimit(
      nil, of: ben.principal.account, by: anna.principal)
    #expect(try await household.now(ben).ageLimit == nil)
    let error = await refusal { () async throws(AccountError) in
      try await household.accountService.people.setAgeLimit(
        22, of: ben.principal.account, by: anna.principal)
    }
    #expect(error?.code == .outOfRange)
    let member = await refusal { () async throws(AccountError) in
      try await household.accountService.people.setAgeLimit(
        nil, of: ben.principal.account, by: ben.principal)
    }
    #expect(member?.code == .forbidden)
    try await household.accountService.people.setName(" Benjamin ", by: ben.principal)
    #expect(try await household.now(ben).name == "Benjamin")
  }
}
