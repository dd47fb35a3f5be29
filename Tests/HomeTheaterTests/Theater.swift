import Devices
import JSON
import Scenes
import Synchronization
import TestSupport

@testable import HomeTheater

/// Positions in memory.
final class MemoryPositions: PositionStore {
  private let saved = Mutex<[String: Double]>([:])

  func save(_ seconds: Double, item: String, user: String) {
    saved.withLock { $0["\(user)/\(item)"] = seconds }
  }
  func position(item: String, user: String) -> Double? {
    saved.withLock { $0["\(user)/\(item)"] }
  }
  func clear(item: String, user: String) {
    saved.withLock { _ = $0.removeValue(forKey: "\(user)/\(item)") }
  }
}

/// Eight fake devices under one facade, with the activities of the source.
struct Theater {
  let journal = CommandJournal()
  let clock = ManualClock()
  let positions = MemoryPositions()
  let devices: [DeviceID: FakeDevice]
  let facade: HomeTheaterFacade

  init(
    plan: TheaterPlan = .evening, log: @escaping @Sendable (String) -> Void = { _ in },
    limitStopped: @escaping @Sendable (LimitStop) async -> Void = { _ in }
  ) {
    let roles: [(DeviceID, Role)] = [
      ("amp", .amplifier), ("tuner", .tuner), ("dvd", .dvdPlayer), ("cd", .cdPlayer),
      ("projector", .projector), ("lights", .lights), ("screen", .screen),
      ("popper", .popcornPopper),
    ]
    var devices: [DeviceID: FakeDevice] = [:]
    for (id, role) in roles {
      let items =
        role == .cdPlayer
        ? [CatalogueItem(id: "scanned", title: "A Found Song", artist: "Nobody", duration: 12)] : []
      devices[id] = FakeDevice(id, role, journal: journal, clock: clock, items: items)
    }
    self.devices = devices
    facade = HomeTheaterFacade(
      devices: roles.compactMap { devices[$0.0] }, plan: plan, positions: positions, clock: clock,
      log: log, limitStopped: limitStopped)
  }

  subscript(id: DeviceID) -> FakeDevice {
    devices[id] ?? FakeDevice(id, .lights)
  }

  /// The songs of the catalogue have not come.
  private struct MissingSongs: Error {}

  /// Runs `body` while the facade watches its devices, once it lists so many songs.
  func live(songs: Int = 2, _ body: @Sendable (Theater) async throws -> Void) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { await facade.run() }
      guard await eventually({ await facade.entries(.songs).count == songs }) else {
        throw MissingSongs()
      }
      try await body(self)
      group.cancelAll()
    }
  }

  /// The commands of a scene, in order.
  func journal(of run: Run) async -> [String] {
    _ = await run.finished()
    return journal.lines.filter { !$0.contains(" plug ") }
  }
}

extension Principal {
  /// A user with all permissions and no limits, unless a test says otherwise.
  init(
    _ user: String = "owner", permissions: Set<Permission> = Set(Permission.allCases),
    activities: Set<String>? = nil, volumeLimit: Int? = nil, ageLimit: Int? = nil
  ) {
    self.init(
      user: user, permissions: permissions, activities: activities, volumeLimit: volumeLimit,
      ageLimit: ageLimit)
  }

  static let owner = Principal()

  /// A user of this name with the same rights.
  func named(_ user: String) -> Principal {
    var principal = self
    principal.user = user
    return principal
  }
}

/// The operations by a user without limits.
extension HomeTheaterFacade {
  func begin(_ name: String, item: String?, fromStart: Bool, user: String)
    async throws(TheaterError) -> StartedActivity
  {
    try await begin(name, item: item, fromStart: fromStart, by: Principal(user))
  }
  func end() async throws(TheaterError) -> Run { try await end(by: .owner) }
  func turnEverythingOff() async throws(TheaterError) -> Run {
    try await turnEverythingOff(by: .owner)
  }
  func popcorn() async throws(TheaterError) -> Run { try await popcorn(by: .owner) }
  func runScene(_ name: String, arguments: [String: String]) async throws(TheaterError) -> Run {
    try await runScene(name, arguments: arguments, by: .owner)
  }
  @discardableResult func pause() async throws(TheaterError) -> Confirmation {
    try await pause(by: .owner)
  }
  @discardableResult func resume() async throws(TheaterError) -> Confirmation {
    try await resume(by: .owner)
  }
  @discardableResult func next() async throws(TheaterError) -> Confirmation {
    try await next(by: .owner)
  }
  @discardableResult func previous() async throws(TheaterError) -> Confirmation {
    try await previous(by: .owner)
  }
  @discardableResult func seek(_ seconds: Double, isRelative: Bool)
    async throws(TheaterError) -> Confirmation
  {
    try await seek(seconds, isRelative: isRelative, by: .owner)
  }
  @discardableResult func changeVolume(_ change: VolumeChange)
    async throws(TheaterError) -> VolumeOutcome
  {
    try await changeVolume(change, by: .owner)
  }
  func perform(_ json: JSON, on id: DeviceID, until: Completion)
    async throws(TheaterError) -> Confirmation
  {
    try await perform(json, on: id, until: until, by: .owner)
  }
  func entries(_ category: Devices.Category) -> [Catalogue.Entry] {
    (try? entries(category, for: .owner)) ?? []
  }
  func status() async throws(TheaterError) -> JSON { try await status(for: .owner) }
  @discardableResult func scanLibrary() async throws(TheaterError) -> [ScanReport] {
    try await scanLibrary(by: .owner)
  }

  /// What is on in the first room.
  var session: ActivitySession { activities.session(in: activities.defaultRoom) }
  /// The report of what is on in the first room.
  var report: ActivityReport { session.report }
  /// The newest snapshot of a device that the facade has processed.
  func snapshot(of id: DeviceID) -> DeviceSnapshot? { directory.snapshot(of: id) }
}

/// The refusal that `body` ends with; `nil` where it ends well.
func refusal<Value>(_ body: () async throws(TheaterError) -> Value) async -> TheaterError? {
  do throws(TheaterError) {
    _ = try await body()
    return nil
  } catch {
    return error
  }
}

extension TheaterPlan {
  /// Film, music, radio and popcorn in the order of requirements E12 to E14.
  static let evening = TheaterPlan(
    scenes: Dictionary(uniqueKeysWithValues: scenes.map { ($0.name, $0) }),
    activities: [
      "film": Activity(
        name: "film", start: "watch-film", end: "end-film", player: "dvd", amplifier: "amp",
        category: .films),
      "music": Activity(
        name: "music", start: "listen-music", end: "end-music", player: "cd", amplifier: "amp",
        category: .songs),
      "radio": Activity(
        name: "radio", start: "listen-radio", end: "end-radio", player: "tuner", amplifier: "amp",
        category: .stations),
    ],
    library: LibraryPlan(
      films: [
        LibraryItem(id: "f1", title: "The Long Take", duration: 90),
        LibraryItem(id: "f2", title: "The Short Cut", duration: 60),
      ],
      songs: [LibraryItem(id: "s1", title: "Opening", player: "cd")],
      stations: [LibraryItem(id: "Jazz", title: "Jazz", frequency: .fm(98.5))]),
    cables: [
      CableEdge(from: "dvd", to: "amp", input: "dvd"),
      CableEdge(from: "cd", to: "amp", input: "cd"),
    ])

  /// The evening with ratings: a film for everybody, one from 16 on, one of which nothing is said.
  static let rated: TheaterPlan = {
    var plan = TheaterPlan.evening
    plan.library.films = [
      LibraryItem(id: "f1", title: "The Long Take", duration: 90, rating: 6),
      LibraryItem(id: "f2", title: "The Short Cut", duration: 60, rating: 16),
      LibraryItem(id: "f3", title: "The Short Wave", duration: 60),
    ]
    return plan
  }()

  static func step(
    _ device: DeviceID, _ role: Role, _ json: JSON, until: Completion = .settled,
    onFailure: OnFailure = .stop
  ) -> Step {
    let command: StepCommand
    if let parts = try? Command.parts(of: json), parts.argument?.text().contains("$") == true {
      command = .template(name: parts.name, argument: parts.argument ?? .null, role: role)
    } else if let fixed = try? Command(json, role: role) {
      command = .fixed(fixed)
    } else {
      preconditionFailure("a test's own step is wrong: \(json)")
    }
    return .command(
      CommandStep(device: device, command: command, until: until, onFailure: onFailure))
  }

  private static let scenes = [
    Scene(
      name: "watch-film", parameters: ["film": .film],
      steps: [
        step("popper", .popcornPopper, "on", onFailure: .continue),
        step("popper", .popcornPopper, "pop", onFailure: .continue),
        step("lights", .lights, ["dim": 10], onFailure: .continue),
        step("screen", .screen, "down", until: .accepted), step("projector", .projector, "on"),
        step("amp", .amplifier, "on"), step("amp", .amplifier, ["input": "dvd"]),
        step("amp", .amplifier, "surround"), step("amp", .amplifier, ["volume": 50]),
        step("dvd", .dvdPlayer, "on"), step("dvd", .dvdPlayer, ["play": ["item": "$film"]]),
      ]),
    Scene(
      name: "end-film",
      steps: [
        step("popper", .popcornPopper, "off", onFailure: .continue),
        step("lights", .lights, "on", onFailure: .continue), step("screen", .screen, "up"),
        step("projector", .projector, "off"), step("amp", .amplifier, "off"),
        step("dvd", .dvdPlayer, "stop"), step("dvd", .dvdPlayer, "eject"),
        step("dvd", .dvdPlayer, "off"),
      ]),
    Scene(
      name: "listen-music", parameters: ["song": .song],
      steps: [
        step("amp", .amplifier, "on"), step("amp", .amplifier, ["input": "cd"]),
        step("amp", .amplifier, "stereo"), step("cd", .cdPlayer, "on"),
        step("cd", .cdPlayer, ["play": ["item": "$song"]]),
      ]),
    Scene(
      name: "end-music",
      steps: [
        step("amp", .amplifier, "off"), step("cd", .cdPlayer, "stop"),
        step("cd", .cdPlayer, "eject"), step("cd", .cdPlayer, "off"),
      ]),
    Scene(
      name: "listen-radio", parameters: ["station": .station],
      steps: [
        step("amp", .amplifier, "on"), step("amp", .amplifier, ["input": "tuner"]),
        step("amp", .amplifier, "stereo"), step("tuner", .tuner, "on"),
        step("tuner", .tuner, ["station": "$station"]),
      ]),
    Scene(
      name: "end-radio", steps: [step("amp", .amplifier, "off"), step("tuner", .tuner, "off")]),
    Scene(
      name: "popcorn",
      steps: [step("popper", .popcornPopper, "on"), step("popper", .popcornPopper, "pop")]),
  ]
}
