import Devices
import JSON
import Scenes
import TestSupport
import Testing

@testable import HomeTheater

/// A request that names an item of a player which has only just started.
@Suite struct StartingPlayerTests {
  private static let song = "A Found Song"

  /// A theater whose CD player is starting, and has listed nothing.
  private static func starting(_ body: @Sendable (Theater) async throws -> Void) async throws {
    let theater = Theater()
    await theater["cd"].setAvailability(.starting)
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { await theater.facade.run() }
      #expect(
        await eventually { await theater.facade.snapshot(of: "cd")?.availability == .starting })
      try await body(theater)
      group.cancelAll()
    }
  }

  /// Waits until so many requests wait for a catalogue.
  private static func waitForRequests(_ count: Int, in theater: Theater) async {
    #expect(await eventually { theater.clock.sleeperCount == count })
  }

  /// The CD player has started, and answers.
  private static func start(_ theater: Theater) async {
    await theater["cd"].setAvailability(.available)
  }

  @Test(
    "a song that is named while its player starts plays as soon as the player has listed it",
    arguments: ["activity", "category", "scene", "plan"])
  func waits(_ way: String) async throws {
    try await Self.starting { theater in
      let facade = theater.facade
      let request = Task {
        switch way {
        case "activity":
          _ = await
            (try await facade.begin(
              "music", item: Self.song, fromStart: false, by: .owner)).run.finished()
        case "category":
          _ = await
            (try await facade.begin(
              .songs, item: Self.song, fromStart: false, by: .owner)).run.finished()
        case "scene":
          _ = await
            (try await facade.runScene(
              "listen-music", arguments: ["song": Self.song])).finished()
        default:
          _ = try await facade.planScene(
            "listen-music", arguments: ["song": Self.song], by: .owner)
        }
      }
      await Self.waitForRequests(1, in: theater)
      #expect(theater.journal.lines.filter { !$0.contains(" plug ") }.isEmpty)
      await Self.start(theater)
      try await request.value
      #expect(
        way == "plan" || theater.journal.lines.contains(#"cd {"play":{"item":"scanned"}}"#))
    }
  }

  @Test("a request waits 10 seconds for a catalogue, and then says that it is still read")
  func bound() async throws {
    try await Self.starting { theater in
      let request = Task {
        await refusal { () async throws(TheaterError) in
          try await theater.facade.begin("music", item: Self.song, fromStart: false, by: .owner)
        }
      }
      await Self.waitForRequests(1, in: theater)
      theater.clock.advance(by: Library.longestWait)
      let refused = await request.value
      #expect(refused?.code == .notFound)
      #expect(refused?.hint == "cd is still reading its songs. Try again in a moment.")
    }
  }

  @Test("a known item, a film of another player and an unreachable player are not waited for")
  func known() async throws {
    try await Self.starting { theater in
      let begun = try await theater.facade.begin(
        "music", item: "Opening", fromStart: false, by: .owner)
      await theater["cd"].setAvailability(.available)
      #expect(await begun.run.finished().status == .done)
    }
    try await Self.starting { theater in
      let film = await refusal { () async throws(TheaterError) in
        try await theater.facade.begin("film", item: "none", fromStart: false, by: .owner)
      }
      #expect(film?.code == .notFound)
      await theater["cd"].setAvailability(.unavailable("its plugin ended"))
      #expect(
        await eventually {
          await theater.facade.snapshot(of: "cd")?.availability == .unavailable("its plugin ended")
        })
      let song = await refusal { () async throws(TheaterError) in
        try await theater.facade.begin("music", item: "none", fromStart: false, by: .owner)
      }
      #expect(song?.hint == "See the list of songs.")
    }
  }

  @Test("E11 · a newer request takes the place of one that waits for a catalogue")
  func replaced() async throws {
    try await Self.starting { theater in
      let song = Task {
        await refusal { () async throws(TheaterError) in
          try await theater.facade.begin("music", item: Self.song, fromStart: false, by: .owner)
        }
      }
      await Self.waitForRequests(1, in: theater)
      let film = try await theater.facade.begin("film", item: "f1", fromStart: false, by: .owner)
      #expect(await film.run.finished().status == .done)
      await Self.start(theater)
      #expect(await song.value?.code == .cancelled)
      #expect(await theater.facade.report.item == "f1")
    }
  }

  @Test("a hidden title is waited for like an unknown one")
  func hidden() async throws {
    var plan = TheaterPlan.evening
    plan.library.songs = [LibraryItem(id: "s1", title: "Opening", rating: 16, player: "cd")]
    let theater = Theater(plan: plan)
    await theater["cd"].setAvailability(.starting)
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await theater.facade.run() }
      #expect(
        await eventually { await theater.facade.snapshot(of: "cd")?.availability == .starting })
      let child = Principal(ageLimit: 12)
      let requests = ["Opening", "Nothing"].map { name in
        Task {
          await refusal { () async throws(TheaterError) in
            try await theater.facade.begin("music", item: name, fromStart: false, by: child)
          }
        }
      }
      await Self.waitForRequests(2, in: theater)
      await Self.start(theater)
      for request in requests { #expect(await request.value?.code == .notFound) }
      group.cancelAll()
    }
  }
}
