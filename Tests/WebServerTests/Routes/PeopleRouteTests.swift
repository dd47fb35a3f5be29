import APIClient
import AccountTestSupport
import Accounts
import Devices
import Foundation
import JSON
import NIOHTTP1
import TestSupport
import Testing
import WebServer

@Suite struct PeopleRouteTests {
  @Test("E6 F5 · adds a link and its QR code to an invitation or guest pass made on the page")
  func links() async throws {
    try await TestServer.open(.port(0, of: "127.0.0.1")) { (room) async throws in
      let owner = try await room.owner()
      let requests = [
        ("invitations", "{}", "register"), ("guests", #"{"activities": ["film"]}"#, "guest"),
      ]
      for (path, body, page) in requests {
        let answer = try await room.sendRaw(
          lines: [
            "POST /api/v1/\(path) HTTP/1.1", "Host: localhost:\(room.port)",
            "Origin: http://localhost:\(room.port)", "X-Theater: 1",
            "Authorization: Bearer \(owner.token ?? "")", "Content-Type: application/json",
          ], body: body)
        #expect(answer.status == 201)
        let json = try JSON(parsing: Array(answer.body.utf8))
        let link = "http://localhost:\(room.port)/\(page)#\(json["code"]?.string ?? "")"
        #expect(json["link"]?.string == link)
        let rows = json["qr"]?.array?.compactMap(\.string) ?? []
        #expect(rows.count >= 21 && rows.allSatisfy { $0.count == rows.count })
        #expect(rows.first?.hasPrefix("1111111") == true)
      }
      // A terminal connects over the Unix socket, which has no web address for a link.
      #expect(try await owner.send(.POST, "/api/v1/invitations").json["link"] == nil)
    }
  }

  @Test("keeps a person's language with the account, for every session")
  func language() async throws {
    try await TestServer.open { (room) async throws in
      let owner = try await room.owner()
      let other = try await room.logIn("ann@example.org")
      func languages() async throws -> [JSON?] {
        [
          try await other.send(.GET, "/api/v1/sessions/current").json["user"]?["language"],
          try await owner.send(.GET, "/api/v1/account").json["user"]?["language"],
        ]
      }
      #expect(try await languages() == [nil, nil])
      let path = "/api/v1/account/language"
      #expect(try await owner.send(.POST, path, ["language": "uk"]).status == 204)
      #expect(try await languages() == ["uk", "uk"])
      #expect(try await owner.send(.POST, path, ["language": "xx"]).status == 422)
      #expect(try await languages() == ["uk", "uk"])
      #expect(try await owner.send(.POST, path, ["language": nil]).status == 204)
      #expect(try await languages() == [nil, nil])
      let guest = try await room.logIn(withPass: try await room.guestPass(from: owner))
      #expect(try await guest.send(.POST, path, ["language": "uk"]).status == 403)
    }
  }

  @Test("A10 · lists a user's sessions with device and address, and ends one of them")
  func sessions() async throws {
    try await TestServer.open { (room) async throws in
      let owner = try await room.owner()
      let phone = try await room.stranger.send(
        .POST, "/api/v1/sessions",
        ["email": "ann@example.org", "password": .string(TestServer.password)],
        headers: ["user-agent": "Mozilla/5.0 (Android 14; Mobile; rv:130.0) Firefox/130.0"])
      #expect(phone.status == 201)
      let list = try await owner.send(.GET, "/api/v1/sessions").json["sessions"]?.array ?? []
      #expect(list.count == 2)
      let other = try #require(list.first { $0["current"] == false })
      #expect(list.first { $0["current"] == true }?["device"]?.string?.hasPrefix("theater") == true)
      #expect(other["address"] == .string("local (uid \(getuid()))"))
      let id = other["id"]?.string ?? ""
      #expect(try await owner.send(.DELETE, "/api/v1/sessions/\(id)").status == 204)
      #expect(try await owner.send(.DELETE, "/api/v1/sessions/\(id)").status == 404)
      let token = phone.json["token"]?.string
      #expect(
        try await TestClient(room.stranger.address, token: token).send(.GET, "/api/v1/status")
          .status == 401)
    }
  }

  @Test("F5 · an owner sees and ends the sessions of others; a member does not")
  func sessionsOfOthers() async throws {
    try await TestServer.open { (room) async throws in
      let owner = try await room.owner()
      let member = try await room.member(invitedBy: owner)
      let people = try await owner.send(.GET, "/api/v1/accounts").json["accounts"]?.array ?? []
      func path(_ role: JSON) throws -> String {
        let id = try #require(people.first { $0["role"] == role }?["id"]?.string)
        return "/api/v1/accounts/\(id)/sessions"
      }
      let (own, others) = (try path("owner"), try path("member"))
      #expect(try await member.send(.GET, own).status == 403)
      #expect(try await owner.send(.GET, "/api/v1/accounts/nobody/sessions").status == 404)
      let list = try await owner.send(.GET, others).json["sessions"]?.array ?? []
      #expect(list.map { $0["current"] } == [false])
      let id = try #require(list.first?["id"]?.string)
      // The session belongs to another account.
      #expect(try await owner.send(.DELETE, "\(own)/\(id)").status == 404)
      #expect(try await member.send(.DELETE, "\(others)/\(id)").status == 403)
      #expect(try await owner.send(.DELETE, "\(others)/\(id)").status == 204)
      #expect(try await member.send(.GET, "/api/v1/status").status == 401)
      #expect(try await owner.send(.GET, own).json["sessions"]?.array?.count == 1)
    }
  }

  @Test("E1 · ends the session with which a new login is requested")
  func newLogin() async throws {
    try await TestServer.open { (room) async throws in
      let owner = try await room.owner()
      let answer = try await owner.send(
        .POST, "/api/v1/sessions",
        ["email": "ann@example.org", "password": .string(TestServer.password)])
      #expect(answer.status == 201)
      #expect(try await owner.send(.GET, "/api/v1/status").status == 401)
      let again = TestClient(owner.address, token: answer.json["token"]?.string)
      #expect(try await again.send(.GET, "/api/v1/sessions").json["sessions"]?.array?.count == 1)
    }
  }

  @Test("E1 · replaces the token after a proof, not after a wrong password")
  func proof() async throws {
    try await TestServer.open { (room) async throws in
      var owner = try await room.owner()
      let wrong = try await owner.send(
        .POST, "/api/v1/sessions/current/proof", ["password": "not the right one"])
      #expect(wrong.status == 401)
      #expect(wrong.json["error"]?["code"] == "wrongCredentials")
      let proof = try await owner.send(
        .POST, "/api/v1/sessions/current/proof", ["password": .string(TestServer.password)])
      #expect(proof.status == 200)
      #expect(try await owner.send(.GET, "/api/v1/status").status == 401)
      owner.token = proof.json["token"]?.string
      #expect(try await owner.send(.GET, "/api/v1/status").status == 200)
    }
  }

  @Test("treats null as a missing code")
  func nullCode() async throws {
    try await TestServer.open { (room) async throws in
      let owner = try await room.owner()
      let invitation = try await owner.send(.POST, "/api/v1/invitations", ["validFor": .null])
      let account = try await room.stranger.send(
        .POST, "/api/v1/accounts",
        [
          "setupCode": .null, "invitation": invitation.json["code"] ?? .null, "name": "Ben",
          "email": "ben@example.org", "password": .string(TestServer.password),
        ])
      #expect(account.status == 201, "\(account.json)")
    }
  }

  @Test("lists, promotes and removes accounts, but never the last owner")
  func people() async throws {
    try await TestServer.open { (room) async throws in
      let owner = try await room.owner()
      let member = try await room.member(invitedBy: owner)
      let people = try await owner.send(.GET, "/api/v1/accounts").json["accounts"]?.array ?? []
      #expect(people.count == 2)
      let ann = people.first { $0["role"] == "owner" }?["id"]?.string ?? ""
      let ben = people.first { $0["role"] == "member" }?["id"]?.string ?? ""
      let last = try await owner.send(.POST, "/api/v1/accounts/\(ann)/role", ["role": "member"])
      #expect(last.status == 409)
      #expect(last.json["error"]?["code"] == "lastOwner")
      #expect(try await owner.send(.DELETE, "/api/v1/account").status == 409)
      for role in ["guest", "king", ""] {
        let answer = try await owner.send(
          .POST, "/api/v1/accounts/\(ben)/role", ["role": .string(role)])
        #expect(answer.status == 422)
      }
      #expect(try await member.send(.GET, "/api/v1/audit").status == 403)
      let promoted = try await owner.send(.POST, "/api/v1/accounts/\(ben)/role", ["role": "owner"])
      #expect(promoted.status == 204)
      #expect(try await member.send(.GET, "/api/v1/audit").status == 200)
      #expect(try await owner.send(.DELETE, "/api/v1/accounts/\(ben)").status == 204)
      #expect(try await owner.send(.DELETE, "/api/v1/accounts/\(ben)").status == 404)
      #expect(try await member.send(.GET, "/api/v1/status").status == 401)
    }
  }

  @Test("F5 · an open session alone makes no further owner")
  func furtherOwner() async throws {
    try await TestServer.open { room in
      let owner = try await room.owner()
      _ = try await room.member(invitedBy: owner)
      let people = try await owner.send(.GET, "/api/v1/accounts").json["accounts"]?.array ?? []
      let ben = people.first { $0["role"] == "member" }?["id"]?.string ?? ""
      room.accountClock.advance(6 * 60)
      for path in ["/api/v1/invitations", "/api/v1/accounts/\(ben)/role"] {
        let refused = try await owner.send(.POST, path, ["role": "owner"])
        #expect(refused.status == 403 && refused.json["error"]?["code"] == "proofNeeded")
        #expect(try await owner.send(.POST, path, ["role": "member"]).status < 300)
      }
    }
  }

  @Test(
    "a pass for a wall tablet takes no limits that it would not keep",
    arguments: [["volumeLimit": 5], ["validFor": 60], ["activities": ["music"]]] as [JSONObject])
  func tabletLimits(_ limit: JSONObject) async throws {
    try await TestServer.open { room in
      let owner = try await room.owner()
      var body = limit
      body["wallTablet"] = true
      let refused = try await owner.send(.POST, "/api/v1/guests", .object(body))
      #expect(refused.status == 422)
      #expect(
        refused.json["error"]?["message"]?.string?.contains(limit.keys.first ?? "") == true)
    }
  }

  @Test("E1 · an owner deletes their own account only after a proof, by either path")
  func ownRemoval() async throws {
    try await TestServer.open { (room) async throws in
      var owner = try await room.owner()
      _ = try await room.member(invitedBy: owner)
      let people = try await owner.send(.GET, "/api/v1/accounts").json["accounts"]?.array ?? []
      let ann = people.first { $0["role"] == "owner" }?["id"]?.string ?? ""
      let ben = people.first { $0["role"] == "member" }?["id"]?.string ?? ""
      let promoted = try await owner.send(.POST, "/api/v1/accounts/\(ben)/role", ["role": "owner"])
      #expect(promoted.status == 204)
      room.accountClock.advance(300)
      for path in ["/api/v1/account", "/api/v1/accounts/\(ann)"] {
        let refused = try await owner.send(.DELETE, path)
        #expect(refused.status == 403)
        #expect(refused.json["error"]?["code"] == "proofNeeded")
      }
      let proof = try await owner.send(
        .POST, "/api/v1/sessions/current/proof", ["password": .string(TestServer.password)])
      owner.token = proof.json["token"]?.string
      #expect(try await owner.send(.DELETE, "/api/v1/accounts/\(ann)").status == 204)
      #expect(try await owner.send(.GET, "/api/v1/status").status == 401)
    }
  }

  @Test("E9 · neither lists nor starts titles above the user's age limit")
  func ageLimit() async throws {
    try await TestServer.open { (room) async throws in
      let owner = try await room.owner()
      let member = try await room.member(invitedBy: owner)
      let people = try await owner.send(.GET, "/api/v1/accounts").json["accounts"]?.array ?? []
      let ben = people.first { $0["role"] == "member" }?["id"]?.string ?? ""
      #expect(try await member.send(.GET, "/api/v1/films").json["films"]?.array?.count == 2)
      let set = try await owner.send(
        .POST, "/api/v1/accounts/\(ben)/age-limit", ["ageLimit": 12])
      #expect(set.status == 204)
      let films = try await member.send(.GET, "/api/v1/films").json["films"]?.array ?? []
      #expect(films.map { $0["title"] } == ["Metropolis"])
      let answer = try await member.send(.POST, "/api/v1/watch", ["item": "Nosferatu"])
      // A title above the limit is answered like one that does not exist.
      let unknown = try await member.send(.POST, "/api/v1/watch", ["item": "Notferatu"])
      #expect(answer.status == 404 && unknown.status == 404)
      #expect(answer.json.text().replacing("Nosferatu", with: "Notferatu") == unknown.json.text())
      #expect(
        try await owner.send(.POST, "/api/v1/accounts/\(ben)/age-limit", ["ageLimit": 99]).status
          == 422)
      // A missing age limit and null both remove the limit.
      for body in [[:], ["ageLimit": 12], ["ageLimit": .null]] as [JSON] {
        let answer = try await owner.send(.POST, "/api/v1/accounts/\(ben)/age-limit", body)
        #expect(answer.status == 204, "\(answer.json)")
      }
      #expect(
        try await member.send(.POST, "/api/v1/watch", ["item": "Nosferatu"], wait: 10).status == 200
      )
    }
  }

  @Test(
    "lets no user resume a player that may continue above their age limit",
    arguments: [
      ("/api/v1/resume", [:]), ("/api/v1/devices/dvd/commands", "play"),
      ("/api/v1/devices/dvd/commands", "next"), ("/api/v1/next", [:]), ("/api/v1/previous", [:]),
    ] as [(String, JSON)])
  func ageLimitOfGoingOn(path: String, body: JSON) async throws {
    try await TestServer.open { (room) async throws in
      let owner = try await room.owner()
      let member = try await room.member(invitedBy: owner)
      let people = try await owner.send(.GET, "/api/v1/accounts").json["accounts"]?.array ?? []
      let ben = people.first { $0["role"] == "member" }?["id"]?.string ?? ""
      _ = try await owner.send(.POST, "/api/v1/accounts/\(ben)/age-limit", ["ageLimit": 12])
      let begun = try await owner.send(.POST, "/api/v1/watch", ["item": "Metropolis"], wait: 10)
      #expect(begun.status == 200)
      await room.devices["dvd"]?.report(
        .playback, Playback(.stopped, item: "metropolis").json)
      room.journal.clear()
      #expect(try await member.send(.POST, path, body).status == 403)
      #expect(room.journal.lines.isEmpty)
      #expect(try await member.send(.POST, "/api/v1/library/scan").json["films"] == 1)
    }
  }

  @Test("lists and revokes invitations, and shows their codes once")
  func invitations() async throws {
    try await TestServer.open { (room) async throws in
      let owner = try await room.owner()
      let made = try await owner.send(
        .POST, "/api/v1/invitations", ["role": "owner", "validFor": 3600])
      #expect(made.status == 201)
      #expect(made.json["role"] == "owner")
      let code = made.json["code"]?.string ?? ""
      // The Unix socket has no web address for a link.
      #expect(made.json["link"] == nil)
      #expect(made.json["command"] == .string("theater register --invitation \(code)"))
      let pass = try await owner.send(.POST, "/api/v1/guests", ["activities": ["film"]])
      #expect(pass.json["link"] == nil && pass.json["code"]?.string?.isEmpty == false)
      #expect(pass.json["command"] == "theater guest enter")
      let list = try await owner.send(.GET, "/api/v1/invitations")
      #expect(!list.json.text().contains(code))
      let id = list.json["invitations"]?.array?.first?["id"]?.string ?? ""
      #expect(try await owner.send(.DELETE, "/api/v1/invitations/\(id)").status == 204)
      #expect(try await owner.send(.GET, "/api/v1/invitations").json["invitations"] == [])
    }
  }

  @Test("E11 · restricts a guest to the activities and the volume of the pass")
  func guests() async throws {
    try await TestServer.open { (room) async throws in
      let owner = try await room.owner()
      let unknown = try await owner.send(.POST, "/api/v1/guests", ["activities": ["flim"]])
      #expect(unknown.status == 404)
      #expect(unknown.json["error"]?["hint"]?.string?.contains("film") == true)
      for body in [[:], ["activities": "film"], ["activities": [1]], ["activities": []]] as [JSON] {
        #expect(try await owner.send(.POST, "/api/v1/guests", body).status == 422)
      }
      let guest = try await room.logIn(withPass: try await room.guestPass(from: owner, volume: 30))
      let who = try await guest.send(.GET, "/api/v1/sessions/current").json
      #expect(who["user"] == ["name": "Guest", "role": "guest"])
      #expect(who["volumeLimit"] == 30)
      #expect(who["activities"] == ["film"])
      let begun = try await guest.send(.POST, "/api/v1/watch", ["item": "Metropolis"], wait: 10)
      #expect(begun.json["run"]?["status"] == "done")
      #expect(room.journal.lines.contains("amp {\"volume\":30}"))
      #expect(try await guest.send(.POST, "/api/v1/volume", ["to": 40]).status == 403)
      #expect(try await guest.send(.POST, "/api/v1/pause").status == 200)
      #expect(try await guest.send(.POST, "/api/v1/off").status == 403)
      #expect(
        try await guest.send(.POST, "/api/v1/devices/lights/commands", "on").status == 403)
      let again = try await room.stranger.send(
        .POST, "/api/v1/guests/sessions", ["pass": "0000-0000-0000-0000-0000"])
      #expect(again.status == 403)
    }
  }

  @Test("returns the audit log to owners only, in order, bounded and escaped")
  func audit() async throws {
    try await TestServer.open { (room) async throws in
      let owner = try await room.owner()
      _ = try await room.stranger.send(
        .POST, "/api/v1/sessions", ["email": "eve@example.org", "password": "guess guess guess"])
      await room.accountService.audit.record(.login, by: nil, about: "a\u{1B}[2J\u{202E}b")
      let entries = try await owner.send(.GET, "/api/v1/audit").json["entries"]?.array ?? []
      #expect(entries.map { $0["deed"] } == ["registration", "login", "login", "login"])
      #expect(entries[1]["who"] == "ann@example.org")
      #expect(entries[1]["proven"] == true)
      #expect(entries[1]["address"] == .string("local (uid \(getuid()))"))
      #expect(entries[2]["who"] == "eve@example.org")
      #expect(entries[2]["proven"] == false)
      #expect(entries[2]["outcome"] == "wrongCredentials")
      #expect(entries[3]["subject"] == "a\\u{1B}[2J\\u{202E}b")
      #expect(entries[0]["at"]?.string?.hasSuffix("Z") == true)
      let last = try await owner.send(.GET, "/api/v1/audit?limit=1").json["entries"]?.array
      #expect(last?.count == 1)
      let none = try await owner.send(.GET, "/api/v1/audit?since=2100-01-01T00:00:00Z").json
      #expect(none == ["entries": []])
      for query in [
        "limit=0", "limit=1001", "limit=x", "since=yesterday", "before=0", "before=x", "before=-1",
        "before=99999999999999999999",
      ] {
        #expect(try await owner.send(.GET, "/api/v1/audit?\(query)").status == 422)
      }
    }
  }

  @Test("returns the audit log page by page, with the count of repeated refusals")
  func auditPages() async throws {
    try await TestServer.open { (room) async throws in
      let owner = try await room.owner()
      for password in ["one", "two", "three"] {
        _ = try await room.stranger.send(
          .POST, "/api/v1/sessions",
          ["email": "eve@example.org", "password": .string("not \(password)")])
        room.accountClock.advance(60)
      }
      for _ in 0..<4 { _ = try await room.logIn("ann@example.org") }
      var entries: [JSON] = []
      var query: String? = "?limit=3"
      var pages = 0
      while let asked = query {
        let page = try await owner.send(.GET, "/api/v1/audit\(asked)").json
        entries = (page["entries"]?.array ?? []) + entries
        query = page["before"]?.integer.map { "?limit=3&before=\($0)" }
        pages += 1
      }
      #expect(pages == 3)
      #expect(
        entries.map { $0["deed"] } == ["registration"] + Array(repeating: "login", count: 6))
      #expect(entries[2]["count"] == 3)
      #expect(entries[2]["last"]?.string?.hasSuffix("Z") == true)
      #expect(entries[2]["last"] != entries[2]["at"])
      #expect(entries[1]["count"] == nil && entries[1]["last"] == nil)
    }
  }

  @Test(
    "names a session's device after its User-Agent",
    arguments: [
      ("theater/1 (livingroom)", "theater on livingroom"), ("curl/8.5.0", "curl"), ("", ""),
      (
        "Mozilla/5.0 (Android 14; Mobile; rv:130.0) Gecko/130.0 Firefox/130.0", "Firefox on Android"
      ),
      (
        "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 "
          + "(KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1", "Safari on iPhone"
      ),
      (
        "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) "
          + "Chrome/128.0.0.0 Safari/537.36 Edg/128.0.0.0", "Edge on Windows"
      ),
    ])
  func devices(agent: String, label: String) async throws {
    try await TestServer.open { (room) async throws in
      _ = try await room.owner()
      let answer = try await room.stranger.send(
        .POST, "/api/v1/sessions",
        ["email": "ann@example.org", "password": .string(TestServer.password)],
        headers: agent.isEmpty ? [:] : ["user-agent": agent])
      let client = TestClient(room.stranger.address, token: answer.json["token"]?.string)
      let list = try await client.send(.GET, "/api/v1/sessions").json["sessions"]?.array ?? []
      let device = list.first { $0["current"] == true }?["device"]?.string
      if agent.isEmpty {
        #expect(device?.hasPrefix("theater") == true)
      } else {
        #expect(device == label)
      }
    }
  }
}
