import Devices
import HomeTheater
import JSON
import Scenes
import TestSupport
import Testing

@Suite("E18 · the facade is made of eight devices")
struct TheaterSessionTests {
  private let journal = CommandJournal()
  private let clock = ManualClock()
  private let fakes: [Role: FakeDevice]
  private let theater: HomeTheaterFacade

  private static let owner = Principal.owner("ann")
  private static let guest = Principal(
    user: nil, permissions: [.view, .play], activities: ["music"], volumeLimit: 30, ageLimit: nil)

  init() throws {
    var fakes: [Role: FakeDevice] = [:]
    let items: [Role: [CatalogueItem]] = [
      .dvdPlayer: [CatalogueItem(id: "night-ferry", title: "Night Ferry", duration: 120)],
      .cdPlayer: [
        CatalogueItem(id: "s1", title: "Opening", track: 1),
        CatalogueItem(id: "s2", title: "Closing", track: 2),
      ],
      .tuner: [CatalogueItem(id: "Harbour Jazz", title: "Harbour Jazz")],
    ]
    for role in Role.allCases {
      fakes[role] = FakeDevice(
        DeviceID("the-\(role.rawValue)"), role, journal: journal, clock: clock,
        items: items[role] ?? [])
    }
    func device(_ role: Role) throws -> any Device { try #require(fakes[role]) }
    theater = HomeTheaterFacade(
      amp: AmplifierConnection(try device(.amplifier)),
      tuner: TunerConnection(try device(.tuner)),
      dvd: DVDPlayerConnection(try device(.dvdPlayer)),
      cd: CDPlayerConnection(try device(.cdPlayer)),
      projector: ProjectorConnection(try device(.projector)),
      lights: TheaterLightsConnection(try device(.lights)),
      screen: ScreenConnection(try device(.screen)),
      popper: PopcornPopperConnection(try device(.popcornPopper)), clock: clock)
    self.fakes = fakes
  }

  /// The commands since the last call, without the prefix `the-` of the ids: `lights {"dim":10}`.
  private func commands() -> [String] {
    defer { journal.clear() }
    return journal.lines.map { String($0.dropFirst("the-".count)) }
  }

  @Test("E18 E12 · watches a film and ends it, in the order of the source")
  func film() async throws {
    let session = theater.session(for: Self.owner)
    let report = try await session.watch(movie: "Night Ferry")
    #expect(report.status == .done)
    #expect(
      commands() == [
        #"popcornPopper "on""#, #"popcornPopper "pop""#, #"lights {"dim":10}"#,
        #"screen "down""#, #"projector "on""#, #"amplifier "on""#,
        #"amplifier {"input":"dvd"}"#, #"amplifier "surround""#, #"amplifier {"volume":50}"#,
        #"dvdPlayer "on""#, #"dvdPlayer {"play":{"item":"night-ferry"}}"#,
      ])
    try await session.endMovie()
    #expect(
      commands() == [
        #"popcornPopper "off""#, #"lights "on""#, #"screen "up""#, #"projector "off""#,
        #"amplifier "off""#, #"dvdPlayer "stop""#, #"dvdPlayer "eject""#, #"dvdPlayer "off""#,
      ])
  }

  @Test("E18 E13 · listens to a CD and ends it, in the order of the source")
  func music() async throws {
    let session = theater.session(for: Self.owner)
    try await session.listenToCD(song: "Closing")
    #expect(
      commands() == [
        #"amplifier "on""#, #"amplifier {"input":"cd"}"#, #"amplifier "stereo""#,
        #"cdPlayer "on""#, #"cdPlayer {"play":{"item":"s2"}}"#,
      ])
    try await session.endCD()
    #expect(
      commands() == [
        #"amplifier "off""#, #"cdPlayer "stop""#, #"cdPlayer "eject""#, #"cdPlayer "off""#,
      ])
  }

  @Test(
    "E18 E14 · listens to the radio by name and by frequency, and ends it",
    arguments: [
      ("harbour jazz", #"{"station":"Harbour Jazz"}"#), ("98.5 FM", #"{"fm":98.5}"#),
      ("810 AM", #"{"am":810}"#),
    ])
  func radio(_ station: String, _ command: String) async throws {
    let session = theater.session(for: Self.owner)
    try await session.listenToRadio(station: station)
    #expect(
      commands() == [
        #"amplifier "on""#, #"amplifier {"input":"tuner"}"#, #"amplifier "stereo""#,
        #"tuner "on""#, "tuner \(command)",
      ])
    try await session.endRadio()
    #expect(commands() == [#"amplifier "off""#, #"tuner "off""#])
  }

  @Test("E18 · popcorn runs beside the music, and everything can be turned off")
  func popcorn() async throws {
    let session = theater.session(for: Self.owner)
    try await session.listenToCD(song: "s1")
    _ = commands()
    try await session.popcorn()
    #expect(commands() == [#"popcornPopper "on""#, #"popcornPopper "pop""#])
    try await session.turnEverythingOff()
    #expect(
      commands() == [
        #"dvdPlayer "off""#, #"cdPlayer "off""#, #"tuner "off""#, #"popcornPopper "off""#,
        #"amplifier "off""#, #"projector "off""#, #"screen "up""#, #"lights "off""#,
      ])
  }

  @Test("E18 · a missing film is an error with the nearest title, and nothing is commanded")
  func missingFilm() async throws {
    let session = theater.session(for: Self.owner)
    let error = await #expect(throws: TheaterError.self) {
      try await session.watch(movie: "Night Fery")
    }
    #expect(error?.code == .notFound)
    #expect(error?.hint == #"Did you mean "Night Ferry"?"#)
    #expect(commands().isEmpty)
  }

  @Test("E18 N-E4 · each end call ends only the activity of its own kind")
  func wrongEnd() async throws {
    let session = theater.session(for: Self.owner)
    let nothing = await #expect(throws: TheaterError.self) { try await session.endRadio() }
    #expect(nothing?.code == .notNow)
    try await session.listenToCD(song: "s1")
    _ = commands()
    let film = await #expect(throws: TheaterError.self) { try await session.endMovie() }
    #expect(film?.code == .notNow)
    #expect(commands().isEmpty)
    try await session.endCD()
  }

  @Test("E18 E17 · a failed step fails the call with its device and step")
  func failure() async throws {
    let session = theater.session(for: Self.owner)
    await fakes[.projector]?.fail("on", with: DeviceError(.failed, "the lamp is broken"))
    await fakes[.popcornPopper]?.fail("pop", with: DeviceError(.failed, "it is empty"))
    let error = await #expect(throws: TheaterError.self) {
      try await session.watch(movie: "night-ferry")
    }
    #expect(error?.code == .deviceFailed)
    #expect(error?.device == "the-projector")
    #expect(error?.step == "4")
    await fakes[.projector]?.fail("on", with: nil)
    let report = try await session.watch(movie: "night-ferry")
    #expect(report.nodes.filter { $0.status == .failed }.map(\.id) == ["1.2"], "the popcorn")
  }

  @Test("E18 · a newer request cancels the one that waits")
  func replaced() async throws {
    let session = theater.session(for: Self.owner)
    await fakes[.projector]?.hold("on")
    let theater = theater
    async let film: TheaterError? = refusal { () async throws(TheaterError) in
      try await theater.session(for: Self.owner).watch(movie: "night-ferry")
    }
    await fakes[.projector]?.waitForHeldCommand()
    try await session.listenToCD(song: "s1")
    #expect(await film?.code == .cancelled)
  }

  @Test("E18 · refuses a principal without the permission, or outside the guest's activities")
  func forbidden() async throws {
    let guest = theater.session(for: Self.guest)
    let film = await #expect(throws: TheaterError.self) {
      try await guest.watch(movie: "night-ferry")
    }
    #expect(film?.code == .forbidden)
    let popcorn = await #expect(throws: TheaterError.self) { try await guest.popcorn() }
    #expect(popcorn?.code == .forbidden)
    let stranger = theater.session(
      for: Principal(
        user: nil, permissions: [], activities: nil, volumeLimit: nil, ageLimit: nil))
    let items = await #expect(throws: TheaterError.self) { try await stranger.items(.films) }
    #expect(items?.code == .forbidden)
    #expect(commands().isEmpty)
    try await guest.listenToCD(song: "s1")
  }

  @Test("E18 · commands a single device within the limits of the session's principal")
  func devices() async throws {
    let owner = theater.session(for: Self.owner)
    try await owner.amp.setVolume(40)
    try await owner.lights.dim(to: 20)
    #expect(await owner.amp.snapshot().state.volume == 40)
    #expect(commands() == [#"amplifier {"volume":40}"#, #"lights {"dim":20}"#])

    let guest = theater.session(for: Self.guest)
    let loud = await #expect(throws: DeviceError.self) { try await guest.amp.setVolume(31) }
    #expect(loud?.code == .refused)
    #expect(loud?.device == "the-amplifier")
    let lights = await #expect(throws: DeviceError.self) { try await guest.lights.dim(to: 20) }
    #expect(lights?.code == .refused)
    #expect(commands().isEmpty)
    try await guest.amp.setVolume(30)
    #expect(commands() == [#"amplifier {"volume":30}"#])
  }

  @Test("E18 E23 · lists the items of the players with positions, and resumes a film there")
  func items() async throws {
    let session = theater.session(for: Self.owner)
    #expect(try await session.items(.songs).map(\.item.id) == ["s1", "s2"])
    #expect(try await session.items(.films).map(\.item.title) == ["Night Ferry"])
    #expect(try await session.items(.films).map(\.position) == [nil])
    try await session.watch(movie: "night-ferry")
    let playing = Playback(.playing, item: "night-ferry", position: 0, duration: 120)
    await fakes[.dvdPlayer]?.report(.playback, playing.json)
    clock.advance(by: .seconds(50))
    try await session.dvd.pause()
    try await session.endMovie()
    #expect(try await session.items(.films).map(\.position) == [50])
    #expect(
      try await theater.session(for: .owner("bob")).items(.films).map(\.position) == [nil])
    #expect(try await session.items(.stations).map(\.position) == [nil])
    _ = commands()
    try await session.watch(movie: "night-ferry")
    #expect(commands().last == #"dvdPlayer {"play":{"item":"night-ferry","position":50}}"#)
    try await session.endMovie()
    _ = commands()
    try await session.watch(movie: "night-ferry", fromStart: true)
    #expect(commands().last == #"dvdPlayer {"play":{"item":"night-ferry"}}"#)
  }

  @Test("E18 · a call to a role that the theater lacks is an error")
  func missingRole() async throws {
    let bare = HomeTheaterFacade(
      devices: [], plan: TheaterPlan(), positions: InMemoryPositions(), clock: clock)
    let session = bare.session(for: Self.owner)
    let error = await #expect(throws: DeviceError.self) { try await session.screen.raise() }
    #expect(error?.code == .unavailable)
    guard case .unavailable = await session.screen.snapshot().availability else {
      Issue.record("a missing screen must not be available")
      return
    }
    let film = await #expect(throws: TheaterError.self) { try await session.watch(movie: "x") }
    #expect(film?.code == .notFound)
  }
}
