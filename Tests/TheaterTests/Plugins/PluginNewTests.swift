import ArgumentParser
import Devices
import Foundation
import PluginConformance
import TestSupport
import Testing

@testable import theater

@Suite(.timeLimit(.minutes(3)))
struct PluginNewTests {
  @Test(
    "F1 · a new plugin in C passes its test and the conformance suite", arguments: Role.allCases)
  func c(_ role: Role) async throws {
    let folder = try TemporaryFolder()
    let plugin = try GeneratedPlugin("Mine", role, .c, in: folder.path)
    let made = try await Program.run(
      URL(filePath: "/usr/bin/make"), ["-s", "test", "CFLAGS=-std=c11 -Wall -Wextra -Werror"],
      folder: URL(filePath: plugin.path))
    #expect(made.status == 0, "\(made.output)\(made.errors)")
    #expect(try await plugin.failures(of: ConformanceCase.all) == [])
  }

  @Test("a new plugin in C closes each device that it has opened, also at the end")
  func cCloses() async throws {
    let folder = try TemporaryFolder()
    let plugin = try GeneratedPlugin("Mine", .lights, .c, in: folder.path).path
    let source = try String(contentsOfFile: plugin + "/plugin.c", encoding: .utf8)
    let closing = "static void close_device(const char *name) {"
    #expect(source.contains(closing))
    let note = #" fprintf(stderr, "closed %s\n", name);"#
    let changed = source.replacing(closing, with: closing + note)
    try folder.write("Mine/plugin.c", Array(changed.utf8))
    let built = try await Program.run(
      URL(filePath: "/usr/bin/cc"), ["-o", plugin + "/plugin", plugin + "/plugin.c", "-lcjson"])
    #expect(built.status == 0, "\(built.errors)")
    let opening = ["a", "b", "a", "c"].map { name in
      #"{"jsonrpc":"2.0","id":1,"method":"open","params":{"device":"\#(name)","role":"lights"}}"#
    }
    let close = #"{"jsonrpc":"2.0","id":1,"method":"close","params":{"device":"b"}}"#
    let ran = try await Program.run(
      URL(filePath: plugin + "/plugin"), [],
      input: (opening + [close]).map { $0 + "\n" }.joined())
    #expect(ran.errors.split(separator: "\n") == ["closed a", "closed b", "closed a", "closed c"])
  }

  /// The rest of the suite runs in Scripts/test-examples: each case starts an interpreter.
  @Test(
    "F1 · a new plugin in Python carries out the commands of its role", arguments: Role.allCases)
  func python(_ role: Role) async throws {
    let folder = try TemporaryFolder()
    let plugin = try GeneratedPlugin("Mine", role, .python, in: folder.path)
    let names = [
      "after any command, reports have only keys and values of the role, and texts within limits",
      "a wrong command or argument is refused as invalid",
      "a command's new state is reported before its answer",
      "after each accepted command, the device reports the settled state of the command",
    ]
    let cases = ConformanceCase.all.filter { names.contains($0.name) }
    #expect(cases.count == names.count)
    #expect(try await plugin.failures(of: cases) == [])
  }

  @Test("F1 · the test of a new plugin in Python passes")
  func pythonTest() async throws {
    let folder = try TemporaryFolder()
    let plugin = try GeneratedPlugin("Mine", .lights, .python, in: folder.path)
    let ran = try await Program.run(
      URL(filePath: "/usr/bin/env"), ["python3", "-B", "-m", "unittest"],
      folder: URL(filePath: plugin.path))
    #expect(ran.status == 0, "\(ran.errors)")
  }

  @Test("the Python module closes what it opens, and lets no device delay another or the end")
  func pythonModule() async throws {
    let folder = try TemporaryFolder()
    let plugin = try GeneratedPlugin("Mine", .lights, .python, in: folder.path)
    let fixtures = Program.project.appending(path: "Tests/Fixtures/PythonModule")
    let ran = try await Program.run(
      URL(filePath: "/usr/bin/env"),
      ["PYTHONPATH=\(plugin.path)", "python3", "-B", "-m", "unittest"], folder: fixtures)
    #expect(ran.status == 0, "\(ran.errors)")
  }

  @Test(
    "The examples in Python have the module that theater plugin new makes",
    arguments: ["NetworkLamp", "NetworkReceiver"])
  func moduleOfExample(_ example: String) throws {
    let folder = try TemporaryFolder()
    let plugin = try GeneratedPlugin("Mine", .lights, .python, in: folder.path)
    let made = try String(contentsOfFile: plugin.path + "/theater_plugin.py", encoding: .utf8)
    try ProjectFile.expect("Examples/\(example)/theater_plugin.py", toBe: made)
  }

  @Test("F1 · Examples/CPlugin is what theater plugin new makes, one C file of at most 150 lines")
  func example() throws {
    let folder = try TemporaryFolder()
    let plugin = try GeneratedPlugin("CPlugin", .lights, .c, in: folder.path)
    let names = try FileManager.default.contentsOfDirectory(atPath: plugin.path).sorted()
    #expect(names.filter { $0.hasSuffix(".c") || $0.hasSuffix(".h") } == ["plugin.c"])
    for name in names {
      let path = "\(plugin.path)/\(name)"
      let made = try String(contentsOfFile: path, encoding: .utf8)
      try ProjectFile.expect(
        "Examples/CPlugin/\(name)", toBe: made,
        isExecutable: FileManager.default.isExecutableFile(atPath: path))
      if name == "plugin.c" { #expect(made.count { $0 == "\n" } <= 150) }
    }
    let example = Program.project.appending(path: "Examples/CPlugin").path
    let committed = try FileManager.default.contentsOfDirectory(atPath: example)
    #expect(!committed.contains { $0.hasSuffix(".h") })
  }

  @Test(
    "F1 · a wrong name, role or language is refused",
    arguments: [
      ["../evil"], ["a/b"], [""], ["-x"], ["7lamps"], ["Lämp"], [String(repeating: "a", count: 65)],
      ["Mine", "--language", "cobol"], ["Mine", "--language", "swift"],
    ])
  func wrong(_ words: [String]) {
    #expect(throws: (any Error).self) {
      _ = try Theater.parseAsRoot(["plugin", "new", "--role", "lights"] + words)
    }
  }

  @Test("F1 · an unknown role is refused with the roles that exist")
  func unknownRole() {
    let error = #expect(throws: ExitError.self) { try RoleArgument.read("waffleIron") }
    #expect(error?.code == .wrongUsage)
    #expect(error?.text.contains("popcornPopper") == true)
  }

  @Test("F1 · sources without a package are refused, and nothing is made")
  func missingPackage() throws {
    let folder = try TemporaryFolder()
    for package in ["/nonexistent", folder.path] {
      let command = try PluginNew.parse([
        "Mine", "--role", "lights", "--language", "swift", "--into", folder.path, "--package",
        package,
      ])
      let error = #expect(throws: ExitError.self) { try command.run() }
      #expect(error?.text.contains("there is no \(package)/Package.swift") == true)
      #expect(!FileManager.default.fileExists(atPath: folder.path(of: "Mine")))
    }
    try PluginPlaceholders.checkPackage(Program.project.path)
    for url in ["https://example.org/theater.git", "git@example.org:theater.git"] {
      try PluginPlaceholders.checkPackage(url)
    }
  }

  @Test("F1 · a folder that exists is left alone")
  func exists() throws {
    let folder = try TemporaryFolder()
    try folder.write("Mine/plugin.py", Array("mine".utf8))
    let error = #expect(throws: ExitError.self) {
      _ = try GeneratedPlugin("Mine", .lights, .python, in: folder.path)
    }
    #expect(error?.text.contains("exists already") == true)
    #expect(
      try String(contentsOfFile: folder.path(of: "Mine/plugin.py"), encoding: .utf8) == "mine")
  }
}

/// A plugin that `theater plugin new` has made.
struct GeneratedPlugin {
  let path: String

  init(
    _ name: String, _ role: Role, _ language: PluginTemplate.Language, in folder: String
  ) throws {
    path = "\(folder)/\(name)"
    let template = PluginTemplate(
      language, folder: Program.project.appending(path: "Templates").path)
    let placeholders = try PluginPlaceholders(
      name: name, role: role, language: language, package: nil)
    try template.write(to: path, replacing: placeholders.values)
  }

  /// Runs cases and returns the reports of those that fail.
  func failures(of cases: [ConformanceCase]) async throws -> [String] {
    let report = try PluginCheckOutcome(path, cases: cases)
    return try await report.run().failures.map(\.text)
  }
}
