import AccountTestSupport
import Accounts
import Foundation
import GRDB
import Testing

@testable import Storage

@Suite(.fromTerminal) struct AccessTokenTableTests {
  private let fixture: StorageFixture

  init() throws { fixture = try StorageFixture() }

  private func owner(_ service: AccountService) async throws -> SessionPrincipal {
    let code = try #require(try await service.open())
    _ = try await service.registration.register(People.owner(code))
    return try await service.logIn(People.credentials()).principal
  }

  private let doorbell = AccessTokenRequest(
    name: "doorbell", scopes: [.command("pause")], validity: 365 * 86_400)

  @Test("no file of the state folder holds an access token")
  func atRest() async throws {
    let database = try fixture.open()
    let service = fixture.accountService(database)
    let issued = try await service.tokens.make(doorbell, by: try await owner(service))
    _ = try await service.tokens.resolve(issued.secret.text, isProtected: true)
    let bytes = try fixture.bytes()
    #expect(bytes.range(of: Data("doorbell".utf8)) != nil)
    for part in [issued.secret.text, String(issued.secret.text.dropFirst(8).prefix(16))] {
      #expect(bytes.range(of: Data(part.utf8)) == nil)
    }
    try database.close()
  }

  @Test("a database from before the tokens gets their table, and keeps its accounts")
  func migration() async throws {
    try fixture.makeOld()
    let old = try DatabaseQueue(path: fixture.file)
    try DatabaseSchema.migrator.migrate(old, upTo: "11 device settings")
    #expect(try await old.read { try !$0.tableExists("accessToken") })
    try old.close()
    let database = try fixture.open()
    let service = fixture.accountService(database)
    let issued = try await service.tokens.make(doorbell, by: try await owner(service))
    #expect(
      try await service.tokens.resolve(issued.secret.text, isProtected: true).tokenName
        == "doorbell")
    try database.close()
  }

  @Test("a scope that this version does not know permits nothing")
  func unknownScope() async throws {
    let database = try fixture.open()
    let service = fixture.accountService(database)
    let issued = try await service.tokens.make(doorbell, by: try await owner(service))
    try await database.pool.write {
      try $0.execute(
        sql: "UPDATE accessToken SET scopes = ?",
        arguments: [#"["later:everything", "view"]"#])
    }
    let rights = try await service.tokens.resolve(issued.secret.text, isProtected: true)
    #expect(rights.scopes == [.view])
    try database.close()
  }

  @Test("a token goes with its account")
  func cascade() async throws {
    let database = try fixture.open()
    let service = fixture.accountService(database)
    let anna = try await owner(service)
    let invitation = try await service.invitations.make(by: anna).code
    _ = try await service.registration.register(People.member(invitation))
    let ben = try await service.logIn(People.credentials("ben@example.org")).principal
    _ = try await service.tokens.make(doorbell, by: ben)
    try await service.people.remove(ben.account, by: anna)
    let count = try await database.read {
      try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM accessToken")
    }
    #expect(count == 0)
    try database.close()
  }
}
