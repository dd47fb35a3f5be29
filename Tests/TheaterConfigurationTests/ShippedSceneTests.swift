import Devices
import HomeTheater
import InMemoryDevices
import JSON
import Scenes
import TestSupport
import Testing

@testable import TheaterConfiguration

/// The shipped scenes, run by the facade over devices in memory.
@Suite("The shipped scenes") struct ShippedSceneTests {
  /// Saves no positions.
  private struct NoPositions: PositionStore {
    func save(_ seconds: Double, item: String, user: String) {}
    func position(item: String, user: String) -> Double? { nil }
    func clear(item: String, user: String) {}
  }

  private static let owner = Principal(
    user: "ann", permissions: Set(Permission.allCases), activities: nil, volumeLimit: nil,
    ageLimit: nil)

  /// The commands of an activity and of its end, in the order in which the devices got them.
  private static func evening(_ activity: String, _ item: String) async throws -> (
    begin: [String], end: [String]
  ) {
    let configuration = try Shipped.configuration()
    var plan = configuration.plan
    plan.library.songs.append(LibraryItem(id: "s1", title: "Opening", player: "cd"))
    let journal = CommandJournal()
    let theater = HomeTheaterFacade(
      devices: configuration.devices.map { FakeDevice($0.id, $0.role, journal: journal) },
      plan: plan, positions: NoPositions(), clock: ManualClock())
    let begun = try await theater.begin(activity, item: item, fromStart: true, by: owner)
    #expect(await begun.run.finished().status == .done)
    let begin = journal.lines
    journal.clear()
    #expect(await (try await theater.end(by: owner)).finished().status == .done)
    return (begin, journal.lines)
  }

  @Test("E12 F3 F6 · film: every device is commanded in the order of the source, and at the end")
  func film() async throws {
    let film = try await Self.evening("film", "Night Ferry")
    #expect(
      film.begin == [
        #"popper "on""#, #"popper "pop""#, #"lights {"dim":10}"#, #"screen "down""#,
        #"projector "on""#, #"amp "on""#, #"amp {"input":"dvd"}"#, #"amp "surround""#,
        #"amp {"volume":50}"#, #"dvd "on""#, #"dvd {"play":{"item":"night-ferry"}}"#,
      ])
    #expect(
      film.end == [
        #"popper "off""#, #"lights "on""#, #"screen "up""#, #"projector "off""#, #"amp "off""#,
        #"dvd "stop""#, #"dvd "eject""#, #"dvd "off""#,
      ])
  }

  @Test("E13 F3 F6 · music: amplifier, input, stereo, player; and back")
  func music() async throws {
    let music = try await Self.evening("music", "Opening")
    #expect(
      music.begin == [
        #"amp "on""#, #"amp {"input":"cd"}"#, #"amp "stereo""#, #"cd "on""#,
        #"cd {"play":{"item":"s1"}}"#,
      ])
    #expect(music.end == [#"amp "off""#, #"cd "stop""#, #"cd "eject""#, #"cd "off""#])
  }

  @Test("E14 F3 F6 · radio: amplifier, input, stereo, tuner, station; and back")
  func radio() async throws {
    let radio = try await Self.evening("radio", "Harbour Jazz")
    #expect(
      radio.begin == [
        #"amp "on""#, #"amp {"input":"tuner"}"#, #"amp "stereo""#, #"tuner "on""#,
        #"tuner {"fm":91.2}"#,
      ])
    #expect(radio.end == [#"amp "off""#, #"tuner "off""#])
  }

  @Test("E18 E12 E13 E14 · eight devices in code run the scenes of the shipped configuration")
  func standardPlan() throws {
    let theater = HomeTheaterFacade(
      amp: InMemoryAmplifier("amp"), tuner: InMemoryTuner("tuner"),
      dvd: InMemoryDVDPlayer("dvd", films: []), cd: InMemoryCDPlayer("cd", songs: []),
      projector: InMemoryProjector("projector"), lights: InMemoryLights("lights"),
      screen: InMemoryScreen("screen"), popper: InMemoryPopcornPopper("popper"))
    let shipped = try Shipped.configuration().plan
    for (name, scene) in theater.plan.scenes { #expect(scene == shipped.scenes[name]) }
    #expect(Set(shipped.scenes.keys).subtracting(theater.plan.scenes.keys) == ["movie-night"])
    #expect(theater.plan.activities == shipped.activities)
    #expect(Set(theater.plan.cables) == Set(shipped.cables))
  }
}
