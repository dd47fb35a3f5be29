import JSON
import Scenes
import TestSupport
import Testing

@testable import Devices
@testable import HomeTheater

/// The limits of requests that name neither an item nor a volume: resuming, scenes and ends.
@Suite struct LimitTests {
  private static let child = Principal(ageLimit: 12)
  private static let guest = Principal(permissions: [.view, .play], volumeLimit: 30)

  /// The plan of rated films, with `steps` as the end scene of the film activity.
  private static func evening(endingWith steps: [Step]) -> TheaterPlan {
    var plan = TheaterPlan.rated
    plan.scenes["end-film"] = Scene(name: "end-film", steps: steps)
    return plan
  }

  private static func dvd(_ json: JSON) -> Step { TheaterPlan.step("dvd", .dvdPlayer, json) }

  /// Sends `play` without an item to the DVD player, and returns its refusal.
  private static func play(_ theater: Theater, by principal: Principal) async -> TheaterError? {
    await refusal { () async throws(TheaterError) in
      try await theater.facade.perform("play", on: "dvd", until: .accepted, by: principal)
    }
  }

  /// Lets the DVD player report `playback`, and waits until the facade has received it.
  private static func report(_ playback: Playback, in theater: Theater) async -> Bool {
    await theater["dvd"].report(.playback, playback.json)
    return await eventually {
      await theater.facade.snapshot(of: "dvd")?.state.playback == playback
    }
  }

  @Test("a user with an age limit cannot resume a player that reports no film")
  func unknownItem() async throws {
    try await Theater(plan: .rated).live { theater in
      // A stopped player reports no item, but `play` starts the item that it still holds.
      _ = try await theater.facade.perform(["play": ["item": "f2"]], on: "dvd", until: .settled)
      #expect(await Self.report(Playback(.stopped), in: theater))
      theater.journal.clear()
      #expect(await Self.play(theater, by: Self.child)?.code == .forbidden)
      #expect(theater.journal.lines.filter { !$0.contains(" plug ") }.isEmpty)
      // A user who may watch everything in the library may watch this too.
      let grown = Principal(ageLimit: 16)
      #expect(await Self.play(theater, by: grown) == nil)
      #expect(await Self.report(Playback(.paused, item: "f1"), in: theater))
      #expect(await Self.play(theater, by: Self.child) == nil)
    }
  }

  @Test(
    "checks a scene step that resumes a player against the item that it resumes",
    arguments: [
      (["play"], nil, false), (["play"], "f1", true), (["play"], "f2", false),
      (["stop", "play"], "f1", false), (["next"], "f1", false),
      ([["play": ["item": "f1"]], "pause", "play"], nil, true),
      ([["play": ["item": "f1"]], "stop", "play"], nil, false),
      ([["play": ["item": "f1"]], "off", "on", "play"], "f1", false),
    ] as [([JSON], String?, Bool)])
  func sceneSteps(commands: [JSON], item: String?, isAllowed: Bool) async throws {
    var plan = TheaterPlan.rated
    plan.scenes["go-on"] = Scene(name: "go-on", steps: commands.map(Self.dvd))
    try await Theater(plan: plan).live { theater in
      if let item { #expect(await Self.report(Playback(.paused, item: item), in: theater)) }
      let refused = await refusal { () async throws(TheaterError) in
        try await theater.facade.runScene("go-on", arguments: [:], by: Self.child)
      }
      #expect(refused?.code == (isAllowed ? nil : .forbidden))
    }
  }

  @Test("checks a resume against the player's item, not the started one")
  func resuming() async throws {
    var plan = TheaterPlan.rated
    plan.scenes["surprise"] = Scene(
      name: "surprise", steps: [Self.dvd(["play": ["item": "f2"]])])
    plan.activities["surprise"] = Activity(
      name: "surprise", start: "surprise", end: "end-film", player: "dvd")
    try await Theater(plan: plan).live { theater in
      let facade = theater.facade
      // The scene names the film; the activity itself has no item.
      let begun = try await facade.begin("surprise", item: nil, fromStart: false, user: "ann")
      #expect(await begun.run.finished().status == .done)
      #expect(await Self.report(Playback(.paused, item: "f2"), in: theater))
      let fixed = await refusal { () async throws(TheaterError) in
        try await facade.resume(by: Self.child)
      }
      #expect(fixed?.code == .forbidden)
      // The player has moved on to another item than the started one.
      let film = try await facade.begin("film", item: "f1", fromStart: false, user: "ann")
      #expect(await film.run.finished().status == .done)
      #expect(await Self.report(Playback(.paused, item: "f2", position: 1), in: theater))
      let next = await refusal { () async throws(TheaterError) in
        try await facade.resume(by: Self.child)
      }
      #expect(next?.code == .forbidden)
      #expect(await Self.report(Playback(.paused, item: "f1", position: 1), in: theater))
      #expect(try await facade.resume(by: Self.child) == .observed)
    }
  }

  @Test("lowers an end scene's volume to the guest's limit")
  func endVolume() async throws {
    let amp = TheaterPlan.step("amp", .amplifier, ["volume": 95])
    try await Theater(plan: Self.evening(endingWith: [amp])).live { theater in
      let begun = try await theater.facade.begin(
        "film", item: "f1", fromStart: false, by: Self.guest)
      _ = await begun.run.finished()
      try await theater.facade.changeVolume(.to(20))
      theater.journal.clear()
      let run = try await theater.facade.end(by: Self.guest)
      #expect(await theater.journal(of: run) == ["amp {\"volume\":30}"])
      #expect(run.report.status == .done)
    }
  }

  @Test("the end scene of a guest's film stays within the guest's volume limit")
  func endOfItem() async throws {
    let amp = TheaterPlan.step("amp", .amplifier, ["volume": 95])
    try await Theater(plan: Self.evening(endingWith: [amp])).live { theater in
      let begun = try await theater.facade.begin(
        "film", item: "f1", fromStart: false, by: Self.guest)
      _ = await begun.run.finished()
      #expect(await eventually { await theater.facade.report.status == .running })
      try await theater.facade.changeVolume(.to(20))
      theater.journal.clear()
      await theater["dvd"].report(.playback, Playback(.ended, item: "f1").json)
      #expect(await eventually { await theater.facade.report.status == .idle })
      #expect(theater.journal.lines.filter { $0.contains("volume") } == ["amp {\"volume\":30}"])
    }
  }

  @Test(
    "E15 · a guest who lets a player be heard turns a louder amplifier down first",
    arguments: ["resume", "next", "seek"])
  func resumed(_ operation: String) async throws {
    try await Theater(plan: .evening).live { theater in
      let facade = theater.facade
      let begun = try await facade.begin("music", item: "s1", fromStart: false, user: "ann")
      _ = await begun.run.finished()
      try await facade.changeVolume(.to(90))
      try await facade.pause()
      theater.journal.clear()
      switch operation {
      case "resume": try await facade.resume(by: Self.guest)
      case "next": try await facade.next(by: Self.guest)
      default: try await facade.seek(5, isRelative: false, by: Self.guest)
      }
      let commands = theater.journal.lines.filter { !$0.contains(" plug ") }
      #expect(commands.first == "amp {\"volume\":30}" && commands.count == 2, "\(commands)")
      // A volume within the limit stays.
      theater.journal.clear()
      try await facade.pause(by: Self.guest)
      try await facade.resume(by: Self.guest)
      #expect(!theater.journal.lines.contains { $0.contains("volume") })
    }
  }

  /// Runs `body` while a guest's resume waits until the amplifier has been turned down, and returns the refusal of the
  /// resume.
  private static func resumeWaiting(
    in theater: Theater, after silencing: JSON = "pause", _ body: () async throws -> Void
  ) async throws -> TheaterError? {
    let facade = theater.facade
    let begun = try await facade.begin("music", item: "s1", fromStart: false, user: "ann")
    _ = await begun.run.finished()
    try await facade.changeVolume(.to(90))
    _ = try await facade.perform(silencing, on: "cd", until: .settled, by: .owner)
    await theater["amp"].hold("volume")
    async let resumed = refusal { () async throws(TheaterError) in
      try await facade.resume(by: Self.guest)
    }
    await theater["amp"].waitForHeldCommand()
    theater.journal.clear()
    try await body()
    await theater["amp"].release()
    return await resumed
  }

  @Test(
    "E11 E15 · a pause or an end takes the place of a guest's resume that waits for a lower volume",
    arguments: ["guest", "owner", "end"])
  func pausedMeanwhile(_ later: String) async throws {
    try await Theater().live { theater in
      let error = try await Self.resumeWaiting(in: theater) {
        switch later {
        case "guest": try await theater.facade.pause(by: Self.guest)
        case "owner": try await theater.facade.pause()
        default: _ = await (try await theater.facade.end()).finished()
        }
      }
      #expect(error?.code == .cancelled)
      #expect(!theater.journal.lines.contains(#"cd "play""#), "\(theater.journal.lines)")
      #expect(await theater["cd"].snapshot().state.playback?.status != .playing)
    }
  }

  @Test(
    "E11 E15 · the end takes the place of a guest's resume also where the player is stopped already"
  )
  func endedWhileStopped() async throws {
    try await Theater().live { theater in
      let error = try await Self.resumeWaiting(in: theater, after: "stop") {
        _ = await (try await theater.facade.end()).finished()
      }
      #expect(error?.code == .cancelled)
      #expect(!theater.journal.lines.contains(#"cd "play""#), "\(theater.journal.lines)")
    }
  }

  @Test("E11 E15 · a guest's resume after the pause plays, although an earlier one was replaced")
  func resumedAgain() async throws {
    try await Theater().live { theater in
      let facade = theater.facade
      let error = try await Self.resumeWaiting(in: theater) {
        try await facade.pause(by: Self.guest)
        let again = Task { try await facade.resume(by: Self.guest) }
        await theater["amp"].waitForHeldCommands(2)
        await theater["amp"].release()
        _ = try await again.value
      }
      #expect(error?.code == .cancelled)
      let player = theater.journal.lines.filter { $0.hasPrefix("cd ") && !$0.contains(" plug ") }
      #expect(player == [#"cd "pause""#, #"cd "play""#])
    }
  }

  @Test("E15 · a mute takes the place of a guest's unmute that waits for a lower volume")
  func mutedMeanwhile() async throws {
    try await Theater().live { theater in
      let (facade, amplifier) = (theater.facade, theater["amp"])
      try await facade.changeVolume(.to(90))
      try await facade.changeVolume(.mute)
      await amplifier.hold("volume")
      async let unmuted = refusal { () async throws(TheaterError) in
        try await facade.changeVolume(.unmute, by: Self.guest)
      }
      await amplifier.waitForHeldCommand()
      try await facade.changeVolume(.mute)
      await amplifier.release()
      #expect(await unmuted?.code == .cancelled)
      #expect(!theater.journal.lines.contains(#"amp "unmute""#))
    }
  }

  @Test("refuses an end scene that plays an item above the user's age limit")
  func endRating() async throws {
    let steps = [Self.dvd(["play": ["item": "f2"]])]
    try await Theater(plan: Self.evening(endingWith: steps)).live { theater in
      let facade = theater.facade
      let begun = try await facade.begin("film", item: "f1", fromStart: false, user: "ann")
      _ = await begun.run.finished()
      theater.journal.clear()
      let ended = await refusal { () async throws(TheaterError) in
        try await facade.end(by: Self.child)
      }
      #expect(ended?.code == .forbidden)
      // A switch to another activity would run the same end steps first.
      let switched = await refusal { () async throws(TheaterError) in
        try await facade.begin(
          "music", item: "s1", fromStart: false, by: Self.child)
      }
      #expect(switched?.code == .forbidden)
      #expect(theater.journal.lines.filter { !$0.contains(" plug ") }.isEmpty)
      #expect(await facade.report.item == "f1")
    }
  }

  @Test("F3 · a guest's volume limit holds for the volume of a device of any role")
  func volumeOfAnotherRole() async throws {
    let directory = DeviceDirectory(devices: [], plan: .evening)
    let library = Library(
      directory: directory, events: EventLog(), clock: ManualClock(), log: { _ in })
    let policy = AccessPolicy(directory: directory, library: library)
    func check(volume: Int) async throws -> TheaterError? {
      let row = try #require(Role.amplifier.command(named: "volume"))
      let command = Command(role: .tuner, spec: row, argument: .integer(volume))
      return await refusal { () async throws(TheaterError) in
        try await policy.checkLimits(
          of: command, for: "tuner", in: DeviceState(), of: HouseState(), by: Self.guest)
      }
    }
    #expect(try await check(volume: 31)?.code == .forbidden)
    #expect(try await check(volume: 30) == nil)
  }
}
