import Devices
import JSON
import Scenes
import TestSupport
import Testing

@testable import HomeTheater

/// No operation runs with more rights than the requesting user has.
@Suite struct OperationRightsTests {
  private static let child = AgeLimitMonitorTests.child

  /// The evening with one rated film fewer: everything that the library knows is for a child.
  private static let forChildren: TheaterPlan = {
    var plan = TheaterPlan.rated
    plan.library.films.removeAll { $0.id == "f2" }
    return plan
  }()

  /// The evening with ratings and scenes of these commands for the DVD player.
  private static func plan(_ scenes: [String: [Step]]) -> TheaterPlan {
    var plan = TheaterPlan.rated
    for (name, steps) in scenes { plan.scenes[name] = Scene(name: name, steps: steps) }
    return plan
  }

  private static let playFilm = TheaterPlan.step("dvd", .dvdPlayer, ["play": ["item": "f1"]])

  /// Runs `body` in a theater where a user without limits has begun the film for everyone.
  private static func evening(
    _ plan: TheaterPlan = .rated,
    _ body: @Sendable (Theater, AgeLimitMonitorTests.Stops) async throws -> Void
  ) async throws {
    let stops = AgeLimitMonitorTests.Stops()
    try await Theater(plan: plan, limitStopped: { stops.record($0) }).live { theater in
      let begun = try await theater.facade.begin("film", item: "f1", fromStart: false, user: "ann")
      #expect(await begun.run.finished().status == .done)
      #expect(await AgeLimitMonitorTests.waitUntilPlaying("f1", in: theater))
      theater.journal.clear()
      try await body(theater, stops)
    }
  }

  /// Has the DVD player report this, and waits until the facade has seen it.
  private static func report(_ playback: Playback, in theater: Theater) async {
    await theater["dvd"].report(.playback, playback.json)
    #expect(
      await eventually { await theater.facade.snapshot(of: "dvd")?.state.playback == playback })
  }

  /// Waits until the player was stopped that has gone on to an item above the limit.
  private static func isStopped(
    goingOnTo item: String, _ theater: Theater, _ stops: AgeLimitMonitorTests.Stops
  ) async -> Bool {
    await AgeLimitMonitorTests.advancePlayer(to: item, in: theater)
    return await eventually { stops.all.map(\.player) == ["dvd"] }
  }

  @Test(
    "resuming a player that has stopped counts as a choice of the person who resumes",
    arguments: [
      (Playback(.stopped), true), (Playback(.stopped, item: "f1"), true),
      (Playback(.failed, item: "f1"), false),
    ])
  func resumingWhatHasStopped(playback: Playback, isUnknown: Bool) async throws {
    // The item that a stopped player begins with is not known; it need not be the reported one. A player that has
    // failed is told its item again.
    try await Self.evening { theater, _ in
      await Self.report(playback, in: theater)
      let refused = await refusal { () async throws(TheaterError) in
        try await theater.facade.resume(by: Self.child)
      }
      #expect(refused?.code == (isUnknown ? .forbidden : nil))
      let commands = theater.journal.lines.filter { !$0.contains(" plug ") }
      #expect(commands == (isUnknown ? [] : [#"dvd {"play":{"item":"f1"}}"#]))
    }
    try await Self.evening(Self.forChildren) { theater, stops in
      await Self.report(playback, in: theater)
      try await theater.facade.resume(by: Self.child)
      #expect(await Self.isStopped(goingOnTo: "x9", theater, stops))
    }
  }

  @Test("a film that has ended is begun again within the limit of the person who resumes")
  func resumingWhatHasEnded() async throws {
    var plan = Self.forChildren
    plan.activities["film"]?.whenEnded = .stay
    try await Self.evening(plan) { theater, stops in
      await Self.report(Playback(.ended, item: "f1", position: 90), in: theater)
      try await theater.facade.resume(by: Self.child)
      #expect(await Self.isStopped(goingOnTo: "x9", theater, stops))
    }
  }

  /// Ways to let another user's film go on.
  enum GoingOn: CaseIterable {
    case resume, command, seek, seekCommand, scene

    func happens(in theater: Theater, by principal: Principal) async throws(TheaterError) {
      let facade = theater.facade
      switch self {
      case .resume: try await facade.resume(by: principal)
      case .command:
        _ = try await facade.perform("play", on: "dvd", until: .settled, by: principal)
      case .seek: try await facade.seek(80, isRelative: false, by: principal)
      case .seekCommand:
        _ = try await facade.perform(["seek": 80], on: "dvd", until: .settled, by: principal)
      case .scene:
        _ = await (try await facade.runScene("go-on", arguments: [:], by: principal)).finished()
      }
    }
  }

  @Test(
    "what follows a film by itself is within the limit of the person who let it go on",
    arguments: GoingOn.allCases)
  func goingOn(way: GoingOn) async throws {
    let plan = Self.plan(["go-on": [TheaterPlan.step("dvd", .dvdPlayer, "play")]])
    try await Self.evening(plan) { theater, stops in
      await Self.report(Playback(.paused, item: "f1", position: 1), in: theater)
      try await way.happens(in: theater, by: Self.child)
      #expect(await Self.isStopped(goingOnTo: "f2", theater, stops))
      // A new choice is not limited by other users.
      let begun = try await theater.facade.begin("film", item: "f1", fromStart: false, user: "ann")
      #expect(await begun.run.finished().status == .done)
      #expect(await AgeLimitMonitorTests.waitUntilPlaying("f1", in: theater))
      await AgeLimitMonitorTests.advancePlayer(to: "f2", in: theater)
      #expect(
        await eventually { await theater.facade.ageLimits.limits["dvd"]?.permittedItem == "f2" })
      #expect(stops.all.count == 1)
    }
    try await Self.evening(plan) { theater, _ in
      await Self.report(Playback(.paused, item: "f2", position: 1), in: theater)
      let refused = await refusal { () async throws(TheaterError) in
        try await way.happens(in: theater, by: Self.child)
      }
      #expect(refused?.code == .forbidden)
    }
  }

  @Test("a person's choice stands against a scene that comes to its own item later")
  func lateStep() async throws {
    let lights = TheaterPlan.step("lights", .lights, ["dim": 20])
    let plan = Self.plan(["later": [lights, Self.playFilm]])
    try await Self.evening(plan) { theater, stops in
      await theater["lights"].hold("dim")
      let run = try await theater.facade.runScene("later", arguments: [:], by: Self.child)
      await theater["lights"].waitForHeldCommand()
      _ = try await theater.facade.perform(["play": ["item": "f2"]], on: "dvd", until: .accepted)
      #expect(
        await eventually { await theater.facade.ageLimits.limits["dvd"]?.permittedItem == "f2" })
      await theater["lights"].release()
      #expect(await run.finished().status == .done)
      #expect(run.report.nodes.last?.omission == .person)
      #expect(await theater["dvd"].snapshot().state.playback?.item == "f2")
      #expect(stops.all.isEmpty)
    }
  }

  @Test("what an end scene plays stays within the limit of the person who ended")
  func endScene() async throws {
    try await Self.evening(Self.plan(["end-film": [Self.playFilm]])) { theater, stops in
      let run = try await theater.facade.end(by: Self.child)
      #expect(await run.finished().status == .done)
      #expect(await eventually { await theater.facade.report.status == .idle })
      #expect(await Self.isStopped(goingOnTo: "f2", theater, stops))
    }
  }

  @Test("playback that continues after an activity stays within its user's age limit")
  func playsOn() async throws {
    let lights = TheaterPlan.step("lights", .lights, "on")
    let stops = AgeLimitMonitorTests.Stops()
    let plan = Self.plan(["end-film": [lights]])
    try await Theater(plan: plan, limitStopped: { stops.record($0) }).live { theater in
      let begun = try await theater.facade.begin(
        "film", item: "f1", fromStart: false, by: Self.child.named("ben"))
      #expect(await begun.run.finished().status == .done)
      #expect(await AgeLimitMonitorTests.waitUntilPlaying("f1", in: theater))
      _ = await (try await theater.facade.end()).finished()
      #expect(await eventually { await theater.facade.report.status == .idle })
      #expect(await Self.isStopped(goingOnTo: "f2", theater, stops))
    }
  }

  @Test("a player that starts anew and goes on keeps to the limit of the person who chose")
  func restart() async throws {
    let stops = AgeLimitMonitorTests.Stops()
    try await Theater(plan: .rated, limitStopped: { stops.record($0) }).live { theater in
      _ = try await theater.facade.perform(
        ["play": ["item": "f1"]], on: "dvd", until: .settled, by: Self.child)
      #expect(await AgeLimitMonitorTests.waitUntilPlaying("f1", in: theater))
      await theater["dvd"].restart()
      await Self.report(Playback(.stopped), in: theater)
      await AgeLimitMonitorTests.advancePlayer(to: "f1", in: theater)
      #expect(await AgeLimitMonitorTests.waitUntilPlaying("f1", in: theater))
      #expect(await Self.isStopped(goingOnTo: "f2", theater, stops))
    }
  }

  @Test(
    "a choice counts although the answer to its command was lost",
    arguments: [DeviceError.Code.unavailable, .cancelled, .failed, .timeout])
  func lostCommand(code: DeviceError.Code) async throws {
    try await Self.evening { theater, stops in
      await theater["dvd"].fail("play", with: DeviceError(code, "its plugin has ended"))
      _ = await refusal { () async throws(TheaterError) in
        try await theater.facade.perform(
          ["play": ["item": "f3"]], on: "dvd", until: .settled, by: Self.child)
      }
      // The new process goes on with the item of the command that was lost.
      await AgeLimitMonitorTests.advancePlayer(to: "f3", in: theater)
      #expect(await AgeLimitMonitorTests.waitUntilPlaying("f3", in: theater))
      #expect(await Self.isStopped(goingOnTo: "f2", theater, stops))
    }
  }

  @Test("a refused command of another person reverts no newer choice")
  func newerChoice() async throws {
    try await Self.evening { theater, stops in
      await Self.report(Playback(.paused, item: "f1", position: 1), in: theater)
      await theater["dvd"].hold("play")
      await theater["dvd"].fail("play", with: DeviceError(.notNow, "the tray is open"))
      async let refused = refusal { () async throws(TheaterError) in
        try await theater.facade.perform("play", on: "dvd", until: .accepted)
      }
      await theater["dvd"].waitForHeldCommand()
      await theater.facade.ageLimits.recordChoice(on: "dvd", by: Self.child)
      await theater["dvd"].release()
      #expect(await refused?.code == .notNow)
      #expect(await Self.isStopped(goingOnTo: "f2", theater, stops))
    }
  }

  // MARK: Volume and activities

  private static let guest = Principal(volumeLimit: 30)

  private static func amplifier(_ json: JSON) -> Step {
    TheaterPlan.step("amp", .amplifier, json)
  }

  /// Runs a scene of these commands for a guest, with the amplifier at this volume before.
  private static func commands(_ commands: [JSON], from volume: Int?) async throws -> [String] {
    let plan = Self.plan(["sound": commands.map(amplifier)])
    let theater = Theater(plan: plan)
    try await theater.live { theater in
      if let volume {
        await theater["amp"].report(.volume, .integer(volume))
        #expect(
          await eventually { await theater.facade.snapshot(of: "amp")?.state.volume == volume })
      }
      let run = try await theater.facade.runScene("sound", arguments: [:], by: guest)
      #expect(await run.finished().status == .done)
    }
    return theater.journal.lines.filter { $0.hasPrefix("amp") }
  }

  @Test("a scene turns a louder amplifier down before a guest's command lets it be heard")
  func unmutes() async throws {
    let softer = #"amp {"volume":30}"#
    #expect(
      try await Self.commands([["input": "cd"], "unmute", ["volume": 25]], from: 80) == [
        softer, #"amp {"input":"cd"}"#, #"amp "unmute""#, #"amp {"volume":25}"#,
      ])
    #expect(try await Self.commands(["unmute"], from: 20) == [#"amp "unmute""#])
    #expect(try await Self.commands(["unmute"], from: nil) == [softer, #"amp "unmute""#])
  }

  @Test("an amplifier that turns on louder than a guest may have it is turned down at once")
  func startsLouder() async throws {
    let plan = Self.plan(["sound": [Self.amplifier("on"), Self.amplifier(["input": "cd"])]])
    try await Theater(plan: plan).live { theater in
      await theater["amp"].report(.volume, 20)
      await theater["amp"].hold("on")
      let run = try await theater.facade.runScene("sound", arguments: [:], by: Self.guest)
      await theater["amp"].waitForHeldCommand()
      await theater["amp"].report(.volume, 60)
      await theater["amp"].release()
      #expect(
        await theater.journal(of: run) == [
          #"amp "on""#, #"amp {"volume":30}"#, #"amp {"input":"cd"}"#,
        ])
    }
  }

  @Test("a guest turns off nothing while what others began is on")
  func off() async throws {
    let guest = Principal(activities: ["music"])
    try await Self.evening { theater, _ in
      let refused = await refusal { () async throws(TheaterError) in
        try await theater.facade.turnEverythingOff(by: guest)
      }
      #expect(refused?.code == .forbidden)
      #expect(theater.journal.lines.filter { !$0.contains(" plug ") }.isEmpty)
    }
  }
}
