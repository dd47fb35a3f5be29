import APIClient
import Foundation
import JSON
import NIOHTTP1
import Synchronization
import TestSupport
import Testing

/// A search for secrets wherever they could leak.
@Suite(.serialized) struct CanaryTests {
  @Test(
    "E3 N-E1 · passwords, codes and tokens appear in no log, database, command line, event or plugin"
  )
  func canaries() async throws {
    try await withLiveController { room in
      let socket = room.folder.appendingPathComponent("run/theater/theater.sock").path
      let setupCode = try await room.setupCode()
      try await room.registerOwner()
      let token = try String(
        contentsOf: room.folder.appendingPathComponent("state/theater/token"), encoding: .utf8
      ).trimmingCharacters(in: .whitespacesAndNewlines)
      let owner = ControllerClient(.socket(socket), token: token)
      let heard = Mutex("")
      let listening = Task {
        _ = try? await owner.listen { event in
          heard.withLock { $0 += event.data + "\n" }
          return true
        }
      }

      // An evening with a second person, wrong passwords, and a film.
      let wrong = "canary-wrong-\(UUID().uuidString)"
      let guestPassword = "canary-guest-\(UUID().uuidString)"
      let stranger = ControllerClient(.socket(socket))
      _ = try await stranger.send(
        .POST, "/api/v1/sessions", ["email": "ann@example.org", "password": .string(wrong)])
      _ = try await stranger.send(
        .POST, "/api/v1/sessions", ["email": .string(wrong), "password": .string(wrong)])
      let invitation = try #require(
        try await owner.send(.POST, "/api/v1/invitations").json["code"]?.string)
      let unused = try #require(
        try await owner.send(.POST, "/api/v1/invitations").json["code"]?.string)
      let body: JSON = [
        "invitation": .string(invitation), "name": "Ben", "email": "ben@example.org",
        "password": .string(guestPassword),
      ]
      #expect(try await stranger.send(.POST, "/api/v1/accounts", body).status == 201)
      _ = try await stranger.send(.POST, "/api/v1/accounts", body)
      let guest = try await stranger.send(
        .POST, "/api/v1/sessions",
        ["email": "ben@example.org", "password": .string(guestPassword)]
      ).json
      let program = try #require(
        try await owner.send(
          .POST, "/api/v1/account/tokens", ["name": "doorbell", "may": ["view"]]
        ).json["token"]?.string)
      let mistyped = program.dropLast() + (program.hasSuffix("0") ? "1" : "0")
      for token in [program, String(mistyped)] {
        _ = try await ControllerClient(.socket(socket), token: token).send(.GET, "/api/v1/status")
        _ = try await ControllerClient(.socket(socket), token: token).send(.POST, "/api/v1/off")
      }
      let film = try #require(
        try await owner.send(.GET, "/api/v1/films").json["films"]?.array?.first?["title"]?.string)
      _ = try await owner.send(.POST, "/api/v1/watch", ["item": .string(film)], wait: 20)

      let canaries = [
        room.password, wrong, guestPassword, token, guest["token"]?.string,
        guest["device"]?.string, invitation, unused, program, String(mistyped),
      ].compactMap(\.self)
      #expect(canaries.count >= 9)
      try await room.expect("backup", "create")
      for canary in canaries + [setupCode] {
        #expect(!room.log.contains(canary))
        #expect(!heard.withLock { $0.contains(canary) })
        for file in room.files(below: "state")
        where !file.hasSuffix("/token") && !file.hasSuffix("/device") {
          let bytes = FileManager.default.contents(atPath: file) ?? Data()
          #expect(bytes.range(of: Data(canary.utf8)) == nil, "\(file)")
        }
        for pid in try await pids(room) {
          for place in ["cmdline", "environ"] {
            let bytes = FileManager.default.contents(atPath: "/proc/\(pid)/\(place)") ?? Data()
            #expect(bytes.range(of: Data(canary.utf8)) == nil, "\(place) of \(pid)")
          }
        }
      }
      for canary in canaries { #expect(!room.console.contains(canary)) }
      #expect(heard.withLock { !$0.isEmpty })
      listening.cancel()
    }
  }

  /// The controller and its plugins.
  private func pids(_ room: LiveController) async throws -> [pid_t] {
    var pids = [room.pid]
    for name in ["Simulated", "ALSAAmplifier", "LibavPlayer"] {
      pids.append(try #require(try await room.pid(of: name)))
    }
    return pids
  }
}
