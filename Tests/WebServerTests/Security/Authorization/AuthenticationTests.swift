import APIClient
import Accounts
import HTTPTypes
import JSON
import NIOHTTP1
import TestSupport
import TheaterAPI
import Testing
import WebServer

@Suite struct AuthenticationTests {
  @Test("F5 A10 · answers 401 without a session on every route but the open ones")
  func everyRouteIsGated() async throws {
    try await TestServer.open { (room) async throws in
      #expect(room.routes.count > 25)
      for route in room.routes {
        let answer = try await room.stranger.send(
          HTTPMethod(rawValue: route.method.rawValue), Self.path(of: route), ["item": "x"])
        let isRefused = answer.json["error"]?["code"] == "notLoggedIn"
        switch route.access {
        case .everyone: #expect(!isRefused, "\(route.method.rawValue) \(route.fullPath)")
        case .permitted:
          #expect(answer.status == 401, "\(route.method.rawValue) \(route.fullPath)")
          #expect(isRefused, "\(route.method.rawValue) \(route.fullPath)")
          #expect(answer.header("www-authenticate") == "Bearer")
        }
      }
      #expect(room.journal.lines.isEmpty)
    }
  }

  @Test(
    "F5 · answers 401 without a session for unknown paths, wrong methods and wrong tokens",
    arguments: [
      (HTTPMethod.GET, "/api/v1/nothing"), (.GET, "/nothing"), (.PUT, "/api/v1/status"),
      (.DELETE, "/api/v1/films"), (.GET, "/api/v1//status"), (.GET, "/api/v1/../v1/status"),
    ])
  func strangersLearnNothing(method: HTTPMethod, path: String) async throws {
    try await TestServer.open { (room) async throws in
      #expect(try await room.stranger.send(method, path).status == 401)
      var impostor = room.stranger
      impostor.token = String(repeating: "A", count: 43)
      #expect(try await impostor.send(method, path).status == 401)
    }
  }

  @Test(
    "F5 · refuses an Authorization header without a bearer token",
    arguments: ["", "Bearer", "Bearer ", "Basic YTpi", "Bearer x y", "bearer\tx"])
  func otherAuthorizations(header: String) async throws {
    try await TestServer.open { (room) async throws in
      let answer = try await room.stranger.send(
        .GET, "/api/v1/status", headers: ["authorization": header])
      #expect(answer.status == 401)
    }
  }

  @Test("E1 A7 · returns a token at login and never again")
  func logIn() async throws {
    try await TestServer.open { (room) async throws in
      let owner = try await room.owner()
      let answer = try await owner.send(.GET, "/api/v1/sessions/current")
      #expect(answer.status == 200)
      #expect(answer.json["user"] == ["name": "Ann", "email": "ann@example.org", "role": "owner"])
      #expect(answer.json["token"] == nil)
      #expect(answer.json["expires"]?.string?.contains("T") == true)
    }
  }

  @Test("E1 · answers a wrong password and an unknown address alike")
  func oneAnswerForBoth() async throws {
    try await TestServer.open { (room) async throws in
      _ = try await room.owner()
      let wrong = try await room.stranger.send(
        .POST, "/api/v1/sessions", ["email": "ann@example.org", "password": "not this one at all"])
      let unknown = try await room.stranger.send(
        .POST, "/api/v1/sessions", ["email": "eve@example.org", "password": "not this one at all"])
      #expect(wrong.status == 401)
      #expect(wrong.json["error"]?["code"] == "wrongCredentials")
      #expect(wrong.body == unknown.body)
    }
  }

  @Test("A10 · after logging out the token is refused")
  func logOut() async throws {
    try await TestServer.open { (room) async throws in
      let owner = try await room.owner()
      #expect(try await owner.send(.DELETE, "/api/v1/sessions/current").status == 204)
      #expect(try await owner.send(.GET, "/api/v1/status").status == 401)
      #expect(try await owner.send(.DELETE, "/api/v1/sessions/current").status == 401)
    }
  }

  @Test("E7 · admits one member with an invitation, who may not invite")
  func invitations() async throws {
    try await TestServer.open { (room) async throws in
      let owner = try await room.owner()
      let member = try await room.member(invitedBy: owner)
      #expect(try await member.send(.GET, "/api/v1/status").status == 200)
      let refusal = try await member.send(.POST, "/api/v1/invitations")
      #expect(refusal.status == 403)
      #expect(refusal.json["error"]?["code"] == "forbidden")
    }
  }

  @Test(
    "E7 · names the field of a wrong registration",
    arguments: [
      (["setupCode": "nonsense", "name": "A", "email": "a@b.example", "password": "x"], 403),
      (["name": "A", "email": "a@b.example", "password": "x"], 422),
      (["setupCode": "x", "invitation": "y", "name": "A", "email": "a@b.example"], 422),
      (
        ["invitation": "0000-0000-0000-0000-0000", "name": "A", "email": "a", "password": "b"], 403
      ),
      (["invitation": 7, "name": "A", "email": "a", "password": "b"], 422),
    ] as [(JSON, Int)])
  func wrongRegistrations(body: JSON, status: Int) async throws {
    try await TestServer.open { (room) async throws in
      _ = try await room.accountService.open()
      let answer = try await room.stranger.send(.POST, "/api/v1/accounts", body)
      #expect(answer.status == status)
      #expect(answer.json["error"]?["message"]?.string?.isEmpty == false)
      // Nothing is opened by a refused registration.
      #expect(try await room.accountService.open() != nil)
    }
  }

  @Test("E7 · tells the holder of a code that an address is taken or a password too short")
  func takenAndShort() async throws {
    try await TestServer.open { (room) async throws in
      let owner = try await room.owner()
      let code = try await owner.send(.POST, "/api/v1/invitations").json["code"] ?? .null
      let taken = try await room.stranger.send(
        .POST, "/api/v1/accounts",
        [
          "invitation": code, "name": "Ann", "email": "ANN@example.org",
          "password": .string(TestServer.password),
        ])
      #expect(taken.status == 409)
      #expect(taken.json["error"]?["code"] == "taken")
      let short = try await room.stranger.send(
        .POST, "/api/v1/accounts",
        ["invitation": code, "name": "Ben", "email": "ben@example.org", "password": "short"])
      #expect(short.status == 422)
      #expect(short.json["error"]?["field"] == "password")
    }
  }

  /// A route's path with something in each capture.
  private static func path(of route: Route) -> String {
    route.fullPath.split(separator: "/").map { $0.hasPrefix("{") ? "x" : $0 }
      .reduce("") { "\($0)/\($1)" }
  }
}
