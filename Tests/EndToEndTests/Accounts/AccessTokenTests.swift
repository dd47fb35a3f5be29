import Foundation
import JSON
import TestSupport
import Testing

/// A script with an access token, as a person sets it up at the terminal.
@Suite(.serialized) struct AccessTokenTests {
  /// The status of a request that curl sends with the header in a file.
  private func status(
    _ room: LiveController, _ method: String, _ route: String, header: URL
  ) async throws -> String {
    let socket = room.folder.appendingPathComponent("run/theater/theater.sock").path
    return try await Program.tool(
      "curl", "-s", "--max-time", "10", "-o", "/dev/null", "-w", "%{http_code}", "--unix-socket",
      socket, "-H", "@\(header.path)", "-X", method, "http://localhost/api/v1\(route)"
    ).output
  }

  @Test("a doorbell script pauses with its token, and can do nothing else")
  func doorbell() async throws {
    try await withLiveController { room in
      try await room.registerOwner()
      let header = room.folder.appendingPathComponent("doorbell.header")
      let said = try await room.expect(
        "token", "create", "doorbell", "--may", "pause,resume", "--days", "365", "--header-file",
        header.path)
      #expect(said.contains("only you can read") && !said.contains("theater_"))
      let attributes = try FileManager.default.attributesOfItem(atPath: header.path)
      #expect(attributes[.posixPermissions] as? Int == 0o600)
      #expect(
        try String(contentsOf: header, encoding: .utf8).hasPrefix("Authorization: Bearer theater_"))

      // Nothing is on, which only a request that is permitted learns.
      #expect(try await status(room, "POST", "/pause", header: header) == "409")
      for (method, route) in [
        ("GET", "/status"), ("GET", "/events"), ("POST", "/off"), ("POST", "/watch"),
        ("GET", "/account/tokens"), ("POST", "/account/tokens"), ("DELETE", "/sessions"),
        ("GET", "/accounts"), ("POST", "/devices/lights/commands"),
      ] {
        #expect(try await status(room, method, route, header: header) == "403", "\(route)")
      }

      let list = try await room.expect("token", "list")
      #expect(list.contains("doorbell") && list.contains("pause,resume"))
      #expect(!list.contains("theater_") && !list.contains("never"))
      let ended = try await room.expect("sessions", "end", "--others")
      #expect(ended.contains("1 access token can still be used"))
      try await room.expect("token", "revoke", "doorbell")
      #expect(try await status(room, "POST", "/pause", header: header) == "401")
      #expect(try await room.expect("token", "list") == "You have no access tokens.\n")
      #expect(room.log.contains("theater_") == false)
    }
  }

  @Test("the token alone goes to standard output; a refused one leaves no file and no token")
  func output() async throws {
    try await withLiveController { room in
      try await room.registerOwner()
      let created = try await room.theater("token", "create", "panel", "--may", "view")
      #expect(created.output.wholeMatch(of: /theater_[0-9a-z]{59}\n/) != nil)
      #expect(created.errors.contains("not shown again"))
      let json = try await room.json("token", "create", "second", "--may", "all")
      #expect(json["may"] == ["all"] && json["token"]?.string?.hasPrefix("theater_") == true)

      let file = room.folder.appendingPathComponent("header").path
      let misspelt = try await room.theater(
        "token", "create", "bell", "--may", "puase", "--header-file", file)
      #expect(misspelt.status == 1 && misspelt.errors.contains("Did you mean \"pause\"?"))
      #expect(!FileManager.default.fileExists(atPath: file))
      #expect(FileManager.default.createFile(atPath: file, contents: Data("mine".utf8)))
      let existing = try await room.theater(
        "token", "create", "bell", "--may", "pause", "--header-file", file)
      #expect(existing.status == 1 && existing.errors.contains("Nothing was created."))
      #expect(FileManager.default.contents(atPath: file) == Data("mine".utf8))
      #expect(try await room.json("token", "list")["tokens"]?.array?.count == 2)

      #expect(try await room.expect("token", "words").contains("device:lights/dim\n"))
      let unknown = try await room.theater("token", "revoke", "nobody")
      #expect(unknown.status == 1 && unknown.errors.contains("token list"))
      let everywhere = try await room.expect("sessions", "end", "--all", "--tokens")
      #expect(everywhere.contains("2 access tokens revoked."))
    }
  }
}
