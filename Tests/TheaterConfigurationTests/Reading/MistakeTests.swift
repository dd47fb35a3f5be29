import Devices
import Foundation
import Glibc
import JSON
import PluginProtocol
import TestSupport
import Testing

@testable import TheaterConfiguration

/// A mistake in the whole example, and the issue that must be reported.
struct Mistake: Sendable, CustomTestStringConvertible {
  var old: String
  var new: String
  var kind: ConfigurationIssue.Kind
  var path: String
  var says: String
  var hint: String?
  var testDescription: String { "\(new) → \(path): \(says)" }

  init(
    _ old: String, _ new: String, _ kind: ConfigurationIssue.Kind, _ path: String,
    _ says: String, hint: String? = nil
  ) {
    (self.old, self.new, self.kind, self.path) = (old, new, kind, path)
    (self.says, self.hint) = (says, hint)
  }

  static let devices = [
    Mistake(
      #""role": "lights""#, #""role": "light""#, .shape, "$.devices.lights.role",
      "expected one of \"amplifier\"", hint: "Did you mean \"lights\"?"),
    Mistake(
      #""plugin": "Speaker""#, #""plugin": "Speeker""#, .shape, "$.devices.amp.plugin",
      "found \"Speeker\"", hint: "Did you mean \"Speaker\"?"),
    Mistake(
      #""screen", "plugin": "Pretend""#, #""screen", "plugin": "Wired""#, .shape,
      "$.devices.screen.plugin",
      "the plugin \"Wired\" has no devices of the role screen, only dvdPlayer",
      hint: "Plugins with this role: Pretend. Or change the role."),
    Mistake(
      #""role": "tuner", "#, "", .shape, "$.devices.tuner", "\"role\" is missing",
      hint: "Add \"role\""),
    Mistake(
      #""process": "discs""#, #""proces": "discs""#, .shape, "$.devices.dvd.proces",
      "unknown key \"proces\"", hint: "Did you mean \"process\"?"),
    Mistake(
      #""device": "hw:1""#, #""device": "HW""#, .shape, "$.devices.amp.options.device",
      "expected a text like ^[a-z]+(:[0-9]+)?$"),
    Mistake(
      #""device": "hw:1", "#, "", .shape, "$.devices.amp.options", "\"device\" is missing"),
    Mistake(
      #""device": "hw:1""#, #""device": "hw", "bufer": 30"#, .shape,
      "$.devices.amp.options.bufer", "unknown key", hint: "Did you mean \"buffer\"?"),
    Mistake(
      #""device": "hw:1""#, #""device": "hw", "buffer": 10"#, .shape,
      "$.devices.amp.options.buffer", "expected a whole number from 20 to 500, found 10"),
    Mistake(
      #""device": "hw:1""#, #""device": "hw", "whenMissing": "silence""#, .shape,
      "$.devices.amp.options.whenMissing", "found \"silence\"", hint: "Did you mean \"silent\"?"),
    Mistake(
      #"{"key": "a"}"#, #"{"weight": 1}"#, .shape, "$.devices.amp.options.extras[0]",
      "\"key\" is missing"),
    Mistake(
      #""speed": 2.5"#, #""speed": "fast""#, .shape, "$.devices.cd.options.speed",
      "expected a number from 0 to 100, found \"fast\""),
    Mistake(
      #""dvd":    {"#, #""until":    {"#, .shape, "$.devices.until",
      "\"until\" is a word of scenes, and so no name of a device", hint: "config upgrade"),
  ]

  static let cables = [
    Mistake(
      #"{"from": "cd", "to""#, #"{"from": "dc", "to""#, .reference, "$.cables[1].from",
      "there is no device \"dc\"", hint: "Did you mean \"cd\"?"),
    Mistake(
      #"{"from": "cd", "to""#, #"{"from": "lights", "to""#, .reference, "$.cables[1].from",
      "expected a player, a tuner or an amplifier, but \"lights\" has the role lights"),
    Mistake(
      #"{"from": "cd", "to""#, #"{"from": "amp", "to""#, .reference, "$.cables[1].to",
      "\"amp\" is plugged into itself"),
    Mistake(
      #""input": "cd"}"#, #""input": "cd", "level": 50}"#, .reference, "$.cables[1].level",
      "only an amplifier before another one has a level"),
    Mistake(
      #""cd", "to": "amp""#, #""cd", "to": "screen""#, .reference, "$.cables[1].to",
      "expected an amplifier", hint: "It could be amp."),
    Mistake(
      #""to": "amp", "input": "cd""#, #""to": "amp", "input": "dvd""#, .reference,
      "$.cables[1].input", "already has a cable at the input \"dvd\" ($.cables[0])"),
    Mistake(
      #"{"from": "cd", "to""#, #"{"from": "dvd", "to""#, .reference, "$.cables[1].from",
      "\"dvd\" is already plugged in ($.cables[0])"),
    Mistake(
      #""dvdPlayer", "plugin": "Pretend""#, #""dvdPlayer", "plugin": "Wired""#, .reference,
      "$.cables[0]", "no cable fits both ends: \"dvd\" has wired, \"amp\" has alsa, pcm"),
    Mistake(
      #""input": "cd"}"#, #""socket": "cd"}"#, .shape, "$.cables[1].socket", "unknown key"),
  ]

  static let web = [
    Mistake(
      #""eventStreams": 500"#, #""eventStreams": 4"#, .shape, "$.web.eventStreams",
      "expected a whole number from 8 to 2000"),
    Mistake(
      #""port": 8443"#, #""port": 70000"#, .shape, "$.web.port",
      "expected a whole number from 0 to 65535"),
    Mistake(
      #""0.0.0.0""#, #""not a host""#, .reference, "$.web.host",
      "expected an address or a name of this machine, found \"not a host\"", hint: "Write 127.0.0.1"
    ),
    Mistake(
      #""0.0.0.0""#, #""0.0.0.256""#, .reference, "$.web.host", "expected an address"),
    Mistake(
      #""0.0.0.0""#, #""::1::""#, .reference, "$.web.host", "expected an address"),
    Mistake(
      #""0.0.0.0""#, #""localhost:80""#, .reference, "$.web.host", "expected an address"),
    Mistake(
      #""tv.example""#, #""tv.example:80""#, .shape, "$.web.hosts[0]", "without a port"),
    Mistake(
      #""tv.example""#, #""-tv.example""#, .shape, "$.web.hosts[0]", "expected a name"),
    Mistake(
      #", "key": "~/key.pem""#, "", .shape, "$.web.tls", "\"key\" is missing",
      hint: "the path of a PEM file"),
    Mistake(
      #""hosts": ["tv"#, #""host": ["tv"#, .syntax, "$.web.host", "stands twice"),
    Mistake(
      #""hosts": ["tv"#, #""names": ["tv"#, .shape, "$.web.names", "unknown key",
      hint: "Known here: host, port, hosts, tls, eventStreams."),
  ]

  static let steps = [
    Mistake(
      #"{"dim": 10}"#, #"{"dim": 110}"#, .shape, "$.scenes.watch-film.steps[1].lights.dim",
      "\"dim\" takes a whole number from 0 to 100 (%), not 110"),
    Mistake(
      #"{"dim": 10}"#, #"{"dmi": 10}"#, .shape, "$.scenes.watch-film.steps[1].lights",
      "the lights has no command \"dmi\"", hint: "Did you mean \"dim\"?"),
    Mistake(
      #"{"dim": 10}"#, #"{"volume": 10}"#, .reference, "$.scenes.watch-film.steps[1].lights",
      "the lights has no command \"volume\"", hint: "It knows: on, off, dim."),
    Mistake(
      #"{"dim": 10}"#, #""dim""#, .shape, "$.scenes.watch-film.steps[1].lights",
      "\"dim\" needs a whole number"),
    Mistake(
      #""screen": "down""#, #""screen": {"down": null}"#, .shape,
      "$.scenes.watch-film.steps[2].screen.down", "\"down\" is given nothing",
      hint: "Write \"down\" alone."),
    Mistake(
      #"{"dim": 10}, "always""#, #"{"dim": 10}, "alwys""#, .shape,
      "$.scenes.watch-film.steps[1].alwys", "there is no device or word \"alwys\"",
      hint: "Did you mean \"always\"?"),
    Mistake(
      #"{"dim": 10}, "always": true"#, #"{"dim": 10}, "screen": "up""#, .shape,
      "$.scenes.watch-film.steps[1].screen", "this one already commands \"lights\""),
    Mistake(
      #"{"lights": {"dim": 10}, "#, "{", .shape, "$.scenes.watch-film.steps[1]",
      "a step names one device and its command"),
    Mistake(
      #"{"lights": {"dim""#, #"{"lihgts": {"dim""#, .reference,
      "$.scenes.watch-film.steps[1].lihgts", "there is no device \"lihgts\"",
      hint: "Did you mean \"lights\"?"),
    Mistake(
      #"{"amp": {"input": "dvd"}}"#, #"{"amp": {"input": "dvdd"}}"#, .reference,
      "$.scenes.watch-film.steps[3].amp.input", "\"amp\" has no input \"dvdd\"",
      hint: "Did you mean \"dvd\"?"),
    Mistake(
      #""item": "$film""#, #""item": "$flim""#, .reference,
      "$.scenes.watch-film.steps[5].dvd.play.item", "the scene has no parameter for \"$flim\"",
      hint: "Did you mean \"$film\"?"),
    Mistake(
      #"{"dim": 10}"#, #"{"dim": "$film"}"#, .reference, "$.scenes.watch-film.steps[1].lights.dim",
      "\"$film\" is a film, but \"dim\" takes a whole number"),
    Mistake(
      #""item": "$film""#, #""itme": "$film""#, .shape,
      "$.scenes.watch-film.steps[5].dvd.play.itme",
      "unknown key", hint: "Did you mean \"item\"?"),
    Mistake(
      #""item": "$film", "position": 1.5"#, #""item": "$film", "position": "$film""#, .reference,
      "$.scenes.watch-film.steps[5].dvd.play.position", "\"$film\" is a film"),
    Mistake(
      #"{"film": "film"}"#, #"{"film": "movie"}"#, .shape,
      "$.scenes.watch-film.parameters.film", "expected one of \"film\""),
    Mistake(
      #""until": "accepted""#, #""until": "acepted""#, .shape,
      "$.scenes.watch-film.steps[2].until", "expected one of \"accepted\", \"settled\"",
      hint: "Did you mean \"accepted\"?"),
    Mistake(
      #"{"fm": 98.5}}"#, #"{"fm": 985}}"#, .shape, "$.scenes.quiet.steps[2].tuner.fm",
      "a number from 76 to 108 (MHz), not 985"),
  ]

  static let trees = [
    Mistake(
      #"{"wait": "1.5 s"}"#, #"{"waitFor": "1.5 s"}"#, .shape,
      "$.scenes.evening.steps[0].parallel[1][1].waitFor", "\"waitFor\" is a reserved word",
      hint: "\"sequence\", \"parallel\" or \"wait\""),
    Mistake(
      #""dim": 40}}, [{"sc"#, #""dim": 40}, "retry": 2}, [{"sc"#, .shape,
      "$.scenes.evening.steps[0].parallel[0].retry", "\"retry\" is a reserved word"),
    Mistake(
      #"{"wait": "1.5 s"}"#, #"{"wait": 2}"#, .shape,
      "$.scenes.evening.steps[0].parallel[1][1].wait", "a duration such as \"2 s\""),
    Mistake(
      #"{"wait": "1.5 s"}"#, #"{"wait": "2 hours"}"#, .shape,
      "$.scenes.evening.steps[0].parallel[1][1].wait", "a number, a space and ms, s, min or h"),
    Mistake(
      #"{"wait": "1.5 s"}"#, #"{"wait": "2 h"}"#, .reference,
      "$.scenes.evening.steps[0].parallel[1][1].wait", "from 1 ms to 1 h"),
    Mistake(
      #"{"wait": "1.5 s"}"#, #"{"wait": "1 s", "until": "accepted"}"#, .shape,
      "$.scenes.evening.steps[0].parallel[1][1].until", "unknown key"),
    Mistake(
      #"{"sequence": ["#, #"{"always": true, "sequence": ["#, .shape,
      "$.scenes.evening.steps[2].always", "unknown key",
      hint: "Known here: sequence, onFailure."),
    Mistake(
      #"{"sequence": [{"wait": "1.5 min"}]}"#, #"{"sequence": {"wait": "1.5 min"}}"#, .shape,
      "$.scenes.evening.steps[2].sequence", "expected a list"),
    Mistake(
      #"["on", {"volume": 20}]"#, #"["on", {"volume": 200}]"#, .shape,
      "$.scenes.evening.steps[1].amp[1].volume", "a whole number from 0 to 100 (%), not 200"),
    Mistake(
      #"{"sequence": [{"wait": "1.5 min"}]}"#,
      String(repeating: "[", count: 8) + #"{"wait": "1 s"}"# + String(repeating: "]", count: 8),
      .reference, "$.scenes.evening.steps[2]" + String(repeating: "[0]", count: 7),
      "more than 8 lists deep"),
    Mistake(
      #"{"sequence": [{"wait": "1.5 min"}]}"#,
      Array(repeating: #"{"wait": "1 s"}"#, count: 200).joined(separator: ", "),
      .reference, "$.scenes.evening.steps[194]", "more than 200 steps"),
    Mistake(
      #""popper": {"role""#, #""waitFor": {"role""#, .shape, "$.devices.waitFor",
      "\"waitFor\" is a word of scenes, and so no name of a device", hint: "config upgrade"),
    Mistake(
      #""popper": {"role""#, #""parallel": {"role""#, .shape, "$.devices.parallel",
      "\"parallel\" is a word of scenes, and so no name of a device"),
  ]

  static let others = [
    Mistake(
      #""start": "watch-film""#, #""start": "wacth-film""#, .reference,
      "$.activities.film.start", "there is no scene \"wacth-film\"",
      hint: "Did you mean \"watch-film\"?"),
    Mistake(
      #""start": "watch-film", "end": "end""#, #""start": "watch-film", "end": "listen""#,
      .reference, "$.activities.film.end", "the parameter \"station\", which has no value"),
    Mistake(
      #""start": "watch-film""#, #""start": "quiet""#, .reference, "$.activities.film.start",
      "the parameter \"level\", which has no value"),
    Mistake(
      #""player": "dvd", "whenEnded""#, #""player": "amp", "whenEnded""#, .reference,
      "$.activities.film.player", "expected a player or tuner, but \"amp\" has the role amplifier"),
    Mistake(
      #""whenEnded": "stay""#, #""whenEnded": "stop""#, .shape, "$.activities.film.whenEnded",
      "expected one of \"end\", \"stay\""),
    Mistake(
      #""whenFailed": "90 s""#, #""whenFailed": "9 s""#, .shape, "$.activities.film.whenFailed",
      "expected a time such as \"20 min\", or \"stay\""),
    Mistake(
      #""whenFailed": "90 s""#, #""whenFailed": 90"#, .shape, "$.activities.film.whenFailed",
      "expected a time such as \"20 min\", or \"stay\""),
    Mistake(
      #""category": "stations"} }"#, #""category": "films"} }"#, .reference,
      "$.activities.radio.category", "expected \"stations\", because the start scene plays stations"
    ),
    Mistake(
      #""endsWithout": ["dvd", "amp"]"#, #""endsWithout": ["dvd", "anp"]"#, .reference,
      "$.activities.film.endsWithout[1]", "there is no device \"anp\"",
      hint: "Did you mean \"amp\"?"),
    Mistake(
      #""activities": {"#, #""activites": {"#, .shape, "$.activites", "unknown key",
      hint: "Did you mean \"activities\"?"),
    Mistake(
      #""fm": 98.5}, {"id""#, #""fm": 98.5, "am": 810}, {"id""#, .shape, "$.library.stations[0]",
      "expected \"am\" or \"fm\", not both"),
    Mistake(
      #""id": "v", "title": "Valley""#, #""title": "Lantern""#, .reference,
      "$.library.stations[1].title", "already taken by $.library.stations[0]"),
    Mistake(
      #""id": "bus", "title""#, #""id": "ferry", "title""#, .reference, "$.library.songs[0].id",
      "already taken by $.library.films[0]", hint: "give each an id of its own"),
    Mistake(
      #""duration": 120.5"#, #""duration": -1"#, .shape, "$.library.films[0].duration",
      "expected a number from 0 to 172800 (s), found -1"),
    Mistake(
      #""player": "tuner"}],"#, #""player": "cd"}],"#, .reference, "$.library.stations[1].player",
      "expected a tuner, but \"cd\" has the role cdPlayer"),
    Mistake(
      #""~/Music"]"#, #"7]"#, .shape, "$.library.folders[3]", "expected the path of a folder"),
  ]
}

@Suite("Mistakes in a configuration")
struct MistakeTests {
  @Test(
    "every mistake is named with its path, what was expected and the nearest word",
    arguments: Mistake.devices + Mistake.cables + Mistake.web + Mistake.steps + Mistake.trees
      + Mistake.others)
  func mistake(_ mistake: Mistake) throws {
    let problems = Fixtures.problems(Fixtures.whole(mistake.old, mistake.new))
    let problem = try #require(
      problems.first { $0.path.description == mistake.path && $0.kind == mistake.kind },
      "found only \(problems)")
    #expect(problem.severity == .error)
    #expect(problem.message.contains(mistake.says))
    if let hint = mistake.hint { #expect(problem.hint?.contains(hint) == true) }
  }

  @Test("line and column point at the wrong value, or at the wrong key")
  func positions() throws {
    let text = """
      {
        "devices": {
          "lämp": {"role": "lights", "plugin": "Pretend"},
          "lights": {"role": "light", "plugin": "Pretend", "öptions": {}}
        }
      }
      """
    let problems = Fixtures.problems(text)
    #expect(
      problems.map { "\($0.position?.line ?? 0):\($0.position?.column ?? 0) \($0.path)" } == [
        "3:5 $.devices[\"lämp\"]", "4:24 $.devices.lights.role",
        "4:54 $.devices.lights[\"öptions\"]",
      ])
  }

  @Test("every error of a file is reported at once, in the order of the file")
  func all() {
    let text = Fixtures.whole
      .replacing(#""role": "lights""#, with: #""role": "light""#)
      .replacing(#""dvd", "to": "amp", "input": "dvd""#, with: #""dvd", "to": "amp", "input": 4"#)
      .replacing(#"{"dim": 10}"#, with: #"{"dim": 110}"#)
      .replacing(#""start": "listen""#, with: #""start": "lisen""#)
      .replacing(#""title": "First Bus", "#, with: #""title": "First Bus", "title": "x", "#)
      .replacing("1.5}}}", with: #""late"}}}"#)
    let problems = Fixtures.problems(text)
    #expect(
      problems.map(\.path.description) == [
        "$.devices.lights.role", "$.cables[0].input", "$.scenes.watch-film.steps[1].lights.dim",
        "$.scenes.watch-film.steps[5].dvd.play.position",
        "$.activities.radio.start", "$.library.songs[0].title",
      ])
  }

  @Test("one mistake in an object does not hide another in it")
  func beside() {
    let cables = Fixtures.problems(
      Fixtures.whole(
        #"{"from": "cd", "to": "amp", "input": "cd"}"#, #"{"from": "dc", "to": "lights"}"#))
    #expect(
      cables.map(\.path.description) == ["$.cables[1]", "$.cables[1].from", "$.cables[1].to"])
    let activity = Fixtures.problems(
      Fixtures.whole(#""end": "end", "player": "dvd""#, #""player": "dvdd""#))
    #expect(
      activity.map(\.path.description) == ["$.activities.film", "$.activities.film.player"])
    let item = Fixtures.problems(
      Fixtures.whole(#""duration": 120.5, "player": "dvd""#, #""duration": "2 h", "player": "amp""#)
    )
    #expect(
      item.map(\.path.description) == [
        "$.library.films[0].duration", "$.library.films[0].player",
      ])
  }

  @Test("reports the first hundred of ten thousand mistakes, and that there may be more")
  func many() {
    let steps = Array(repeating: #"{"lights": {"dim": 110}}"#, count: 10_000)
    let text = Fixtures.whole(
      #""end": {"steps": []}"#, #""end": {"steps": [\#(steps.joined(separator: ","))]}"#)
    let problems = Fixtures.problems(text)
    #expect(problems.count == 101)
    #expect(problems.prefix(100).allSatisfy { $0.message.contains("not 110") })
    #expect(problems.last?.message.contains("there may be others") == true)
  }

  @Test("a text that is not JSON is one error at its place")
  func syntax() {
    let problems = Fixtures.problems("{\n  \"devices\": {,}\n}")
    #expect(problems.map(\.kind) == [.syntax])
    #expect(problems.first?.position == TextPosition(line: 2, column: 15))
    #expect(Fixtures.problems("").map(\.kind) == [.syntax])
    #expect(Fixtures.problems("[]").map(\.kind) == [.shape])
  }

  @Test("shows a mistake like a compiler: file, line, column, path, message, hint")
  func description() {
    let problem = ConfigurationIssue(
      .shape, file: "devices.json", position: TextPosition(line: 4, column: 29),
      path: [.key("devices"), .key("amp"), .key("role")],
      message: "expected one of …, found \"x\"", hint: "Did you mean \"y\"?")
    #expect(
      problem.description == """
        devices.json:4:29: error: $.devices.amp.role: expected one of …, found "x"
          Did you mean "y"?
        """)
    #expect(problem.json["line"] == 4)
    #expect(InvalidConfiguration([problem]).description.hasSuffix("\n1 error"))
  }

  @Test("reports a missing file as missing")
  func missingFile() {
    let error = #expect(throws: InvalidConfiguration.self) {
      try ConfigurationFile(path: "/nowhere/devices.json", home: nil)
    }
    #expect(error?.problems.first?.message == "there is no such file")
    #expect(error?.problems.first?.kind == .file)
  }

  @Test("refuses anything but a regular file at once, by its kind", .timeLimit(.minutes(1)))
  func otherKindOfFile() throws {
    let temporary = try TemporaryFolder()
    let folder = temporary.path
    mkfifo(folder + "/pipe", 0o600)
    symlink("pipe", folder + "/link")
    for (path, kind) in [
      (folder, "a folder"), (folder + "/pipe", "a pipe"), (folder + "/link", "a pipe"),
      ("/dev/zero", "a device"), ("/dev/null", "a device"),
    ] {
      let error = #expect(throws: InvalidConfiguration.self) {
        try ConfigurationFile(path: path, home: nil)
      }
      #expect(error?.problems.first?.message == "it is \(kind), expected a regular file")
    }
    // The files that a configuration names are checked in the same way.
    let text = """
      {"web": {"tls": {"certificate": "pipe", "key": "\(folder)"}},
       "accounts": {"delivery": {"email": {
         "server": "mail.example.org", "from": "a@example.org", "trust": "link"}}}}
      """
    try Data(text.utf8).write(to: URL(fileURLWithPath: folder + "/devices.json"))
    let error = #expect(throws: InvalidConfiguration.self) {
      try ConfigurationFile(path: folder + "/devices.json", home: nil)
        .configuration(plugins: Fixtures.plugins, secrets: PocketSecrets(texts: [:]))
    }
    let messages = error?.problems.map(\.message) ?? []
    for (name, kind) in [("pipe", "a pipe"), ("link", "a pipe")] {
      #expect(messages.contains("expected a PEM file, but \(folder)/\(name) is \(kind)"))
    }
    #expect(messages.contains("expected a PEM file, but \(folder) is a folder"))
  }

  @Test("a manifest's wrong options schema is reported as the plugin's mistake, once per device")
  func wrongManifest() {
    var plugins = Fixtures.plugins
    plugins["Speaker"] = .init(
      id: "Speaker", version: "1", command: ["./Speaker"],
      roles: [.amplifier: .init(options: ["type": "object", "oneOf": []], cables: [.pcm])])
    let problems = Fixtures.problems(Fixtures.whole, plugins: plugins)
    #expect(problems.map(\.kind) == [.plugin])
    #expect(problems.first?.message.contains("\"oneOf\" is not among") == true)
  }
}
