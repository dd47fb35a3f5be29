import APIClient
import Devices
import HomeTheater
import JSON
import NIOHTTP1
import Scenes
import TestSupport
import Testing
import WebServer

@Suite struct ActivityRouteTests {
  @Test("E8 E11 E12 · starts a film with one request, in the order of the scene's steps")
  func watch() async throws {
    try await TestServer.open { room in
      let owner = try await room.owner()
      let answer = try await owner.send(.POST, "/api/v1/watch", ["item": "metropolis"], wait: 10)
      #expect(answer.status == 200)
      #expect(answer.header("preference-applied") == "wait=10")
      #expect(answer.json["run"]?["status"] == "done")
      #expect(
        room.journal.lines == [
          "lights {\"dim\":10}", "projector \"on\"", "amp \"on\"", "amp {\"volume\":50}",
          "dvd \"on\"", "dvd {\"play\":{\"item\":\"metropolis\"}}",
        ])
      let status = try await owner.send(.GET, "/api/v1/status").json
      #expect(status["activity"]?["itemTitle"] == "Metropolis")
      #expect(status["activity"]?["status"] == "running")
    }
  }

  @Test("E11 · answers 202 at once with the run's Location without Prefer")
  func accepted() async throws {
    try await TestServer.open { room in
      await room.devices["projector"]?.hold("on")
      let owner = try await room.owner()
      let answer = try await owner.send(.POST, "/api/v1/activities/film", ["item": "Metropolis"])
      #expect(answer.status == 202)
      let place = try #require(answer.header("location"))
      #expect(place == "/api/v1/runs/\(answer.json["run"]?["id"]?.string ?? "")")
      await room.devices["projector"]?.waitForHeldCommand()
      let running = try await owner.send(.GET, place).json
      #expect(running["status"] == "running")
      #expect(running["steps"]?.array?[1]["status"] == "running")
      await room.devices["projector"]?.release()
      let run = try #require(place.split(separator: "/").last)
      let viewer = Principal(
        user: nil, permissions: [.view], activities: nil, volumeLimit: nil, ageLimit: nil)
      _ = try await room.theater.run(id: String(run), by: viewer).finished()
      #expect(try await owner.send(.GET, place).json["status"] == "done")
    }
  }

  @Test("E11 · says which preference it has followed: respond-async comes before wait")
  func appliedPreference() async throws {
    try await TestServer.open { room in
      let owner = try await room.owner()
      for (preferred, applied) in [
        ("wait=10", "wait=10"), ("respond-async, wait=5", "respond-async"),
      ] {
        let answer = try await owner.send(
          .POST, "/api/v1/watch", ["item": "Metropolis"], headers: ["prefer": preferred])
        #expect(answer.header("preference-applied") == applied)
      }
    }
  }

  @Test("E2 E11 · answers 202 when a run takes longer than the preferred wait")
  func waitsNoLonger() async throws {
    try await TestServer.open { room in
      await room.devices["projector"]?.hold("on")
      let owner = try await room.owner()
      let answer = try await owner.send(.POST, "/api/v1/watch", ["item": "Metropolis"], wait: 1)
      #expect(answer.status == 202)
      #expect(answer.json["run"]?["status"] == "running")
      await room.devices["projector"]?.release()
    }
  }

  @Test("E17 · reports a failed step with its device, position and hint")
  func failedStep() async throws {
    try await TestServer.open { room in
      await room.devices["amp"]?.fail(
        "volume", with: DeviceError(.failed, "the knob is stuck", hint: "Turn it by hand."))
      let answer = try await room.owner().send(
        .POST, "/api/v1/watch", ["item": "Metropolis"], wait: 10)
      #expect(answer.status == 200)
      let run = answer.json["run"]
      #expect(run?["status"] == "failed")
      #expect(
        run?["error"] == [
          "code": "deviceFailed", "message": "the knob is stuck", "hint": "Turn it by hand.",
          "device": "amp", "step": "4",
        ])
      #expect(run?["steps"]?.array?.last?["status"] == "waiting")
    }
  }

  @Test("E8 · answers 404 with the nearest name for unknown titles and starts nothing")
  func unknownNames() async throws {
    try await TestServer.open { room in
      let owner = try await room.owner()
      let film = try await owner.send(.POST, "/api/v1/watch", ["item": "Metropolys"])
      #expect(film.status == 404)
      #expect(film.json["error"]?["hint"]?.string?.contains("Metropolis") == true)
      #expect(try await owner.send(.POST, "/api/v1/activities/opera", [:]).status == 404)
      #expect(try await owner.send(.POST, "/api/v1/listen", ["item": "x"]).status == 404)
      #expect(try await owner.send(.GET, "/api/v1/runs/run-99").status == 404)
      #expect(room.journal.lines.isEmpty)
    }
  }

  @Test("answers 422 to an item of a category that the activity does not take; what is on goes on")
  func itemOfAnotherCategory() async throws {
    try await TestServer.open { room in
      let owner = try await room.owner()
      for (category, message) in [
        ("songs", "\"film\" plays no songs"),
        ("film", "\"category\" is \"film\", expected one of: films, songs, stations"),
      ] {
        let answer = try await owner.send(
          .POST, "/api/v1/activities/film",
          ["item": "Metropolis", "category": .string(category)])
        #expect(answer.status == 422)
        #expect(answer.json["error"]?["message"]?.string == message, "\(answer.json)")
      }
      #expect(room.journal.lines.isEmpty)
    }
  }

  @Test("E11 · refuses to end with 409 when nothing is on, and says how to start")
  func endOfNothing() async throws {
    try await TestServer.open { room in
      let answer = try await room.owner().send(.POST, "/api/v1/end")
      #expect(answer.status == 409)
      #expect(answer.json["error"]?["code"] == "notNow")
    }
  }

  @Test("E8 E11 · makes popcorn, ends and turns off with one request each")
  func popcornEndOff() async throws {
    try await TestServer.open { room in
      let owner = try await room.owner()
      #expect(try await owner.send(.POST, "/api/v1/popcorn", wait: 10).status == 200)
      #expect(room.journal.lines == ["popper \"pop\""])
      _ = try await owner.send(.POST, "/api/v1/watch", ["item": "Metropolis"], wait: 10)
      room.journal.clear()
      #expect(try await owner.send(.POST, "/api/v1/end", wait: 10).status == 200)
      #expect(room.journal.lines == ["dvd \"stop\"", "amp \"off\""])
      room.journal.clear()
      #expect(try await owner.send(.POST, "/api/v1/off", wait: 10).status == 200)
      #expect(Set(room.journal.lines).isSuperset(of: ["amp \"off\"", "projector \"off\""]))
    }
  }

  @Test("E11 · cancels the run that begins an activity, and sends none of its later commands")
  func cancelledBeginning() async throws {
    try await TestServer.open { room in
      let projector = try #require(room.devices["projector"])
      await projector.hold("on")
      let owner = try await room.owner()
      let guest = try await room.logIn(withPass: try await room.guestPass(from: owner))
      let run = try await owner.send(.POST, "/api/v1/watch", ["item": "Metropolis"]).json["run"]
      let place = "/api/v1/runs/\(run?["id"]?.string ?? "")"
      await projector.waitForHeldCommand()
      let answer = try await guest.send(.POST, "\(place)/cancellation")
      #expect(answer.status == 200)
      #expect(answer.json["status"] == "cancelled")
      #expect(
        answer.json["steps"]?.array?.compactMap { $0["status"]?.string } == [
          "done", "cancelled", "waiting", "waiting", "waiting", "waiting",
        ])
      #expect(room.journal.lines == ["lights {\"dim\":10}", "projector \"on\""])
      let status = try await owner.send(.GET, "/api/v1/status").json
      #expect(status["activity"]?["status"] == "failed")
      // Its end is possible, and cancelling again changes nothing.
      #expect(try await owner.send(.POST, "/api/v1/end", wait: 10).status == 200)
      let again = try await owner.send(.POST, "\(place)/cancellation")
      #expect(again.status == 200 && again.json["status"] == "cancelled")
      #expect(try await owner.send(.POST, "/api/v1/runs/run-99/cancellation").status == 404)
    }
  }

  @Test("F5 · a scene beside the activity is cancelled by those who may run scenes")
  func cancelledScene() async throws {
    try await TestServer.open { room in
      let popper = try #require(room.devices["popper"])
      await popper.hold("pop")
      let owner = try await room.owner()
      let member = try await room.member(invitedBy: owner)
      let guest = try await room.logIn(withPass: try await room.guestPass(from: owner))
      let run = try await owner.send(.POST, "/api/v1/popcorn").json["run"]
      let path = "/api/v1/runs/\(run?["id"]?.string ?? "")/cancellation"
      await popper.waitForHeldCommand()
      #expect(try await guest.send(.POST, path).status == 403)
      let answer = try await member.send(.POST, path)
      #expect(answer.json["status"] == "cancelled")
    }
  }

  @Test("E8 F5 · lists the activities, and whether the user may begin each")
  func activities() async throws {
    try await TestServer.open { room in
      let owner = try await room.owner()
      let guest = try await room.logIn(withPass: try await room.guestPass(from: owner))
      let film: JSONObject = [
        "name": "film", "permitted": true, "title": "Watch a film", "start": "watch-film",
        "end": "end-film", "room": "theater", "category": "films", "player": "dvd",
        "amplifier": "amp",
      ]
      for client in [owner, guest] {
        let answer = try await client.send(.GET, "/api/v1/activities")
        #expect(answer.json == ["activities": [.object(film)]])
      }
      var plan = room.theater.plan
      plan.activities["music"] = Activity(
        name: "music", label: Label(title: "Listen"), start: "watch-film", end: "end-film")
      try await room.theater.apply(
        plan, devices: Array(room.devices.values), by: .owner("ann"))
      let music: JSONObject = [
        "name": "music", "permitted": true, "title": "Listen", "start": "watch-film",
        "end": "end-film", "room": "theater",
      ]
      let all = try await owner.send(.GET, "/api/v1/activities").json["activities"]?.array
      #expect(all == [.object(film), .object(music)])
      let ofGuest = try await guest.send(.GET, "/api/v1/activities").json["activities"]?.array
      #expect(ofGuest?.map { $0["permitted"] } == [true, false])
      #expect(try await room.stranger.send(.GET, "/api/v1/activities").status == 401)
    }
  }

  @Test("lists the rooms with what is on; a guest sees the rooms of the guest's activities")
  func rooms() async throws {
    try await TestServer.open { room in
      let owner = try await room.owner()
      let guest = try await room.logIn(withPass: try await room.guestPass(from: owner))
      let one = try await owner.send(.GET, "/api/v1/rooms").json["rooms"]?.array
      #expect(one?.count == 1 && one?.first?["devices"]?.array?.count == 8)
      #expect(one?.first?["activity"] == ["room": "theater", "status": "idle"])
      var plan = room.theater.plan
      plan.rooms = [
        Room(id: "lounge", label: Label(title: "Lounge", icon: .film), devices: ["dvd", "amp"]),
        Room(id: "kitchen", devices: ["cd"]),
      ]
      try await room.theater.apply(
        plan, devices: Array(room.devices.values), by: .owner("ann"))
      _ = try await owner.send(.POST, "/api/v1/watch", ["item": "Metropolis"])
      let two = try await owner.send(.GET, "/api/v1/rooms").json["rooms"]?.array
      #expect(two?.map { $0["name"] } == ["lounge", "kitchen"])
      #expect(two?.first?["title"] == "Lounge" && two?.first?["icon"] == "film")
      #expect(two?.first?["activities"] == ["film"] && two?.last?["activities"] == [])
      #expect(two?.map { $0["activity"]?["activity"]?.string } == ["film", nil])
      let volume = try await owner.send(.POST, "/api/v1/volume", ["to": 40]).json
      #expect(volume["room"] == "lounge" && volume["roomTitle"] == "Lounge")
      let ofGuest = try await guest.send(.GET, "/api/v1/rooms").json["rooms"]?.array
      #expect(ofGuest?.map { $0["name"] } == ["lounge"])
      #expect(try await room.stranger.send(.GET, "/api/v1/rooms").status == 401)
    }
  }

  @Test("E9 · lists the library by category")
  func lists() async throws {
    try await TestServer.open { room in
      let owner = try await room.owner()
      let films = try await owner.send(.GET, "/api/v1/films").json["films"]?.array
      #expect(films?.map { $0["title"] } == ["Metropolis", "Nosferatu"])
      #expect(films?.first?["duration"] == 9180)
      #expect(try await owner.send(.GET, "/api/v1/songs").json == ["songs": [], "total": 0])
    }
  }

  @Test("E9 E10 · lists a part of the library, by words, with the user's saved positions")
  func pages() async throws {
    try await TestServer.open { room in
      let owner = try await room.owner()
      let member = try await room.member(invitedBy: owner)
      let found = (0..<300).map { number in
        CatalogueItem(
          id: "s\(number)", title: "Song \(number)", artist: number == 7 ? "Les Élans" : "Others",
          duration: 200)
      }
      await room.devices["cd"]?.setItems(found)
      _ = try await owner.send(.POST, "/api/v1/library/scan")
      func songs(_ query: String) async throws -> (titles: [String], total: JSON?) {
        let answer = try await owner.send(.GET, "/api/v1/songs?\(query)").json
        return ((answer["songs"]?.array ?? []).compactMap { $0["title"]?.string }, answer["total"])
      }
      let page = try await songs("offset=298&limit=50")
      #expect(page.titles.count == 2 && page.total == 300)
      #expect(try await songs("limit=3").titles.count == 3)
      #expect(try await songs("").titles.count == 300)
      let elans = try await songs("search=elans%20SONG")
      #expect(elans.titles == ["Song 7"] && elans.total == 1)
      // As browsers write a space.
      #expect(try await songs("search=elans+SONG").titles == ["Song 7"])
      #expect(try await songs("search=elans%2BSONG").total == 0)
      let many = try await songs("search=song%201&offset=1&limit=2")
      #expect(many.titles.count == 2 && many.total == 138)
      #expect(try await songs("search=nothing").total == 0)
      for wrong in ["limit=0", "limit=1001", "offset=-1", "offset=x", "limit="] {
        let answer = try await owner.send(.GET, "/api/v1/songs?\(wrong)")
        #expect(answer.status == 422, "\(wrong)")
      }
      let people = try await owner.send(.GET, "/api/v1/accounts").json["accounts"]?.array ?? []
      let ann = people.first { $0["name"] == "Ann" }?["id"]?.string ?? ""
      room.positions.save(1200, item: "metropolis", user: ann)
      room.positions.save(0.5, item: "nosferatu", user: ann)
      let films = try await owner.send(.GET, "/api/v1/films").json["films"]?.array
      #expect(films?.map { $0["position"] } == [1200, nil])
      let others = try await member.send(.GET, "/api/v1/films").json["films"]?.array
      #expect(others?.map { $0["position"] } == [nil, nil])
    }
  }

  @Test("E10 · lists what the user left before its end and may choose, the last one first")
  func stopped() async throws {
    try await TestServer.open { room in
      let owner = try await room.owner()
      let member = try await room.member(invitedBy: owner)
      await room.devices["cd"]?.setItems([CatalogueItem(id: "s1", title: "Song", duration: 2000)])
      _ = try await owner.send(.POST, "/api/v1/library/scan")
      func stopped(_ query: String = "") async throws -> [JSON] {
        try await owner.send(.GET, "/api/v1/library/stopped\(query)").json["items"]?.array ?? []
      }
      #expect(try await stopped().isEmpty)
      let people = try await owner.send(.GET, "/api/v1/accounts").json["accounts"]?.array ?? []
      let ann = people.first { $0["name"] == "Ann" }?["id"]?.string ?? ""
      for (item, seconds) in [("metropolis", 1200.0), ("s1", 50), ("gone", 60), ("nosferatu", 0.5)]
      {
        room.positions.save(seconds, item: item, user: ann)
      }
      #expect(try await stopped().map { $0["title"] } == ["Song", "Metropolis"])
      #expect(try await stopped().map { $0["category"] } == ["songs", "films"])
      #expect(try await stopped().map { $0["position"] } == [50, 1200])
      room.positions.save(1300, item: "metropolis", user: ann)
      #expect(try await stopped("?limit=1").map { $0["position"] } == [1300])
      #expect(try await owner.send(.GET, "/api/v1/library/stopped?limit=0").status == 422)
      let others = try await member.send(.GET, "/api/v1/library/stopped").json
      #expect(others == ["items": []])
    }
  }

  @Test(
    "E10 E23 · a scene run by hand resumes as its activity does, unless the body says otherwise")
  func resumedScene() async throws {
    try await TestServer.open { room in
      let owner = try await room.owner()
      let member = try await room.member(invitedBy: owner)
      let people = try await owner.send(.GET, "/api/v1/accounts").json["accounts"]?.array ?? []
      let ann = people.first { $0["name"] == "Ann" }?["id"]?.string ?? ""
      func run(_ body: JSON, by client: TestClient) async throws -> JSON {
        room.positions.save(1200, item: "metropolis", user: ann)
        let plan = try await client.send(.POST, "/api/v1/scenes/watch-film/plan", body).json
        let run = try await client.send(
          .POST, "/api/v1/scenes/watch-film/runs", body, wait: 10
        ).json
        #expect(run["run"]?["status"] == "done", "\(run)")
        #expect(plan["resumedAt"] == run["resumedAt"], "\(plan)")
        let play = plan["steps"]?.array?.last?["command"]
        #expect(play == run["run"]?["steps"]?.array?.last?["command"])
        #expect(play?["play"]?["position"] == plan["resumedAt"], "\(plan)")
        _ = try await owner.send(.POST, "/api/v1/end", wait: 10)
        return run["resumedAt"] ?? .null
      }
      let film: JSON = ["film": "Metropolis"]
      #expect(try await run(["parameters": film], by: owner) == 1200)
      #expect(try await run(["parameters": film, "fromStart": false], by: owner) == 1200)
      #expect(try await run(["parameters": film, "fromStart": true], by: owner) == .null)
      #expect(try await run(["parameters": film], by: member) == .null)
      let watch = try await owner.send(.POST, "/api/v1/watch", ["item": "Metropolis"], wait: 10)
      #expect(watch.json["resumedAt"] == 1200)
      let wrong = try await owner.send(
        .POST, "/api/v1/scenes/watch-film/runs", ["parameters": film, "fromStart": "yes"])
      #expect(wrong.status == 422 && "\(wrong.json)".contains("fromStart"), "\(wrong.json)")
    }
  }

  @Test("E9 · reports what each player found in a scan and could not read")
  func libraryScan() async throws {
    try await TestServer.open { room in
      let owner = try await room.owner()
      let found = [
        CatalogueItem(id: "a", title: "One"), CatalogueItem(id: "b", title: "Two"),
        CatalogueItem(id: "a", title: "One again"),
      ]
      await room.devices["cd"]?.setItems(found)
      await room.devices["tuner"]?.failScan(
        with: DeviceError(.failed, "the antenna is gone", hint: "Plug it in."))
      let answer = try await owner.send(.POST, "/api/v1/library/scan")
      #expect(answer.status == 200)
      #expect(answer.json["films"] == 2 && answer.json["songs"] == 2)
      let players = answer.json["players"]?.array ?? []
      #expect(players.map { $0["player"] } == ["cd", "dvd", "tuner"])
      #expect(players.map { $0["items"] } == [2, 0, 0])
      #expect(players.map { $0["category"] } == ["songs", "films", "stations"])
      #expect(
        players.last?["problems"] == [["message": "the antenna is gone", "hint": "Plug it in."]])
      #expect(players.first?["problems"] == [])
      let member = try await room.member(invitedBy: owner)
      #expect(try await member.send(.POST, "/api/v1/library/scan").status == 200)
      let guest = try await room.logIn(withPass: try await room.guestPass(from: owner))
      #expect(try await guest.send(.POST, "/api/v1/library/scan").status == 403)
    }
  }

  @Test("F6 · lists scenes and runs them with their parameters")
  func scenes() async throws {
    try await TestServer.open { room in
      let owner = try await room.owner()
      let scenes = try await owner.send(.GET, "/api/v1/scenes").json["scenes"]?.array
      #expect(scenes?.map { $0["name"] } == ["end-film", "popcorn", "watch-film"])
      #expect(scenes?.last?["parameters"] == ["film": "film"])
      let answer = try await owner.send(
        .POST, "/api/v1/scenes/watch-film/runs", ["parameters": ["film": "Nosferatu"]], wait: 10)
      #expect(answer.json["run"]?["status"] == "done")
      #expect(room.journal.lines.last == "dvd {\"play\":{\"item\":\"nosferatu\"}}")
      let missing = try await owner.send(.POST, "/api/v1/scenes/watch-film/runs", [:])
      #expect(missing.status == 422)
      let wrong = try await owner.send(
        .POST, "/api/v1/scenes/watch-film/runs", ["parameters": ["film": []]])
      #expect(wrong.status == 422)
    }
  }
}
