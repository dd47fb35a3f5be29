import Devices
import JSON
import Scenes
import Synchronization
import TestSupport
import Testing

@testable import HomeTheater

/// A lounge with a CD player and a kitchen with a tuner, whose devices outlive the controller.
@Suite("Restart") struct RestartTests {
  /// What is stored, in memory.
  private final class MemoryActivities: ActivityStore {
    private let rows = Mutex<[RoomID: StoredActivity]>([:])
    private let readings = Mutex(0)

    /// How often a controller has read what is stored.
    var readingCount: Int { readings.withLock { $0 } }

    func save(_ activity: StoredActivity) { rows.withLock { $0[activity.room] = activity } }
    func removeActivity(in room: RoomID) { rows.withLock { $0[room] = nil } }
    func activities() -> [StoredActivity] {
      defer { readings.withLock { $0 += 1 } }
      return stored()
    }
    /// What is stored, as the test reads it.
    func stored() -> [StoredActivity] {
      rows.withLock { $0.values.sorted { $0.room < $1.room } }
    }
  }

  /// The lines of the log.
  private final class LogLines: Sendable {
    private let all = Mutex<[String]>([])
    var lines: [String] { all.withLock { $0 } }
    func append(_ line: String) { all.withLock { $0.append(line) } }
  }

  private struct Gear {
    let journal = CommandJournal()
    let clock = ManualClock()
    let stored = MemoryActivities()
    let log = LogLines()
    let positions = MemoryPositions()
    let devices: [DeviceID: FakeDevice]
    var plan: TheaterPlan

    init() {
      let roles: [(DeviceID, Role)] = [
        ("amp", .amplifier), ("cd", .cdPlayer), ("hall", .lights), ("kitchen-amp", .amplifier),
        ("tuner", .tuner), ("beamer", .projector),
      ]
      var devices: [DeviceID: FakeDevice] = [:]
      for (id, role) in roles {
        devices[id] = FakeDevice(
          id, role, journal: journal, clock: clock,
          items: role == .cdPlayer
            ? [CatalogueItem(id: "s1", title: "Song One", artist: "The Band")] : [])
      }
      self.devices = devices
      plan = Self.plan
    }

    subscript(id: DeviceID) -> FakeDevice { devices[id] ?? FakeDevice(id, .lights) }

    private static var plan: TheaterPlan {
      typealias Plan = TheaterPlan
      let scenes = [
        Scene(
          name: "disc",
          steps: [
            Plan.step("hall", .lights, ["dim": 20]), Plan.step("amp", .amplifier, "on"),
            Plan.step("cd", .cdPlayer, ["play": ["item": "s1"]]),
          ]),
        Scene(
          name: "disc-over",
          steps: [
            Plan.step("cd", .cdPlayer, "off"), Plan.step("amp", .amplifier, "off"),
            Plan.step("hall", .lights, "off"),
          ]),
        Scene(
          name: "news",
          steps: [
            Plan.step("hall", .lights, "on"), Plan.step("kitchen-amp", .amplifier, "on"),
            Plan.step("tuner", .tuner, "on"),
          ]),
        Scene(
          name: "news-over",
          steps: [
            Plan.step("tuner", .tuner, "off"), Plan.step("kitchen-amp", .amplifier, "off"),
          ]),
        Scene(name: "slides", steps: [Plan.step("beamer", .projector, "on")]),
        Scene(name: "slides-over", steps: [Plan.step("beamer", .projector, "off")]),
        Scene(
          name: "chimes",
          steps: [
            Plan.step("amp", .amplifier, "on"),
            Plan.step("cd", .cdPlayer, ["play": ["item": "s2"]]),
          ]),
      ]
      let activities = [
        Activity(
          name: "disc", start: "disc", end: "disc-over", player: "cd", amplifier: "amp",
          category: .songs),
        Activity(
          name: "news", start: "news", end: "news-over", player: "tuner",
          amplifier: "kitchen-amp"),
        Activity(name: "slides", start: "slides", end: "slides-over"),
      ]
      var plan = TheaterPlan(
        scenes: Dictionary(uniqueKeysWithValues: scenes.map { ($0.name, $0) }),
        activities: Dictionary(uniqueKeysWithValues: activities.map { ($0.name, $0) }))
      plan.rooms = [
        Room(id: "lounge", devices: ["amp", "cd", "hall", "beamer"]),
        Room(id: "kitchen", devices: ["kitchen-amp", "tuner", "hall"]),
      ]
      return plan
    }

    /// Runs `body` with a controller of its own, which ends as after a power cut.
    func live(
      savingPositions: Bool = true, _ body: @Sendable (HomeTheaterFacade) async throws -> Void
    ) async throws {
      let facade = HomeTheaterFacade(
        devices: Array(devices.values), plan: plan, positions: positions, activities: stored,
        clock: clock, log: { log.append($0) })
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { await facade.run() }
        #expect(await eventually { (try? await facade.status(for: .owner)) != nil })
        try await body(facade)
        group.cancelAll()
      }
      await facade.activities.house.stored.waitForWrites()
    }

    func begin(
      _ names: [String], by principal: Principal = .owner
    ) async throws {
      try await live { facade in
        #expect(await eventually { await facade.entries(.songs).count == 1 })
        for name in names {
          let begun = try await facade.begin(name, item: nil, fromStart: false, by: principal)
          #expect(await begun.run.finished().status == .done)
        }
      }
      journal.clear()
    }
  }

  private func isOn(
    _ name: String, in room: RoomID, of facade: HomeTheaterFacade
  ) async -> Bool {
    let report = await facade.activities.session(in: room).report
    return (report.activity ?? report.scene) == name && report.status == .running
  }

  @Test(
    "E26a · what is on in each room goes on after a restart, and no device gets a command for it")
  func goesOn() async throws {
    let house = Gear()
    try await house.begin(["disc", "news"], by: Principal("anna"))
    #expect(house.stored.stored().map(\.name) == ["news", "disc"])
    try await house.live { facade in
      #expect(await eventually { await isOn("disc", in: "lounge", of: facade) })
      #expect(await eventually { await isOn("news", in: "kitchen", of: facade) })
      let report = await facade.activities.session(in: "lounge").report
      #expect(report.item == "s1" && report.itemTitle == "Song One" && report.user == "anna")
      #expect(report.artist == "The Band")
      #expect(report.error == nil && report.retryAt == nil)
      #expect(house.journal.lines.allSatisfy { $0.contains(" plug ") })
      // The lamp of the hall belongs to the news as well.
      let ended = await (try await facade.end(in: "lounge", by: .owner)).finished()
      #expect(ended.kept.map(\.device) == ["hall"])
      #expect(ended.nodes.compactMap(\.command?.device) == ["cd", "amp"])
    }
    #expect(house.stored.stored().map(\.name) == ["news"])
  }

  @Test("an item that changed while the controller was away is the one that is on")
  func nextItem() async throws {
    let house = Gear()
    try await house.begin(["disc"])
    await house["cd"].report(
      .playback, Playback(.paused, item: "s7", position: 12, duration: 90).json)
    try await house.live { facade in
      #expect(await eventually { await isOn("disc", in: "lounge", of: facade) })
      #expect(
        await eventually { await facade.activities.session(in: "lounge").report.item == "s7" })
    }
    #expect(house.stored.stored().map(\.item) == ["s7"])
  }

  @Test(
    "E26a · a player that was stopped with the controller goes on with resume, where it stopped")
  func stopped() async throws {
    let house = Gear()
    try await house.begin(["disc"], by: Principal("anna"))
    house.positions.save(400, item: "s1", user: "anna")
    await house["cd"].setItems([CatalogueItem(id: "s1", title: "Song One", duration: 3600)])
    await house["cd"].report(.playback, Playback(.stopped).json)
    try await house.live { facade in
      #expect(await eventually { await isOn("disc", in: "lounge", of: facade) })
      let report = await facade.activities.session(in: "lounge").report
      #expect(report.item == "s1" && report.retryAt == 400)
      #expect(report.error?.message == "the controller was restarted while it played")
      _ = try await facade.resume(by: Principal("anna"))
      #expect(
        house.journal.lines.filter { !$0.contains("plug") } == [
          #"cd {"play":{"item":"s1","position":400}}"#
        ])
      #expect(
        await eventually { await facade.activities.session(in: "lounge").report.error == nil })
    }
  }

  @Test(
    "a player that was stopped with the controller ends nothing by itself, and takes another item")
  func stoppedForLong() async throws {
    let house = Gear()
    try await house.begin(["disc"])
    await house["cd"].report(.playback, Playback(.stopped).json)
    try await house.live { facade in
      #expect(await eventually { await isOn("disc", in: "lounge", of: facade) })
      house.clock.advance(by: .seconds(3600))
      await house["cd"].report(.playback, Playback(.playing, item: "s9", position: 1).json)
      #expect(
        await eventually {
          let report = await facade.activities.session(in: "lounge").report
          return report.item == "s9" && report.error == nil
        })
      #expect(await isOn("disc", in: "lounge", of: facade))
    }
  }

  @Test("a scene that turns the player off ends an activity that went on after a restart")
  func turnedOff() async throws {
    var house = Gear()
    try await house.begin(["disc"])
    house.plan.scenes["night"] = Scene(
      name: "night", steps: [TheaterPlan.step("cd", .cdPlayer, "off")])
    try await house.live { facade in
      #expect(await eventually { await isOn("disc", in: "lounge", of: facade) })
      _ = await (try await facade.runScene("night", arguments: [:], by: .owner)).finished()
      #expect(
        await eventually { await facade.activities.session(in: "lounge").report.status == .idle })
    }
    #expect(house.stored.stored().isEmpty)
  }

  @Test("an activity ends with the end scene that the configuration names now")
  func renamedEnd() async throws {
    var house = Gear()
    try await house.begin(["disc"])
    house.plan.scenes["end-disc"] = Scene(
      name: "end-disc", steps: house.plan.scenes["disc-over"]?.steps ?? [])
    house.plan.scenes["disc-over"] = nil
    house.plan.activities["disc"]?.end = "end-disc"
    try await house.live { facade in
      #expect(await eventually { await isOn("disc", in: "lounge", of: facade) })
      #expect(await facade.activities.session(in: "lounge").report.activity == "disc")
      let ended = await (try await facade.end(in: "lounge", by: .owner)).finished()
      #expect(ended.scene == "end-disc")
      #expect(ended.nodes.compactMap(\.command?.device) == ["cd", "amp", "hall"])
    }
  }

  @Test("the limits are those of the person who last let sound begin, before and after the restart")
  func newestLimits() async throws {
    let house = Gear()
    let child = Principal("gil", volumeLimit: 30, ageLimit: 12)
    try await house.live { facade in
      #expect(await eventually { await facade.entries(.songs).count == 1 })
      let begun = try await facade.begin("disc", item: nil, fromStart: false, by: .owner)
      _ = await begun.run.finished()
      _ = try await facade.pause(by: .owner)
      _ = try await facade.resume(by: child)
    }
    #expect(house.stored.stored().first?.volumeLimit == 30)
    #expect(house.stored.stored().first?.ageLimit == 12)
    house["amp"].setLoudnessLimit(nil)
    await house["amp"].setAvailability(.starting)
    try await house.live { facade in
      // An owner lets sound begin before the amplifier has reported.
      _ = try await facade.perform("play", on: "cd", until: .accepted, by: .owner)
      await house["amp"].setAvailability(.available)
      #expect(await eventually { await isOn("disc", in: "lounge", of: facade) })
      #expect(house["amp"].loudnessLimit == nil)
    }
  }

  @Test("an item above the age limit that began while the controller was away is stopped")
  func ageLimit() async throws {
    let house = Gear()
    try await house.begin(["disc"], by: Principal("gil", ageLimit: 12))
    await house["cd"].report(
      .playback, Playback(.playing, item: "unrated", position: 12, duration: 90).json)
    try await house.live { _ in
      #expect(await eventually { house.journal.lines.contains(#"cd "stop""#) })
    }
  }

  @Test("an activity whose devices are off is over, also without a player")
  func over() async throws {
    let house = Gear()
    try await house.begin(["disc", "news"])
    await house["cd"].report(.playback, Playback(.stopped).json)
    await house["amp"].report(.power, "off")
    await house["tuner"].report(.playback, Playback(.stopped).json)
    await house["kitchen-amp"].report(.power, "off")
    try await house.live { _ in
      #expect(await eventually { house.stored.stored().isEmpty })
    }
    try await house.begin(["slides"])
    try await house.live { facade in
      #expect(await eventually { await isOn("slides", in: "lounge", of: facade) })
    }
    await house["beamer"].report(.power, "off")
    try await house.live { _ in
      #expect(await eventually { house.stored.stored().isEmpty })
    }
  }

  @Test("a device that comes late is waited for, for half a minute")
  func late() async throws {
    let house = Gear()
    try await house.begin(["disc"])
    await house["cd"].setAvailability(.starting)
    await house["amp"].setAvailability(.starting)
    try await house.live { facade in
      #expect(await facade.activities.session(in: "lounge").report.status == .idle)
      await house["cd"].setAvailability(.available)
      await house["amp"].setAvailability(.available)
      #expect(await eventually { await isOn("disc", in: "lounge", of: facade) })
    }
    await house["cd"].setAvailability(.unavailable("no route"))
    await house["amp"].setAvailability(.unavailable("no route"))
    try await house.live { _ in
      #expect(
        await eventually {
          house.clock.advance(by: ActivityRestorer.patience)
          return house.stored.stored().isEmpty
        })
    }
  }

  @Test("a request that comes before the devices have reported wins")
  func request() async throws {
    let house = Gear()
    try await house.begin(["disc"])
    await house["cd"].setAvailability(.starting)
    try await house.live { facade in
      // The controller waits for the devices of what it has read.
      #expect(await eventually { house.stored.readingCount == 2 })
      let begun = try await facade.begin("slides", item: nil, fromStart: false, by: .owner)
      _ = await begun.run.finished()
      await house["cd"].setAvailability(.available)
      #expect(await eventually { house.log.lines.contains { $0.contains("something else") } })
      #expect(await isOn("slides", in: "lounge", of: facade))
    }
    #expect(house.stored.stored().map(\.name) == ["slides"])
  }

  @Test("the limits of the person who began it hold after the restart")
  func limits() async throws {
    let house = Gear()
    try await house.begin(["disc"], by: Principal("gil", volumeLimit: 30, ageLimit: 12))
    house["amp"].setLoudnessLimit(nil)
    try await house.live { facade in
      #expect(await eventually { await isOn("disc", in: "lounge", of: facade) })
      #expect(house["amp"].loudnessLimit == 30)
      #expect(await facade.ageLimits.limits["cd"]?.ageLimit == 12)
    }
  }

  @Test("a scene that plays by itself goes on, and ends with the end of what it replaced")
  func scene() async throws {
    let house = Gear()
    try await house.live { facade in
      _ = await (try await facade.begin("disc", item: nil, fromStart: false, by: .owner)).run
        .finished()
      _ = await (try await facade.runScene("chimes", arguments: [:], by: .owner)).finished()
    }
    house.journal.clear()
    try await house.live { facade in
      #expect(await eventually { await isOn("chimes", in: "lounge", of: facade) })
      #expect(await facade.activities.session(in: "lounge").activity?.amplifier == "amp")
      let ended = await (try await facade.end(in: "lounge", by: .owner)).finished()
      #expect(ended.nodes.compactMap(\.command?.device) == ["cd", "amp", "hall"])
    }
    #expect(house.stored.stored().isEmpty)
  }

  @Test("what the configuration has lost is over, and another room of an activity is its room")
  func configuration() async throws {
    var house = Gear()
    try await house.begin(["disc", "news"])
    house.plan.activities["news"] = nil
    house.plan.rooms = [Room(id: "den", devices: ["amp", "cd", "hall"])]
    try await house.live { facade in
      #expect(await eventually { await isOn("disc", in: "den", of: facade) })
    }
    #expect(house.stored.stored().map(\.room) == ["den"])
  }
}
