import Devices
import JSON
import Scenes
import TestSupport
import Testing

@testable import HomeTheater

@Suite struct ResumeRuleTests {
  @Test(
    "E10 · the last 8 % of a film, at most 10 minutes, are seen; its first seconds are nothing yet",
    arguments: [
      (7200, 7080, false), (7200, 6625, false), (7200, 6600, true), (7200, 6599, true),
      (14_400, 13_801, false), (14_400, 13_799, true), (3000, 2761, false), (3000, 2759, true),
      (40, 37, false), (40, 36, true), (7200, 9, false), (7200, 11, true), (100, 4, false),
      (100, 6, true), (nil, 7080, true),
    ] as [(Double?, Double, Bool)])
  func films(duration: Double?, position: Double, isResumable: Bool) {
    let rule = ResumeRule(category: .films, duration: duration)
    #expect(rule.isResumable(position) == isResumable)
  }

  @Test(
    "E10 · a song is resumed from 20 minutes on, or in an audio book; a station never",
    arguments: [
      (.songs, 1199, false, false), (.songs, 1200, false, true), (.songs, nil, false, false),
      (.songs, 300, true, true), (.songs, nil, true, true), (.stations, nil, false, false),
      (.films, 300, false, true),
    ] as [(Devices.Category, Double?, Bool, Bool)])
  func songs(category: Devices.Category, duration: Double?, isAudiobook: Bool, isKept: Bool) {
    let rule = ResumeRule(category: category, duration: duration, isAudiobook: isAudiobook)
    #expect(rule.isResumable(100) == isKept)
  }

  @Test(
    "E10 · an audio book is known by its file, its folder or its album",
    arguments: [
      (CatalogueItem(id: "Book/01.M4B", title: "1"), true),
      (CatalogueItem(id: "x", title: "1", format: "m4b"), true),
      (CatalogueItem(id: "Hörbücher/Momo/01.mp3", title: "1"), true),
      (CatalogueItem(id: "x.mp3", title: "1", album: "Momo (Audiobook)"), true),
      (CatalogueItem(id: "Аудиокниги/01.mp3", title: "1"), true),
      (CatalogueItem(id: "Music/Books/01.mp3", title: "Audiobook", format: "mp3"), false),
    ])
  func audiobooks(item: CatalogueItem, isAudiobook: Bool) {
    #expect(item.isAudiobook == isAudiobook)
  }

  /// A theater with a film of two hours, and short and long songs.
  private static func theater(_ body: @Sendable (Theater) async throws -> Void) async throws {
    var plan = TheaterPlan.evening
    plan.library.films[0].duration = 7200
    plan.library.songs = [
      LibraryItem(id: "short", title: "A Short Song", duration: 300, player: "cd"),
      LibraryItem(id: "long", title: "A Concert", duration: 3600, player: "cd"),
      LibraryItem(id: "book.m4b", title: "A Chapter", duration: 300, player: "cd"),
    ]
    try await Theater(plan: plan).live(songs: 4) { try await body($0) }
  }

  /// Plays an item from its start, leaves it at a position, and ends the activity.
  private static func leave(
    _ item: String, _ activity: String, on player: DeviceID, at position: Double,
    of duration: Double, in theater: Theater
  ) async throws {
    let begun = try await theater.facade.begin(activity, item: item, fromStart: true, user: "ann")
    #expect(await begun.run.finished().status == .done)
    let playback = Playback(.paused, item: item, position: position, duration: duration)
    await theater[player].report(.playback, playback.json)
    #expect(
      await eventually { await theater.facade.snapshot(of: player)?.state.playback == playback })
    _ = await (try await theater.facade.end()).finished()
  }

  @Test("E10 · a film that is left in its credits has no position, also if it had one before")
  func credits() async throws {
    try await Self.theater { theater in
      try await Self.leave("f1", "film", on: "dvd", at: 3000, of: 7200, in: theater)
      #expect(theater.positions.position(item: "f1", user: "ann") == 3000)
      try await Self.leave("f1", "film", on: "dvd", at: 7080, of: 7200, in: theater)
      #expect(theater.positions.position(item: "f1", user: "ann") == nil)
      // The rest of the credits is judged alike, and a step back counts again.
      try await Self.leave("f1", "film", on: "dvd", at: 6000, of: 7200, in: theater)
      #expect(theater.positions.position(item: "f1", user: "ann") == 6000)
    }
  }

  @Test("E10 · the credits clear a position once, not every four seconds")
  func clearsOnce() async throws {
    try await Self.theater { theater in
      let begun = try await theater.facade.begin("film", item: "f1", fromStart: true, user: "ann")
      #expect(await begun.run.finished().status == .done)
      await theater["dvd"].report(
        .playback, Playback(.playing, item: "f1", position: 6700, duration: 7200).json)
      #expect(
        await eventually {
          await theater.facade.snapshot(of: "dvd")?.state.playback?.position == 6700
        })
      theater.positions.save(3000, item: "f1", user: "ann")
      theater.clock.advance(by: .seconds(4))
      #expect(await eventually { theater.positions.position(item: "f1", user: "ann") == nil })
      #expect(await eventually { theater.clock.sleeperCount == 1 })
      // A position that comes from elsewhere meanwhile stays.
      theater.positions.save(100, item: "f1", user: "ann")
      theater.clock.advance(by: .seconds(4))
      #expect(await eventually { theater.clock.sleeperCount == 1 })
      #expect(theater.positions.position(item: "f1", user: "ann") == 100)
    }
  }

  @Test(
    "E10 · positions that are saved already are judged when an item begins",
    arguments: [
      ("f1", "film", 7080, nil), ("f1", "film", 3000, 3000), ("short", "music", 200, nil),
      ("long", "music", 200, 200), ("long", "music", 3500, nil), ("book.m4b", "music", 200, 200),
    ] as [(String, String, Double, Double?)])
  func saved(item: String, activity: String, position: Double, offered: Double?) async throws {
    try await Self.theater { theater in
      theater.positions.save(position, item: item, user: "ann")
      let begun = try await theater.facade.begin(
        activity, item: item, fromStart: false, user: "ann")
      #expect(begun.resumedAt == offered)
      #expect(await begun.run.finished().status == .done)
    }
  }

  @Test(
    "E10 · a short song that is left saves no position, a concert and an audio book do",
    arguments: [("short", 300, nil), ("long", 3600, 200), ("book.m4b", 300, 200)]
      as [(String, Double, Double?)])
  func leftSongs(item: String, duration: Double, saved: Double?) async throws {
    try await Self.theater { theater in
      try await Self.leave(item, "music", on: "cd", at: 200, of: duration, in: theater)
      #expect(theater.positions.position(item: item, user: "ann") == saved)
    }
  }

  @Test("E10 · lists and offers have no positions of seen films and short songs")
  func lists() async throws {
    let positions = InMemoryPositions()
    let devices: [FakeDevice] = [
      FakeDevice("dvd", .dvdPlayer), FakeDevice("cd", .cdPlayer), FakeDevice("amp", .amplifier),
    ]
    var plan = TheaterPlan(activities: TheaterPlan.evening.activities)
    plan.library.films = [
      LibraryItem(id: "seen", title: "Seen", duration: 7200),
      LibraryItem(id: "half", title: "Half", duration: 7200),
    ]
    plan.library.songs = [
      LibraryItem(id: "short", title: "Short", duration: 300),
      LibraryItem(id: "long", title: "Long", duration: 3600),
    ]
    let facade = HomeTheaterFacade(devices: devices, plan: plan, positions: positions)
    for (item, seconds) in [("seen", 7080.0), ("half", 3600), ("short", 200), ("long", 200)] {
      positions.save(seconds, item: item, user: "ann")
    }
    let films = try await facade.page(.films, LibraryQuery(), for: Principal("ann"))
    #expect(films.elements.map(\.position) == [nil, 3600])
    let songs = try await facade.page(.songs, LibraryQuery(), for: Principal("ann"))
    #expect(songs.elements.map(\.position) == [nil, 200])
    let stopped = try await facade.stopped(limit: 10, for: Principal("ann"))
    #expect(stopped.map(\.element.entry.item.id) == ["long", "half"])
  }
}
