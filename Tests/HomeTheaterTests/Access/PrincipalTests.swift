import Devices
import JSON
import Scenes
import TestSupport
import Testing

@testable import HomeTheater

@Suite struct PrincipalTests {
  private static let guest = Principal(
    permissions: [.view, .play], activities: ["music"], volumeLimit: 30)
  private static let child = Principal(ageLimit: 12)

  /// The commands that the devices received, without those that plug cables.
  private static func commands(_ theater: Theater) -> [String] {
    theater.journal.lines.filter { !$0.contains(" plug ") }
  }

  @Test("E11 · a guest begins, controls and ends the activities of the pass, and no other")
  func activities() async throws {
    try await Theater().live { theater in
      let refused = await refusal { () async throws(TheaterError) in
        try await theater.facade.begin(
          "film", item: "f1", fromStart: false, by: Self.guest)
      }
      #expect(refused?.code == .forbidden)
      #expect(refused?.hint == "You may: music.")
      let begun = try await theater.facade.begin(
        "music", item: "s1", fromStart: false, by: Self.guest)
      #expect(await begun.run.finished().status == .done)
      try await theater.facade.pause(by: Self.guest)
      try await theater.facade.resume(by: Self.guest)
      let run = try await theater.facade.end(by: Self.guest)
      #expect(await run.finished().status == .done)
    }
  }

  @Test("E9 · a guest's lists leave out the categories that the pass does not include")
  func guestLists() async throws {
    try await Theater().live { theater in
      let facade = theater.facade
      #expect(try await facade.entries(.films, for: Self.guest).isEmpty)
      #expect(try await facade.entries(.songs, for: Self.guest).count == 2)
      for (category, total) in [(Category.films, 0), (.stations, 0), (.songs, 2)] {
        let page = try await facade.page(category, LibraryQuery(), for: Self.guest)
        #expect(page.total == total && page.elements.count == total)
      }
    }
  }

  @Test("E9 E10 · a guest gets pictures and stopped items only of the categories of the pass")
  func guestPictures() async throws {
    let theater = Theater()
    let positions = InMemoryPositions()
    let facade = HomeTheaterFacade(
      devices: Array(theater.devices.values), plan: .evening, positions: positions,
      clock: theater.clock)
    let picture = try #require(ItemPicture([0xFF, 0xD8, 0xFF, 0xE0, 1]))
    for (player, item) in [("dvd", "f9"), ("cd", "s9")] as [(DeviceID, String)] {
      let found = CatalogueItem(id: item, title: item, duration: 2000, hasPicture: true)
      await theater[player].setItems([found])
      await theater[player].setPictures([item: picture])
      positions.save(50, item: item, user: "owner")
    }
    try await facade.scanLibrary()
    #expect(try await facade.picture(of: "s9", for: Self.guest) == picture)
    let refused = await refusal { () async throws(TheaterError) in
      try await facade.picture(of: "f9", for: Self.guest)
    }
    #expect(refused?.code == .notFound)
    #expect(!theater.journal.lines.contains("dvd picture f9"))
    #expect(try await facade.picture(of: "f9", for: .owner) == picture)
    let film = try await facade.begin("film", item: "f9", fromStart: true, user: "ann")
    _ = await film.run.finished()
    #expect(try await facade.picture(of: "f9", for: Self.guest) == picture)
    func stopped(_ principal: Principal) async throws -> [String] {
      try await facade.stopped(limit: 9, for: principal).map { $0.element.entry.item.id }
    }
    #expect(try await stopped(Self.guest) == ["s9"])
    #expect(try await stopped(.owner) == ["s9", "f9"])
  }

  @Test("E9 E11 · without an item, the current activity of the category goes on")
  func activityWithoutItem() async throws {
    var plan = TheaterPlan.evening
    for (name, player) in [("attic", "dvd"), ("bedroom", "cd")] as [(String, DeviceID)] {
      plan.scenes["listen-\(name)"] = Scene(
        name: "listen-\(name)",
        steps: [TheaterPlan.step(player, player == "cd" ? .cdPlayer : .dvdPlayer, "play")])
      plan.activities[name] = Activity(
        name: name, start: "listen-\(name)", end: "end-music", player: player, category: .songs)
    }
    plan.scenes["lullaby"] = Scene(
      name: "lullaby", steps: [TheaterPlan.step("cd", .cdPlayer, ["play": ["item": "s1"]])])
    try await Theater(plan: plan).live { theater in
      let facade = theater.facade
      func listen(_ item: String? = nil, by principal: Principal = .owner) async throws -> String? {
        let begun = try await facade.begin(
          Category.songs, item: item, fromStart: true, by: principal)
        _ = await begun.run.finished()
        return await facade.report.activity
      }
      // Nothing is on: the first activity that needs no item begins.
      #expect(try await listen() == "attic")
      _ = await (try await facade.begin("bedroom", item: nil, fromStart: true, user: "a")).run
        .finished()
      #expect(try await listen() == "bedroom")
      #expect(try await listen("") == "bedroom")
      // A scene that plays on a player counts as that player's activity.
      _ = await (try await facade.runScene("lullaby", arguments: [:])).finished()
      #expect(await facade.report.scene == "lullaby")
      #expect(try await listen() == "bedroom")
      // An activity that needs an item asks for it, and no other player begins.
      _ = await (try await facade.begin("music", item: "s1", fromStart: true, user: "a")).run
        .finished()
      theater.journal.clear()
      let refused = await refusal { () async throws(TheaterError) in
        try await facade.begin(Category.songs, item: nil, fromStart: true, by: .owner)
      }
      #expect(refused?.message == "say which song")
      #expect(Self.commands(theater).isEmpty)
      #expect(await facade.report.activity == "music")
    }
  }

  @Test("E9 · of several activities of a category, the one begins whose player has the item")
  func severalActivities() async throws {
    var plan = TheaterPlan.evening
    plan.activities["bedroom"] = Activity(
      name: "bedroom", start: "watch-film", end: "end-film", player: "cd", category: .films)
    plan.library.films += [
      LibraryItem(id: "here", title: "Here", player: "dvd"),
      LibraryItem(id: "there", title: "There", player: "cd"),
    ]
    let evening = plan
    try await Theater(plan: evening).live { theater in
      func begin(_ item: String, by principal: Principal) async throws -> String? {
        let begun = try await theater.facade.begin(
          Category.films, item: item, fromStart: true, by: principal)
        _ = await begun.run.finished()
        return await theater.facade.report.activity
      }
      let owner = Principal.owner("ann")
      #expect(try await begin("Here", by: owner) == "film")
      // The current activity goes on if its player has the item.
      #expect(try await begin("f1", by: owner) == "film")
      #expect(try await begin("There", by: owner) == "bedroom")
      #expect(try await begin("f1", by: owner) == "bedroom")
      _ = await (try await theater.facade.end(by: owner)).finished()
      let guest = Principal(permissions: [.view, .play], activities: ["film"])
      #expect(try await begin("f1", by: guest) == "film")
    }
  }

  @Test("a guest may not control, end or replace an activity outside the pass")
  func othersActivities() async throws {
    try await Theater().live { theater in
      _ = await (try await theater.facade.begin("film", item: "f1", fromStart: false, user: "ann"))
        .run.finished()
      theater.journal.clear()
      let guest = Self.guest
      let facade = theater.facade
      let refusals = [
        await refusal { () async throws(TheaterError) in try await facade.pause(by: guest) },
        await refusal { () async throws(TheaterError) in try await facade.end(by: guest) },
        await refusal { () async throws(TheaterError) in
          try await facade.seek(5, isRelative: false, by: guest)
        },
        await refusal { () async throws(TheaterError) in
          try await facade.changeVolume(.to(1), by: guest)
        },
        await refusal { () async throws(TheaterError) in
          try await facade.perform("pause", on: "dvd", until: .accepted, by: guest)
        },
        await refusal { () async throws(TheaterError) in
          try await facade.begin("music", item: "s1", fromStart: false, by: guest)
        },
      ]
      #expect(refusals.map { $0?.code } == Array(repeating: .forbidden, count: 6))
      #expect(Self.commands(theater).isEmpty)
    }
  }

  @Test("lowers an activity's volume to the guest's limit")
  func sceneVolume() async throws {
    try await Theater().live { theater in
      let limit = Principal(permissions: [.play], volumeLimit: 30)
      let begun = try await theater.facade.begin(
        "film", item: "f1", fromStart: false, by: limit)
      let lines = await theater.journal(of: begun.run)
      #expect(lines.contains("amp {\"volume\":30}"))
      #expect(!lines.contains("amp {\"volume\":50}"))
    }
  }

  @Test("a guest's activity turns down an amplifier that is already above the guest's limit")
  func louderFromBefore() async throws {
    try await Theater().live { theater in
      await theater["amp"].report(.volume, 80)
      let begun = try await theater.facade.begin(
        "music", item: "s1", fromStart: false, by: Self.guest)
      let volumes = await theater.journal(of: begun.run).filter { $0.contains("volume") }
      #expect(!volumes.isEmpty)
      #expect(volumes.allSatisfy { $0 == "amp {\"volume\":30}" || $0 == "amp {\"volume\":25}" })
    }
  }

  @Test("E15 · no volume command of a guest exceeds the limit")
  func volume() async throws {
    try await Theater().live { theater in
      let facade = theater.facade
      let guest = Self.guest
      let loud = await refusal { () async throws(TheaterError) in
        try await facade.changeVolume(.to(31), by: guest)
      }
      #expect(loud?.code == .forbidden)
      #expect(loud?.message == "your volume limit is 30 %")
      try await facade.changeVolume(.to(28), by: guest)
      try await facade.changeVolume(.by(5), by: guest)
      let louder = await refusal { () async throws(TheaterError) in
        try await facade.changeVolume(.by(5), by: guest)
      }
      #expect(louder?.code == .forbidden)
      let direct = await refusal { () async throws(TheaterError) in
        try await facade.perform(["volume": 31], on: "amp", until: .settled, by: guest)
      }
      #expect(direct?.code == .forbidden)
      _ = try await facade.perform(["volume": 30], on: "amp", until: .settled, by: guest)
      #expect(
        theater.journal.lines.filter { $0.contains("volume") } == [
          "amp {\"volume\":28}", "amp {\"volume\":30}", "amp {\"volume\":30}",
        ])
      // Another user has made it louder: a guest's commands only turn it down.
      try await facade.changeVolume(.to(90))
      try await facade.changeVolume(.mute, by: guest)
      theater.journal.clear()
      try await facade.changeVolume(.toggleMute, by: guest)
      #expect(Self.commands(theater) == ["amp {\"volume\":30}", "amp \"unmute\""])
      try await facade.changeVolume(.to(90))
      try await facade.changeVolume(.by(-5), by: guest)
      #expect(Self.commands(theater).last == "amp {\"volume\":30}")
    }
  }

  @Test("E15 · a device command requires the permission in its table row")
  func commands() async throws {
    try await Theater().live { theater in
      for (device, command) in [("lights", "on"), ("amp", "off"), ("cd", "play")] {
        let error = await refusal { () async throws(TheaterError) in
          try await theater.facade.perform(
            .string(command), on: DeviceID(device), until: .accepted, by: Self.guest)
        }
        #expect(error?.code == .forbidden)
      }
      #expect(Self.commands(theater).isEmpty)
    }
  }

  @Test("E9 · items above the age limit are neither listed nor suggested")
  func lists() async throws {
    try await Theater(plan: .rated).live { theater in
      let films = try await theater.facade.entries(.films, for: Self.child)
      #expect(films.map(\.item.id) == ["f1", "f3"])
      #expect(await theater.facade.entries(.films).first { $0.rating == 16 } != nil)
      // "The Short Cut" begins with the text as well, but it is hidden from the child.
      let begun = try await theater.facade.begin(
        "film", item: "The Short", fromStart: false, by: Self.child)
      #expect(await begun.run.finished().status == .done)
      #expect(await theater.facade.report.item == "f3")
    }
  }

  @Test("refuses an item above the age limit in activities, scenes and device commands")
  func ratings() async throws {
    try await Theater(plan: .rated).live { theater in
      let facade = theater.facade
      let child = Self.child
      for name in ["f2", "The Short Cut", "the short cut"] {
        let error = await refusal { () async throws(TheaterError) in
          try await facade.begin("film", item: name, fromStart: false, by: child)
        }
        #expect(error?.code == .notFound)
        #expect(error?.message == "there is no film \"\(name)\"")
      }
      let refusals = [
        await refusal { () async throws(TheaterError) in
          try await facade.runScene("watch-film", arguments: ["film": "f2"], by: child)
        },
        await refusal { () async throws(TheaterError) in
          try await facade.perform(
            ["play": ["item": "f2"]], on: "dvd", until: .accepted, by: child)
        },
        // An id that is not in the library has no known rating: the file may be a rated film.
        await refusal { () async throws(TheaterError) in
          try await facade.perform(
            ["play": ["item": "./f2"]], on: "dvd", until: .accepted, by: child)
        },
        await refusal { () async throws(TheaterError) in
          try await facade.perform("next", on: "dvd", until: .accepted, by: child)
        },
      ]
      #expect(refusals.map { $0?.code } == [.notFound, .notFound, .notFound, .forbidden])
      #expect(theater.journal.lines.filter { $0.hasPrefix("dvd") && !$0.contains("plug") }.isEmpty)
      // An older user begins and pauses it.
      _ = await (try await facade.begin("film", item: "f2", fromStart: false, user: "ann"))
        .run.finished()
      try await facade.pause()
      let resumed = await refusal { () async throws(TheaterError) in
        try await facade.resume(by: child)
      }
      #expect(resumed?.code == .forbidden)
      let skipped = await refusal { () async throws(TheaterError) in
        try await facade.next(by: child)
      }
      #expect(skipped?.code == .forbidden)
    }
  }
}
