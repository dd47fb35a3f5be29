import APIClient
import Foundation
import JSON
import NIOHTTP1
import TestSupport
import Testing

/// Accounts and sessions after crashes and damage. `THEATER_KILL_ROUNDS` sets how often the controller
/// is killed; 25 times by default.
@Suite(.serialized) struct DurabilityTests {
  private static let kills =
    ProcessInfo.processInfo.environment["THEATER_KILL_ROUNDS"].flatMap { Int($0) } ?? 25
  @Test("A10 · the controller loses no session when it is killed again and again during logins")
  func killed() async throws {
    let theater = try SmallTheater()
    #expect(try await theater.start())
    _ = try await theater.registerOwner()
    for round in 0..<Self.kills {
      let tokens = await writeUntilKilled(theater, after: .milliseconds(40 + round * 37 % 300))
      try #require(try await theater.start(), "round \(round): \(theater.text("log"))")
      for token in tokens {
        let answer = try await theater.client(token: token).send(.GET, "/api/v1/sessions/current")
        #expect(answer.status == 200, "round \(round)")
      }
    }
    let backup = try await theater.theater("backup", "create")
    #expect(backup.status == 0, "\(backup.errors)")
    await theater.close()
  }

  /// Logs in, four at a time, until the controller is killed.
  /// - Returns: The received tokens.
  private func writeUntilKilled(_ theater: SmallTheater, after time: Duration) async -> [String] {
    await withTaskGroup { group in
      for _ in 0..<4 {
        group.addTask {
          var tokens: [String] = []
          while let token = try? await theater.client().send(
            .POST, "/api/v1/sessions",
            ["email": "ann@example.org", "password": .string(theater.password)]
          ).json["token"]?.string { tokens.append(token) }
          // An account keeps at most 20 sessions: its older ones have ended.
          return Array(tokens.suffix(3))
        }
      }
      try? await Task.sleep(for: time)
      await theater.crash()
      return await group.reduce(into: []) { $0 += $1 }
    }
  }

  @Test("names a damaged database at the start, and restores the backup that it offers")
  func restored() async throws {
    let theater = try SmallTheater()
    #expect(try await theater.start())
    let owner = try await theater.registerOwner()
    #expect(try await theater.theater("backup", "create").status == 0)
    let refused = try await theater.theater("backup", "restore")
    #expect(refused.status == 1)
    #expect(refused.errors.contains("the controller runs"))
    await theater.crash()

    let file = try FileHandle(
      forUpdating: theater.folder.appendingPathComponent("state/theater/theater.sqlite"))
    try file.write(contentsOf: Data("not a database any more".utf8))
    try file.close()
    // The write-ahead log would repair the damaged page.
    try FileManager.default.removeItem(
      at: theater.folder.appendingPathComponent("state/theater/theater.sqlite-wal"))
    #expect(try await !theater.start())
    let log = theater.text("log")
    let command = log.split(separator: "`").first { $0.hasPrefix("theater backup restore ") }
    let name = try #require(command?.split(separator: " ").last, "\(log)")
    let restored = try await theater.theater("backup", "restore", String(name))
    #expect(restored.status == 0, "\(restored.errors)")
    #expect(try await theater.start())
    // The old session is void; the account exists.
    #expect(restored.output.contains("everybody must log in again"))
    #expect(try await owner.send(.GET, "/api/v1/status").status == 401)
    _ = try await theater.logIn()
    await theater.close()
  }

  @Test("unlocks an account on the console after a stranger's failed logins")
  func unlocked() async throws {
    let theater = try SmallTheater()
    #expect(try await theater.start())
    _ = try await theater.registerOwner()
    for password in (0..<60).map({ "wrong \($0)" }) {
      _ = try await theater.client().send(
        .POST, "/api/v1/sessions", ["email": "ann@example.org", "password": .string(password)])
    }
    let body: JSON = ["email": "ann@example.org", "password": .string(theater.password)]
    let refused = try await theater.client().send(.POST, "/api/v1/sessions", body)
    #expect(refused.status == 429)
    #expect((refused.header("retry-after").flatMap { Int($0) } ?? 0) > 0)
    let unknown = try await theater.theater("accounts", "unlock", "nobody@example.org")
    #expect(unknown.status == 1)
    #expect(unknown.errors.contains("there is no account with the address nobody@example.org"))
    let outcome = try await theater.theater("accounts", "unlock", "ann@example.org")
    #expect(outcome.status == 0, "\(outcome.errors)")
    _ = try await theater.logIn()
    await theater.close()
  }
}
