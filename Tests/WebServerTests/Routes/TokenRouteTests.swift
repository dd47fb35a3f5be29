import APIClient
import AccountTestSupport
import Accounts
import Foundation
import JSON
import NIOHTTP1
import TestSupport
import Testing
import WebServer

/// Making, listing and revoking access tokens.
@Suite(.timeLimit(.minutes(2))) struct TokenRouteTests {
  private static let path = "/api/v1/account/tokens"

  @Test("returns a token once, and lists it without its secret")
  func created() async throws {
    try await TestServer.open { room in
      let owner = try await room.owner()
      let answer = try await owner.send(
        .POST, Self.path,
        ["name": "doorbell", "may": ["resume", "pause", "pause"], "validFor": 31_536_000])
      #expect(answer.status == 201)
      #expect(answer.json["may"] == ["pause", "resume"])
      let token = try #require(answer.json["token"]?.string)
      #expect(token.hasPrefix("theater_"))
      let list = try await owner.send(.GET, Self.path)
      #expect(!String(decoding: list.body, as: UTF8.self).contains(token))
      let listed = try #require(list.json["tokens"]?.array?.first)
      #expect(listed["name"] == "doorbell" && listed["lastUsed"] == nil)
      #expect(listed["expires"] == answer.json["expires"])
      let client = TestClient(room.stranger.address, token: token)
      #expect(try await client.send(.POST, "/api/v1/pause").status == 409)
      let used = try await owner.send(.GET, Self.path).json["tokens"]?.array?.first
      #expect(used?["lastUsed"]?.string != nil)
      #expect(used?["lastAddress"]?.string?.hasPrefix("local") == true)
    }
  }

  @Test("lists every word that a token may have, and refuses others with the nearest one")
  func words() async throws {
    try await TestServer.open { room in
      let owner = try await room.owner()
      let words = try await owner.send(.GET, Self.path).json["words"]?.array ?? []
      for word in [
        "all", "view", "pause", "off", "scan", "scene:popcorn", "activity:film",
        "device:lights/dim",
      ] { #expect(words.contains(.string(word)), "\(word)") }
      let wrong: [(JSON, String?)] = [
        (["puase"], "Did you mean \"pause\"?"),
        (["scene:popcrn"], "Did you mean \"scene:popcorn\"?"),
        (["device:lights/dimm"], "Did you mean \"device:lights/dim\"?"), (["scene:"], nil),
        (["pause", "signal:doorbell"], nil), ([], nil), ([7], nil), ("pause", nil), (nil, nil),
      ]
      for (may, hint) in wrong {
        let answer = try await owner.send(.POST, Self.path, ["name": "bell", "may": may])
        #expect(answer.status == 422, "\(may)")
        if let hint { #expect(answer.json["error"]?["hint"]?.string == hint) }
      }
      #expect(try await owner.send(.GET, Self.path).json["tokens"] == [])
    }
  }

  @Test("making a token needs a fresh proof, listing and revoking need none")
  func freshProof() async throws {
    try await TestServer.open { room in
      let owner = try await room.owner()
      _ = try await room.program(of: owner, may: ["view"])
      room.accountClock.advance(6 * 60)
      let refused = try await owner.send(.POST, Self.path, ["name": "bell", "may": ["pause"]])
      #expect(refused.status == 403 && refused.json["error"]?["code"] == "proofNeeded")
      let id = try await owner.send(.GET, Self.path).json["tokens"]?.array?.first?["id"]?.string
      #expect(try await owner.send(.DELETE, "\(Self.path)/\(id ?? "")").status == 204)
      #expect(try await owner.send(.DELETE, "\(Self.path)/\(id ?? "")").status == 404)
    }
  }

  @Test("guests have no tokens; a second token of one name is refused")
  func refusals() async throws {
    try await TestServer.open { room in
      let owner = try await room.owner()
      let guest = try await room.logIn(withPass: try await room.guestPass(from: owner))
      let body: JSON = ["name": "bell", "may": ["view"]]
      #expect(try await guest.send(.POST, Self.path, body).status == 403)
      #expect(try await owner.send(.POST, Self.path, body).status == 201)
      let second = try await owner.send(.POST, Self.path, body)
      #expect(second.status == 409 && second.json["error"]?["field"] == "name")
      for number in 1..<20 {
        _ = try await room.program(of: owner, may: ["view"], named: "\(number)")
      }
      let many = try await owner.send(.POST, Self.path, ["name": "21", "may": ["view"]])
      #expect(many.status == 409 && many.json["error"]?["code"] == "tooManyTokens")
    }
  }

  @Test("logging out everywhere says how many tokens stay, and revokes them when asked to")
  func logOutEverywhere() async throws {
    try await TestServer.open { room in
      let owner = try await room.owner()
      let client = try await room.program(of: owner, may: ["view"])
      #expect(try await owner.send(.DELETE, "/api/v1/sessions/others?tokens=x").status == 422)
      let kept = try await owner.send(.DELETE, "/api/v1/sessions/others")
      #expect(kept.json == ["ended": 0, "tokens": 1])
      let all = try await owner.send(.DELETE, "/api/v1/sessions?tokens=keep")
      #expect(all.json == ["ended": 1, "tokens": 1])
      #expect(try await client.send(.GET, "/api/v1/status").status == 200)
      let again = try await room.logIn("ann@example.org")
      let revoked = try await again.send(.DELETE, "/api/v1/sessions?tokens=revoke")
      #expect(revoked.json == ["revokedTokens": 1, "ended": 1])
      #expect(try await client.send(.GET, "/api/v1/status").status == 401)
    }
  }

  @Test("an owner sees and revokes the tokens of another account; a member does not")
  func otherPeople() async throws {
    try await TestServer.open { room in
      let owner = try await room.owner()
      let member = try await room.member(invitedBy: owner)
      let client = try await room.program(of: member, may: ["view"])
      let people = try await owner.send(.GET, "/api/v1/accounts").json["accounts"]?.array ?? []
      let ben = people.first { $0["role"] == "member" }?["id"]?.string ?? ""
      let path = "/api/v1/accounts/\(ben)/tokens"
      #expect(try await member.send(.GET, path).status == 403)
      let list = try await owner.send(.GET, path).json["tokens"]?.array ?? []
      #expect(list.count == 1)
      let id = list.first?["id"]?.string ?? ""
      #expect(try await member.send(.DELETE, "\(path)/\(id)").status == 403)
      #expect(try await owner.send(.DELETE, "/api/v1/account/tokens/\(id)").status == 404)
      #expect(try await owner.send(.DELETE, "\(path)/\(id)").status == 204)
      #expect(try await client.send(.GET, "/api/v1/status").status == 401)
      #expect(try await owner.send(.GET, "/api/v1/accounts/nobody/tokens").status == 404)
    }
  }

  @Test("shows the owner of a token, and what it may do, to a program that may view")
  func currentSession() async throws {
    try await TestServer.open { room in
      let owner = try await room.owner()
      let client = try await room.program(of: owner, may: ["view", "pause"], named: "panel")
      let answer = try await client.send(.GET, "/api/v1/sessions/current")
      #expect(answer.json["user"] == ["name": "Ann", "email": "ann@example.org", "role": "owner"])
      #expect(answer.json["accessToken"] == ["name": "panel", "may": ["pause", "view"]])
    }
  }

  @Test("the audit log names the token that tried what it may not do")
  func audit() async throws {
    try await TestServer.open { room in
      let owner = try await room.owner()
      let client = try await room.program(of: owner, may: ["pause"], named: "doorbell")
      for _ in 0..<3 { _ = try await client.send(.POST, "/api/v1/off") }
      let entries = try await owner.send(.GET, "/api/v1/audit?limit=2").json["entries"]?.array ?? []
      #expect(
        entries.first?["deed"] == "tokenMade" && entries.first?["subject"] == "doorbell: pause")
      let tried = try #require(entries.last)
      #expect(tried["deed"] == "tokenUsed" && tried["outcome"] == "forbidden")
      #expect(tried["who"] == "ann@example.org, token doorbell" && tried["subject"] == "POST /off")
      #expect(tried["count"] == 3)
      #expect(!"\(entries)".contains("theater_"))
    }
  }
}
