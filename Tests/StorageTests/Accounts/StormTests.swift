import AccountTestSupport
import Accounts
import Foundation
import GRDB
import Testing

@testable import Storage

/// Many simultaneous requests to a database on the disk. The environment variable
/// `THEATER_STORM_ROUNDS` sets the number of rounds; the default is 20.
@Suite(.fromTerminal) struct StormTests {
  private static let rounds =
    ProcessInfo.processInfo.environment["THEATER_STORM_ROUNDS"].flatMap { Int($0) } ?? 20
  private static let crowd = 50
  private let fixture: StorageFixture

  init() throws { fixture = try StorageFixture() }

  /// The errors of many simultaneous requests; nil for those that succeeded.
  private func answers(
    _ each: @escaping @Sendable (Int) async throws(AccountError) -> Void
  ) async -> [AccountError?] {
    await withTaskGroup { group in
      for number in 0..<Self.crowd {
        group.addTask {
          await refusal { () async throws(AccountError) in try await each(number) }
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
  }

  @Test("E7 · of 50 simultaneous registrations of the first owner, exactly one succeeds")
  func firstOwners() async throws {
    let database = try fixture.open()
    for _ in 0..<Self.rounds {
      // A registration that comes too late counts as a guess, which would make later rounds wait.
      try await database.write { try $0.execute(sql: "DELETE FROM account; DELETE FROM guesses") }
      let accountService = fixture.accountService(database)
      let code = try #require(try await accountService.open())
      let answers = await answers { number throws(AccountError) in
        _ = try await accountService.registration.register(
          People.owner(code, email: "person\(number)@example.org"))
      }
      #expect(answers.count { $0 == nil } == 1)
      #expect(answers.count { $0 == .setupClosed } == Self.crowd - 1)
      let owners = try await database.read {
        try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM account WHERE role = 'owner'")
      }
      #expect(owners == 1)
    }
  }

  @Test("E7 · of 50 registrations of one address with 50 invitations, one makes the account")
  func oneAddress() async throws {
    let database = try fixture.open()
    let accountService = fixture.accountService(database)
    let code = try #require(try await accountService.open())
    _ = try await accountService.registration.register(People.owner(code))
    let owner = try await accountService.logIn(People.credentials()).principal
    var invitations: [EntryCode] = []
    for _ in 0..<Self.crowd {
      invitations.append(try await accountService.invitations.make(by: owner).code)
    }
    let codes = invitations
    let answers = await answers { number throws(AccountError) in
      _ = try await accountService.registration.register(
        People.member(codes[number], email: "BEN@example.org"))
    }
    #expect(answers.count { $0 == nil } == 1)
    #expect(answers.count { $0 == .taken } == Self.crowd - 1)
    let left = try await database.read {
      try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM invitation")
    }
    // The others' codes are still good.
    #expect(left == Self.crowd - 1)
  }
}
