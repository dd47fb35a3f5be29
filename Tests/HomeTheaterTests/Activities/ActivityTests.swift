import Devices
import JSON
import Scenes
import Synchronization
import TestSupport
import Testing

@testable import HomeTheater

@Suite struct ActivityTests {
  @Test("E12 E11 F3 · watching a film commands every device in the order of the source")
  func film() async throws {
    try await Theater().live { theater in
      let begun = try await theater.facade.begin(
        "film", item: "The Long Take", fromStart: false, user: "ann")
      #expect(
        await theater.journal(of: begun.run) == [
          #"popper "on""#, #"popper "pop""#, #"lights {"dim":10}"#, #"screen "down""#,
          #"projector "on""#, #"amp "on""#, #"amp {"input":"dvd"}"#, #"amp "surround""#,
          #"amp {"volume":50}"#, #"dvd "on""#, #"dvd {"play":{"item":"f1"}}"#,
        ])
      #expect(begun.run.report.status == .done)
      let report = await theater.facade.report
      #expect(report.status == .running)
      #expect(report.itemTitle == "The Long Take")
    }
  }

  @Test("E12 · ending the film commands every device in the order of the source")
  func endOfFilm() async throws {
    try await Theater().live { theater in
      let begun = try await theater.facade.begin("film", item: "f1", fromStart: false, user: "ann")
      _ = await begun.run.finished()
      theater.journal.clear()
      let run = try await theater.facade.end()
      #expect(
        await theater.journal(of: run) == [
          #"popper "off""#, #"lights "on""#, #"screen "up""#, #"projector "off""#, #"amp "off""#,
          #"dvd "stop""#, #"dvd "eject""#, #"dvd "off""#,
        ])
      #expect(await theater.facade.report.status == .idle)
    }
  }

  @Test("E11 · `waitUntilIdle` returns at the end of the activity, and at once while nothing is on")
  func idle() async throws {
    try await Theater().live { theater in
      await theater.facade.waitUntilIdle()
      _ = try await theater.facade.begin("film", item: "f1", fromStart: false, user: "ann")
      let returned = Mutex(false)
      async let waiting: Void = {
        await theater.facade.waitUntilIdle()
        returned.withLock { $0 = true }
      }()
      for _ in 1...100 { await Task.yield() }
      #expect(!returned.withLock { $0 })
      _ = try await theater.facade.end()
      await waiting
    }
  }

  @Test("E13 · music commands amplifier, input, stereo, player and play; its end turns them off")
  func music() async throws {
    try await Theater().live { theater in
      let begun = try await theater.facade.begin("music", item: "s1", fromStart: false, user: "a")
      #expect(
        await theater.journal(of: begun.run) == [
          #"amp "on""#, #"amp {"input":"cd"}"#, #"amp "stereo""#, #"cd "on""#,
          #"cd {"play":{"item":"s1"}}"#,
        ])
      theater.journal.clear()
      #expect(
        await theater.journal(of: try await theater.facade.end()) == [
          #"amp "off""#, #"cd "stop""#, #"cd "eject""#, #"cd "off""#,
        ])
    }
  }

  @Test(
    "E14 · accepts a frequency with a point or a comma, and refuses one outside every band",
    arguments: [
      ("98,5", nil), ("fm 98,5", nil), ("98.5 FM", nil), ("200 FM", "200 FM"), ("5000", "5000"),
      ("98.5 AM", "98.5 AM"), ("Jaz", nil), ("Rock", "no station"),
    ] as [(String, String?)])
  func frequencies(text: String, complaint: String?) async throws {
    let theater = Theater()
    do throws(TheaterError) {
      let begun = try await theater.facade.begin("radio", item: text, fromStart: false, user: "a")
      #expect(complaint == nil)
      let lines = await theater.journal(of: begun.run)
      #expect(lines.last == #"tuner {"fm":98.5}"#)
    } catch {
      #expect(complaint.map { error.message.contains($0) } == true, "\(error.message)")
      #expect(error.hint?.contains(text == "Rock" ? "stations" : "76 to 108 MHz") == true)
    }
  }

  @Test(
    "E14 · tunes a station by its name, and by a frequency on FM or AM",
    arguments: [
      ("Jazz", #"tuner {"fm":98.5}"#), ("98.5 FM", #"tuner {"fm":98.5}"#),
      ("101.2", #"tuner {"fm":101.2}"#), ("720 AM", #"tuner {"am":720}"#),
    ])
  func radio(text: String, expected: String) async throws {
    try await Theater().live { theater in
      let begun = try await theater.facade.begin("radio", item: text, fromStart: false, user: "a")
      #expect(
        await theater.journal(of: begun.run) == [
          #"amp "on""#, #"amp {"input":"tuner"}"#, #"amp "stereo""#, #"tuner "on""#, expected,
        ])
      theater.journal.clear()
      #expect(
        await theater.journal(of: try await theater.facade.end()) == [
          #"amp "off""#, #"tuner "off""#,
        ])
    }
  }

  @Test("E11 · a switch keeps the devices of the next activity on, and ends the rest")
  func switching() async throws {
    try await Theater().live { theater in
      let film = try await theater.facade.begin("film", item: "f1", fromStart: false, user: "a")
      _ = await film.run.finished()
      theater.journal.clear()
      let music = try await theater.facade.begin("music", item: "s1", fromStart: false, user: "a")
      // The amplifier is on already, so neither "off" nor "on" is sent to it.
      #expect(
        await theater.journal(of: music.run) == [
          #"popper "off""#, #"lights "on""#, #"screen "up""#, #"projector "off""#, #"dvd "stop""#,
          #"dvd "eject""#, #"dvd "off""#, #"amp {"input":"cd"}"#, #"amp "stereo""#,
          #"cd "on""#, #"cd {"play":{"item":"s1"}}"#,
        ])
    }
  }

  @Test(
    "E11 · a switch does not wait where no command of the end is left",
    arguments: [.wait(.seconds(5)), TheaterPlan.step("lights", .lights, "on")] as [Step])
  func switchingWithoutWaits(last: Step) async throws {
    var plan = TheaterPlan.evening
    let amplifier = TheaterPlan.step("amp", .amplifier, "off")
    plan.scenes["end-film"]?.steps = [.sequence([amplifier, .wait(.seconds(5))]), last]
    let theater = Theater(plan: plan)
    let film = try await theater.facade.begin("film", item: "f1", fromStart: true, user: "a")
    #expect(await film.run.finished().status == .done)
    let music = try await theater.facade.begin("music", item: "s1", fromStart: true, user: "a")
    #expect(!music.run.report.nodes.contains { $0.json["kind"] == "wait" })
  }

  @Test("E17 E17b · a failed step is reported with its device and number, and completed steps stay")
  func failure() async throws {
    try await Theater().live { theater in
      await theater["projector"].fail(
        "on", with: DeviceError(.failed, "the lamp is broken", hint: "Replace the lamp."))
      let begun = try await theater.facade.begin("film", item: "f1", fromStart: false, user: "a")
      let report = await begun.run.finished()
      #expect(report.status == .failed)
      #expect(report.error?.device == "projector")
      #expect(report.error?.step == "5")
      #expect(report.error?.message == "the lamp is broken")
      #expect(report.error?.hint == "Replace the lamp.")
      #expect(report.nodes.prefix(4).allSatisfy { [.done, .accepted].contains($0.status) })
      #expect(report.nodes.dropFirst(5).allSatisfy { $0.status == .waiting })
      #expect(await theater.facade.report.status == .failed)
      #expect(await theater["lights"].snapshot().state.brightness == 10)
      // A failed activity can be ended.
      #expect(await (try await theater.facade.end()).finished().status == .done)
    }
  }

  @Test("E17 · reports the failure of a step that may fail, and continues the film")
  func continuing() async throws {
    try await Theater().live { theater in
      await theater["popper"].fail("on", with: DeviceError(.unavailable, "no answer"))
      let begun = try await theater.facade.begin("film", item: "f1", fromStart: false, user: "a")
      let report = await begun.run.finished()
      #expect(report.status == .done)
      #expect(report.nodes.first?.status == .failed)
      #expect(report.nodes.first?.error?.message == "no answer")
      #expect(await theater["dvd"].snapshot().state.playback?.status == .playing)
    }
  }

  @Test("E12 E17 · ending a film that is beginning cancels its run, and skips a player that is off")
  func endingEarly() async throws {
    try await Theater().live { theater in
      await theater["projector"].hold("on")
      await theater["dvd"].report(.power, "off")
      for command in ["stop", "eject"] {
        await theater["dvd"].fail(command, with: DeviceError(.notNow, "the DVD player is off"))
      }
      let begun = try await theater.facade.begin("film", item: "f1", fromStart: false, user: "a")
      await theater["projector"].waitForHeldCommand()
      let ending = try await theater.facade.end()
      #expect(await begun.run.finished().status == .cancelled)
      #expect(await ending.finished().status == .done)
      #expect(!theater.journal.lines.contains { $0.contains("play") })
    }
  }

  @Test("E12 E17 · ending early skips no command for a device with a command on its way")
  func endingEarlyWithCommandUnderWay() async throws {
    let theater = Theater()
    await theater["lights"].report(.brightness, 100)
    await theater["lights"].hold("dim")
    let begun = try await theater.facade.begin("film", item: "f1", fromStart: true, user: "a")
    await theater["lights"].waitForHeldCommand()
    let ending = try await theater.facade.end()
    #expect(await begun.run.finished().status == .cancelled)
    #expect(await ending.finished().status == .done)
    #expect(theater.journal.lines.contains(#"lights "on""#))
    // The end was carried out after it: the next report counts again.
    theater.journal.clear()
    await theater["lights"].report(.brightness, 10)
    let again = try await theater.facade.begin("film", item: "f1", fromStart: true, user: "a")
    #expect(await again.run.finished().status == .done)
    #expect(!theater.journal.lines.contains(#"lights {"dim":10}"#))
  }

  @Test(
    "E12 E17 · the end of an earlier scene makes no device certain that a later run left uncertain")
  func earlierSceneEndsLater() async throws {
    var plan = TheaterPlan.evening
    let on = TheaterPlan.step("lights", .lights, "on")
    plan.scenes["long"] = Scene(name: "long", steps: [on, .wait(.seconds(60))])
    plan.scenes["bright"] = Scene(name: "bright", steps: [on])
    let theater = Theater(plan: plan)
    let long = try await theater.facade.runScene("long", arguments: [:])
    await theater.clock.waitForSleepers(1)
    await theater["lights"].report(.brightness, 100)
    await theater["lights"].hold("dim")
    let film = try await theater.facade.begin("film", item: "f1", fromStart: true, user: "a")
    await theater["lights"].waitForHeldCommand()
    _ = try await theater.facade.cancelRun(id: film.run.id, by: .owner)
    theater.clock.advance(by: .seconds(60))
    #expect(await long.finished().status == .done)
    let bright = try await theater.facade.runScene("bright", arguments: [:])
    #expect(await bright.finished().status == .done)
    #expect(theater.journal.lines.last == #"lights "on""#)
  }

  @Test(
    "E12 E17 · a scene after a cancelled run skips no command for a device with a command on its way",
    arguments: ["film", "bedtime"])
  func sceneAfterCancelledRun(cancelled: String) async throws {
    var plan = TheaterPlan.evening
    plan.scenes["bedtime"] = Scene(
      name: "bedtime", steps: [TheaterPlan.step("lights", .lights, ["dim": 10])])
    plan.scenes["bright"] = Scene(
      name: "bright", steps: [TheaterPlan.step("lights", .lights, "on")])
    let theater = Theater(plan: plan)
    await theater["lights"].report(.brightness, 100)
    await theater["lights"].hold("dim")
    let run =
      cancelled == "film"
      ? try await theater.facade.begin("film", item: "f1", fromStart: true, user: "a").run
      : try await theater.facade.runScene(cancelled, arguments: [:])
    await theater["lights"].waitForHeldCommand()
    #expect(try await theater.facade.cancelRun(id: run.id, by: .owner).status == .cancelled)
    let bright = try await theater.facade.runScene("bright", arguments: [:])
    #expect(await bright.finished().status == .done)
    #expect(theater.journal.lines.last == #"lights "on""#)
  }

  @Test("E12 E17 · a player that was told to turn on, but stayed off, does not fail the end")
  func playerStayedOff() async throws {
    let theater = Theater()
    await theater["dvd"].report(.power, "off")
    await theater["dvd"].fail("on", with: DeviceError(.failed, "no power"))
    let begun = try await theater.facade.begin("film", item: "f1", fromStart: true, user: "a")
    #expect(await begun.run.finished().status == .failed)
    for command in ["stop", "eject"] {
      await theater["dvd"].fail(command, with: DeviceError(.notNow, "the DVD player is off"))
    }
    #expect(await (try await theater.facade.end()).finished().status == .done)
    #expect(theater.journal.lines.suffix(3) == [#"dvd "stop""#, #"dvd "eject""#, #"dvd "off""#])
  }

  @Test("E11 · the end of the film ends the activity")
  func whenEnded() async throws {
    try await Theater().live { theater in
      let begun = try await theater.facade.begin("film", item: "f1", fromStart: false, user: "a")
      _ = await begun.run.finished()
      await theater["dvd"].report(
        .playback, Playback(.ended, item: "f1", position: 90, duration: 90).json)
      #expect(await eventually { await theater.facade.report.status == .idle })
      #expect(theater.journal.lines.last == #"dvd "off""#)
    }
  }

  @Test("E12 · a film that begins while popcorn pops makes no second load; a later one does")
  func filmWhilePopcornPops() async throws {
    try await Theater().live { theater in
      let popcorn = try await theater.facade.popcorn()
      #expect(await theater.journal(of: popcorn) == [#"popper "on""#, #"popper "pop""#])
      await theater["popper"].report(.power, "on")
      await theater["popper"].report(.popping, "popping")
      for (popping, isSent) in [("popping", false), ("done", true)] {
        await theater["popper"].report(.popping, .string(popping))
        theater.journal.clear()
        let film = try await theater.facade.begin("film", item: "f1", fromStart: false, user: "a")
        let commands = await theater.journal(of: film.run)
        #expect(commands.contains(#"popper "pop""#) == isSent, "\(popping)")
        #expect(film.run.report.status == .done)
      }
    }
  }

  @Test("E8 · popcorn runs beside the current activity")
  func popcorn() async throws {
    try await Theater().live { theater in
      let music = try await theater.facade.begin("music", item: "s1", fromStart: false, user: "a")
      _ = await music.run.finished()
      theater.journal.clear()
      let run = try await theater.facade.popcorn()
      #expect(await theater.journal(of: run) == [#"popper "on""#, #"popper "pop""#])
      #expect(await theater.facade.report.activity == "music")
    }
  }

  @Test("E17 · an unknown name is refused with the nearest known one")
  func unknowns() async throws {
    let theater = Theater()
    let film = await #expect(throws: TheaterError.self) {
      try await theater.facade.begin("film", item: "The Long Tale", fromStart: false, user: "a")
    }
    #expect(film?.hint == "Did you mean \"The Long Take\"?")
    let activity = await #expect(throws: TheaterError.self) {
      try await theater.facade.begin("flim", item: "x", fromStart: false, user: "a")
    }
    #expect(activity?.hint == "Did you mean \"film\"?")
    #expect(theater.journal.lines.isEmpty)
  }

  @Test("a film title for an activity that plays songs is refused, and the music goes on")
  func itemOfAnotherCategory() async throws {
    let theater = Theater()
    let music = try await theater.facade.begin("music", item: "s1", fromStart: true, user: "a")
    _ = await music.run.finished()
    theater.journal.clear()
    let refused = await refusal { () async throws(TheaterError) in
      try await theater.facade.begin(
        "radio", item: "Jazz", of: .films, fromStart: false, by: .owner)
    }
    #expect(refused?.message == "\"radio\" plays no films")
    #expect(refused?.hint == "These play films: film.")
    #expect(theater.journal.lines.isEmpty)
    #expect(await theater.facade.report.activity == "music")
  }

  @Test("E16 · two facades can control the same devices")
  func twoFacades() async throws {
    let theater = Theater()
    let second = HomeTheaterFacade(
      devices: Array(theater.devices.values), plan: .evening, positions: theater.positions,
      clock: theater.clock)
    let first = try await theater.facade.begin("music", item: "s1", fromStart: true, user: "a")
    _ = await first.run.finished()
    try await second.changeVolume(.to(30))
    #expect(await theater["amp"].snapshot().state.volume == 30)
  }

  @Test("N-A7 · two theaters in one process share neither devices nor activities")
  func twoTheaters() async throws {
    let (here, there) = (Theater(), Theater())
    let begun = try await here.facade.begin("music", item: "s1", fromStart: true, user: "a")
    _ = await begun.run.finished()
    #expect(await here.facade.report.activity == "music")
    #expect(await there.facade.report.status == .idle)
    #expect(there.journal.lines.isEmpty)
  }

  @Test("N-B4 · a facade and a device that was replaced are freed with their last reference")
  func freed() async throws {
    let (facade, devices) = try await afterAnEvening()
    #expect(await eventually { facade.object == nil && devices.allSatisfy { $0.object == nil } })
  }

  /// Makes a facade, replaces one of its devices, and returns weak references to them.
  private func afterAnEvening() async throws -> (
    WeakReference<HomeTheaterFacade>, [WeakReference<FakeDevice>]
  ) {
    let theater = Theater()
    let lamp = FakeDevice("lights", .lights, journal: theater.journal, clock: theater.clock)
    try await theater.live { theater in
      let begun = try await theater.facade.begin(
        "music", item: "s1", fromStart: true, user: "ann")
      _ = await begun.run.finished()
      let own = Array(theater.devices.values)
      let others = own.filter { $0.id != "lights" } + [lamp]
      try await theater.facade.apply(.evening, devices: others, by: .owner)
      try await theater.facade.apply(.evening, devices: own, by: .owner)
    }
    await theater.facade.shutDown()
    return (WeakReference(theater.facade), [WeakReference(lamp), WeakReference(theater["amp"])])
  }
}
