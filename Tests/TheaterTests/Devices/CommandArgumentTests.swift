import ArgumentParser
import Devices
import JSON
import Testing

@testable import theater

@Suite struct CommandArgumentTests {
  @Test(
    "parses commands by the command table",
    arguments: [
      (["on"], .lights, "on"), (["dim", "40"], .lights, ["dim": 40]),
      (["dim", "40%"], .lights, ["dim": 40]), (["fm", "98.5"], .tuner, ["fm": 98.5]),
      (["fm"], .tuner, "fm"),
      (["station", "Lantern", "Radio"], .tuner, ["station": "Lantern Radio"]),
      (["play"], .dvdPlayer, "play"),
      (["play", "metropolis"], .dvdPlayer, ["play": ["item": "metropolis"]]),
      (["play", "a b", "12:30"], .cdPlayer, ["play": ["item": "a b", "position": 750]]),
      (["play", "position=90"], .cdPlayer, ["play": ["position": 90]]),
      (["seek", "1:00"], .cdPlayer, ["seek": 60]),
      (["input", "dvd"], .amplifier, ["input": "dvd"]),
    ] as [([String], Role, JSON)])
  func commands(words: [String], role: Role, json: JSON) throws {
    let name = try #require(words.first)
    #expect(try CommandArguments.command(name, Array(words.dropFirst()), role: role).json == json)
  }

  @Test("parses every command of every role", arguments: Role.allCases)
  func everyCommand(role: Role) throws {
    for spec in role.commands {
      let example: [String] =
        switch spec.argument?.shape {
        case nil, .fields: []
        case .integer(let range, _): ["\(range.lowerBound)"]
        case .number(let range, _): ["\(range.lowerBound)"]
        case .text: ["name"]
        }
      let command = try CommandArguments.command(spec.name, example, role: role)
      #expect(command.spec == spec)
      #expect(CommandArguments.help(role).contains("  \(spec.name) "))
    }
  }

  @Test(
    "rejects invalid commands",
    arguments: [
      (["dim"], .lights), (["dim", "140"], .lights), (["dim", "x"], .lights),
      (["dim", "1", "2"], .lights), (["on", "now"], .lights), (["dimm", "4"], .lights),
      (["play", "a", "1:00", "b"], .dvdPlayer), (["fm", "5"], .tuner),
    ] as [([String], Role)])
  func wrongCommands(words: [String], role: Role) throws {
    let name = try #require(words.first)
    #expect(throws: CommandError.self) {
      try CommandArguments.command(name, Array(words.dropFirst()), role: role)
    }
  }

  @Test("plays a film by its title, also by one that looks like a time")
  func titles() throws {
    let films: [JSON] = [["id": "film-1", "title": "90"], ["id": "film-2", "title": "1917"]]
    for words in [["1917"], ["1917", "12:30"], ["Metropolis"]] {
      #expect(ItemNames.category(of: words, "play", .dvdPlayer) == .films)
    }
    #expect(ItemNames.category(of: ["90"], "seek", .dvdPlayer) == nil)
    #expect(ItemNames.category(of: ["position=90"], "play", .dvdPlayer) == nil)
    func replaced(_ words: [String]) throws -> [String] {
      try ItemNames.replacingTitle(in: words, from: films, .films)
    }
    #expect(try replaced(["1917", "90"]) == ["film-2", "90"])
    #expect(try replaced(["Metropolis"]) == ["Metropolis"])
    let words = try replaced(["1917"])
    #expect(
      try CommandArguments.command("play", words, role: .dvdPlayer).json
        == ["play": ["item": "film-2"]])
    #expect(
      try CommandArguments.command("seek", ["90"], role: .dvdPlayer).json == ["seek": 90])
  }

  @Test(
    "F6 · a scene's parameter of the name of an option is given with --set",
    arguments: ["json", "no-wait", "help", "version", "set"])
  func setParameters(name: String) throws {
    for words in [["--set", "\(name)=a=-b"], ["--set=\(name)=a=-b"]] {
      #expect(try SceneParameters(words: words).object == [name: "a=-b"])
      let all = ["--film", "-1"] + words
      let run = try Theater.parseAsRoot(["scene", "run", "x"] + all)
      #expect((run as? SceneCommand.Run)?.parameters == all)
      let plan = try Theater.parseAsRoot(["scene", "plan", "x"] + all)
      #expect((plan as? SceneCommand.Plan)?.parameters == all)
    }
    #expect(SceneParameters.usage(of: name, "TEXT") == "--set \(name)=TEXT")
    #expect(SceneParameters.usage(of: "film", "FILM") == "--film FILM")
  }

  @Test("F6 · parses a scene's parameters as options")
  func sceneParameters() throws {
    #expect(
      try SceneParameters(words: ["--film", "Night Ferry", "--x=1=2"]).object
        == ["film": "Night Ferry", "x": "1=2"])
    #expect(try SceneParameters(words: []).object.isEmpty)
    for words in [
      ["film"], ["--film"], ["--"], ["--a", "1", "--a", "2"], ["-f", "x"], ["--set"],
      ["--set", "x"],
      ["--set", "=1"], ["--set=x"], ["--a", "1", "--set", "a=2"],
    ] {
      #expect(throws: ValidationError.self, "\(words)") { try SceneParameters(words: words) }
    }
  }
}
