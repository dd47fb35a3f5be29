import Devices
import JSON
import Testing

@Suite("E15 · the command tables")
struct CommandTableTests {
  @Test("E15 · every command that the theater's eight devices must have is in its table")
  func complete() {
    let asked: [Role: Set<String>] = [
      .popcornPopper: ["on", "off", "pop"],
      .lights: ["on", "off", "dim"],
      .dvdPlayer: [
        "on", "off", "play", "pause", "stop", "eject", "surroundAudio", "twoChannelAudio",
      ],
      .projector: ["on", "off", "tvMode", "wideScreenMode"],
      .cdPlayer: ["on", "off", "play", "pause", "stop", "eject"],
      .amplifier: ["on", "off", "input", "stereo", "surround", "volume"],
      .screen: ["up", "down"],
      .tuner: ["on", "off", "am", "fm", "frequency"],
    ]
    for role in Role.allCases {
      #expect(asked[role]?.isSubset(of: role.commands.map(\.name)) == true, "\(role)")
    }
  }

  @Test(
    "E15 · each row is complete: help, time, and a state key that its role has",
    arguments: Role.allCases)
  func rows(_ role: Role) {
    #expect(Set(role.commands.map(\.name)).count == role.commands.count)
    for spec in role.commands {
      #expect(spec.help.hasSuffix("."), "\(spec.name)")
      #expect(spec.longest > .zero && spec.longest <= .seconds(300))
      #expect(spec.settled.key.map(role.stateKeys.contains) ?? true, "\(spec.name)")
      #expect([.play, .operate].contains(spec.permission), "\(spec.name)")
    }
    #expect(!role.title.isEmpty)
  }

  @Test("E15 · pause, seek, next, previous and volume commands need play, all others operate")
  func permissions() {
    let open = Role.allCases.flatMap { role in
      role.commands.filter { $0.permission == .play }.map { "\(role) \($0.name)" }
    }
    #expect(
      Set(open) == [
        "amplifier volume", "amplifier mute", "amplifier unmute", "dvdPlayer pause",
        "dvdPlayer seek", "dvdPlayer next", "dvdPlayer previous", "cdPlayer pause",
        "cdPlayer seek", "cdPlayer next", "cdPlayer previous",
      ])
  }

  @Test("E15 · every typed command survives a round trip through JSON")
  func roundTrips() throws {
    try roundTrip(
      [AmplifierCommand](
        [.on, .off, .input("dvd"), .stereo, .surround, .volume(0), .volume(100), .mute, .unmute]))
    try roundTrip(
      [TunerCommand](
        [
          .on, .off, .am(nil), .am(520), .am(1710), .fm(nil), .fm(76), .fm(108), .frequency(98.5),
          .station("Lantern Radio"),
        ]))
    let requests = [
      PlayRequest(), PlayRequest(item: "x"), PlayRequest(item: "x", position: 12.5),
      PlayRequest(position: 0),
    ]
    try roundTrip(
      requests.map { DVDPlayerCommand.play($0) } + [
        .on, .off, .pause, .stop, .eject, .seek(0), .seek(172_800), .next, .previous,
        .surroundAudio, .twoChannelAudio,
      ])
    try roundTrip(
      requests.map { CDPlayerCommand.play($0) } + [
        .on, .off, .pause, .stop, .eject, .seek(1.25), .next, .previous,
      ])
    try roundTrip([ProjectorCommand]([.on, .off, .tvMode, .wideScreenMode]))
    try roundTrip([LightsCommand]([.on, .off, .dim(0), .dim(10), .dim(100)]))
    try roundTrip([ScreenCommand]([.up, .down, .stop]))
    try roundTrip([PopcornPopperCommand]([.on, .off, .pop]))
  }

  /// Typed → checked → JSON → text → JSON → checked → typed.
  private func roundTrip<Typed: RoleCommand>(_ commands: [Typed]) throws {
    for typed in commands {
      let checked = try typed.checked()
      let command = try Command(JSON(parsing: checked.json.text()), role: Typed.role)
      #expect(command == checked)
      #expect(Typed(command) == typed)
    }
    let names = Set(commands.map(\.invocation.name))
    #expect(names == Set(Typed.Name.allCases), "every command of the role is tried")
    #expect(Typed.specs.map(\.name) == Typed.Name.allCases.map(\.rawValue))
    for name in Typed.Name.allCases {
      let isRequired = Typed.role.command(named: name.rawValue)?.argument?.isRequired == true
      #expect((Typed(name, nil) == nil) == isRequired, "\(name)")
    }
  }

  @Test("E15 · a command's JSON is its name, or an object of its name and argument")
  func shapes() throws {
    #expect(try LightsCommand.on.checked().json == "on")
    #expect(try LightsCommand.dim(10).checked().json == ["dim": 10])
    #expect(try CDPlayerCommand.play(PlayRequest()).checked().json == "play")
    #expect(
      try CDPlayerCommand.play(PlayRequest(item: "x", position: 2)).checked().json
        == ["play": ["item": "x", "position": 2]])
    #expect(try Command(["on": nil], role: .lights).json == "on", "null is no argument")
    #expect(try Command(["dim": 10.0], role: .lights).argument?.integer == 10)
  }

  @Test("E15 · refuses a typed command that is out of range")
  func typedRanges() {
    #expect(throws: CommandError.self) { try AmplifierCommand.volume(101).checked() }
    #expect(throws: CommandError.self) { try LightsCommand.dim(-1).checked() }
    #expect(throws: CommandError.self) { try TunerCommand.fm(75.9).checked() }
    #expect(throws: CommandError.self) { try TunerCommand.am(1710.5).checked() }
    #expect(throws: CommandError.self) { try DVDPlayerCommand.seek(-0.1).checked() }
    #expect(throws: CommandError.self) { try DVDPlayerCommand.seek(.nan).checked() }
    #expect(throws: CommandError.self) { try TunerCommand.station("").checked() }
    #expect(throws: CommandError.self) {
      try AmplifierCommand.input(String(repeating: "x", count: 201)).checked()
    }
  }

  @Test("E15 · a command of one role is no command of another")
  func foreign() throws {
    #expect(LightsCommand(try Command("on", role: .projector)) == nil)
    #expect(CDPlayerCommand(try Command("play", role: .dvdPlayer)) == nil)
  }

  @Test(
    "E15 · an error names the path, the found and the expected value, and a hint",
    arguments: [
      (
        Role.lights, ["dim": 140], "$.dim",
        "\"dim\" takes a whole number from 0 to 100 (%), not 140"
      ),
      (.lights, ["dim": 12.5], "$.dim", "\"dim\" takes a whole number from 0 to 100 (%), not 12.5"),
      (
        .lights, ["dim": "ten"], "$.dim",
        "\"dim\" takes a whole number from 0 to 100 (%), not \"ten\""
      ),
      (.lights, "dim", "$", "\"dim\" needs a whole number from 0 to 100 (%)"),
      (.lights, "dimm", "$", "the lights has no command \"dimm\""),
      (.lights, ["on": 1], "$.on", "\"on\" takes no argument"),
      (
        .lights, 7, "$",
        "a command is a name such as \"on\" or an object with one name such as {\"dim\": 10}, "
          + "not a whole number"
      ),
      (
        .cdPlayer, ["play": ["itm": "x"]], "$.play.itm",
        "\"play\" takes an object of \"item\" (the name of a film or song) and \"position\" "
          + "(a number from 0 to 172800 (s)), not the unknown key \"itm\""
      ),
      (
        .cdPlayer, ["play": ["position": -1]], "$.play.position",
        "\"play\" takes a number from 0 to 172800 (s), not -1"
      ),
      (
        .amplifier, ["input": ""], "$.input",
        "\"input\" takes the name of an input (dvd, cd, tuner …), not \"\""
      ),
      (.tuner, ["fm": 200], "$.fm", "\"fm\" takes a number from 76 to 108 (MHz), not 200"),
    ] as [(Role, JSON, String, String)])
  func messages(_ role: Role, _ json: JSON, _ path: String, _ message: String) throws {
    let error = try #require(throws: CommandError.self) { try Command(json, role: role) }
    #expect(error.message == message)
    #expect(error.path.description == path)
    #expect(!error.hint.isEmpty)
  }

  @Test("E15 · the nearest word is offered, or all of them when none is near")
  func nearestWord() {
    #expect(CommandError.unknown("dimm", role: .lights).hint == "Did you mean \"dim\"?")
    #expect(CommandError.unknown("pley", role: .dvdPlayer).hint == "Did you mean \"play\"?")
    #expect(CommandError.unknown("xyzzy", role: .lights).hint == "It knows: on, off, dim.")
    #expect(nearest(to: "amplifire", in: Role.allCases.map(\.rawValue)) == "amplifier")
    #expect(nearest(to: "tvmode", in: ["tvMode", "wideScreenMode"]) == "tvMode")
    #expect(nearest(to: "tunre", in: ["tuner", "screen"]) == "tuner", "neighbours swapped")
    #expect(nearest(to: "", in: ["on"]) == nil)
    #expect(nearest(to: "x", in: []) == nil)
    #expect(nearest(to: String(repeating: "x", count: 100_000), in: ["on"]) == nil)
    #expect(nearest(to: "kuche", in: ["Küche", "Keller"]) == "Küche")
    #expect(nearest(to: "Lantrn", in: ["Lantern", "Lanterns", "Lamp"]) == "Lantern")
  }

  @Test("E15 · the rows mark urgent, momentary and setting commands, and capabilities")
  func manners() throws {
    let urgent = Role.allCases.flatMap(\.commands).filter { $0.manner == .urgent }.map(\.name)
    #expect(Set(urgent) == ["off", "mute", "pause", "stop"])
    let momentary = Role.allCases.flatMap(\.commands).filter { $0.manner == .momentary }
    #expect(Set(momentary.map(\.name)) == ["pop", "eject"])
    #expect(try Command(["volume": 5], role: .amplifier).spec.manner == .setting(.volume))
    #expect(try Command("stop", role: .screen).spec.capability == "stop")
    #expect(try Command(["seek": 5], role: .cdPlayer).spec.capability == "seek")
  }
}
