import Devices
import JSON
import Scenes
import TestSupport
import Testing

@testable import HomeTheater

/// Positions of items that scenes play, run by hand.
@Suite struct SceneResumeTests {
  /// The evening with a scene of one's own, one with a position, and an activity for one film.
  private static let plan: TheaterPlan = {
    func step(_ json: JSON) -> Step { TheaterPlan.step("dvd", .dvdPlayer, json) }
    var plan = TheaterPlan.evening
    let scenes = [
      Scene(
        name: "movie-night", parameters: ["film": .film],
        steps: [step("on"), step(["play": ["item": "$film"]])]),
      Scene(
        name: "last-act", parameters: ["film": .film],
        steps: [step("on"), step(["play": ["item": "$film", "position": 70]])]),
      Scene(name: "short-cut", steps: [step("on"), step(["play": ["item": "f2"]])]),
      Scene(name: "short-cut-over", steps: [step("off")]),
    ]
    for scene in scenes { plan.scenes[scene.name] = scene }
    plan.activities["short-cut"] = Activity(
      name: "short-cut", start: "short-cut", end: "short-cut-over", player: "dvd",
      amplifier: "amp", category: .films)
    return plan
  }()

  /// The commands to the DVD player that play something.
  private static func plays(_ commands: [String]) -> [String] {
    commands.filter { $0.hasPrefix(#"dvd {"play""#) }
  }

  @Test(
    "E10 E23 · a scene resumes the film where its user stopped it, and its plan says the same",
    arguments: ["watch-film", "movie-night"])
  func resuming(scene: String) async throws {
    try await Theater(plan: Self.plan).live { theater in
      theater.positions.save(42, item: "f1", user: "ann")
      theater.positions.save(30, item: "f2", user: "ann")
      for (user, fromStart, position) in [
        ("ann", false, 42), ("ann", true, nil), ("bob", false, nil),
      ] as [(String, Bool, Double?)] {
        let plan = try await theater.facade.planScene(
          scene, arguments: ["film": "f1"], fromStart: fromStart, by: Principal(user))
        #expect(plan.resumedAt == position && plan.json["resumedAt"]?.number == position)
        theater.journal.clear()
        let run = try await theater.facade.runScene(
          scene, arguments: ["film": "f1"], fromStart: fromStart, by: Principal(user))
        let commands = Self.plays(await theater.journal(of: run))
        let play =
          position == nil
          ? #"dvd {"play":{"item":"f1"}}"# : #"dvd {"play":{"item":"f1","position":42}}"#
        #expect(commands == [play])
        #expect(run.resumedAt == position)
        #expect(await theater.facade.report.resumedAt == position)
        #expect(
          Self.plays(plan.commands.map { "\($0.device) \($0.command.json.text())" }) == [play])
        _ = await (try await theater.facade.end()).finished()
        theater.positions.save(42, item: "f1", user: "ann")
      }
    }
  }

  @Test("E23 · a position that a step of the scene names wins over the saved one")
  func namedPosition() async throws {
    try await Theater(plan: Self.plan).live { theater in
      theater.positions.save(42, item: "f1", user: "ann")
      let plan = try await theater.facade.planScene(
        "last-act", arguments: ["film": "f1"], by: Principal("ann"))
      #expect(plan.resumedAt == nil)
      let run = try await theater.facade.runScene(
        "last-act", arguments: ["film": "f1"], by: Principal("ann"))
      #expect(
        Self.plays(await theater.journal(of: run))
          == [#"dvd {"play":{"item":"f1","position":70}}"#])
      #expect(run.resumedAt == nil)
      #expect(await theater.facade.report.resumedAt == nil)
    }
  }

  @Test("E23 · the film of an activity without a choice is resumed by its start and by its scene")
  func fixedFilm() async throws {
    try await Theater(plan: Self.plan).live { theater in
      theater.positions.save(30, item: "f2", user: "ann")
      let started = try await theater.facade.begin(
        "short-cut", item: nil, fromStart: false, by: Principal("ann"))
      _ = await started.run.finished()
      #expect(started.resumedAt == 30)
      #expect(await theater.facade.report.item == "f2")
      _ = await (try await theater.facade.end()).finished()
      theater.positions.save(30, item: "f2", user: "ann")
      let run = try await theater.facade.runScene(
        "short-cut", arguments: [:], by: Principal("ann"))
      #expect(await run.finished().status == .done)
      #expect(run.resumedAt == 30)
    }
  }

  @Test("E23 · the plan for the film that is on resumes it where it is, as the run does")
  func presentFilm() async throws {
    try await Theater(plan: Self.plan).live { theater in
      let begun = try await theater.facade.begin("film", item: "f1", fromStart: false, user: "ann")
      _ = await begun.run.finished()
      theater.clock.advance(by: .seconds(22))
      let plan = try await theater.facade.planScene(
        "movie-night", arguments: ["film": "f1"], by: Principal("ann"))
      let run = try await theater.facade.runScene(
        "movie-night", arguments: ["film": "f1"], by: Principal("ann"))
      #expect(plan.resumedAt == 22 && run.resumedAt == 22)
    }
  }
}
