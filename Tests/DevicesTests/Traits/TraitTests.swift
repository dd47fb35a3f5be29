import JSON
import Testing

@testable import Devices

@Suite("F3 · Traits of roles")
struct TraitTests {
  @Test("E15 · a role has the commands and state keys of its traits, none of them twice")
  func tables() {
    for role in Role.allCases {
      #expect(Set(role.stateKeys).count == role.stateKeys.count, "\(role)")
      #expect(role.commands.allSatisfy { role.command(named: $0.name) === $0 }, "\(role)")
    }
    #expect(Role.having(.volume) == [.amplifier])
    #expect(Role.having(.playback) == [.dvdPlayer, .cdPlayer])
    #expect(Role.having(.power).count == 7, "a screen has no power")
  }

  @Test("F3 · the first command of a role is named after the state that it brings about")
  func firstCommands() throws {
    for role in Role.allCases {
      let command = try #require(role.commands.first)
      #expect(command.argument?.isRequired != true && command.capability == nil, "\(role)")
      #expect(role.states.first?.shape.admits(.string(command.name)) == true, "\(role)")
    }
  }

  @Test("F3 · recognizes volume and unmute commands by their table rows, in any role")
  func soundRows() throws {
    let row = try #require(Role.amplifier.command(named: "volume"))
    let loud = Command(role: .tuner, spec: row, argument: 80)
    #expect(loud.volume == 80)
    #expect(loud.withVolume(atMost: 30).json == ["volume": 30])
    #expect(loud.withVolume(atMost: 90) == loud)
    let dim = try Command(["dim": 80], role: .lights)
    #expect(dim.volume == nil)
    #expect(dim.withVolume(atMost: 30) == dim)
    let silent = try #require(Role.amplifier.command(named: "unmute"))
    #expect(Command(role: .tuner, spec: silent, argument: nil).unmutes)
    for role in Role.allCases {
      #expect((role.volumeCommand(30) != nil) == role.has(.volume), "\(role)")
    }
  }

  @Test("E11 · every role can be turned off: sound first, the lights last; a screen goes up")
  func off() {
    #expect(
      Role.inOffOrder.map { "\($0) \($0.off?.description ?? "")" } == [
        "dvdPlayer off", "cdPlayer off", "tuner off", "popcornPopper off", "amplifier off",
        "projector off", "screen up", "lights off",
      ])
    #expect(Role.allCases.filter { $0.stop != nil } == [.dvdPlayer, .cdPlayer])
  }

  @Test("F3 · recognizes the commands that set a brightness by their table rows")
  func brightnessRows() throws {
    #expect(try Command(["dim": 40], role: .lights).brightness == 40)
    #expect(try Command("on", role: .lights).brightness == 100)
    #expect(try Command("off", role: .lights).brightness == nil)
    #expect(try Command(["volume": 40], role: .amplifier).brightness == nil)
  }

  @Test("E9 · the players and the tuner have a library category, other roles none")
  func categories() {
    #expect(Role.dvdPlayer.category == .films)
    #expect(Role.cdPlayer.category == .songs)
    #expect(Role.tuner.category == .stations)
    #expect(Role.allCases.filter { $0.category == nil }.count == 5)
  }

  @Test("E15 · the table row of a command has its effect on the current item")
  func effects() {
    func names(_ effect: ItemEffect) -> Set<String> {
      Set(Role.cdPlayer.commands.filter { $0.effect == effect }.map(\.name))
    }
    #expect(names(.plays) == ["play"])
    #expect(names(.seeks) == ["seek"])
    #expect(names(.skips) == ["next", "previous"])
    #expect(names(.releases) == ["stop", "eject", "off"])
  }

  private func restored(
    _ role: Role, wanted: [StateKey: JSON], found: [StateKey: JSON] = [:],
    playback: Playback? = nil, loudest: Int? = nil, remembered: Set<StateKey> = []
  ) -> [String] {
    var state = DeviceState()
    for (key, value) in found { state.update(Reading(value, time: .zero), for: key) }
    let restoration = RestorationContext(
      wanted: wanted, playback: playback, loudest: loudest, state: state, remembered: remembered)
    return role.commands(for: restoration).map(\.description)
  }

  @Test("E15 · an amplifier is restored silently: muted first, its input last, never louder")
  func amplifier() {
    let wanted: [StateKey: JSON] = [
      .power: "on", .input: "cd", .mode: "stereo", .volume: 70, .muted: false,
    ]
    #expect(
      restored(.amplifier, wanted: wanted, found: [.power: "off", .muted: true], loudest: 40)
        == ["on", "stereo", "volume 40", "unmute", "input \"cd\""])
    #expect(
      restored(.amplifier, wanted: wanted.merging([.muted: true]) { $1 }).prefix(2)
        == ["on", "mute"])
    #expect(
      restored(.amplifier, wanted: wanted.merging([.power: "off"]) { $1 }, found: [.power: "on"])
        == ["off"], "a device that is meant to be off is only turned off")
    #expect(restored(.amplifier, wanted: wanted, found: wanted).isEmpty)
    #expect(
      restored(.amplifier, wanted: wanted, remembered: [.power, .mode, .volume, .muted])
        == ["input \"cd\""])
  }

  @Test("E15 · each role is restored by the rules of its traits")
  func others() {
    #expect(
      restored(.lights, wanted: [.power: "on", .brightness: 30], found: [.brightness: 30])
        == ["on", "dim 30"], "turning lights on sets full brightness")
    #expect(restored(.projector, wanted: [.picture: "tv"]) == ["tvMode"])
    #expect(restored(.screen, wanted: [.position: "down"], found: [.position: "up"]) == ["down"])
    #expect(
      restored(.tuner, wanted: [.band: "fm", .frequency: 98.5]) == ["fm 98.5"])
    #expect(restored(.tuner, wanted: [.band: "fm", .station: "Web"]) == ["station \"Web\""])
    #expect(
      restored(
        .dvdPlayer, wanted: [.audio: "surround"],
        playback: Playback(.paused, item: "x", position: 59.5, duration: 60))
        == ["surroundAudio", #"play {"item":"x","position":59}"#, "pause"])
    #expect(restored(.popcornPopper, wanted: [:]).isEmpty)
  }

  @Test("E15 · restores the target of a transition, and no one-time command")
  func wantedChanges() {
    func wantedChange(_ role: Role, _ key: StateKey, _ value: JSON) -> StateSpec.WantedChange? {
      role.states.first { $0.key == key }?.wantedChange(for: value)
    }
    #expect(wantedChange(.projector, .power, "warming") == .set("on"))
    #expect(wantedChange(.projector, .power, "cooling") == .set("off"))
    #expect(wantedChange(.projector, .power, "unknown") == .keep)
    #expect(wantedChange(.screen, .position, "moving") == .keep)
    #expect(wantedChange(.screen, .position, "stopped") == .clear)
    #expect(wantedChange(.screen, .position, "down") == .set("down"))
    #expect(wantedChange(.cdPlayer, .tray, "open") == .keep)
    #expect(wantedChange(.popcornPopper, .popping, "popping") == .keep)
    #expect(wantedChange(.amplifier, .input, .null) == .clear)
    #expect(wantedChange(.lights, .tray, "open") == nil)
  }
}
