import APIClient
import Foundation
import JSON
import NIOHTTP1
import TestSupport
import Testing

/// The controller with a full disk below its state folder.
@Suite(.serialized) struct FullDiskTests {
  /// Whether this machine permits mounting a file system in a namespace.
  private static let mayMount: Bool = {
    let words = ["--mount", "mount", "-t", "tmpfs", "tmpfs", "/mnt"]
    return (try? Program.runBlocking("unshare", words, limit: 20).status) == 0
  }()

  @Test(
    "on a full disk the film plays on and writes get 507; free space is all it needs",
    .enabled(if: mayMount, "needs the right to mount a small disk"))
  func fullDisk() async throws {
    let theater = try Self.theater()
    #expect(try await theater.start())
    let owner = try await theater.registerOwner()
    let filler = Self.inside(theater, "filler")
    try fill(filler)

    let invitation = try await owner.send(.POST, "/api/v1/invitations")
    #expect(invitation.status == 507)
    #expect(invitation.json["error"]?["message"]?.string?.contains("disk is full") == true)
    let login = try await theater.client().send(
      .POST, "/api/v1/sessions",
      ["email": "ann@example.org", "password": .string(theater.password)])
    #expect(login.status == 507)
    for path in ["/api/v1/status", "/api/v1/devices", "/api/v1/sessions/current"] {
      #expect(try await owner.send(.GET, path).status == 200)
    }
    #expect(
      try await owner.send(.POST, "/api/v1/devices/lights/commands", ["dim": 40]).isSuccess)
    // An open session starts, pauses and resumes a film, and receives events.
    let film = try await owner.send(
      .POST, "/api/v1/activities/film", ["item": "night-ferry"], wait: 20)
    #expect(film.json["run"]?["status"] == "done", "\(film.json)")
    for deed in ["pause", "resume"] {
      #expect(try await owner.send(.POST, "/api/v1/\(deed)").isSuccess)
    }
    for command: JSON in ["on", "stereo"] {
      let answer = try await owner.send(.POST, "/api/v1/devices/amp/commands", command)
      #expect(answer.isSuccess, "\(answer.json)")
    }
    let volume = try await owner.send(.POST, "/api/v1/volume", ["to": 35])
    #expect(volume.json["volume"] == 35, "\(volume.json)")
    #expect(try await owner.send(.POST, "/api/v1/seek", ["to": 30]).isSuccess)
    #expect(await eventually { (await self.position(owner) ?? 0) > 30 })
    let stream = try await owner.listen { $0.name != "snapshot" }
    #expect(stream == nil)
    #expect(try await owner.send(.POST, "/api/v1/end", wait: 20).isSuccess)
    #expect(await eventually { theater.text("log").contains("\"night-ferry\" could not be saved") })

    // Free space is all that it needs: no restart.
    try FileManager.default.removeItem(atPath: filler)
    #expect(try await owner.send(.POST, "/api/v1/invitations").status == 201)
    _ = try await theater.logIn()
    _ = try await owner.send(.POST, "/api/v1/activities/film", ["item": "night-ferry"], wait: 20)
    #expect(try await owner.send(.POST, "/api/v1/seek", ["to": 30]).isSuccess)
    #expect(await eventually { (await self.position(owner) ?? 0) > 30 })
    _ = try await owner.send(.POST, "/api/v1/end", wait: 20)
    let again = try await owner.send(
      .POST, "/api/v1/activities/film", ["item": "night-ferry"], wait: 20)
    #expect((again.json["resumedAt"]?.number ?? 0) >= 30, "\(again.json)")
    await theater.close()
  }

  /// A configuration with one player and one film.
  private static let cinema: JSONObject = [
    "devices": [
      "lights": ["role": "lights", "plugin": "Simulated"],
      "amp": ["role": "amplifier", "plugin": "Simulated"],
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

  /// The film's position in seconds.
  private func position(_ client: ControllerClient) async -> Double? {
    try? await client.send(.GET, "/api/v1/status").json["playback"]?["position"]?.number
  }

  @Test(
    "a start on a full disk fails with the reason and what to do",
    .enabled(if: mayMount, "needs the right to mount a small disk"))
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

  @Test(
    "A10 · on a full disk sessions, accounts, passes and invitations can still be removed for good",
    .enabled(if: mayMount, "needs the right to mount a small disk"))
  func protecting() async throws {
    let theater = try Self.theater()
    #expect(try await theater.start())
    let owner = try await theater.registerOwner()
    let laptop = theater.client(token: try await theater.logIn())
    let phone = theater.client(token: try await theater.logIn())
    let member = try await invite("ben@example.org", by: owner, to: theater)
    let invitation = try await owner.send(.POST, "/api/v1/invitations")
    let pass = try await owner.send(
      .POST, "/api/v1/guests", ["name": "Cleo", "activities": ["film"], "volumeLimit": 30])
    let link = try #require(pass.json["code"]?.string, "\(pass.json)")
    let guest = theater.client(
      token: try #require(
        try await theater.client().send(.POST, "/api/v1/guests/sessions", ["pass": .string(link)])
          .json["token"]?.string))
    try fill(Self.inside(theater, "filler"))
    #expect(try await owner.send(.POST, "/api/v1/invitations").status == 507)

    let ben = try await owner.send(.GET, "/api/v1/accounts").json["accounts"]?.array?.last
    let paths = try [
      "/api/v1/accounts/\(#require(ben?["id"]?.string))",
      "/api/v1/guests/\(#require(pass.json["id"]?.string))",
      "/api/v1/invitations/\(#require(invitation.json["id"]?.string))",
    ]
    #expect(try await laptop.send(.DELETE, "/api/v1/sessions/current").isSuccess)
    for path in paths {
      let answer = try await owner.send(.DELETE, path)
      #expect(answer.isSuccess, "\(path): \(answer.json)")
    }
    #expect(try await owner.send(.DELETE, "/api/v1/sessions/others").isSuccess)
    for gone in [laptop, phone, member, guest] {
      #expect(try await gone.send(.GET, "/api/v1/status").status == 401)
    }
    // The removals have freed space in the log; with that filled too, nothing more can be written.
    try fill(Self.inside(theater, "more"))
    #expect(try await owner.send(.POST, "/api/v1/invitations").status == 507)
    // After a power cut no session is back.
    #expect(
      try await kept(in: theater)
        == "account 1, session 1, guestPass 0, invitation 0")
    await theater.close()
  }

  /// A controller whose state folder is a small file system that only it sees.
  private static func theater() throws -> SmallTheater {
    try SmallTheater(more: Self.cinema) {
      [
        "unshare", "--mount", "sh", "-c",
        "mount -t tmpfs -o size=3m,mode=700 tmpfs \"$0\" && exec \"$@\"",
        $0.appendingPathComponent("state").path,
      ]
    }
  }

  /// A path in that file system, as seen from outside of its namespace.
  private static func inside(_ theater: SmallTheater, _ name: String) -> String {
    "/proc/\(theater.pid)/root\(theater.path("state"))/\(name)"
  }

  /// Invites, registers and logs in a member.
  private func invite(
    _ email: String, by owner: ControllerClient, to theater: SmallTheater
  ) async throws -> ControllerClient {
    let invitation = try await owner.send(.POST, "/api/v1/invitations")
    let code = try #require(invitation.json["code"]?.string, "\(invitation.json)")
    let account = try await theater.client().send(
      .POST, "/api/v1/accounts",
      [
        "invitation": .string(code), "name": "Ben", "email": .string(email),
        "password": .string(theater.password),
      ])
    #expect(account.status == 201, "\(account.json)")
    let session = try await theater.client().send(
      .POST, "/api/v1/sessions", ["email": .string(email), "password": .string(theater.password)])
    return theater.client(token: try #require(session.json["token"]?.string))
  }

  /// The numbers of rows in the database files as they are on the disk now.
  private func kept(in theater: SmallTheater) async throws -> String {
    try await withTemporaryFolder { folder in
      for end in ["", "-wal"] {
        try FileManager.default.copyItem(
          atPath: Self.inside(theater, "theater/theater.sqlite\(end)"),
          toPath: folder.path + "/copy\(end)")
      }
      let script = """
        import sqlite3, sys
        database = sqlite3.connect(sys.argv[1])
        print(", ".join(f"{table} {database.execute(f'SELECT count(*) FROM {table}').fetchone()[0]}"
                        for table in ("account", "session", "guestPass", "invitation")), end="")
        """
      return try await Program.tool(["python3", "-c", script, folder.path + "/copy"]).output
    }
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
