import Devices
import Foundation
import HomeTheater
import JSON
import Logging
import Scenes
import Synchronization
import TestSupport
import Testing
import TheaterConfiguration
import TheaterLoader

/// A Swift program that uses a `devices.json`, with the plugins as processes.
@Suite(.serialized, .timeLimit(.minutes(5))) struct ConfiguredTheaterTests {
  private let folder: TemporaryFolder
  private let plugins = Program.products.appendingPathComponent("plugins").path
  private let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
  private let ann = Principal.owner("ann")

  init() throws { folder = try TemporaryFolder() }

  /// The house with two rooms, whose devices take no time.
  private func house(
    _ change: (inout JSONObject) -> Void = { _ in }
  ) throws(InvalidConfiguration) -> ConfiguredTheater {
    let file = Program.project.appendingPathComponent("Tests/Fixtures/Theaters/house.json")
    var text = (try? JSON(parsing: Data(contentsOf: file)).object) ?? [:]
    var devices = text["devices"]?.object ?? [:]
    for (name, device) in devices {
      var device = device.object ?? [:]
      var options = device["options"]?.object ?? [:]
      if device["plugin"] == "Simulated" {
        options["speed"] = 0
      } else {
        device["plugin"] = "Simulated"
        options = ["speed": 0, "songs": [["id": "s1", "title": "Low Tide", "duration": 60]]]
      }
      device["options"] = .object(options)
      devices[name] = .object(device)
    }
    text["devices"] = .object(devices)
    text["$schema"] = nil
    change(&text)
    let path = folder.path(of: "devices.json")
    try? Array(JSON.object(text).text().utf8).withUnsafeBytes {
      try Data($0).write(to: URL(fileURLWithPath: path))
    }
    return try ConfiguredTheater(file: path, pluginFolders: [plugins], logger: logger)
  }

  @Test("E21 · lists the rooms, activities, scenes and devices of devices.json")
  func lists() async throws {
    try await house().run { facade in
      let session = facade.session(for: ann)
      #expect(try await session.rooms().map(\.room.label.title) == ["Lounge", "Kitchen"])
      let activities = try await session.activities()
      #expect(activities.map(\.activity.name).prefix(3) == ["cinema", "uhd", "spin"])
      #expect(activities.last?.room == "kitchen")
      #expect(!activities.contains { !$0.isPermitted })
      let scenes = try await session.scenes()
      #expect(scenes.count == 37)
      #expect(scenes.first?.name == "cinema")
      #expect(session.devices.map(\.id.name).prefix(2) == ["lounge-amp", "kitchen-amp"])
      #expect(
        Set(try await session.items(.films).map(\.item.title))
          == ["A Ferry at Night", "Dunes", "Harbour Lights"])
    }
  }

  @Test("E21 · plans a scene without sending anything, runs it, and follows each step")
  func scenes() async throws {
    try await house().run { facade in
      let session = facade.session(for: ann)
      let plan = try await session.plan("cinema", with: ["film": "Harbour Lights"])
      #expect(plan.commands.contains { $0.device == "beamer" && $0.command.json == "on" })
      #expect(await session.projector("beamer").snapshot().state.power != .on)

      let run = try await session.start("cinema", with: ["film": "Harbour Lights"])
      var ended: [String] = []
      var last: RunChange?
      for await change in run.changes {
        if let node = change.node, ![.running, .waiting].contains(node.status) {
          ended.append(node.id)
        }
        last = change
      }
      #expect(last?.status == .done)
      #expect(last?.node == nil)
      #expect(Set(ended) == Set(plan.allNodes.map(\.id)))
      #expect(await session.projector("beamer").snapshot().state.power == .on)
      // The last change comes after the room has its new state.
      let lounge = try #require(try await session.rooms().first)
      #expect(lounge.report.status == .running)
      #expect(lounge.report.activity == "cinema")
      #expect(lounge.report.itemTitle == "Harbour Lights")
      // A follower that begins after the end gets the result, too.
      var late: [RunChange] = []
      for await change in run.changes { late.append(change) }
      #expect(late.last?.status == .done)
      #expect(late.count == plan.allNodes.count + 1)
    }
  }

  @Test("E21 · two rooms are used at once: each has its activity, its volume and its pause")
  func rooms() async throws {
    try await house().run { facade in
      let session = facade.session(for: ann)
      #expect(
        try await session.begin("cinema", item: "Harbour Lights").finished().status == .done)
      #expect(
        try await session.begin("kitchen-music", item: "Low Tide").finished().status == .done)
      try await session.changeVolume(.to(45))
      try await session.changeVolume(.to(15), in: "kitchen")
      try await session.pause(in: "kitchen")
      #expect(await session.amplifier("lounge-amp").snapshot().state.volume == 45)
      #expect(await session.amplifier("kitchen-amp").snapshot().state.volume == 15)
      #expect(
        await session.cdPlayer("kitchen-cd").snapshot().state.playback?.status == .paused)
      #expect(
        await session.dvdPlayer("bluray").snapshot().state.playback?.status == .playing)
      #expect(try await session.end().finished().status == .done)
      #expect(
        try await session.rooms().map(\.report.status) == [.idle, .running])
      try await session.turnEverythingOff()
      #expect(await session.amplifier("kitchen-amp").snapshot().state.power == .off)
    }
  }

  @Test("E21 · a name that nothing has is refused with the nearest one")
  func names() async throws {
    try await house().run { facade in
      let session = facade.session(for: ann)
      let scene = await #expect(throws: TheaterError.self) { try await session.run("cinemo") }
      #expect(scene?.code == .notFound)
      #expect(scene?.hint?.contains("cinema") == true)
      await #expect(throws: TheaterError.self) { try await session.begin("cinemo") }
      await #expect(throws: TheaterError.self) { try await session.pause(in: "attic") }
      let error = await #expect(throws: DeviceError.self) {
        try await session.amplifier("attic-amp").turnOn()
      }
      #expect(error?.code == .unavailable)
    }
  }

  @Test("the limits of a user hold: a child gets no louder, and no film above the age limit")
  func limits() async throws {
    try await house { text in
      text["library"] = ["films": [["id": "u1", "title": "Dunes", "rating": 16]]]
    }.run { facade in
      let child = Principal(
        user: "tim", permissions: [.view, .play, .operate], activities: nil, volumeLimit: 30,
        ageLimit: 12)
      let session = facade.session(for: child)
      let error = await #expect(throws: TheaterError.self) {
        try await session.begin("uhd", item: "u1")
      }
      // Like a film that does not exist.
      #expect(error?.code == .notFound)
      let loud = await #expect(throws: DeviceError.self) {
        try await session.amplifier("lounge-amp").setVolume(80)
      }
      #expect(loud?.code == .refused)
    }
  }

  @Test("a mistake in devices.json is named with its line and path; nothing is started")
  func mistakes() throws {
    let error = #expect(throws: InvalidConfiguration.self) {
      _ = try house { $0["cables"] = [["from": "bluray", "to": "nothing", "input": "x"]] }
    }
    let problem = try #require(error?.problems.first)
    #expect(problem.path.description.hasPrefix("$.cables[0]"))
    #expect(problem.position != nil)
    #expect(throws: InvalidConfiguration.self) {
      _ = try ConfiguredTheater(file: folder.path(of: "none.json"), logger: logger)
    }
  }

  @Test("a plugin whose program is missing leaves its device unavailable; the others work")
  func missingProgram() async throws {
    let broken = URL(fileURLWithPath: folder.path(of: "own/Broken"))
    try FileManager.default.createDirectory(at: broken, withIntermediateDirectories: true)
    let manifest = #"""
      {"id": "Broken", "version": "1.0.0", "title": "No program", "protocol": "1.3",
        "command": ["./none"], "roles": {"projector": {}}}
      """#
    try Data(manifest.utf8).write(to: broken.appendingPathComponent("manifest.json"))
    let configuration = #"""
      {"devices": {
        "lamp": {"role": "lights", "plugin": "Simulated", "options": {"speed": 0}},
        "beamer": {"role": "projector", "plugin": "Broken"}}}
      """#
    let theater = try ConfiguredTheater(
      file: try folder.write("devices.json", Array(configuration.utf8)),
      pluginFolders: [plugins, folder.path(of: "own")], logger: logger)
    try await theater.run { facade in
      let session = facade.session(for: ann)
      try await session.lights.dim(to: 20)
      #expect(await session.lights.snapshot().state[.brightness] == 20)
      await #expect(throws: DeviceError.self) { try await session.projector.turnOn() }
    }
  }

  @Test("when the body throws, its error is passed on, the players stop and the plugins end")
  func throwing() async throws {
    struct Interrupted: Error {}
    let before = try sockets()
    let theater = try house()
    await #expect(throws: Interrupted.self) {
      try await theater.run { facade in
        let session = facade.session(for: ann)
        _ = try await session.begin("cinema", item: "Harbour Lights").finished()
        #expect(try sockets().count == before.count + 1)
        throw Interrupted()
      }
    }
    #expect(try sockets() == before)
    let bluray = try #require(theater.facade.session(for: ann).devices.first { $0.id == "bluray" })
    // The last report before the end of the plugin.
    let last = await theater.facade.devices["bluray"]?.snapshot()
    #expect(last?.state.readings[.playback]?.value["state"] == "stopped")
    guard case .unavailable = await bluray.snapshot().availability else {
      Issue.record("the plugin has not ended")
      return
    }
  }

  @Test("a theater whose task is cancelled stops its players, too, and cannot run again")
  func cancelled() async throws {
    let theater = try house()
    let playing = AsyncStream<Void>.makeStream()
    let running = Task {
      try await theater.run { facade in
        let session = facade.session(for: ann)
        _ = try await session.begin("cinema", item: "Harbour Lights").finished()
        playing.continuation.yield()
        try await Task.sleep(for: .seconds(600))
      }
    }
    for await _ in playing.stream { break }
    running.cancel()
    await #expect(throws: CancellationError.self) { try await running.value }
    let last = await theater.facade.devices["bluray"]?.snapshot()
    #expect(last?.state.readings[.playback]?.value["state"] == "stopped")
    let again = await #expect(throws: TheaterError.self) { try await theater.run { _ in } }
    #expect(again?.code == .notNow)
  }

  @Test("a guest of one room sees its devices alone, and the first of each role among them")
  func guest() async throws {
    try await house().run { facade in
      let guest = Principal(
        user: nil, permissions: [.view, .play], activities: ["kitchen-radio"], volumeLimit: 40,
        ageLimit: nil)
      let session = facade.session(for: guest)
      #expect(session.amp.id == "kitchen-amp")
      #expect(!session.devices.contains { $0.id == "lounge-amp" })
      let hidden = session.amplifier("lounge-amp")
      #expect(
        await hidden.snapshot().availability == .unavailable("the theater has no such device"))
      let error = await #expect(throws: DeviceError.self) { try await hidden.turnOn() }
      #expect(error?.code == .unavailable)
      let rooms = try await session.rooms()
      #expect(rooms.map(\.room.id) == ["kitchen"])
    }
  }

  /// The folders for sockets of theaters of this process and others.
  private func sockets() throws -> Set<String> {
    let folder = ProcessInfo.processInfo.environment["XDG_RUNTIME_DIR"] ?? "/tmp"
    let names = try FileManager.default.contentsOfDirectory(atPath: folder)
    return Set(names.filter { $0.hasPrefix("theater-library-\(getpid())-") })
  }
}
