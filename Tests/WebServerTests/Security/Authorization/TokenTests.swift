import APIClient
import AccountTestSupport
import Accounts
import Foundation
import JSON
import NIOHTTP1
import TestSupport
import TheaterAPI
import Testing

@testable import WebServer

/// What programs with an access token may do, over the API.
@Suite(.timeLimit(.minutes(3))) struct TokenTests {
  /// The routes that a token of one word may use, beside those that need no session. Written by hand: a route that
  /// appears in no list refuses every narrow token.
  private static let admitted: [String: Set<String>] = [
    "pause": ["POST /pause"], "resume": ["POST /resume"], "next": ["POST /next"],
    "previous": ["POST /previous"], "seek": ["POST /seek"], "volume": ["POST /volume"],
    "watch": ["POST /watch"], "listen": ["POST /listen"], "radio": ["POST /radio"],
    "popcorn": ["POST /popcorn"], "end": ["POST /end"], "off": ["POST /off"],
    "scan": ["POST /library/scan"],
    "scene:popcorn": ["POST /scenes/popcorn/runs"],
    "activity:film": ["POST /activities/film"],
    "device:lights/on": ["POST /devices/lights/commands"],
    "view": [
      "GET /sessions/current", "GET /status", "GET /events", "GET /films", "GET /songs",
      "GET /stations", "GET /library/stopped", "GET /library/picture", "GET /activities",
      "GET /rooms",
      "GET /devices", "GET /devices/lights", "GET /scenes", "GET /runs", "GET /runs/popcorn",
      "GET /openapi.json", "GET /address",
    ],
  ]

  /// The routes, and those that do the same in a room.
  private static func withRooms(_ routes: Set<String>) -> Set<String> {
    let inRooms = RoomEndpoint.allCases.compactMap { endpoint -> String? in
      let route = endpoint.original.route
      guard routes.contains("\(route.method.rawValue) \(path(of: route))") else { return nil }
      return "\(route.method.rawValue) /rooms/popcorn\(path(of: route))"
    }
    return routes.union(inRooms)
  }

  /// The routes that refuse even a token of an owner with everything.
  private static let never: Set<String> = [
    "DELETE /sessions/current", "POST /sessions/current/proof", "GET /sessions",
    "DELETE /sessions", "DELETE /sessions/others", "DELETE /sessions/popcorn",
    "GET /account", "POST /account/name", "POST /account/language", "DELETE /account",
    "POST /account/email", "POST /account/email/confirmation", "POST /account/phone",
    "POST /account/phone/confirmation", "POST /account/password", "POST /account/second-factor",
    "POST /account/second-factor/confirmation", "POST /account/second-factor/removal",
    "POST /account/recovery-codes", "GET /account/tokens", "POST /account/tokens",
    "DELETE /account/tokens", "DELETE /account/tokens/popcorn",
    "GET /accounts", "POST /accounts/popcorn/role", "POST /accounts/popcorn/age-limit",
    "DELETE /accounts/popcorn", "GET /accounts/popcorn/sessions",
    "DELETE /accounts/popcorn/sessions/popcorn", "GET /accounts/popcorn/tokens",
    "DELETE /accounts/popcorn/tokens/popcorn", "POST /invitations", "GET /invitations",
    "DELETE /invitations/popcorn", "POST /guests", "GET /guests", "DELETE /guests/popcorn",
    "PUT /configuration", "PUT /secrets/popcorn",
  ]

  @Test(
    "a token with one word may do what the word says, and nothing else of the whole contract",
    arguments: admitted.keys.sorted())
  func narrow(word: String) async throws {
    try await TestServer.open { room in
      let owner = try await room.owner()
      let client = try await room.program(of: owner, may: [word])
      let expected = try #require(Self.admitted[word].map(Self.withRooms))
      var admitted: Set<String> = []
      for route in room.routes {
        let path = Self.path(of: route)
        guard case .permitted = route.access else { continue }
        let answer = try await Self.answer(of: client, route, path)
        if let answer, answer.status == 403, answer.json["error"]?["code"] == "forbidden" {
          continue
        }
        #expect(answer?.status != 401, "\(route.method.rawValue) \(path)")
        admitted.insert("\(route.method.rawValue) \(path)")
      }
      #expect(admitted == expected)
    }
  }

  @Test("a refused token commands nothing, changes nothing and is told nothing of what there is")
  func withoutEffect() async throws {
    try await TestServer.open { room in
      let owner = try await room.owner()
      let client = try await room.program(of: owner, may: ["pause"])
      for route in room.routes where !route.path.hasSuffix("/pause") {
        guard case .permitted = route.access else { continue }
        for name in ["x", "popcorn"] {
          let path = Self.path(of: route, name: name)
          let answer = try #require(try await Self.answer(of: client, route, path))
          #expect(answer.status == 403)
          #expect(answer.json["error"]?["message"] == "The access token may not do this.")
        }
      }
      #expect(room.journal.lines.isEmpty && room.secrets.texts.isEmpty)
      #expect(room.configuration.choices.isEmpty && room.discovery.requests.isEmpty)
      #expect(try await owner.send(.GET, "/api/v1/status").json["activity"]?["status"] == "idle")
      #expect(try await owner.send(.GET, "/api/v1/account").status == 200)
    }
  }

  @Test("a token with everything of an owner changes no account, session, credential or person")
  func everything() async throws {
    try await TestServer.open { room in
      let owner = try await room.owner()
      let client = try await room.program(of: owner, may: ["all"])
      var refused: Set<String> = []
      for route in room.routes {
        guard case .permitted = route.access else { continue }
        let path = Self.path(of: route)
        let answer = try await Self.answer(of: client, route, path)
        #expect(answer?.status != 401, "\(path)")
        if let answer, answer.status == 403 { refused.insert("\(route.method.rawValue) \(path)") }
      }
      // The swap would need a fresh proof, which no token has.
      #expect(refused == Self.never)
      let swap = try await client.send(
        .POST, "/api/v1/devices/amp/plugin", ["plugin": "ALSAAmplifier"])
      #expect(swap.status == 403 && room.configuration.choices.isEmpty)
      let searches = room.discovery.requests.count
      let search = try await client.send(.POST, "/api/v1/discovery", ["broker": "broker.lan"])
      #expect(search.status == 403 && room.discovery.requests.count == searches)
      #expect(
        try await client.send(.POST, "/api/v1/devices/amp/plugin", ["plugin": "Simulated"]).status
          == 200)
      #expect(try await client.send(.GET, "/api/v1/audit").status == 200)
      #expect(try await owner.send(.GET, "/api/v1/accounts").json["accounts"]?.array?.count == 1)
    }
  }

  @Test("a member's token with everything has the permissions of a member")
  func member() async throws {
    try await TestServer.open { room in
      let owner = try await room.owner()
      let member = try await room.member(invitedBy: owner)
      let client = try await room.program(of: member, may: ["all"])
      #expect(try await client.send(.POST, "/api/v1/popcorn").isSuccess)
      for path in ["/api/v1/audit", "/api/v1/configuration", "/api/v1/doctor"] {
        #expect(try await client.send(.GET, path).status == 403)
      }
      // A narrow token of a member keeps its rights when the member becomes an owner, and gets no more.
      let people = try await owner.send(.GET, "/api/v1/accounts").json["accounts"]?.array ?? []
      let ben = people.first { $0["role"] == "member" }?["id"]?.string ?? ""
      let role = try await owner.send(
        .POST, "/api/v1/accounts/\(ben)/role", ["role": "owner"])
      #expect(role.status == 204)
      #expect(try await client.send(.GET, "/api/v1/audit").status == 403)
    }
  }

  @Test("a token for a device's command gives that device that command only")
  func deviceCommands() async throws {
    try await TestServer.open { room in
      let owner = try await room.owner()
      let client = try await room.program(of: owner, may: ["device:lights/dim"])
      let lights = "/api/v1/devices/lights/commands"
      #expect(try await client.send(.POST, lights, ["dim": 40], wait: 0).status == 202)
      #expect(await eventually { room.journal.lines.count == 1 })
      let other: [(String, JSON)] = [
        (lights, "on"), (lights, ["on": nil]), (lights, ["dim": 40, "on": nil]), (lights, "dim "),
        (lights, ["dim"]), (lights, nil), (lights, "DIM"),
        ("/api/v1/devices/screen/commands", ["dim": 40]),
        ("/api/v1/devices/Lights/commands", ["dim": 40]),
      ]
      for (path, body) in other {
        #expect(try await client.send(.POST, path, body, wait: 0).status == 403, "\(path) \(body)")
      }
      // The device's own checks follow.
      #expect(try await client.send(.POST, lights, ["dim": 400]).status == 422)
      #expect(room.journal.lines.count == 1)
    }
  }

  @Test("a token for a scene or an activity admits no other one, however the path is written")
  func names() async throws {
    try await TestServer.open { room in
      let owner = try await room.owner()
      let client = try await room.program(of: owner, may: ["scene:popcorn", "activity:film"])
      #expect(try await client.send(.POST, "/api/v1/scenes/popcorn/runs").isSuccess)
      for path in [
        "/scenes/end-film/runs", "/scenes/Popcorn/runs", "/scenes/popcorn%20/runs",
        "/scenes/popcorn/plan", "/scenes/none/runs", "/activities/music", "/activities/popcorn",
        "/scenes/film/runs", "/popcorn",
      ] {
        let answer = try await client.send(.POST, "/api/v1\(path)")
        #expect(answer.status == 403, "\(path) \(answer.status)")
      }
      // A path has one form; any other is unknown.
      for path in ["/scenes/pop%63orn/runs", "/scenes/popcorn%2Fruns/runs"] {
        #expect(try await client.send(.POST, "/api/v1\(path)").status == 404)
      }
    }
  }

  @Test("the scope of a token is within its owner's age limit")
  func ageLimit() async throws {
    try await TestServer.open { room in
      let owner = try await room.owner()
      let member = try await room.member(invitedBy: owner)
      let client = try await room.program(of: member, may: ["watch", "view"])
      let people = try await owner.send(.GET, "/api/v1/accounts").json["accounts"]?.array ?? []
      let ben = people.first { $0["role"] == "member" }?["id"]?.string ?? ""
      func films() async throws -> Int? {
        try await client.send(.GET, "/api/v1/films").json["total"]?.integer
      }
      #expect(try await films() == 2)
      _ = try await owner.send(.POST, "/api/v1/accounts/\(ben)/age-limit", ["ageLimit": 12])
      #expect(try await films() == 1)
      #expect(try await client.send(.POST, "/api/v1/watch", ["item": "nosferatu"]).status == 404)
    }
  }

  @Test("an event stream needs the word view")
  func streams() async throws {
    try await TestServer.open { room in
      let owner = try await room.owner()
      for words in [["pause"], ["scene:popcorn", "activity:film", "device:lights/on"]] {
        let client = try await room.program(of: owner, may: words)
        #expect(try await client.listen { _ in true }?.status == 403)
      }
      for words in [["view"], ["all"]] {
        let client = try await room.program(of: owner, may: words)
        #expect(try await client.listen { _ in false } == nil)
      }
      #expect(await eventually { room.streams.count == 0 })
    }
  }

  @Test("cookies, URLs and other headers carry no token")
  func otherPlaces() async throws {
    try await TestServer.open(.port(0, of: "127.0.0.1")) { room in
      let owner = try await room.owner()
      let token = try #require(try await room.program(of: owner, may: ["all"]).token)
      let host = "Host: 127.0.0.1:\(room.port)"
      func status(_ path: String, _ lines: [String]) async throws -> Int? {
        try await room.sendRaw(
          lines: ["GET /api/v1\(path) HTTP/1.1", host] + lines, body: ""
        ).status
      }
      // From this machine it is accepted without TLS.
      #expect(try await status("/status", ["Authorization: Bearer \(token)"]) == 200)
      #expect(try await status("/status", ["Authorization: bearer \(token)"]) == 200)
      #expect(try await status("/status", ["Cookie: theater=\(token)"]) == 401)
      #expect(try await status("/status?token=\(token)&access_token=\(token)", []) == 401)
      #expect(try await status("/status", ["Theater-Device: \(token)"]) == 401)
      #expect(try await status("/status", ["Authorization: Basic \(token)"]) == 401)
      #expect(try await status("/status", ["Authorization: Token \(token)"]) == 401)
      #expect(!"\(room.log.lines)".contains("theater_"))
    }
  }

  @Test(
    "takes a token only over TLS, over the socket or from this machine",
    arguments: [
      ("127.0.0.1", true), ("127.9.9.9", true), ("::1", true), ("::ffff:127.0.0.1", true),
      ("192.0.2.7", false), ("::ffff:192.0.2.7", false), ("fe80::1%eth0", false),
      ("unknown", false), ("", false), ("127.0.0.1.example", false), (nil, false),
    ] as [(String?, Bool)])
  func transport(peer: String?, isProtected: Bool) {
    #expect(RequestAuthorizer.isProtected(peer, isConfidential: false) == isProtected)
    #expect(RequestAuthorizer.isProtected(peer, isConfidential: true))
    #expect(Listener.socket("/s").isConfidential)
    #expect(!Listener.port(0, of: "0.0.0.0").isConfidential)
  }

  @Test("answers 401 to wrong tokens, and 429 after too many of them, for every path")
  func wrongTokens() async throws {
    try await TestServer.open { room in
      let owner = try await room.owner()
      let right = try await room.program(of: owner, may: ["view"])
      var wrong = right
      wrong.token = "theater_" + String(repeating: "0", count: 59)
      for path in ["/status", "/nothing", "/films"] {
        let answer = try await wrong.send(.GET, "/api/v1\(path)")
        #expect(answer.status == 401 && answer.json["error"]?["code"] == "notLoggedIn")
      }
      for _ in 3..<30 { _ = try await wrong.send(.POST, "/api/v1/pause") }
      for path in ["/status", "/nothing"] {
        let answer = try await wrong.send(.GET, "/api/v1\(path)")
        #expect(answer.status == 429 && answer.header("retry-after") == "1")
      }
      #expect(try await right.send(.GET, "/api/v1/status").status == 200)
      #expect(try await room.logIn("ann@example.org").send(.GET, "/api/v1/status").status == 200)
    }
  }

  @Test("a body that arrives after the token was revoked has no effect")
  func revokedBeforeTheBody() async throws {
    try await TestServer.open(.port(0, of: "127.0.0.1")) { room in
      let owner = try await room.owner()
      let client = try await room.program(of: owner, may: ["device:lights/on"])
      let body = #""on""#
      let head = [
        "POST /api/v1/devices/lights/commands HTTP/1.1", "Host: 127.0.0.1:\(room.port)",
        "Authorization: Bearer \(client.token ?? "")", "Content-Type: application/json",
        "Content-Length: \(body.utf8.count)", "Expect: 100-continue", "Connection: close", "", "",
      ].joined(separator: "\r\n")
      let answer = try await room.rawExpectingContinue(head: head, body: body) {
        let revoked = try await owner.send(.DELETE, "/api/v1/account/tokens")
        #expect(revoked.json == ["revoked": 1])
      }
      #expect(answer.statuses == [100, 401], "\(answer.text)")
      #expect(room.journal.lines.isEmpty)
    }
  }
}

extension TokenTests {
  /// Sends a request with a body that the routes with a body accept as far as they can.
  private static func answer(
    of client: TestClient, _ route: Route, _ path: String
  ) async throws -> ControllerResponse? {
    if route.isStream { return try await client.listen { _ in false } }
    let body: JSON? = route.path.hasSuffix("/commands") ? "on" : route.takesJSON ? [:] : nil
    return try await client.send(
      HTTPMethod(rawValue: route.method.rawValue), Route.base + path, body, wait: 0)
  }

  /// The path below the base, with a name that exists in each capture.
  private static func path(of route: Route, name: String = "popcorn") -> String {
    route.path.split(separator: "/").map { part -> String in
      guard part.hasPrefix("{") else { return String(part) }
      if name == "popcorn", part != "{room}" {
        if route.path.hasPrefix("/devices/") { return "lights" }
        if route.path.contains("/activities/") { return "film" }
      }
      return name
    }.reduce("") { "\($0)/\($1)" }
  }
}

extension TestServer {
  /// A client with an access token of a person.
  func program(
    of person: TestClient, may words: [String], named name: String? = nil
  ) async throws -> TestClient {
    let answer = try await person.send(
      .POST, "/api/v1/account/tokens",
      [
        "name": .string(name ?? words.joined(separator: " ")),
        "may": .array(words.map { .string($0) }),
      ])
    guard let token = answer.json["token"]?.string else {
      throw Missing(what: "the token: \(answer.json)")
    }
    return TestClient(stranger.address, token: token)
  }
}
