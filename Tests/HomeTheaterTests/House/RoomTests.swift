import Devices
import JSON
import Scenes
import TestSupport
import Testing

@testable import HomeTheater

/// Two rooms: the lounge with a CD player and a projector, the kitchen with a tuner. They share the lamp
/// of the hall and the amplifier `porch`.
@Suite("Rooms") struct RoomTests {
  private struct House {
    let journal = CommandJournal()
    let clock = ManualClock()
    let devices: [DeviceID: FakeDevice]
    let plan: TheaterPlan
    let facade: HomeTheaterFacade

    init(_ further: [Scene] = []) {
      let roles: [(DeviceID, Role)] = [
        ("amp", .amplifier), ("cd", .cdPlayer), ("beamer", .projector), ("hall", .lights),
        ("porch", .amplifier), ("kitchen-amp", .amplifier), ("tuner", .tuner),
      ]
      var devices: [DeviceID: FakeDevice] = [:]
      for (id, role) in roles {
        devices[id] = FakeDevice(id, role, journal: journal, clock: clock)
      }
      self.devices = devices
      plan = Self.plan(further)
      facade = HomeTheaterFacade(
        devices: roles.compactMap { devices[$0.0] }, plan: plan, positions: MemoryPositions(),
        clock: clock)
    }

    private static func plan(_ further: [Scene]) -> TheaterPlan {
      typealias Plan = TheaterPlan
      let scenes = [
        Scene(
          name: "disc",
          steps: [
            Plan.step("hall", .lights, ["dim": 20]),
            Plan.step("amp", .amplifier, "on"),
            Plan.step("cd", .cdPlayer, ["play": ["item": "s1"]]),
          ]),
        Scene(
          name: "disc-over",
          steps: [
            Plan.step("cd", .cdPlayer, "off"),
            Plan.step("amp", .amplifier, "off"),
            Plan.step("hall", .lights, "off"),
          ]),
        Scene(
          name: "news",
          steps: [
            Plan.step("hall", .lights, "on"),
            Plan.step("kitchen-amp", .amplifier, "on"),
            Plan.step("tuner", .tuner, "on"),
          ]),
        Scene(
          name: "news-over",
          steps: [
            Plan.step("tuner", .tuner, "off"),
            Plan.step("kitchen-amp", .amplifier, "off"),
          ]),
        Scene(name: "slides", steps: [Plan.step("beamer", .projector, "on")]),
        Scene(name: "slides-over", steps: [Plan.step("beamer", .projector, "off")]),
      ]
      let activities = [
        Activity(
          name: "disc", start: "disc", end: "disc-over", player: "cd", amplifier: "amp",
          category: .songs),
        Activity(
          name: "news", start: "news", end: "news-over", player: "tuner",
          amplifier: "kitchen-amp"),
        Activity(name: "slides", start: "slides", end: "slides-over"),
      ]
      let all = scenes + further
      var plan = TheaterPlan(
        scenes: Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) }),
        activities: Dictionary(uniqueKeysWithValues: activities.map { ($0.name, $0) }),
        cables: [
          CableEdge(from: "cd", to: "amp", input: "cd"),
          CableEdge(from: "tuner", to: "kitchen-amp", input: "radio"),
        ])
      plan.rooms = [
        Room(id: "lounge", devices: ["amp", "cd", "beamer", "hall", "porch"]),
        Room(id: "kitchen", devices: ["kitchen-amp", "tuner", "hall", "porch"]),
      ]
      return plan
    }

    func begin(_ name: String, by principal: Principal = .owner) async throws -> RunReport {
      let begun = try await facade.begin(name, item: nil, fromStart: false, by: principal)
      return await begun.run.finished()
    }

    func status(_ room: RoomID) async -> String {
      let report = await facade.activities.session(in: room).report
      return "\(report.activity ?? report.scene ?? "nothing") \(report.status.rawValue)"
    }

    /// The commands that `body` gives.
    func commands(_ body: () async throws -> Void) async rethrows -> [String] {
      journal.clear()
      try await body()
      return journal.lines.filter { !$0.contains(" plug ") }
    }
  }

  @Test("E27 · each room has its own activity, and its requests concern no other room")
  func two() async throws {
    let house = House()
    #expect(try await house.begin("disc").status == .done)
    #expect(try await house.begin("news").status == .done)
    #expect(await house.status("lounge") == "disc running")
    #expect(await house.status("kitchen") == "news running")
    let commands = try await house.commands {
      _ = try await house.facade.changeVolume(.to(30), in: "kitchen", by: .owner)
      _ = try await house.facade.changeVolume(.to(45), in: "lounge", by: .owner)
      _ = try await house.facade.pause(in: nil, by: .owner)
    }
    #expect(
      commands == [
        #"kitchen-amp {"volume":30}"#, #"amp {"volume":45}"#, #"cd "pause""#,
      ])
    let status = try await house.facade.status(of: "kitchen", for: .owner)
    #expect(status["activity"]?["room"] == "kitchen" && status["activity"]?["activity"] == "news")
    #expect(status["rooms"]?.array?.map { $0["activity"]?["activity"] } == ["disc", "news"])
    _ = await (try await house.facade.end(in: "lounge", by: .owner)).finished()
    #expect(await house.status("lounge") == "nothing idle")
    #expect(await house.status("kitchen") == "news running")
    let nothing = await refusal { () async throws(TheaterError) in
      try await house.facade.end(in: "lounge", by: .owner)
    }
    #expect(nothing?.code == .notNow && nothing?.hint?.contains("\"kitchen\"") == true)
    let unknown = await refusal { () async throws(TheaterError) in
      try await house.facade.end(in: "kitchn", by: .owner)
    }
    #expect(unknown?.code == .notFound && unknown?.hint == "Did you mean \"kitchen\"?")
    let other = await refusal { () async throws(TheaterError) in
      try await house.facade.begin(
        "news", item: nil, in: "lounge", fromStart: false, by: .owner)
    }
    #expect(other?.code == .invalid)
  }

  @Test("an end leaves alone what the other room uses, and the plan and the run say so")
  func shared() async throws {
    let house = House()
    _ = try await house.begin("disc")
    _ = try await house.begin("news")
    let plan = try await house.facade.planScene("disc-over", arguments: [:], by: .owner)
    #expect(plan.kept == [KeptDevice(device: "hall", room: "kitchen", title: "news")])
    #expect(plan.json["kept"]?.array?.first?["device"] == "hall")
    let ended = try await house.facade.end(in: "lounge", by: .owner)
    let report = await ended.finished()
    #expect(report.kept == plan.kept)
    #expect(report.nodes.compactMap(\.command?.device) == ["cd", "amp"])
    #expect(plan.commands.map(\.device) == ["cd", "amp"])
    // Nobody else uses the lamp any more.
    _ = try await house.begin("disc")
    _ = await (try await house.facade.end(in: "kitchen", by: .owner)).finished()
    let last = await (try await house.facade.end(in: "lounge", by: .owner)).finished()
    #expect(last.kept.isEmpty && last.nodes.compactMap(\.command?.device).contains("hall"))
  }

  @Test("a start scene is its activity, also one without a player")
  func withoutPlayer() async throws {
    let house = House()
    let run = try await house.facade.runScene("slides", arguments: [:], by: .owner)
    #expect(await run.finished().status == .done)
    #expect(await house.status("lounge") == "slides running")
    let commands = try await house.commands {
      _ = await (try await house.facade.end(by: .owner)).finished()
    }
    #expect(commands == [#"beamer "off""#])
    #expect(await house.status("lounge") == "nothing idle")
  }

  @Test("an item for an activity that takes none of its category is refused, and nothing changes")
  func itemForAnotherActivity() async throws {
    let house = House()
    _ = try await house.begin("slides")
    func refused(
      _ activity: String, _ item: String, of category: Devices.Category?
    ) async -> TheaterError? {
      await refusal { () async throws(TheaterError) in
        try await house.facade.begin(
          activity, item: item, of: category, fromStart: false, by: .owner)
      }
    }
    let commands = await house.commands {
      let film = await refused("slides", "Harbour Lights", of: .films)
      #expect(film?.code == .invalid && film?.message == "\"slides\" plays no films")
      #expect(film?.hint == "No activity that you may begin does.")
      let song = await refused("slides", "s1", of: .songs)
      #expect(song?.message == "\"slides\" plays no songs")
      #expect(song?.hint == "These play songs: disc.")
      let any = await refused("slides", "s1", of: nil)
      #expect(any?.message == "\"slides\" takes no film, song or station")
      #expect(any?.hint == "Begin it without one.")
      let disc = await refused("disc", "s1", of: .songs)
      #expect(disc?.message == "\"disc\" takes no song: its scene chooses it")
      let byCategory = await refusal { () async throws(TheaterError) in
        try await house.facade.begin(Category.songs, item: "s1", fromStart: false, by: .owner)
      }
      #expect(byCategory?.message == "\"disc\" takes no song: its scene chooses it")
    }
    #expect(commands.isEmpty)
    #expect(await house.status("lounge") == "slides running")
    // Without an item, and with an empty one, it begins.
    let empty = try await house.facade.begin("disc", item: "", fromStart: false, by: .owner)
    #expect(await empty.run.finished().status == .done)
  }

  @Test("a scene that turns off the player of an activity ends the activity")
  func playerOff() async throws {
    let off = Scene(
      name: "good-night",
      steps: [
        TheaterPlan.step("tuner", .tuner, "off"), TheaterPlan.step("hall", .lights, "off"),
        TheaterPlan.step("beamer", .projector, "off"),
      ])
    let pause = Scene(name: "quiet", steps: [TheaterPlan.step("cd", .cdPlayer, "pause")])
    let house = House([off, pause])
    _ = try await house.begin("disc")
    _ = try await house.begin("news")
    for name in ["quiet", "good-night"] {
      _ = await (try await house.facade.runScene(name, arguments: [:], by: .owner)).finished()
    }
    #expect(await house.status("kitchen") == "nothing idle")
    #expect(await house.status("lounge") == "disc running")
  }

  @Test("running scenes are listed and cancelled by name, and a new run replaces an earlier one")
  func running() async throws {
    let later = Scene(
      name: "later", steps: [.wait(.seconds(60)), TheaterPlan.step("hall", .lights, "on")])
    let house = House([later])
    let first = try await house.facade.runScene("later", arguments: [:], by: .owner)
    let second = try await house.facade.runScene("later", arguments: [:], by: .owner)
    #expect(first.report.status == .cancelled)
    #expect(try await house.facade.runningRuns(for: .owner).map(\.id) == [second.id])
    #expect(
      try await house.facade.status(for: .owner)["running"] == [
        ["id": .string(second.id), "scene": "later"]
      ])
    #expect(try await house.facade.cancelScene("later", by: .owner).status == .cancelled)
    let over = await refusal { () async throws(TheaterError) in
      try await house.facade.cancelScene("later", by: .owner)
    }
    #expect(over?.code == .notNow)
    let unknown = await refusal { () async throws(TheaterError) in
      try await house.facade.cancelScene("latr", by: .owner)
    }
    #expect(unknown?.hint == "Did you mean \"later\"?")
  }

  @Test("a request is planned once, whatever it does")
  func onePlanning() async throws {
    let house = House()
    func plannings(_ body: () async throws -> Void) async throws -> Int {
      let before = await house.facade.planCount
      try await body()
      return await house.facade.planCount - before
    }
    #expect(try await plannings { _ = try await house.begin("disc") } == 1)
    #expect(try await plannings { _ = try await house.begin("slides") } == 1)
    for name in ["disc", "disc-over", "slides"] {
      let count = try await plannings {
        _ = await (try await house.facade.runScene(name, arguments: [:], by: .owner)).finished()
      }
      #expect(count == 1, "\(name)")
      let dry = try await plannings {
        _ = try await house.facade.planScene(name, arguments: [:], by: .owner)
      }
      #expect(dry == 1, "\(name)")
    }
    #expect(
      try await plannings {
        _ = await (try await house.facade.turnEverythingOff(by: .owner)).finished()
      } == 1)
  }

  @Test("a room is turned off without what the other room uses, the house altogether")
  func off() async throws {
    let house = House()
    _ = try await house.begin("disc")
    _ = try await house.begin("news")
    var run = try await house.facade.turnEverythingOff(in: "kitchen", by: .owner)
    var report = await run.finished()
    #expect(await house.status("kitchen") == "nothing idle")
    #expect(await house.status("lounge") == "disc running")
    #expect(
      Set(report.nodes.compactMap(\.command?.device)) == ["tuner", "kitchen-amp", "porch"])
    #expect(report.kept.map(\.device) == ["hall"])
    _ = try await house.begin("news")
    run = try await house.facade.turnEverythingOff(by: .owner)
    report = await run.finished()
    #expect(Set(report.nodes.compactMap(\.command?.device)) == Set(house.devices.keys))
    #expect(await house.status("kitchen") == "nothing idle")
    #expect(await house.status("lounge") == "nothing idle")
  }

  @Test("a guest sees and controls the rooms of the pass, whatever is on elsewhere")
  func guest() async throws {
    let house = House()
    _ = try await house.begin("disc")
    let guest = Principal("gil", permissions: [.view, .play], activities: ["news"])
    #expect(try await house.begin("news", by: guest).status == .done)
    #expect(try await house.facade.rooms(for: guest).map(\.room.id) == ["kitchen"])
    let status = try await house.facade.status(of: "kitchen", for: guest)
    #expect(status["rooms"]?.array?.map { $0["name"] } == ["kitchen"])
    #expect(
      status["devices"]?.array?.compactMap { $0["id"]?.string }.sorted() == [
        "hall", "kitchen-amp", "porch", "tuner",
      ])
    #expect(house.facade.devices(for: .owner).count == house.devices.count)
    _ = try await house.facade.changeVolume(.to(20), in: "kitchen", by: guest)
    let refusals = [
      await refusal { () async throws(TheaterError) in
        try await house.facade.changeVolume(.to(20), in: "lounge", by: guest)
      },
      await refusal { () async throws(TheaterError) in
        try await house.facade.end(in: "lounge", by: guest)
      },
      await refusal { () async throws(TheaterError) in
        try await house.facade.perform(
          ["volume": 5], on: "amp", until: .accepted, by: guest)
      },
      await refusal { () async throws(TheaterError) in
        try await house.facade.perform(
          ["volume": 5], on: "porch", until: .accepted, by: guest)
      },
    ]
    #expect(refusals.map { $0?.code } == [.notFound, .notFound, .forbidden, nil])
    #expect(try await house.facade.end(in: "kitchen", by: guest).finished().status == .done)
  }

  @Test("a person's command during a scene wins over its later steps")
  func person() async throws {
    let slow = Scene(
      name: "slow",
      steps: [
        .wait(.seconds(60)), TheaterPlan.step("hall", .lights, ["dim": 10]),
        TheaterPlan.step("beamer", .projector, "on"),
      ])
    let house = House([slow])
    let run = try await house.facade.runScene("slow", arguments: [:], by: .owner)
    await house.clock.waitForSleepers()
    let commands = try await house.commands {
      _ = try await house.facade.perform(
        ["dim": 80], on: "hall", until: .settled, by: Principal("ben"))
      house.clock.advance(by: .seconds(60))
      _ = await run.finished()
    }
    #expect(commands == [#"hall {"dim":80}"#, #"beamer "on""#])
    #expect(run.report.nodes.map(\.omission) == [nil, .person, nil])
  }

  @Test("a person's command that the device refuses leaves the scene as it is")
  func refusedCommand() async throws {
    let slow = Scene(
      name: "slow", steps: [.wait(.seconds(60)), TheaterPlan.step("hall", .lights, ["dim": 10])])
    let house = House([slow])
    let run = try await house.facade.runScene("slow", arguments: [:], by: .owner)
    await house.clock.waitForSleepers()
    await house.devices["hall"]?.fail("dim", with: DeviceError(.refused, "not today"))
    let refused = await refusal { () async throws(TheaterError) in
      try await house.facade.perform(["dim": 80], on: "hall", until: .settled, by: .owner)
    }
    #expect(refused != nil)
    await house.devices["hall"]?.fail("dim", with: nil)
    house.clock.advance(by: .seconds(60))
    #expect(await run.finished().nodes.map(\.omission) == [nil, nil])
    #expect(house.journal.lines.last == #"hall {"dim":10}"#)
  }

  @Test("what is on in a room that leaves the configuration goes on in the room of its activity")
  func lostRoom() async throws {
    let house = House()
    _ = try await house.begin("disc")
    _ = try await house.begin("news")
    var plan = house.plan
    plan.rooms = []
    try await house.facade.apply(plan, devices: Array(house.devices.values), by: .owner)
    // One of the two goes on; both players can still be turned off.
    #expect(await house.facade.activities.house.state.usedRooms.allSatisfy { $0 == .standard })
    _ = await (try await house.facade.turnEverythingOff(by: .owner)).finished()
    #expect(await house.status(.standard) == "nothing idle")
    _ = try await house.begin("disc")
    try await house.facade.apply(house.plan, devices: Array(house.devices.values), by: .owner)
    #expect(await house.status("lounge") == "disc running")
    #expect(try await house.facade.end(in: "lounge", by: .owner).finished().status == .done)
    #expect(await house.status("lounge") == "nothing idle")
  }

  @Test("the lounge goes on when a request for the whole house is overtaken in the kitchen")
  func overtaken() async throws {
    let house = House()
    _ = try await house.begin("disc")
    await house.devices["hall"]?.hold("on")
    let news = try await house.facade.begin("news", item: nil, fromStart: false, by: .owner)
    await house.devices["hall"]?.waitForHeldCommand()
    await house.devices["hall"]?.hold("dim")
    async let off = refusal { () async throws(TheaterError) in
      try await house.facade.turnEverythingOff(by: .owner)
    }
    _ = await news.run.finished()
    _ = await off
    #expect(await house.facade.activities.house["lounge"].isSettled)
    #expect(await house.facade.activities.house["kitchen"].isSettled)
  }

  @Test("two rooms that end one after the other turn off what they share")
  func bothEnd() async throws {
    let house = House()
    _ = try await house.begin("disc")
    _ = try await house.begin("news")
    await house.devices["tuner"]?.hold("off")
    let kitchen = try await house.facade.end(in: "kitchen", by: .owner)
    await house.devices["tuner"]?.waitForHeldCommand()
    let lounge = await (try await house.facade.end(in: "lounge", by: .owner)).finished()
    #expect(lounge.kept.isEmpty && lounge.nodes.compactMap(\.command?.device).contains("hall"))
    await house.devices["tuner"]?.release()
    #expect(await kitchen.finished().status == .done)
  }

  @Test("a room that is turned off cancels its scenes, and no others")
  func offCancels() async throws {
    let house = House([
      Scene(
        name: "dawn", steps: [.wait(.seconds(60)), TheaterPlan.step("beamer", .projector, "on")]),
      Scene(
        name: "dusk", steps: [.wait(.seconds(60)), TheaterPlan.step("tuner", .tuner, "off")]),
    ])
    let dawn = try await house.facade.runScene("dawn", arguments: [:], by: .owner)
    let dusk = try await house.facade.runScene("dusk", arguments: [:], by: .owner)
    _ = await (try await house.facade.turnEverythingOff(in: "lounge", by: .owner)).finished()
    #expect(dawn.report.status == .cancelled && dusk.report.status == .running)
    await dusk.cancel()
  }

  @Test("a scene that turns off the amplifier of an activity without a player ends it")
  func amplifierOff() async throws {
    let quiet = Scene(name: "quiet", steps: [TheaterPlan.step("porch", .amplifier, "off")])
    let house = House([quiet])
    var plan = house.plan
    plan.activities["slides"]?.amplifier = "porch"
    try await house.facade.apply(plan, devices: Array(house.devices.values), by: .owner)
    _ = try await house.begin("slides")
    _ = await (try await house.facade.runScene("quiet", arguments: [:], by: .owner)).finished()
    #expect(await eventually { await house.status("lounge") == "nothing idle" })
  }

  @Test("a scene that belongs to a room is refused in another one")
  func sceneOfAnotherRoom() async throws {
    let house = House()
    let refused = await refusal { () async throws(TheaterError) in
      try await house.facade.runScene("slides", arguments: [:], in: "kitchen", by: .owner)
    }
    #expect(refused?.code == .invalid && refused?.message.contains("\"lounge\"") == true)
    #expect(house.journal.lines.isEmpty)
  }

  @Test("a scene that goes on after it has turned off a player ends no later activity")
  func laterActivity() async throws {
    let night = Scene(
      name: "night",
      steps: [
        TheaterPlan.step("cd", .cdPlayer, "off"), .wait(.seconds(60)),
        TheaterPlan.step("hall", .lights, "off"),
      ])
    let house = House([night])
    _ = try await house.begin("disc")
    let run = try await house.facade.runScene("night", arguments: [:], by: .owner)
    #expect(await eventually { await house.status("lounge") == "nothing idle" })
    _ = try await house.begin("disc")
    house.clock.advance(by: .seconds(60))
    _ = await run.finished()
    #expect(await house.status("lounge") == "disc running")
  }

  @Test("an end under way leaves alone what another room begins to use, and the house stays off")
  func begunMeanwhile() async throws {
    let house = House()
    _ = try await house.begin("disc")
    await house.devices["cd"]?.hold("off")
    let off = try await house.facade.turnEverythingOff(by: .owner)
    await house.devices["cd"]?.waitForHeldCommand()
    house.journal.clear()
    _ = try await house.begin("news")
    await house.devices["cd"]?.release()
    let report = await off.finished()
    #expect(report.status == .done)
    let left = report.nodes.filter { $0.omission == .room }.compactMap(\.command?.device)
    #expect(Set(left).isSubset(of: ["hall", "kitchen-amp", "tuner"]) && left.contains("hall"))
    #expect(!house.journal.lines.contains(#"hall "off""#))
    #expect(await house.status("kitchen") == "news running")
    #expect(await house.status("lounge") == "nothing idle")
  }

  @Test("a guest takes over no amplifier that another room plays on")
  func sharedAmplifier() async throws {
    let party = Scene(
      name: "party",
      steps: [
        TheaterPlan.step("porch", .amplifier, "on"), TheaterPlan.step("tuner", .tuner, "on"),
      ])
    let house = House([party])
    var plan = house.plan
    plan.activities["disc"]?.amplifier = "porch"
    plan.activities["party"] = Activity(
      name: "party", room: "kitchen", start: "party", end: "news-over", player: "tuner",
      amplifier: "porch")
    try await house.facade.apply(plan, devices: Array(house.devices.values), by: .owner)
    _ = try await house.begin("disc")
    let guest = Principal("gil", permissions: [.view, .play], activities: ["party"])
    let refused = await refusal { () async throws(TheaterError) in
      try await house.facade.begin("party", item: nil, fromStart: false, by: guest)
    }
    #expect(refused?.code == .forbidden)
    _ = await (try await house.facade.end(in: "lounge", by: .owner)).finished()
    #expect(try await house.begin("party", by: guest).status == .done)
  }
}
