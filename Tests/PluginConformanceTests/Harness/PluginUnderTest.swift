import Devices
import Foundation
import JSON
import PluginProtocol
import TestSupport
import Testing

/// A plugin's folder and program, as it lies in the tree and beside the tests.
struct PluginUnderTest: Sendable, CustomTestStringConvertible {
  let name: String
  let folder: URL
  /// The folder of the built programs; a script lies beside its manifest.
  let programs: URL
  /// Started instead of the manifest's command.
  private var givenCommand: [String]?

  var testDescription: String { name }

  private static let built = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
    .deletingLastPathComponent()

  /// The plugin in the folder THEATER_PLUGIN, which holds its program beside its manifest.
  private static let given: PluginUnderTest? = environment["THEATER_PLUGIN"].map { path in
    let folder = URL(filePath: path)
    return PluginUnderTest(folder.lastPathComponent, in: folder)
  }

  /// The options with which the devices of the given plugin open, beside the schema's defaults.
  static let givenOptions: JSONObject =
    environment["THEATER_PLUGIN_OPTIONS"].flatMap { try? JSON(parsing: $0).object } ?? [:]

  private static let environment = ProcessInfo.processInfo.environment

  private init(_ name: String, folder: String, programs: URL? = nil) {
    self.name = name
    self.folder = ProjectFolder.root.appending(path: folder)
    self.programs = programs ?? self.folder
  }

  /// A plugin anywhere, started with the command of its manifest or with one of the test's.
  init(_ name: String, in folder: URL, command: [String]? = nil) {
    self.name = name
    self.folder = folder
    programs = folder
    givenCommand = command
  }

  static let simulated = PluginUnderTest("Simulated", folder: "Plugins/Simulated", programs: built)
  static let python = PluginUnderTest("PythonLights", folder: "Tests/Fixtures/PythonLights")

  /// Every plugin of the project that has a manifest; the given one instead, if there is one.
  static let all = given.map { [$0] } ?? ofProject

  private static let ofProject: [PluginUnderTest] = [
    simulated,
    PluginUnderTest("ALSAAmplifier", folder: "Plugins/ALSAAmplifier", programs: built),
    PluginUnderTest("LibavPlayer", folder: "Plugins/LibavPlayer", programs: built),
    PluginUnderTest("PJLinkProjector", folder: "Plugins/PJLinkProjector", programs: built),
    python,
    PluginUnderTest("PythonAlsaPlayer", folder: "Tests/Fixtures/PythonAlsaPlayer"),
  ].filter { (try? JSON(parsing: $0.manifestBytes())) != [:] }

  func manifestBytes() throws -> [UInt8] {
    try Array(Data(contentsOf: folder.appending(path: "manifest.json")))
  }

  func manifest() throws -> Manifest { try Manifest(parsing: manifestBytes()) }

  /// The program and its arguments.
  func command() throws -> [String] {
    if let givenCommand { return givenCommand }
    let command = try manifest().command
    let program = try #require(command.first)
    let path =
      program.hasPrefix("./")
      ? programs.appending(path: String(program.dropFirst(2))).path : program
    return [path] + command.dropFirst()
  }
}

/// A role of a plugin.
struct RoleUnderTest: Sendable, CustomTestStringConvertible {
  let plugin: PluginUnderTest
  let role: Role

  var testDescription: String { "\(plugin.name) \(role.rawValue)" }

  static let all: [RoleUnderTest] = PluginUnderTest.all.flatMap { plugin in
    ((try? plugin.manifest())?.roles.keys ?? [:].keys).sorted { $0.rawValue < $1.rawValue }
      .map { RoleUnderTest(plugin: plugin, role: $0) }
  }

  /// Options with which the role opens on any machine: the schema's defaults, and what needs no
  /// hardware.
  func options() throws -> JSON {
    let schema = try #require(try plugin.manifest().roles[role]).options
    var options = SchemaDefaults.object(schema)
    switch plugin.name {
    case "Simulated": options["speed"] = 0
    case "ALSAAmplifier":
      options["device"] = "null"
      options["whenMissing"] = "silent"
    case "LibavPlayer" where role == .cdPlayer:
      options["folders"] = [.string(ProjectFolder.root.appending(path: "Samples/Music").path)]
    case "PJLinkProjector":
      options["host"] = "127.0.0.1"
      options["port"] = .integer(try ProjectorFixture().port)
      options["wideScreenInput"] = "32"
    default:
      for (name, value) in PluginUnderTest.givenOptions { options[name] = value }
    }
    return .object(options)
  }

  /// A command that every device of the role carries out at once, with the state that shows it.
  var firstCommand: (name: String, key: StateKey, value: JSON) {
    role == .screen ? ("up", .position, "up") : ("on", .power, "on")
  }
}

/// The defaults that a controller fills in before it opens a device.
enum SchemaDefaults {
  static func object(_ schema: JSON) -> JSONObject {
    var object = JSONObject()
    for (key, property) in schema["properties"]?.object ?? [:] {
      if let value = property["default"] { object[key] = value }
    }
    return object
  }
}
