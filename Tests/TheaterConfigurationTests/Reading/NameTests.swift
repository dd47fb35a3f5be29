import Devices
import Foundation
import HomeTheater
import JSON
import Scenes
import TestSupport
import Testing

@testable import TheaterConfiguration

/// Titles, icons, groups, rooms and reserved names.
@Suite("Names in a configuration")
struct NameTests {
  private static func theater(_ name: String) throws -> TheaterConfiguration {
    let path = Program.project.appending(path: "Tests/Fixtures/Theaters/\(name).json").path
    return try ConfigurationFile(path: path, home: nil)
      .configuration(plugins: Shipped.plugins(), secrets: PocketSecrets(texts: [:]))
  }

  @Test(
    "a theater of one's own has titles, icons, areas, groups and rooms, in the order of its file")
  func house() throws {
    let plan = try Self.theater("house").plan
    #expect(plan.devices.prefix(3).map(\.id) == ["lounge-amp", "kitchen-amp", "bluray"])
    #expect(plan.devices.first?.label.title == "Lounge receiver")
    #expect(plan.devices.first { $0.id == "ceiling" }?.label.area == "Lounge")
    #expect(plan.orderedScenes.prefix(3).map(\.name) == ["cinema", "cinema-over", "uhd"])
    #expect(plan.scenes["gaming"]?.label == Label(title: "Gaming", icon: .game))
    #expect(
      plan.orderedActivities.map(\.name)
        == ["cinema", "uhd", "spin", "gaming", "kitchen-radio", "kitchen-music"])
    #expect(plan.rooms.map(\.id) == ["lounge", "kitchen"])
    #expect(plan.groups.first?.devices.count == 5)
  }

  @Test("the room of an activity or scene is that of its player, its amplifier, or all its devices")
  func derivedRooms() throws {
    let plan = try Self.theater("house").plan
    let rooms = plan.orderedActivities.map { plan.room(of: $0)?.name }
    #expect(rooms == ["lounge", "lounge", "lounge", "lounge", "kitchen", "kitchen"])
    #expect(plan.room(of: "kitchen-radio-over") == "kitchen")
    #expect(plan.room(of: "mood-1") == "lounge")
    #expect(plan.rooms(of: "balcony").isEmpty, "it belongs to the house")
  }

  @Test("a theater without rooms is one room with all devices")
  func oneRoom() throws {
    let plan = try Self.theater("minimal").plan
    #expect(plan.allRooms.map(\.devices) == [["lamp", "beamer"]])
    #expect(plan.room(of: "slides") == .standard)
    #expect(plan.orderedActivities.map { plan.room(of: $0) } == [.standard])
  }

  @Test("an amplifier's inputs have titles, and the source at the cable of each")
  func inputs() throws {
    let plan = try Fixtures.read(
      Fixtures.whole(
        #""plugin": "Speaker","#,
        #""plugin": "Speaker", "inputs": {"dvd": {"title": "Blu-ray", "icon": "film"}},"#)
    ).plan
    let inputs = plan.description(of: "amp", role: .amplifier).inputs
    #expect(inputs.map(\.plan.name) == ["dvd", "cd"])
    #expect(inputs.map(\.plan.label) == [Label(title: "Blu-ray", icon: .film), Label()])
    #expect(inputs.map(\.source) == ["dvd", "cd"])
    let house = try Self.theater("house").plan.description(of: "lounge-amp", role: .amplifier)
    #expect(
      house.inputs.map { "\($0.plan.name) \($0.source?.name ?? "-")" }
        == ["hdmi1 bluray", "hdmi3 ultra", "disc deck", "hdmi2 -", "turntable -", "chromecast -"])
  }

  @Test("a step for a group commands each of its devices at the same time")
  func groupStep() throws {
    let scene = try #require(try Self.theater("house").plan.scenes["cinema-over"])
    guard case .parallel(let members, .stop) = scene.steps.first else {
      Issue.record("\(scene.steps)")
      return
    }
    #expect(
      members.commandSteps.map(\.device)
        == ["ceiling", "floor-lamp", "wall-left", "wall-right", "cove"])
    #expect(Set(members.commandSteps.map(\.command)).count == 1)
  }

  @Test(
    "a wrong name of a group, room, input or icon is reported with its place and a hint",
    arguments: [
      Mistake(
        #""cables": ["#, #""groups": {"amp": {"devices": ["lights"]}}, "cables": ["#, .reference,
        "$.groups.amp", "\"amp\" is a device", hint: "another name"),
      Mistake(
        #""cables": ["#, #""groups": {"all": {"devices": ["lights", "cd"]}}, "cables": ["#,
        .reference, "$.groups.all.devices", "lights and cdPlayer", hint: "for each role"),
      Mistake(
        #""cables": ["#, #""groups": {"all": {"devices": ["light"]}}, "cables": ["#, .reference,
        "$.groups.all.devices[0]", "there is no device \"light\"", hint: "lights"),
      Mistake(
        #""cables": ["#, #""groups": {"all": {"devices": []}}, "cables": ["#, .reference,
        "$.groups.all.devices", "has no devices"),
      Mistake(
        #""cables": ["#, #""groups": {"all": {"devices": ["lights", "lights"]}}, "cables": ["#,
        .reference, "$.groups.all.devices[1]", "stands twice"),
      Mistake(
        #""cables": ["#,
        #""rooms": {"a": {"devices": ["dvd"]}, "b": {"devices": ["dvd"]}}, "cables": ["#,
        .reference, "$.rooms.b.devices[0]", "already belongs to a room ($.rooms.a.devices[0])"),
      Mistake(
        #""cables": ["#, #""rooms": {"a": {"devices": ["dvd"], "floor": 1}}, "cables": ["#,
        .shape, "$.rooms.a.floor", "unknown key"),
      Mistake(
        #""title": "Watch","#, #""title": "Watch", "room": "lounge","#, .reference,
        "$.scenes.watch-film.room", "there is no room \"lounge\""),
      Mistake(
        #""title": "Watch","#, #""title": "Watch", "icon": "movie","#, .shape,
        "$.scenes.watch-film.icon", "expected one of \"film\""),
      Mistake(
        #""plugin": "Speaker","#, #""plugin": "Speaker", "inputs": {"dvb": {"title": "TV"}},"#,
        .reference, "$.devices.amp.inputs.dvb", "there is no input \"dvb\"", hint: "dvd"),
      Mistake(
        #""role": "lights", "#, #""role": "lights", "inputs": {"dvd": {}}, "#, .reference,
        "$.devices.lights.inputs", "has no inputs"),
    ])
  func mistakes(mistake: Mistake) throws {
    let problems = Fixtures.problems(Fixtures.whole(mistake.old, mistake.new))
    let problem = try #require(problems.first { $0.path.description == mistake.path })
    #expect(problem.kind == mistake.kind && problem.severity == .error)
    #expect(problem.message.contains(mistake.says), "\(problem)")
    if let hint = mistake.hint { #expect(problem.hint?.contains(hint) == true, "\(problem)") }
  }

  @Test("an activity of one room cannot have the player of another")
  func wrongRoom() throws {
    let rooms =
      #""rooms": {"a": {"devices": ["dvd", "amp"]}, "b": {"devices": ["tuner"]}}, "cables": ["#
    let text = Fixtures.whole(#""cables": ["#, rooms).replacingOccurrences(
      of: #""film": {"title": "Film","#, with: #""film": {"title": "Film", "room": "b","#)
    let problems = Fixtures.problems(text)
    #expect(
      problems.contains {
        $0.path.description == "$.activities.film.player" && $0.message.contains("belongs to \"a\"")
      }, "\(problems)")
  }

  /// The whole example, whose tuner has a reserved name, and a parameter and a group as well.
  private static let reserved = Fixtures.whole
    .replacingOccurrences(of: #""tuner":"#, with: #""player":"#)
    .replacingOccurrences(of: #"{"tuner":"#, with: #"{"player":"#)
    .replacingOccurrences(of: #""player": "tuner""#, with: #""player": "player""#)
    .replacingOccurrences(of: #"{"station": "station"}"#, with: #"{"person": "station"}"#)
    .replacingOccurrences(of: #""$station""#, with: #""$person""#)
    .replacingOccurrences(
      of: #""cables": ["#, with: #""groups": {"it": {"devices": ["lights"]}}, "cables": ["#)

  @Test("each reserved name is reported once, with every place that another name changes")
  func reservedNames() throws {
    let problems = Fixtures.problems(Self.reserved)
    #expect(
      problems.map(\.path.description) == [
        "$.devices.player", "$.groups.it", "$.scenes.listen.parameters.person",
      ], "\(problems)")
    let device = try #require(problems.first)
    #expect(
      device.message == "\"player\" is a word of scenes, and so no name of a device; it is used at "
        + "$.scenes.quiet.steps[2].player, $.scenes.quiet.steps[3].player, "
        + "$.scenes.listen.steps[0].player, $.activities.radio.player, "
        + "$.library.stations[1].player")
    #expect(device.hint?.contains("theater config upgrade") == true)
  }

  @Test("a parameter may have the name of its own kind, and of no other")
  func subjects() {
    let text = Fixtures.whole.replacingOccurrences(
      of: #"{"film": "film"}"#, with: #"{"song": "film"}"#
    ).replacingOccurrences(of: #""$film""#, with: #""$song""#)
    #expect(Fixtures.problems(Fixtures.whole).isEmpty)
    #expect(
      Fixtures.problems(text).map(\.path.description) == ["$.scenes.watch-film.parameters.song"])
  }

  @Test("an upgrade writes new names at every place, and changes no other byte")
  func upgrade() throws {
    let upgrade = try ConfigurationUpgrade(Array(Self.reserved.utf8))
    #expect(
      upgrade.renames.map { "\($0.reserved.kind) \($0.reserved.name) \($0.name)" } == [
        "device player my-player", "group it my-it", "parameter person my-person",
      ])
    let text = String(decoding: upgrade.text, as: UTF8.self)
    #expect(Fixtures.problems(text).isEmpty)
    let back = text.replacingOccurrences(of: "my-", with: "")
    #expect(back == Self.reserved)
    #expect(try ConfigurationUpgrade(upgrade.text).renames.isEmpty)
  }

  @Test("an upgrade chooses a name that is free, and reads escapes and odd layout")
  func oddUpgrade() throws {
    let text = """
      {"devices" : {"my-it": {"role": "lights", "plugin": "Pretend"},
        "\\u0069t" :{"role": "lights", "plugin": "Pretend"} },
       "scenes": {"a\\"b": {"steps": [[{"parallel": [{ "it" : "on"}]}]]}}}
      """
    let upgrade = try ConfigurationUpgrade(Array(text.utf8))
    #expect(upgrade.renames.map(\.name) == ["my-it-2"])
    #expect(
      String(decoding: upgrade.text, as: UTF8.self)
        == text.replacingOccurrences(of: "\"\\u0069t\"", with: "\"my-it-2\"")
        .replacingOccurrences(of: "\"it\"", with: "\"my-it-2\""))
  }

  /// A theater of lamps, one group of all of them, and a scene with these steps.
  private static func lamps(_ count: Int, _ steps: String) -> String {
    let lamps = (1...count).map { #""l\#($0)": {"role": "lights", "plugin": "Pretend"}"# }
    let names = (1...count).map { #""l\#($0)""# }.joined(separator: ", ")
    return #"{"devices": {\#(lamps.joined(separator: ", "))}, "#
      + #""groups": {"all": {"devices": [\#(names)]}}, "scenes": {"s": {"steps": [\#(steps)]}}}"#
  }

  @Test("a wrong command of a group is reported once, whatever the number of its devices")
  func wrongGroupCommand() {
    let problems = Fixtures.problems(Self.lamps(40, #"{"all": {"dim": 900}}"#))
    #expect(
      problems.count == 1 && problems.first?.path.description == "$.scenes.s.steps[0].all.dim")
  }

  @Test("each device of a group counts as a step of the scene")
  func groupSize() {
    let step = #"{"all": "on"}"#
    let few = Array(repeating: step, count: 4).joined(separator: ", ")
    #expect(Fixtures.problems(Self.lamps(40, few)).isEmpty)
    let many = Array(repeating: step, count: 1000).joined(separator: ", ")
    let problems = Fixtures.problems(Self.lamps(40, many))
    #expect(problems.count == 1 && problems.first?.message.contains("more than 200 steps") == true)
  }

  @Test("a flood of reserved names takes a moment, and a bounded list", .timeLimit(.minutes(1)))
  func flood() throws {
    let scenes = (0..<20_000).map {
      #""s\#($0)": {"parameters": {"it": "text"}, "steps": [{"player": "on"}, {"amp": {"input": "$it"}}]}"#
    }
    let text = Fixtures.whole(
      #""tuner":  {"#, #""player": {"role": "lights", "plugin": "Pretend"}, "tuner":  {"#
    ).replacingOccurrences(
      of: #""end": {"steps": []}"#, with: #""end": {"steps": []}, "# + scenes.joined(separator: ",")
    )
    let problems = Fixtures.problems(text)
    #expect(problems.count <= 201)
    #expect(problems.first?.message.contains("and 19980 more places") == true)
    let upgrade = try ConfigurationUpgrade(Array(text.utf8))
    #expect(upgrade.renames.count == 20_001)
    #expect(try ConfigurationUpgrade(upgrade.text).renames.isEmpty)
  }
}
