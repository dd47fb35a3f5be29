import Foundation
import JSON
import NIOHTTP1
import TestSupport
import Testing
import WebRemote

/// What is left of accounts after the worst. `THEATER_KILL_ROUNDS` sets how often the controller is
/// killed, 25 times unless said otherwise.
@Suite(.serialized) struct DurabilityTests {
  private static let kills =
    ProcessInfo.processInfo.environment["THEATER_KILL_ROUNDS"].flatMap { Int($0) } ?? 25
  /// Whether a file system of its own can be had here.
  private static let mayMount: Bool = {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["unshare", "--mount", "mount", "-t", "tmpfs", "tmpfs", "/mnt"]
    process.standardError = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return false }
    process.waitUntilExit()
    return process.terminationStatus == 0
  }()

  @Test("E7 A10 · killed again and again while people log in, the controller loses no session")
  func killed() async throws {
    let theater = try SmallTheater()
    #expect(try await theater.start())
    _ = try await theater.moveIn()
    for round in 0..<Self.kills {
      let tokens = await writeUntilKilled(theater, after: .milliseconds(40 + round * 37 % 300))
      try #require(try await theater.start(), "round \(round): \(theater.text("log"))")
      for token in tokens {
        let answer = try await theater.client(token: token).send(.GET, "/api/sessions/current")
        #expect(answer.status == 200, "round \(round)")
      }
    }
    let backup = try await theater.theater("backup", "create")
    #expect(backup.status == 0, "\(backup.errors)")
    await theater.close()
  }

  /// Logs in, four at a time, until the controller is gone.
  /// - Returns: the tokens that it gave.
  private func writeUntilKilled(_ theater: SmallTheater, after time: Duration) async -> [String] {
    await withTaskGroup { group in
      for _ in 0..<4 {
        group.addTask {
          var tokens: [String] = []
          while let token = try? await theater.client().send(
            .POST, "/api/sessions",
            ["email": "ann@example.org", "password": .string(theater.password)]
          ).json["token"]?.string { tokens.append(token) }
          // An account has 20 sessions; older ones have ended.
          return Array(tokens.suffix(3))
        }
      }
      try? await Task.sleep(for: time)
      await theater.crash()
      return await group.reduce(into: []) { $0 += $1 }
    }
  }

  @Test(
    "E7 · on a full disk reading and playing go on, writing is refused; room is all it needs",
    .enabled(if: mayMount))
  func fullDisk() async throws {
    // The state folder is a small file system that only the controller sees.
    let theater = try SmallTheater(more: Self.cinema) {
      [
        "unshare", "--mount", "sh", "-c",
        "mount -t tmpfs -o size=3m,mode=700 tmpfs \"$0\" && exec \"$@\"",
        $0.appendingPathComponent("state").path,
      ]
    }
    #expect(try await theater.start())
    let owner = try await theater.moveIn()
    let filler = "/proc/\(theater.pid)/root\(theater.path("state"))/filler"
    try fill(filler)

    let invitation = try await owner.send(.POST, "/api/invitations")
    #expect(invitation.status == 507)
    #expect(invitation.json["error"]?["message"]?.string?.contains("disk is full") == true)
    let login = try await theater.client().send(
      .POST, "/api/sessions",
      ["email": "ann@example.org", "password": .string(theater.password)])
    #expect(login.status == 507)
    for path in ["/api/status", "/api/devices", "/api/sessions/current"] {
      #expect(try await owner.send(.GET, path).status == 200)
    }
    #expect(
      try await owner.send(.POST, "/api/devices/lights/commands", ["dim": 40]).isSuccess)
    // Who is in begins a film, holds it, goes on, and is told what happens.
    let film = try await owner.send(
      .POST, "/api/activities/film", ["item": "night-ferry"], wait: 20)
    #expect(film.json["run"]?["status"] == "done", "\(film.json)")
    for deed in ["pause", "resume"] {
      #expect(try await owner.send(.POST, "/api/\(deed)").isSuccess)
    }
    #expect(await eventually { (await self.position(owner) ?? 0) > 2 })
    let stream = try await owner.listen { $0.name != "snapshot" }
    #expect(stream == nil)
    #expect(try await owner.send(.POST, "/api/end", wait: 20).isSuccess)
    #expect(await eventually { theater.text("log").contains("\"night-ferry\" could not be saved") })

    // Room is all that it needs: nothing is started anew.
    try FileManager.default.removeItem(atPath: filler)
    #expect(try await owner.send(.POST, "/api/invitations").status == 201)
    _ = try await theater.logIn()
    _ = try await owner.send(.POST, "/api/activities/film", ["item": "night-ferry"], wait: 20)
    #expect(await eventually { (await self.position(owner) ?? 0) > 2 })
    _ = try await owner.send(.POST, "/api/end", wait: 20)
    let again = try await owner.send(
      .POST, "/api/activities/film", ["item": "night-ferry"], wait: 20)
    #expect((again.json["resumedAt"]?.number ?? 0) > 1, "\(again.json)")
    await theater.close()
  }

  /// A player, and one film on it.
  private static let cinema: JSONObject = [
    "devices": [
      "lights": ["role": "lights", "plugin": "Simulated"],
      "dvd": ["role": "dvdPlayer", "plugin": "Simulated", "options": ["speed": 0]],
    ],
    "scenes": [
      "watch": [
        "parameters": ["film": "film"],
        "steps": [["dvd": "on"], ["dvd": ["play": ["item": "$film"]]]],
      ],
      "end": ["steps": [["dvd": "stop"], ["dvd": "off"]]],
    ],
    "activities": ["film": ["start": "watch", "end": "end", "player": "dvd"]],
    "library": ["films": [["id": "night-ferry", "title": "Night Ferry", "duration": 120]]],
  ]

  /// Where the film is.
  private func position(_ client: RemoteClient) async -> Double? {
    try? await client.send(.GET, "/api/status").json["playback"]?["position"]?.number
  }

  @Test(
    "E7 · a controller that starts on a full disk says so, and what to do", .enabled(if: mayMount))
  func fullAtStart() async throws {
    let theater = try SmallTheater {
      [
        "unshare", "--mount", "sh", "-c",
        "mount -t tmpfs -o size=64k,mode=700 tmpfs \"$0\" && mkdir -m 700 \"$0/theater\" "
          + "&& { cat /dev/zero > \"$0/filler\" 2> /dev/null; exec \"$@\"; }",
        $0.appendingPathComponent("state").path,
      ]
    }
    #expect(try await !theater.start())
    let log = theater.text("log")
    #expect(log.contains("is full"), "\(log)")
    #expect(log.contains("then start the controller again"), "\(log)")
    await theater.close()
  }

  @Test("a damaged database is named at the start, and the backup that is offered works")
  func restored() async throws {
    let theater = try SmallTheater()
    #expect(try await theater.start())
    let owner = try await theater.moveIn()
    #expect(try await theater.theater("backup", "create").status == 0)
    let refused = try await theater.theater("backup", "restore")
    #expect(refused.status == 1)
    #expect(refused.errors.contains("the controller runs"))
    await theater.crash()

    let file = try FileHandle(
      forUpdating: theater.folder.appendingPathComponent("state/theater/theater.sqlite"))
    try file.write(contentsOf: Data("not a database any more".utf8))
    try file.close()
    // Its log would mend what is in it.
    try FileManager.default.removeItem(
      at: theater.folder.appendingPathComponent("state/theater/theater.sqlite-wal"))
    #expect(try await !theater.start())
    let log = theater.text("log")
    let command = log.split(separator: "`").first { $0.hasPrefix("theater backup restore ") }
    let name = try #require(command?.split(separator: " ").last, "\(log)")
    let restored = try await theater.theater("backup", "restore", String(name))
    #expect(restored.status == 0, "\(restored.errors)")
    #expect(try await theater.start())
    // The session of before is void; the account is there.
    #expect(restored.output.contains("everybody logs in anew"))
    #expect(try await owner.send(.GET, "/api/status").status == 401)
    _ = try await theater.logIn()
    await theater.close()
  }

  @Test("on the console an account is unlocked that somebody else has guessed at")
  func unlocked() async throws {
    let theater = try SmallTheater()
    #expect(try await theater.start())
    _ = try await theater.moveIn()
    for password in (0..<60).map({ "wrong \($0)" }) {
      _ = try await theater.client().send(
        .POST, "/api/sessions", ["email": "ann@example.org", "password": .string(password)])
    }
    let body: JSON = ["email": "ann@example.org", "password": .string(theater.password)]
    let refused = try await theater.client().send(.POST, "/api/sessions", body)
    #expect(refused.status == 429)
    #expect((refused.header("retry-after").flatMap { Int($0) } ?? 0) > 0)
    let outcome = try await theater.theater("accounts", "unlock", "ann@example.org")
    #expect(outcome.status == 0, "\(outcome.errors)")
    _ = try await theater.logIn()
    await theater.close()
  }

  private func fill(_ path: String) throws {
    try Data().write(to: URL(fileURLWithPath: path))
    let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
    defer { try? file.close() }
    for size in [65_536, 4096, 512, 1] {
      while (try? file.write(contentsOf: Data(repeating: 0, count: size))) != nil {}
    }
  }
}
