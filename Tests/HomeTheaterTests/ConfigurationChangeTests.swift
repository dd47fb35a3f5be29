import Devices
import JSON
import Scenes
import TestSupport
import Testing

@testable import HomeTheater

/// Replacing all devices and the plan while the theater runs.
@Suite struct ConfigurationChangeTests {
  private static let administrator = Principal(
    user: nil, permissions: [.administer], activities: nil, volumeLimit: nil, ageLimit: nil)

  /// Runs `body` while a film plays, with both cables plugged.
  private static func film(_ body: @Sendable (Theater) async throws -> Void) async throws {
    try await Theater().live { theater in
      let film = try await theater.facade.begin("film", item: "f1", fromStart: false, user: "ann")
      #expect(await film.run.finished().status == .done)
      #expect(await eventually { await theater.facade.report.status == .running })
      for player in ["dvd", "cd"] as [DeviceID] {
        #expect(await eventually { await theater[player].plugged.count == 1 })
      }
      theater.journal.clear()
      try await body(theater)
    }
  }

  /// Applies a configuration with these devices in place of those of the same name.
  private static func apply(
    _ plan: TheaterPlan = .evening, replacing replaced: [FakeDevice] = [],
    without removed: Set<DeviceID> = [], in theater: Theater
  ) async throws {
    let names = Set(replaced.map(\.id))
    let kept = theater.devices.values.filter { !names.contains($0.id) && !removed.contains($0.id) }
    try await theater.facade.apply(plan, devices: kept + replaced, by: administrator)
  }

  private static func commands(_ theater: Theater) -> [String] {
    theater.journal.lines.filter { !$0.contains("plug") }
  }

  @Test("E16 F6 · applying the same configuration changes nothing")
  func same() async throws {
    try await Self.film { theater in
      let before = await theater.facade.report
      try await Self.apply(in: theater)
      await theater["amp"].report(.volume, 33)
      #expect(await eventually { await theater.facade.snapshot(of: "amp")?.state.volume == 33 })
      #expect(await theater.facade.report == before)
      #expect(theater.journal.lines.isEmpty)
      #expect(await theater["dvd"].plugged.count == 1)
      await theater["dvd"].report(.playback, Playback(.ended, item: "f1").json)
      #expect(await eventually { await theater.facade.report.status == .idle })
    }
  }

  @Test("F6 · an amplifier replaced during a film gets the cables; no device gets a command")
  func amplifier() async throws {
    try await Self.film { theater in
      let before = await theater.facade.report
      let new = FakeDevice("amp", .amplifier, journal: theater.journal, clock: theater.clock)
      try await Self.apply(replacing: [new], in: theater)
      for player in ["dvd", "cd"] as [DeviceID] {
        #expect(await eventually { await theater[player].plugged.count == 2 })
      }
      #expect(Self.commands(theater).isEmpty)
      #expect(await theater.facade.report == before)
      try await theater.facade.changeVolume(.to(20))
      #expect(await new.snapshot().state.volume == 20)
      #expect(await theater["amp"].snapshot().state.volume == 50)
      let events = theater.facade.events.sequence
      await theater["amp"].report(.volume, 90)
      await new.report(.volume, 21)
      #expect(await eventually { await theater.facade.snapshot(of: "amp")?.state.volume == 21 })
      // The replaced device's later report is ignored.
      let volumes = theater.facade.events.entries(after: events)?.compactMap { entry -> Int? in
        guard case .device(let device, let snapshot) = entry.event, device.id == "amp" else {
          return nil
        }
        return snapshot.state.volume
      }
      #expect(volumes?.contains(90) == false)
    }
  }

  @Test("a new title of a device reaches subscribers at once, and that of no other device")
  func titles() async throws {
    try await Theater().live { theater in
      await theater["amp"].report(.volume, 20)
      #expect(await eventually { await theater.facade.snapshot(of: "amp")?.state.volume == 20 })
      let events = theater.facade.events.sequence
      var plan = theater.facade.plan
      plan.devices = [DevicePlan(id: "amp", label: Label(title: "Lounge"))]
      try await theater.facade.apply(
        plan, devices: Array(theater.facade.devices.values), by: .owner)
      let titles = theater.facade.events.entries(after: events)?.compactMap { entry -> String? in
        guard case .device(let device, _) = entry.event else { return nil }
        return "\(device.id) \(device.label.title ?? "-")"
      }
      #expect(titles == ["amp Lounge"])
    }
  }

  @Test("F6 · a replaced player continues the activity, and the end of its film ends the activity")
  func player() async throws {
    try await Self.film { theater in
      let new = FakeDevice("dvd", .dvdPlayer, journal: theater.journal, clock: theater.clock)
      await new.report(.playback, Playback(.playing, item: "f1", position: 40, duration: 90).json)
      try await Self.apply(replacing: [new], in: theater)
      #expect(
        await eventually {
          await theater.facade.snapshot(of: "dvd")?.state.playback?.position == 40
        })
      #expect(await theater.facade.report.itemTitle == "The Long Take")
      try await theater.facade.pause()
      #expect(Self.commands(theater) == [#"dvd "pause""#])
      #expect(theater.positions.position(item: "f1", user: "ann") == 40)
      await new.report(.playback, Playback(.ended, item: "f1", position: 90, duration: 90).json)
      #expect(await eventually { await theater.facade.report.status == .idle })
    }
  }

  @Test("F6 · the later steps of a run go to the device that has replaced the planned one")
  func run() async throws {
    try await Theater().live { theater in
      await theater["projector"].hold("on")
      let film = try await theater.facade.begin("film", item: "f1", fromStart: false, user: "ann")
      await theater["projector"].waitForHeldCommand()
      let new = FakeDevice("dvd", .dvdPlayer, journal: theater.journal, clock: theater.clock)
      try await Self.apply(replacing: [new], in: theater)
      await theater["projector"].release()
      #expect(await film.run.finished().status == .done)
      #expect(await new.snapshot().state.playback?.item == "f1")
      #expect(await theater["dvd"].snapshot().state.playback == nil)
    }
  }

  @Test("F6 · an activity reports that its player is gone, and ends with the remaining devices")
  func missingPlayer() async throws {
    try await Self.film { theater in
      theater.clock.advance(by: .seconds(12))
      var plan = TheaterPlan.evening
      plan.activities["film"] = nil
      plan.scenes["watch-film"] = nil
      plan.scenes["end-film"] = nil
      plan.cables.removeAll { $0.from == "dvd" }
      try await Self.apply(plan, without: ["dvd"], in: theater)
      let report = await theater.facade.report
      #expect(report.status == .running)
      #expect(report.error?.device == "dvd")
      #expect(await eventually { theater.positions.position(item: "f1", user: "ann") == 12 })
      let refused = await refusal { () async throws(TheaterError) in
        try await theater.facade.pause()
      }
      #expect(refused?.code == .notNow)
      let run = try await theater.facade.end()
      #expect(
        await theater.journal(of: run) == [
          #"popper "off""#, #"lights "on""#, #"screen "up""#, #"projector "off""#, #"amp "off""#,
        ])
      #expect(await theater.facade.report.status == .idle)
    }
  }

  @Test("F6 · an activity whose scenes are gone ends with the end scene that it began with")
  func missingScene() async throws {
    try await Self.film { theater in
      var plan = TheaterPlan.evening
      plan.activities["film"] = nil
      plan.scenes["end-film"] = nil
      try await Self.apply(plan, in: theater)
      #expect(await theater.facade.report.activity == "film")
      let run = try await theater.facade.end()
      #expect(await theater.journal(of: run).contains(#"amp "off""#))
      let refused = await refusal { () async throws(TheaterError) in
        try await theater.facade.begin("film", item: "f1", fromStart: false, user: "ann")
      }
      #expect(refused?.code == .notFound)
    }
  }

  @Test("F6 · the running activity ends with the changed end scene")
  func changedScene() async throws {
    try await Self.film { theater in
      var plan = TheaterPlan.evening
      let steps = plan.scenes["end-film"]?.steps ?? []
      plan.scenes["end-film"]?.steps = steps.mapCommands { $0.device == "dvd" ? $0 : nil }
      try await Self.apply(plan, in: theater)
      let run = try await theater.facade.end()
      #expect(
        await theater.journal(of: run) == [#"dvd "stop""#, #"dvd "eject""#, #"dvd "off""#])
    }
  }

  @Test("E9 F6 · a new library is listed at once, and found songs stay listed")
  func library() async throws {
    try await Self.film { theater in
      let events = theater.facade.events.sequence
      var plan = TheaterPlan.evening
      plan.library.films = [LibraryItem(id: "f9", title: "The New One")]
      plan.library.songs = []
      try await Self.apply(plan, in: theater)
      #expect(await theater.facade.entries(.films).map(\.item.id) == ["f9"])
      #expect(await theater.facade.entries(.songs).map(\.item.id) == ["scanned"])
      let names = theater.facade.events.entries(after: events)?.map(\.event.name)
      #expect(names?.contains(.configuration) == true)
      try await Self.apply(plan, without: ["cd"], in: theater)
      #expect(await theater.facade.entries(.songs).isEmpty)
    }
  }

  @Test("F4 F6 · a lent PCM is taken back when its cable is removed")
  func lentCable() async throws {
    var without = TheaterPlan.evening
    without.cables = []
    var with = without
    with.cables = [CableEdge(from: "dvd", to: "amp", input: "dvd")]
    let theater = Theater(plan: with)
    for id in ["dvd", "amp"] as [DeviceID] { await theater[id].setCables([.alsa]) }
    await theater["amp"].setLentPCM("hw:0,0")
    try await theater.live { [with, without] theater in
      await theater["amp"].report(.power, "on")
      await theater["amp"].report(.input, "dvd")
      #expect(await eventually { theater.journal.lines.last == "dvd plug hw:0,0" })
      try await Self.apply(without, in: theater)
      #expect(await eventually { theater.journal.lines.last == "dvd unplug" })
      try await Self.apply(with, in: theater)
      #expect(await eventually { theater.journal.lines.last == "dvd plug hw:0,0" })
    }
  }

  @Test("F6 · only an administrator replaces the configuration")
  func permission() async throws {
    let theater = Theater()
    let member = Principal(permissions: [.view, .play, .operate])
    let refused = await refusal { () async throws(TheaterError) in
      try await theater.facade.apply(TheaterPlan(), devices: [], by: member)
    }
    #expect(refused?.code == .forbidden)
    #expect(theater.facade.devices.count == 8)
  }
}
