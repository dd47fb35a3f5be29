import APIClient
import Accounts
import Devices
import HTTPTypes
import JSON
import NIOHTTP1
import TestSupport
import TheaterAPI
import Testing

@testable import WebServer

@Suite struct RightsTests {
  /// The routes that need no session. A route that is not in the list and answers without one fails.
  private static let publicRoutes: Set<String> = [
    "POST /api/v1/accounts", "POST /api/v1/sessions", "POST /api/v1/guests/sessions",
    "GET /api/v1/health",
    "POST /api/v1/login-codes", "POST /api/v1/password-resets",
    "POST /api/v1/password-resets/confirmation",
    "POST /api/v1/registrations", "POST /api/v1/registrations/confirmation",
    "GET /api/v1/validation", "GET /api/v1/validation/blocklist", "POST /api/v1/validation/answers",
  ]

  @Test("F5 · leaves no route public that is not in this list")
  func publicRoutes() async throws {
    try await TestServer.open { room in
      let open = room.routes.filter { $0.access == .everyone }.map {
        "\($0.method.rawValue) \($0.fullPath)"
      }
      #expect(Set(open) == Self.publicRoutes)
    }
  }

  @Test("F5 · gives each role its permissions and no more")
  func permissions() {
    #expect(AccountRole.owner.permissions == Set(Permission.allCases))
    #expect(AccountRole.member.permissions == [.view, .play, .operate, .account])
    #expect(AccountRole.guest.permissions == [.view, .play])
  }

  @Test(
    "F5 · permits every route to exactly the roles with its permission",
    arguments: [nil, .guest, .member, .owner] as [AccountRole?])
  func matrix(role: AccountRole?) async throws {
    try await TestServer.open { (room) async throws in
      let owner = try await room.owner()
      _ = try await room.member(invitedBy: owner)
      let pass = try await room.guestPass(from: owner)
      // The requests that remove the account come last.
      for route in room.routes.sorted(by: { ($0.isLast ? 1 : 0) < ($1.isLast ? 1 : 0) }) {
        // Each with a session of its own, since some routes end it.
        let client =
          switch role {
          case nil: room.stranger
          case .guest: try await room.logIn(withPass: pass)
          case .member: try await room.logIn("ben@example.org")
          case .owner: try await room.logIn("ann@example.org")
          }
        let refusal = try await Self.refusal(of: route, to: client)
        let expected: String? =
          switch (route.access, role) {
          case (.everyone, _): nil
          case (.permitted, nil): "notLoggedIn"
          case (.permitted(let permission, _), let role?):
            role.permissions.contains(permission) ? nil : "forbidden"
          }
        #expect(
          refusal == expected,
          "\(route.method.rawValue) \(route.fullPath) for \(role?.rawValue ?? "nobody")")
      }
    }
  }

  @Test(
    "E15 F5 · requires the permission of the command table for every command of every device",
    arguments: [.guest, .member, .owner] as [AccountRole])
  func commands(role: AccountRole) async throws {
    try await TestServer.open { (room) async throws in
      let owner = try await room.owner()
      let member = try await room.member(invitedBy: owner)
      let guest = try await room.logIn(withPass: try await room.guestPass(from: owner, volume: 100))
      let client =
        switch role {
        case .owner: owner
        case .member: member
        case .guest: guest
        }
      await room.devices["amp"]?.report(.volume, 20)
      for device in room.devices.values {
        for command in device.role.commands {
          let answer = try await client.send(
            .POST, "/api/v1/devices/\(device.id)/commands", Self.json(of: command), wait: 0)
          let isRefused = answer.status == 403
          let needsMore = !role.permissions.contains(command.permission)
          // The volume is not known at once everywhere; unmuting then waits for it.
          if command.name == "unmute" { continue }
          #expect(isRefused == needsMore, "\(device.id) \(command.name) \(answer.json)")
        }
      }
    }
  }

  @Test("A10 · ends the event stream of a session that another session ends")
  func revokedStream() async throws {
    try await TestServer.open { (room) async throws in
      let owner = try await room.owner()
      let other = try await room.logIn("ann@example.org")
      let refusal = try await other.listen { event in
        if event.name == "snapshot" {
          let answer = try await owner.send(.DELETE, "/api/v1/sessions/others")
          #expect(answer.json == ["ended": 1])
        }
        return true
      }
      #expect(refusal == nil)
      let again = try await other.listen { _ in true }
      #expect(again?.status == 401)
      #expect(try await owner.send(.GET, "/api/v1/status").status == 200)
    }
  }

  @Test("A10 · ends a guest's stream with the pass and a member's with the account")
  func revokedPeople() async throws {
    try await TestServer.open { (room) async throws in
      let owner = try await room.owner()
      let member = try await room.member(invitedBy: owner)
      let guest = try await room.logIn(withPass: try await room.guestPass(from: owner))
      let pass = try await owner.send(.GET, "/api/v1/guests").json["guests"]?.array?.first?["id"]
      let people = try await owner.send(.GET, "/api/v1/accounts").json["accounts"]?.array ?? []
      let ben = people.first { $0["role"] == "member" }?["id"]?.string ?? ""
      _ = try await guest.listen { event in
        if event.name == "snapshot" {
          let path = "/api/v1/guests/\(pass?.string ?? "")"
          let answer = try await owner.send(.DELETE, path)
          #expect(answer.status == 204)
        }
        return true
      }
      _ = try await member.listen { event in
        if event.name == "snapshot" {
          let answer = try await owner.send(.DELETE, "/api/v1/accounts/\(ben)")
          #expect(answer.status == 204)
        }
        return true
      }
      #expect(try await guest.send(.GET, "/api/v1/status").status == 401)
      #expect(try await member.send(.GET, "/api/v1/status").status == 401)
    }
  }

  @Test("A10 · a body that arrives after the role was revoked has no effect")
  func revokedBeforeTheBody() async throws {
    try await TestServer.open(.port(0, of: "127.0.0.1")) { (room) async throws in
      let owner = try await room.owner()
      let other = try await room.member(invitedBy: owner)
      let people = try await owner.send(.GET, "/api/v1/accounts").json["accounts"]?.array ?? []
      let ben = try #require(people.first { $0["role"] == "member" }?["id"]?.string)
      let path = "/api/v1/accounts/\(ben)/role"
      #expect(try await owner.send(.POST, path, ["role": "owner"]).status == 204)
      let body = #"{"role": "owner"}"#
      let head = [
        "POST \(path) HTTP/1.1", "Host: 127.0.0.1:\(room.port)",
        "Authorization: Bearer \(other.token ?? "")", "Content-Type: application/json",
        "Content-Length: \(body.utf8.count)", "Expect: 100-continue", "Connection: close", "", "",
      ].joined(separator: "\r\n")
      let answer = try await room.rawExpectingContinue(head: head, body: body) {
        let demoted = try await owner.send(.POST, path, ["role": "member"])
        #expect(demoted.status == 204)
      }
      #expect(answer.statuses == [100, 403], "\(answer.text)")
      let after = try await owner.send(.GET, "/api/v1/accounts").json["accounts"]?.array ?? []
      #expect(after.first { $0["id"]?.string == ben }?["role"] == "member")
    }
  }

  /// The error code with which a route refuses a client; nil where it admits the client, also if the
  /// request fails later.
  private static func refusal(of route: Route, to client: TestClient) async throws -> String? {
    let path = route.fullPath.split(separator: "/").map { $0.hasPrefix("{") ? "x" : $0 }
      .reduce("") { "\($0)/\($1)" }
    let answer: ControllerResponse? =
      if route.fullPath == "/api/v1/events" {
        try await client.listen { _ in false }
      } else {
        try await client.send(HTTPMethod(rawValue: route.method.rawValue), path, ["x": 1])
      }
    guard let answer, answer.status == 401 || answer.status == 403 else { return nil }
    return answer.json["error"]?["code"]?.string
  }

  /// A command with something in the place of its argument.
  private static func json(of command: CommandSpec) -> JSON {
    guard command.argument?.isRequired == true else { return .string(command.name) }
    let numbers: [String: JSON] = [
      "dim": 40, "volume": 20, "seek": 5, "frequency": 98.5, "am": 810, "fm": 98.5,
    ]
    return .object([command.name: numbers[command.name] ?? "dvd"])
  }
}

extension Route {
  /// Whether it takes away the account that asks.
  fileprivate var isLast: Bool { method == .delete && fullPath == "/api/v1/account" }
}
