import APIClient
import AccountTestSupport
import Accounts
import JSON
import NIOHTTP1
import TestSupport
import Testing
import WebServer

@Suite struct CodeRegistrationRouteTests {
  private static let path = "/api/v1/registrations"

  private func invitation(from owner: TestClient) async throws -> JSON {
    try #require(try await owner.send(.POST, "/api/v1/invitations").json["code"])
  }

  /// Requests a code for Ben and returns the members with which it is confirmed.
  private func sent(_ room: TestServer, _ invitation: JSON) async throws -> JSONObject {
    let answer = try await room.stranger.send(
      .POST, Self.path, ["invitation": invitation, "email": "ben@example.org"])
    #expect(answer.status == 202)
    #expect(answer.json["digits"] == 6 && answer.json["resendAfter"] == 30)
    return [
      "invitation": invitation, "request": answer.json["request"] ?? .null,
      "code": .string(try #require(room.sentMessages.code)),
    ]
  }

  private func confirm(
    _ room: TestServer, _ members: JSONObject, with others: JSONObject = [:]
  ) async throws -> ControllerResponse {
    let body = others.reduce(into: members) { $0[$1.key] = $1.value }
    return try await room.stranger.send(.POST, "\(Self.path)/confirmation", .object(body))
  }

  private static let ben: JSONObject = [
    "name": "Ben", "email": "ben@example.org", "password": .string(TestServer.password),
  ]

  @Test("D10 · a code, then name and password: the account is made, verified and logged in")
  func registers() async throws {
    try await TestServer.open { room in
      let owner = try await room.owner()
      let code = try await sent(room, try await invitation(from: owner))
      let needed = try await confirm(room, code)
      #expect(needed.status == 422)
      #expect(needed.json["error"]?["code"] == "empty")
      #expect(needed.json["error"]?["field"] == "name")
      let answer = try await confirm(room, code, with: Self.ben)
      #expect(answer.status == 201)
      #expect(answer.json["user"]?["role"] == "member" && answer.json["device"] != nil)
      let token = try #require(answer.json["token"]?.string)
      let account = try await TestClient(room.stranger.address, token: token)
        .send(.GET, "/api/v1/account")
      #expect(account.json["user"]?["emailVerified"] == true)
      // Invitation and code are used.
      #expect(try await confirm(room, code, with: Self.ben).json["error"]?["code"] == "codeInvalid")
    }
  }

  @Test("D10 · refuses a wrong code, bad personal data and another address; the code stays valid")
  func refusals() async throws {
    try await TestServer.open { room in
      let owner = try await room.owner()
      var code = try await sent(room, try await invitation(from: owner))
      let right = try #require(code["code"])
      code["code"] = right == "000000" ? "000001" : "000000"
      let wrong = try await confirm(room, code, with: Self.ben)
      #expect(wrong.status == 403)
      #expect(wrong.json["error"]?["code"] == "codeWrong")
      #expect(wrong.json["error"]?["triesLeft"] == 4)
      code["code"] = right
      let short = try await confirm(
        room, code, with: ["name": "Ben", "email": "ben@example.org", "password": "short"])
      #expect(short.status == 422 && short.json["error"]?["field"] == "password")
      let other = try await confirm(
        room, code,
        with: [
          "name": "Ben", "email": "eve@example.org", "password": .string(TestServer.password),
        ])
      #expect(other.status == 403 && other.json["error"]?["code"] == "codeExpired")
      #expect(try await confirm(room, code, with: Self.ben).status == 201)
    }
  }

  @Test(
    "D10 E7 · without a valid invitation answers alike for known and unknown addresses, and sends nothing"
  )
  func strangers() async throws {
    try await TestServer.open { room in
      _ = try await room.owner()
      let count = room.sentMessages.messages.count
      var answers: [ControllerResponse] = []
      for email in ["ann@example.org", "nob@example.org"] {
        answers.append(
          try await room.stranger.send(
            .POST, Self.path,
            ["invitation": "0000-0000-0000-0000-0000", "email": .string(email)]))
      }
      #expect(answers.map(\.status) == [403, 403] && room.sentMessages.messages.count == count)
      #expect(answers[0].body == answers[1].body)
      #expect(answers[0].headers.map(\.name) == answers[1].headers.map(\.name))
    }
  }

  @Test("D10 E6 · tells the holder of an invitation that an address is taken, and sends nothing")
  func taken() async throws {
    try await TestServer.open { room in
      let invitation = try await invitation(from: try await room.owner())
      let count = room.sentMessages.messages.count
      let answer = try await room.stranger.send(
        .POST, Self.path, ["invitation": invitation, "email": "ann@example.org"])
      #expect(answer.status == 409 && answer.json["error"]?["code"] == "taken")
      #expect(room.sentMessages.messages.count == count)
    }
  }

  @Test("D10 D8 · a second code within 30 seconds, or over a missing channel, is not sent")
  func sends() async throws {
    try await TestServer.open { room in
      let invitation = try await invitation(from: try await room.owner())
      _ = try await sent(room, invitation)
      let early = try await room.stranger.send(
        .POST, Self.path, ["invitation": invitation, "email": "ben@example.org"])
      #expect(early.status == 429 && early.json["error"]?["code"] == "tooEarly")
      let phone = try await room.stranger.send(
        .POST, Self.path, ["invitation": invitation, "phone": "+49 30 1234567"])
      #expect(phone.status == 409 && phone.json["error"]?["code"] == "deliveryUnavailable")
      let bodies: [JSON] = [
        ["invitation": invitation],
        ["invitation": invitation, "email": "a@b.co", "phone": "+49301234567"],
        ["setupCode": invitation, "email": "a@b.co"],
      ]
      for body in bodies {
        #expect(try await room.stranger.send(.POST, Self.path, body).status == 422)
      }
    }
  }

  @Test("D10 · one address gets five codes an hour, from all holders of invitations together")
  func budget() async throws {
    try await TestServer.open(Listener.port(0, of: "127.0.0.1")) { room in
      let invitation = try await invitation(from: try await room.owner())
      let stranger = NetworkClient(room: room, address: "127.0.0.2")
      let body: JSON = ["invitation": invitation, "email": "ben@example.org"]
      for wait in [30, 60, 120, 120, 0] as [Double] {
        #expect(try await stranger.post(Self.path, body).status == 202)
        room.accountClock.advance(wait)
      }
      room.accountClock.advance(120)
      let refused = try await stranger.post(Self.path, body)
      #expect(refused.status == 429 && refused.json["error"]?["code"] == "tooEarly")
    }
  }

  @Test("D10 · a browser gets the session as a cookie, and its earlier session ends")
  func cookie() async throws {
    try await TestServer.open(Listener.port(0, of: "127.0.0.1")) { room in
      let owner = try await room.owner()
      let code = try await sent(room, try await invitation(from: owner))
      let browser = NetworkClient(room: room, address: "127.0.0.2", token: owner.token)
      var body = Self.ben.reduce(into: code) { $0[$1.key] = $1.value }
      body["cookie"] = true
      let answer = try await browser.post("\(Self.path)/confirmation", .object(body))
      #expect(answer.status == 201 && answer.json["token"] == nil)
      #expect(answer.header("set-cookie") != nil)
      #expect(try await owner.send(.GET, "/api/v1/sessions/current").status == 401)
    }
  }
}
