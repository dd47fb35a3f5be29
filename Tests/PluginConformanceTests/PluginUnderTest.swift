import Devices
import Foundation
import JSON
import PluginConformance
import PluginHost
import PluginProtocol
import PluginTestSupport
import TestSupport
import Testing

/// A plugin of the project, or a test's own: its folder, program and options.
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

  private init(_ name: String, folder: String, programs: URL? = nil) {
    self.name = name
    self.folder = Program.project.appending(path: folder)
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

  /// Every plugin of the project.
  static let all: [PluginUnderTest] = [
    simulated,
    PluginUnderTest("ALSAAmplifier", folder: "Plugins/ALSAAmplifier", programs: built),
    PluginUnderTest("LibavPlayer", folder: "Plugins/LibavPlayer", programs: built),
    PluginUnderTest("MQTTDevices", folder: "Plugins/MQTTDevices", programs: built),
    PluginUnderTest("PJLinkProjector", folder: "Plugins/PJLinkProjector", programs: built),
    PluginUnderTest("MpvPlayer", folder: "Plugins/MpvPlayer", programs: built),
    python,
    PluginUnderTest("PythonAlsaPlayer", folder: "Tests/Fixtures/PythonAlsaPlayer"),
  ]

  func manifestBytes() throws -> [UInt8] {
    try Array(Data(contentsOf: folder.appending(path: "manifest.json")))
  }

  func manifest() throws -> Manifest { try Manifest(parsing: manifestBytes()) }

  /// The program and its arguments.
  private func command(of manifest: Manifest) -> [String] {
    if let givenCommand { return givenCommand }
    guard let program = manifest.command.first, program.hasPrefix("./") else {
      return manifest.command
    }
    return [programs.appending(path: String(program.dropFirst(2))).path]
      + manifest.command.dropFirst()
  }

  /// The plugin for the conformance suite. A plugin without a usable manifest has no roles, and fails.
  var target: PluginTarget {
    let manifest =
      (try? manifest()) ?? Manifest(id: "none", version: "0", command: ["/nowhere"], roles: [:])
    let plugin = Manifest(
      id: manifest.id, version: manifest.version, protocolVersion: manifest.protocolVersion,
      command: command(of: manifest), environment: manifest.environment, roles: manifest.roles)
    return PluginTarget(
      CataloguedPlugin(manifest: plugin, folder: folder.path), mediaFolder: Self.music,
      environment: Self.environment
    ) { role in
      .object(try options(of: role, schema: manifest.roles[role]?.options ?? [:]))
    }
  }

  /// A folder for caches, which the tests of a process share.
  private static let caches = try? TemporaryFolder()

  /// The variables of this process, with the folder for caches.
  private static let environment: [String: String] = {
    var environment = ProcessInfo.processInfo.environment
    environment["XDG_CACHE_HOME"] = caches?.path
    return environment
  }()

  static let music = Program.project.appending(path: "Samples/Music").path

  /// Options with which a role opens on any machine: the schema's defaults, and further ones for
  /// devices without hardware.
  private func options(of role: Role, schema: JSON) throws -> JSONObject {
    var options = PluginTarget.defaults(schema)
    switch name {
    case "Simulated": options["speed"] = 0
    case "ALSAAmplifier":
      options["device"] = "null"
      options["whenMissing"] = "silent"
    case "MQTTDevices":
      let broker = try BrokerFixture.shared.get()
      let kind = role == .screen ? "cover" : role == .lights ? "dimmer" : "plug"
      let fixture = try MQTTFixture(broker, "tasmota", kind, ["position": 100])
      options["broker"] = broker.options
      options["profile"] = "tasmota"
      options["topic"] = .string(fixture.topic)
    case "MpvPlayer":
      options["drive"] = ""
      options["folders"] = [
        .string(role == .cdPlayer ? Self.music : try TestFilms.make().path)
      ]
    case "PJLinkProjector":
      options["host"] = "127.0.0.1"
      options["port"] = .integer(try ProjectorFixture().port)
      options["wideScreenInput"] = "32"
    default:
      if schema["properties"]?["folders"] != nil { options["folders"] = [.string(Self.music)] }
    }
    return options
  }
}
