import Devices
import JSON
import Scenes
import TestSupport
import Testing

@testable import HomeTheater

/// Scenes that are run by themselves: one that plays something becomes the current activity.
@Suite struct ScenePlaybackTests {
  private static let guest = Principal(
    permissions: [.view, .play], activities: ["music"], volumeLimit: 30)

  private static func step(_ device: DeviceID, _ role: Role, _ json: JSON) -> Step {
    TheaterPlan.step(device, role, json)
  }

  /// The evening with a member's own scenes.
  private static let plan: TheaterPlan = {
    var plan = TheaterPlan.evening
    let scenes = [
      Scene(
        name: "movie-night", title: "Movie night", parameters: ["film": .film],
        steps: [
          step("amp", .amplifier, "on"), step("amp", .amplifier, ["input": "dvd"]),
          step("dvd", .dvdPlayer, "on"), step("dvd", .dvdPlayer, ["play": ["item": "$film"]]),
        ]),
      Scene(
        name: "jazz",
        steps: [step("tuner", .tuner, "on"), step("tuner", .tuner, ["station": "Jazz"])]),
      Scene(name: "chime", steps: [step("cd", .cdPlayer, ["play": ["item": "s1"]])]),
      Scene(name: "cosy", steps: [step("lights", .lights, ["dim": 20])]),
      Scene(
        name: "go-on",
        steps: [step("lights", .lights, ["dim": 5]), step("dvd", .dvdPlayer, "play")]),
      Scene(
        name: "tray",
        steps: [
          step("cd", .cdPlayer, ["play": ["item": "s1"]]), step("cd", .cdPlayer, "eject"),
        ]),
    ]
    for scene in scenes { plan.scenes[scene.name] = scene }
    return plan
  }()

  /// Runs a scene as Ann, who may do everything, to its end.
  @discardableResult
  private static func run(
    _ name: String, _ arguments: [String: String] = [:], in theater: Theater
  ) async throws -> [String] {
    theater.journal.clear()
    let run = try await theater.facade.runScene(
      name, arguments: arguments, by: Principal("ann"))
    let lines = await theater.journal(of: run)
    #expect(run.report.status == .done)
    return lines
  }

  private static func report(in theater: Theater) async -> ActivityReport {
    await theater.facade.report
  }

  /// Waits until the facade has seen a player in this state.
  private static func waitForStatus(
    _ status: Playback.Status, of player: DeviceID, in theater: Theater
  ) async {
    #expect(
      await eventually {
        await theater.facade.snapshot(of: player)?.state.playback?.status == status
      })
  }

  /// Returns the errors of a guest's attempts to operate the playback of others.
  private static func attempts(
    _ facade: HomeTheaterFacade, by guest: Principal
  ) async -> [TheaterError?] {
    [
      await refusal { () async throws(TheaterError) in try await facade.pause(by: guest) },
      await refusal { () async throws(TheaterError) in try await facade.resume(by: guest) },
      await refusal { () async throws(TheaterError) in try await facade.next(by: guest) },
      await refusal { () async throws(TheaterError) in
        try await facade.seek(5, isRelative: false, by: guest)
      },
      await refusal { () async throws(TheaterError) in
        try await facade.changeVolume(.to(1), by: guest)
      },
      await refusal { () async throws(TheaterError) in
        try await facade.changeVolume(.mute, by: guest)
      },
      await refusal { () async throws(TheaterError) in try await facade.end(by: guest) },
      await refusal { () async throws(TheaterError) in
        try await facade.begin("music", item: "s1", fromStart: false, by: guest)
      },
      await refusal { () async throws(TheaterError) in
        try await facade.perform("pause", on: "dvd", until: .accepted, by: guest)
      },
      await refusal { () async throws(TheaterError) in
        try await facade.perform(["volume": 1], on: "amp", until: .accepted, by: guest)
      },
    ]
  }

  @Test("E8 · a guest for music cannot steer, turn down or take over a film that a scene plays")
  func guests() async throws {
    try await Theater(plan: Self.plan).live { theater in
      try await Self.run("movie-night", ["film": "f1"], in: theater)
      theater.journal.clear()
      let refusals = await Self.attempts(theater.facade, by: Self.guest)
      #expect(refusals.map { $0?.code } == Array(repeating: .forbidden, count: 10))
      #expect(refusals.first??.message.hasPrefix("\"Movie night\" is on") == true)
      #expect(theater.journal.lines.filter { !$0.contains(" plug ") }.isEmpty)
      // A scene's name grants no rights, though an activity may have the same name.
      let namesake = Principal(permissions: [.view, .play], activities: ["movie-night"])
      let named = await Self.attempts(theater.facade, by: namesake)
      #expect(named.map { $0?.code } == Array(repeating: .forbidden, count: 10))
    }
  }

  @Test("E8 E9 · status says which scene plays what for whom, and a member steers it and ends it")
  func members() async throws {
    try await Theater(plan: Self.plan).live { theater in
      try await Self.run("movie-night", ["film": "f1"], in: theater)
      #expect(await eventually { await Self.report(in: theater).status == .running })
      let activity = try await theater.facade.status()["activity"]
      #expect(activity?["activity"] == nil)
      #expect(activity?["scene"] == "movie-night")
      #expect(activity?["title"] == "Movie night")
      #expect(activity?["item"] == "f1")
      #expect(activity?["itemTitle"] == "The Long Take")
      #expect(activity?["user"] == "ann")
      #expect(activity?["player"] == "dvd")
      let status = try await theater.facade.status()
      #expect(status["playback"]?["item"] == "f1")
      let member = Principal()
      try await theater.facade.seek(30, isRelative: false, by: member)
      try await theater.facade.changeVolume(.to(20), by: member)
      try await theater.facade.pause(by: member)
      #expect(await eventually { theater.positions.position(item: "f1", user: "ann") == 30 })
      theater.journal.clear()
      let end = try await theater.facade.end(by: member)
      #expect(await theater.journal(of: end) == ["dvd \"stop\""])
      #expect(await eventually { await Self.report(in: theater).status == .idle })
      let later = try await theater.facade.status()
      #expect(later["activity"]?["scene"] == nil)
      // Now it is free for the guest.
      await Self.waitForStatus(.stopped, of: "dvd", in: theater)
      _ = try await theater.facade.begin(
        "music", item: "s1", fromStart: false, by: Self.guest)
    }
  }

  @Test("E11 · a scene's activity ends with its item")
  func endOfItem() async throws {
    try await Theater(plan: Self.plan).live { theater in
      try await Self.run("movie-night", ["film": "f1"], in: theater)
      #expect(await eventually { await Self.report(in: theater).status == .running })
      await theater["dvd"].report(
        .playback, Playback(.ended, item: "f1", position: 90, duration: 90).json)
      #expect(await eventually { await Self.report(in: theater).status == .idle })
    }
  }

  @Test("E8 · the scene that begins an activity begins it, also by itself")
  func startScene() async throws {
    try await Theater(plan: Self.plan).live { theater in
      try await Self.run("listen-music", ["song": "s1"], in: theater)
      #expect(await Self.report(in: theater).activity == "music")
      #expect(await Self.report(in: theater).scene == nil)
      #expect(await Self.report(in: theater).user == "ann")
      let lines = try await Self.run("watch-film", ["film": "f1"], in: theater)
      // The music is ended first, as on every switch.
      #expect(lines.prefix(3) == [#"cd "stop""#, #"cd "eject""#, #"cd "off""#])
      #expect(lines.last == #"dvd {"play":{"item":"f1"}}"#)
      #expect(await Self.report(in: theater).activity == "film")
      let guests = await Self.attempts(theater.facade, by: Self.guest)
      #expect(guests.allSatisfy { $0?.code == .forbidden })
    }
  }

  @Test("E8 · the scene that ends what is on ends it, also by itself")
  func endScene() async throws {
    try await Theater(plan: Self.plan).live { theater in
      try await Self.run("watch-film", ["film": "f1"], in: theater)
      let lines = try await Self.run("end-film", in: theater)
      #expect(lines.last == #"dvd "off""#)
      #expect(await eventually { await Self.report(in: theater).status == .idle })
    }
  }

  @Test("E8 · an activity replaced by a scene is ended together with the scene")
  func takesPlace() async throws {
    try await Theater(plan: Self.plan).live { theater in
      try await Self.run("listen-music", ["song": "s1"], in: theater)
      let lines = try await Self.run("movie-night", ["film": "f2"], in: theater)
      // The scene's own steps and no others; the amplifier is on already.
      #expect(lines == [#"amp {"input":"dvd"}"#, #"dvd "on""#, #"dvd {"play":{"item":"f2"}}"#])
      #expect(await Self.report(in: theater).itemTitle == "The Short Cut")
      theater.journal.clear()
      let end = try await theater.facade.end(by: .owner)
      #expect(
        await theater.journal(of: end) == [
          #"dvd "stop""#, #"amp "off""#, #"cd "stop""#, #"cd "eject""#, #"cd "off""#,
        ])
      #expect(await eventually { await Self.report(in: theater).status == .idle })
      // And off ends everything, scenes as well.
      try await Self.run("jazz", in: theater)
      #expect(await Self.report(in: theater).itemTitle == "Jazz")
      _ = await (try await theater.facade.turnEverythingOff(by: .owner)).finished()
      #expect(await Self.report(in: theater).status == .idle)
      #expect(await theater.facade.session.scenePlayers.isEmpty)
    }
  }

  @Test("E8 · a scene with a tuner is ended by turning the tuner off, an activity ends it too")
  func radio() async throws {
    try await Theater(plan: Self.plan).live { theater in
      try await Self.run("jazz", in: theater)
      #expect(await Self.report(in: theater).scene == "jazz")
      theater.journal.clear()
      let begun = try await theater.facade.begin(
        "music", item: "s1", fromStart: false, by: Principal("ann"))
      #expect(await theater.journal(of: begun.run).first == #"tuner "off""#)
      #expect(await Self.report(in: theater).activity == "music")
      #expect(await Self.report(in: theater).scene == nil)
    }
  }

  @Test(
    "E8 · a scene that plays nothing new runs beside what is on",
    arguments: ["cosy", "go-on", "popcorn", "tray"])
  func beside(scene: String) async throws {
    try await Theater(plan: Self.plan).live { theater in
      try await Self.run("watch-film", ["film": "f1"], in: theater)
      #expect(await eventually { await Self.report(in: theater).status == .running })
      let before = await Self.report(in: theater)
      try await Self.run(scene, in: theater)
      #expect(await Self.report(in: theater) == before)
    }
    try await Theater(plan: Self.plan).live { theater in
      try await Self.run(scene, in: theater)
      #expect(await Self.report(in: theater).status == (scene == "go-on" ? .running : .idle))
    }
  }

  @Test("E8 · a chime during a film runs beside it, and its end does not end the film")
  func chime() async throws {
    try await Theater(plan: Self.plan).live { theater in
      try await Self.run("watch-film", ["film": "f1"], in: theater)
      #expect(await eventually { await Self.report(in: theater).status == .running })
      try await Self.run("chime", in: theater)
      await theater["cd"].report(
        .playback, Playback(.ended, item: "s1", position: 4, duration: 4).json)
      await Self.waitForStatus(.ended, of: "cd", in: theater)
      #expect(await Self.report(in: theater).activity == "film")
      #expect(await Self.report(in: theater).status == .running)
      await theater["dvd"].report(
        .playback, Playback(.ended, item: "f1", position: 90, duration: 90).json)
      #expect(await eventually { await Self.report(in: theater).status == .idle })
      // With nothing on, the chime is the current activity.
      try await Self.run("chime", in: theater)
      #expect(await Self.report(in: theater).scene == "chime")
    }
  }

  @Test("E8 · the end of an item ends its activity, whatever another player does meanwhile")
  func otherPlayer() async throws {
    try await Theater(plan: Self.plan).live { theater in
      _ = try await theater.facade.begin(
        "music", item: "s1", fromStart: false, by: Self.guest)
      #expect(await eventually { await Self.report(in: theater).status == .running })
      _ = try await theater.facade.perform("on", on: "dvd", until: .settled, by: .owner)
      _ = try await theater.facade.perform(
        ["play": ["item": "f1"]], on: "dvd", until: .settled, by: .owner)
      _ = try await theater.facade.perform(
        ["input": "dvd"], on: "amp", until: .settled, by: .owner)
      await theater["cd"].report(
        .playback, Playback(.ended, item: "s1", position: 90, duration: 90).json)
      #expect(await eventually { await Self.report(in: theater).status == .idle })
    }
  }

  @Test("E8 · a guest cannot start another activity through a scene")
  func limitedPeople() async throws {
    let limited = Principal(activities: ["music"])
    try await Theater(plan: Self.plan).live { theater in
      for scene in ["movie-night", "watch-film"] {
        let error = await refusal { () async throws(TheaterError) in
          try await theater.facade.runScene(
            scene, arguments: ["film": "f1"], by: limited)
        }
        #expect(error?.code == .forbidden)
      }
      #expect(theater.journal.lines.filter { !$0.contains(" plug ") }.isEmpty)
      let run = try await theater.facade.runScene(
        "listen-music", arguments: ["song": "s1"], by: limited)
      #expect(await run.finished().status == .done)
      #expect(await Self.report(in: theater).activity == "music")
    }
  }

  @Test("a film that was begun with the player's own command is not a guest's either")
  func ownCommand() async throws {
    try await Theater(plan: Self.plan).live { theater in
      _ = try await theater.facade.perform("on", on: "amp", until: .settled, by: .owner)
      _ = try await theater.facade.perform(
        ["input": "dvd"], on: "amp", until: .settled, by: .owner)
      #expect(await eventually { await theater.facade.snapshot(of: "amp")?.state.input == "dvd" })
      _ = try await theater.facade.perform(
        ["play": ["item": "f1"]], on: "dvd", until: .settled, by: .owner)
      await Self.waitForStatus(.playing, of: "dvd", in: theater)
      theater.journal.clear()
      let refusals = await Self.attempts(theater.facade, by: Self.guest)
      #expect(refusals.allSatisfy { $0 != nil })
      #expect(theater.journal.lines.filter { !$0.contains(" plug ") }.isEmpty)
      // A player that is not heard blocks no guest.
      _ = try await theater.facade.perform(
        ["input": "cd"], on: "amp", until: .settled, by: .owner)
      #expect(await eventually { await theater.facade.snapshot(of: "amp")?.state.input == "cd" })
      _ = try await theater.facade.begin(
        "music", item: "s1", fromStart: false, by: Self.guest)
    }
  }
}
