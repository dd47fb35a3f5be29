import Devices
import Foundation
import JSON
import PluginConformance
import TestSupport
import Testing

@testable import theater

@Suite(.timeLimit(.minutes(3)))
struct PluginCheckTests {
  @Test(
    "F1 · a plugin that breaks a rule fails in its case alone, with the rule's line",
    arguments: BrokenPlugin.all)
  func broken(_ plugin: BrokenPlugin) async throws {
    let folder = try TemporaryFolder()
    let outcome = try await PluginCheckOutcome(
      try await plugin.build(in: folder), longestWait: .seconds(10)
    ).run()
    #expect(outcome.failures.map(\.name) == plugin.failing)
    let lines = try ProjectFile.text("docs/plugin-protocol.md")
      .split(separator: "\n", omittingEmptySubsequences: false)
    for failure in outcome.failures {
      let rule = try #require(failure.text.firstMatch(of: #/plugin-protocol\.md:(\d+):/#))
      let line = try #require(Int(rule.1))
      #expect(lines[line - 1].contains(plugin.words), "\(failure.text)")
      #expect(failure.text.contains("    expected  ") && failure.text.contains("    received  "))
    }
  }

  @Test("F1 · a program without a manifest is checked in the given role")
  func noManifest() async throws {
    let folder = try TemporaryFolder()
    let plugin = try await BrokenPlugin.none.build(in: folder)
    try FileManager.default.removeItem(atPath: plugin + "/manifest.json")
    let outcome = try await PluginCheckOutcome(plugin + "/plugin", role: .lights).run()
    #expect(outcome.failures.map(\.text) == [])
    #expect(outcome.summary.contains("7 not applicable"), "\(outcome.summary)")
    #expect(throws: ExitError.self) { try LocatedPlugin(plugin + "/plugin", role: nil) }
    #expect(throws: ExitError.self) { try LocatedPlugin(plugin, role: .lights) }
  }

  @Test("F1 · a program that does not start fails in one case, with the reason")
  func doesNotStart() async throws {
    let folder = try TemporaryFolder()
    let plugin = try await BrokenPlugin.none.build(in: folder)
    try FileManager.default.removeItem(atPath: plugin + "/plugin")
    let outcome = try await PluginCheckOutcome(plugin).run()
    #expect(outcome.failures.map(\.name) == ["the program starts and answers its first request"])
    let failure = try #require(outcome.failures.first)
    #expect(failure.text.contains("there is no program"))
    #expect(failure.text.contains("| `command` | the program and its arguments"))
    #expect(outcome.summary.contains("4 passed, 1 failed"), "\(outcome.summary)")
  }

  @Test("F1 · a program that ends at once fails in one case, with its exit status")
  func endsAtOnce() async throws {
    let folder = try TemporaryFolder()
    let plugin = BrokenPlugin(
      "ends", "plugin.c", "size_t length = 0;", "size_t length = 0; exit(3);", [], "")
    let outcome = try await PluginCheckOutcome(try await plugin.build(in: folder)).run()
    #expect(outcome.failures.map(\.name) == ["the program starts and answers its first request"])
    #expect(outcome.failures.first?.text.contains("exit status 3") == true, "\(outcome.failures)")
  }

  @Test("F1 · a request without an answer fails with the deadline of this request")
  func noAnswer() async throws {
    let folder = try TemporaryFolder()
    let plugin = BrokenPlugin(
      "does not answer close", "plugin.c",
      "close_device(device->string);\n  return \"{}\";",
      "return NULL;", [], "")
    let cases = ConformanceCase.devices.filter { $0.name == "a closed device is no longer open" }
    let outcome = try await PluginCheckOutcome(
      try await plugin.build(in: folder), cases: cases, longestWait: .seconds(8)
    ).run()
    let failure = try #require(outcome.failures.first)
    #expect(failure.text.contains("expected  an answer to close"), "\(failure.text)")
    #expect(failure.text.contains("| `close` | controller | 1.0 | 5 s |"), "\(failure.text)")
  }

  @Test(
    "F1 E15 · a command of any role that is accepted and not carried out fails, with its settled state",
    arguments: [
      (Role.amplifier, "input", #""input": "dvd""#), (.tuner, "station", #""station": "dvd""#),
      (.dvdPlayer, "pause", #""playback" with the state paused or stopped or ended"#),
      (.cdPlayer, "eject", #""tray": "open""#), (.projector, "tvMode", #""picture": "tv""#),
      (.lights, "off", #""power": "off""#), (.screen, "down", #""position": "down""#),
      (.popcornPopper, "pop", #""popping": "popping" or "done""#),
    ])
  func effect(_ role: Role, _ command: String, _ settled: String) async throws {
    let folder = try TemporaryFolder()
    let failures = try await Self.effectFailures(
      of: role, in: folder, "if (*row->state)", #"if (*row->state && !is(name, "\#(command)"))"#)
    let failure = try #require(failures.first)
    #expect(failure.contains("a report of \(settled) after "), "\(failure)")
    #expect(failure.contains(command) && failure.contains("no report of "), "\(failure)")
  }

  /// Returns the failures of the cases about effects on a generated plugin in C with one change.
  private static func effectFailures(
    of role: Role, in folder: TemporaryFolder, _ old: String, _ new: String
  ) async throws -> [String] {
    let plugin = try GeneratedPlugin("Mine", role, .c, in: folder.path).path
    let source = try String(contentsOfFile: plugin + "/plugin.c", encoding: .utf8)
    #expect(source.contains(old))
    try folder.write("Mine/plugin.c", Array(source.replacing(old, with: new).utf8))
    let built = try await Program.run(
      URL(filePath: "/usr/bin/cc"), ["-o", plugin + "/plugin", plugin + "/plugin.c", "-lcjson"])
    #expect(built.status == 0, "\(built.errors)")
    return try await PluginCheckOutcome(
      plugin, cases: ConformanceCase.effects, longestWait: .seconds(8)
    ).run().failures.map(\.text)
  }

  @Test(
    "F1 · a second answer to a request fails, with the request's name",
    arguments: ["initialize", "open", "scan", "close", "shutdown"])
  func secondAnswer(_ method: String) async throws {
    let folder = try TemporaryFolder()
    let plugin = BrokenPlugin(
      "answers \(method) twice", "plugin.c", #"if (result) printf("{\"jsonrpc\""#,
      #"for (int n = 1 + is(method, "\#(method)"); result && n > 0; n--) printf("{\"jsonrpc\""#,
      [], "")
    let name =
      "initialize, open, scan, close and shutdown are answered exactly once, and shutdown last"
    let outcome = try await PluginCheckOutcome(
      try await plugin.build(in: folder),
      cases: ConformanceCase.endings.filter { $0.name == name }
    ).run()
    #expect(outcome.failures.map(\.name) == [name])
    let failure = try #require(outcome.failures.first)
    #expect(failure.text.contains("expected  one answer to \(method)\n"), "\(failure.text)")
    #expect(failure.text.contains("each request is answered exactly once"), "\(failure.text)")
  }

  @Test(
    "F1 · a child process that is left behind fails, in the plugin's process group or outside",
    arguments: ["", "setsid(), "])
  func child(_ detach: String) async throws {
    let folder = try TemporaryFolder()
    // The child ends by itself after 30 s.
    let plugin = BrokenPlugin(
      "leaves a child", "plugin.c", "report(get(devices, name), first_state, NULL);",
      """
      int fork(void), setsid(void), alarm(unsigned), close(int), pause(void);
      if (!fork()) for (\(detach)alarm(30), close(0), close(1), close(2);;) pause();
      report(get(devices, name), first_state, NULL);
      """, [], "")
    let name = "no child process is left behind at the end of the input"
    let outcome = try await PluginCheckOutcome(
      try await plugin.build(in: folder), cases: ConformanceCase.endings.filter { $0.name == name }
    ).run()
    let failure = try #require(outcome.failures.first)
    #expect(failure.text.contains("received  plugin ("), "\(failure.text)")
    #expect(failure.text.contains("and leaves no child process"), "\(failure.text)")
  }

  @Test(
    "F1 · an invalid item of a catalogue fails with its rule",
    arguments: [
      (#"{"id": "a", "title": "A"}, {"id": "a", "title": "B"}"#, "No two items have the same `id`"),
      (
        #"{"id": "\#(String(repeating: "a", count: 4097))", "title": "A"}"#, "The controller bounds"
      ),
      (#"{"id": "a", "title": "A\u0007"}"#, "The controller bounds all texts"),
      (#"{"id": "a"}"#, "`id` and `title` are required."),
      (#"{"id": "a", "title": "A", "duration": -1}"#, "`duration` is from 0 to"),
      (#"{"id": "a", "title": "A", "track": "one"}"#, "`duration` is from 0 to"),
      (#"{"id": "a", "title": "A", "channels": 0}"#, "`duration` is from 0 to"),
    ])
  func item(_ items: String, _ rule: String) async throws {
    let folder = try TemporaryFolder()
    let answer = JSON.string(#"{"items": [\#(items)]}"#).text()
    let plugin = BrokenPlugin(
      "an invalid item", "plugin.c", #"return "{\"items\":[]}""#, "return \(answer)", [], "")
    let names = [
      "lights: a catalogue is read page by page to its end, and has no item twice",
      "lights: the catalogue of a folder keeps to the limits",
    ]
    let outcome = try await PluginCheckOutcome(
      try await plugin.build(in: folder),
      cases: ConformanceCase.devices + ConformanceCase.effects + ConformanceCase.limits
    ).run()
    #expect(outcome.failures.map(\.name) == names)
    for failure in outcome.failures { #expect(failure.text.contains(rule), "\(failure.text)") }
  }

  @Test("F1 · a failure shows the last lines on standard error")
  func standardError() async throws {
    let folder = try TemporaryFolder()
    let plugin = BrokenPlugin(
      "crashes", "plugin.c", "size_t length = 0;",
      "size_t length = 0; fputs(\"no lamp\\n\", stderr); if (count == 1) exit(3);", [], "")
    let outcome = try await PluginCheckOutcome(
      try await plugin.build(in: folder), cases: ConformanceCase.endings.filter { $0.isTimed }
    ).run()
    #expect(outcome.failures.first?.text.contains("    stderr    no lamp") == true)
  }

  @Test("F1 · paths and roles without a plugin are refused with the next action")
  func located() async throws {
    let folder = try TemporaryFolder()
    let plugin = try await BrokenPlugin.none.build(in: folder)
    for path in [plugin, plugin + "/manifest.json", plugin + "/plugin"] {
      #expect(try LocatedPlugin(path, role: nil).roles == [.lights])
    }
    let otherRole = #expect(throws: ExitError.self) { try LocatedPlugin(plugin, role: .screen) }
    #expect(otherRole?.text.contains("lights") == true)
    #expect(throws: ExitError.self) { try LocatedPlugin(plugin + "/nothing", role: nil) }
    let located = try LocatedPlugin(plugin, role: nil)
    #expect(try located.target(options: ["log": true]).options(of: .lights) == ["log": true])
    #expect(try located.target(options: [:]).options(of: .lights) == ["log": false])
    for wrong: JSONObject in [["log": 7], ["volume": 1]] {
      #expect(throws: ExitError.self) { try located.target(options: wrong) }
    }
  }
}

/// Examples/CPlugin with one change.
struct BrokenPlugin: Sendable, CustomTestStringConvertible {
  let testDescription: String
  /// The cases that fail, in the order of the report.
  let failing: [String]
  /// Words of the line with the broken rule.
  let words: String
  private let file: String
  private let old: String
  private let new: String

  init(
    _ what: String, _ file: String, _ old: String, _ new: String, _ failing: [String],
    _ words: String
  ) {
    testDescription = what
    self.file = file
    self.old = old
    self.new = new
    self.failing = failing
    self.words = words
  }

  static let none = BrokenPlugin("nothing", "plugin.c", "", "", [], "")

  /// Builds the plugin and returns its folder.
  func build(in folder: TemporaryFolder) async throws -> String {
    let plugin = folder.path(of: "CPlugin")
    let example = Program.project.appending(path: "Examples/CPlugin")
    for name in ["manifest.json", "plugin.c"] {
      var text = try String(contentsOf: example.appending(path: name), encoding: .utf8)
      if name == file, !old.isEmpty {
        #expect(text.contains(old), "\(testDescription)")
        text = text.replacing(old, with: new)
      }
      try folder.write("CPlugin/\(name)", Array(text.utf8))
    }
    let built = try await Program.run(
      URL(filePath: "/usr/bin/cc"), ["-o", plugin + "/plugin", plugin + "/plugin.c", "-lcjson"])
    #expect(built.status == 0, "\(built.errors)")
    return plugin
  }

  static let all = [
    BrokenPlugin(
      "another version than its manifest", "plugin.c", #"\"version\":\"1.0.0\""#,
      #"\"version\":\"1.0.1\""#,
      ["initialize is answered with the id and version of the manifest"],
      "`plugin` and `version` are those of the manifest."),
    BrokenPlugin(
      "another code for unknown methods", "plugin.c", "fail(-32601", "fail(-32600",
      ["an unknown method is an error"], "A *request* with an unknown method is an error."),
    BrokenPlugin(
      "too deep JSON", "plugin.c", "DEEPEST = 64", "DEEPEST = 66",
      ["JSON nested deeper than 64 levels is refused"], "| nesting | 64 levels |"),
    BrokenPlugin(
      "too long lines", "plugin.c", "1 << 20", "1 << 21",
      ["a line of 1 MiB is read, a longer one is refused"], "| a line | 1,048,576 bytes"),
    BrokenPlugin(
      "reports after the answer", "plugin.c",
      "if (*row->state) report(device, row->state, argument);\n    return \"{}\";",
      #"printf("{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{}}\n", id);"#
        + "report(device, row->state, argument); return NULL;",
      [
        "lights: a command's new state is reported before its answer",
        "lights: answers carry reports as a controller of version 1.0 understands them",
        "lights: answers carry reports as a controller of version 1.1 understands them",
      ], "**Report values that change with acceptance before the answer**"),
    BrokenPlugin(
      "a command without its effect", "plugin.c", #",\"brightness\":$"#, "",
      ["lights: after each accepted command, the device reports the settled state of the command"],
      "The command is done when the device reports"),
    BrokenPlugin(
      "a wrong effect inside the range only", "plugin.c", #"fputs(value ? value : "null", stdout)"#,
      #"fputs(value && strlen(value) == 2 ? "50" : value, stdout)"#,
      ["lights: after each accepted command, the device reports the settled state of the command"],
      "The command is done when the device reports"),
    BrokenPlugin(
      "a level of log outside the list", "plugin.c", "/* Tell your device here. */",
      #"puts("{\"jsonrpc\":\"2.0\",\"method\":\"log\",\"params\":{\"level\":\"loud\",\"message\":\"\"}}");"#,
      [
        "lights: after any command, reports have only keys and values of the role, and texts within "
          + "limits"
      ], "with level `debug`"),
    BrokenPlugin(
      "a provenance outside the list", "plugin.c", "report(get(devices, name), first_state, NULL);",
      #"report(get(devices, name), first_state, NULL); printf("{\"jsonrpc\":\"2.0\",\"method\":\"state\","#
        + #"\"params\":{\"device\":\"%s\",\"provenance\":\"guessed\"}}\n", name);"#,
      [
        "lights: after any command, reports have only keys and values of the role, and texts within "
          + "limits"
      ], "`provenance` says"),
    BrokenPlugin(
      "a kind of error outside the list", "plugin.c", "/* Tell your device here. */",
      #"if (cJSON_GetNumberValue(argument) == 1) return fail(-32000, "sulky", "not today");"#,
      [
        "lights: after any command, reports have only keys and values of the role, and texts within "
          + "limits"
      ], "| -32000 | the device's own answer"),
    BrokenPlugin(
      "a kind of cable outside the list", "plugin.c", #"\"cables\":[]"#, #"\"cables\":[\"rope\"]"#,
      ["lights: open names only cables of the manifest"], "`cables` are the kinds of cable"),
    BrokenPlugin(
      "output after the answer to shutdown", "plugin.c", "cJSON_Delete(devices);\n  return 0;",
      "cJSON_Delete(devices);\n  puts(\"bye\");\n  return 0;",
      [
        "initialize, open, scan, close and shutdown are answered exactly once, and shutdown last",
        "no child process is left behind at the end of the input",
      ], "Standard output carries messages only."),
    BrokenPlugin(
      "another kind for a foreign role", "plugin.c", #""unsupported", "this plugin"#,
      #""failed", "this plugin"#,
      ["a role that the plugin does not have is refused and leaves nothing open"],
      "| `unsupported` |"),
    BrokenPlugin(
      "a value beyond the range", "plugin.c", "0, 100,", "0, 200,",
      ["lights: a wrong command or argument is refused as invalid"], "| `invalid` |"),
    BrokenPlugin(
      "a key of another role", "plugin.c", #"first_state[] = ""#,
      #"first_state[] = "\"volume\":3,"#,
      [
        "lights: open reports the state before its answer",
        "lights: after any command, reports have only keys and values of the role, and texts within "
          + "limits",
      ], "A key that the role does not have"),
    BrokenPlugin(
      "a wrong self-check", "plugin.c", #"{\"ok\": true}"#, #"{\"ok\": 1}"#,
      ["--self-check prints one line of JSON and ends"], "With `--self-check`"),
    BrokenPlugin(
      "a close without effect", "plugin.c",
      "close_device(device->string);", "",
      [
        "lights: a closed device is no longer open",
        "lights: opening a name again replaces its device",
      ], "device is"),
    BrokenPlugin(
      "another exit status", "plugin.c", "cJSON_Delete(devices);\n  return 0;",
      "cJSON_Delete(devices);\n  return 3;",
      [
        "lights: the process exits within 2 s of the end of its input",
        "shutdown is answered and ends the process, though its input stays open",
      ], "the process exits within 2 seconds"),
    BrokenPlugin(
      "an empty line is answered", "plugin.c", "if (length) receive", "receive",
      ["empty lines are ignored"], "Empty lines are ignored."),
    BrokenPlugin(
      "remembers a key of another role", "manifest.json", #""options": {"#,
      #""remembers": ["volume"], "options": {"#,
      ["the manifest's \"remembers\" lists only state keys of the role"],
      "the state keys that the device `remembers`"),
    BrokenPlugin(
      "a keyword outside the subset", "manifest.json", #""default": false"#,
      #""default": false, "oneOf": []"#,
      ["the options schemas keep to the subset, and their defaults fit"],
      "Any other keyword is an error"),
    BrokenPlugin(
      "a default that does not fit", "manifest.json", #""default": false"#, #""default": 3"#,
      ["the options schemas keep to the subset, and their defaults fit"],
      "Any other keyword is an error"),
  ]
}

/// The report of `theater plugin check` on a plugin.
struct PluginCheckOutcome {
  private let located: LocatedPlugin
  private let report: PluginCheckReport
  private let trials: [ConformanceTrial]
  private(set) var failures: [(name: String, text: String)] = []
  private(set) var summary = ""

  init(
    _ path: String, role: Role? = nil, cases: [ConformanceCase] = ConformanceCase.all,
    restrictions: CheckRestrictions = CheckRestrictions(), longestWait: Duration? = nil
  ) throws {
    located = try LocatedPlugin(path, role: role)
    let text = try ProjectFile.text("docs/plugin-protocol.md")
    report = PluginCheckReport(located: located, document: ProtocolDocument(text))
    var target = try located.target(options: [:], restrictions: restrictions)
    target.longestWait = longestWait
    trials = ConformanceTrial.all(cases, of: target, roles: located.roles)
  }

  /// Runs the cases and returns the report with its failures.
  ///
  /// - Parameter pause: Called between two cases that run one by one; `nil` to run them concurrently.
  func run(pause: (() async -> Void)? = nil) async throws -> PluginCheckOutcome {
    var outcome = self
    var results: [ConformanceResult] = []
    if let pause {
      await ConformanceTrial.runOneByOne(trials, pause: pause) { results.append($0) }
    } else {
      await ConformanceTrial.run(trials, width: 2) { results.append($0) }
    }
    outcome.summary = report.summary(of: results)
    outcome.failures = results.filter(\.isFailed).map { result in
      let role = result.trial.role.map { "\($0.rawValue): " } ?? ""
      return (role + result.trial.conformanceCase.name, report.text(of: result))
    }
    return outcome
  }
}
