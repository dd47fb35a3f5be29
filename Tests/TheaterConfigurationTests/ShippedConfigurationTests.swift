import Devices
import Foundation
import HomeTheater
import JSON
import PluginProtocol
import Scenes
import TestSupport
import Testing

@testable import TheaterConfiguration

/// The files of the repository that this module answers for.
enum Shipped {
  static func plugins() throws -> KnownPlugins {
    KnownPlugins(
      try [
        "ALSAAmplifier", "LibavPlayer", "MpvPlayer", "MQTTDevices", "PJLinkProjector", "Simulated",
      ].map {
        try Manifest(parsing: ProjectFile.text("Plugins/\($0)/manifest.json").utf8)
      })
  }

  static func configuration() throws -> TheaterConfiguration {
    let path = Program.project.appending(path: "devices.json").path
    return try ConfigurationFile(path: path, home: nil)
      .configuration(plugins: plugins(), secrets: PocketSecrets(texts: [:]))
  }
}

@Suite("The shipped devices.json", .serialized)
struct ShippedConfigurationTests {
  @Test("F2 F3 F4 · it is whole: eight roles, a real amplifier, simulated devices elsewhere")
  func whole() throws {
    let configuration = try Shipped.configuration()
    #expect(configuration.warnings.isEmpty)
    #expect(Set(configuration.devices.map(\.role)) == Set(Role.allCases))
    let amplifier = try #require(configuration["amp"])
    #expect(amplifier.plugin == "ALSAAmplifier")
    #expect(amplifier.options.written["device"] == "default")
    #expect(amplifier.options.written["whenMissing"] == "silent")
    #expect(
      configuration["cd"]?.options.written["folders"]
        == [.string(Program.project.appending(path: "Samples/Music").path)])
  }

  /// `"device command"` for each command, in the order in which a run sends them.
  private static func words(_ name: String) throws -> [String] {
    let scene = try #require(try Shipped.configuration().plan.scenes[name])
    return scene.steps.commandSteps.map { step in
      switch step.command {
      case .fixed(let command): "\(step.device) \(command)"
      case .template(let name, let argument, _): "\(step.device) \(name) \(argument)"
      }
    }
  }

  @Test("E12 · the film's scenes have the commands of the source, in its order")
  func film() throws {
    #expect(
      try Self.words("watch-film") == [
        "popper on", "popper pop", "lights dim 10", "screen down", "projector on", "amp on",
        "amp input \"dvd\"", "amp surround", "amp volume 50", "dvd on",
        "dvd play {\"item\":\"$film\"}",
      ])
    #expect(
      try Self.words("end-film") == [
        "popper off", "lights on", "screen up", "projector off", "amp off", "dvd stop",
        "dvd eject", "dvd off",
      ])
  }

  @Test("E12 · movie-night is a scene beside the activities, as an owner adds one")
  func movieNight() throws {
    #expect(
      try Self.words("movie-night") == [
        "lights dim 5", "screen down", "projector on", "amp on", "amp input \"dvd\"",
        "amp surround", "amp volume 30", "dvd on", "dvd play {\"item\":\"$film\"}",
      ])
  }

  @Test("E13 · the music's scenes have the commands of the source, in its order")
  func music() throws {
    #expect(
      try Self.words("listen-music") == [
        "amp on", "amp input \"cd\"", "amp stereo", "cd on", "cd play {\"item\":\"$song\"}",
      ])
    #expect(try Self.words("end-music") == ["amp off", "cd stop", "cd eject", "cd off"])
  }

  @Test("E14 · the radio's scenes have the commands of the source, in its order")
  func radio() throws {
    #expect(
      try Self.words("listen-radio") == [
        "amp on", "amp input \"tuner\"", "amp stereo", "tuner on", "tuner station \"$station\"",
      ])
    #expect(try Self.words("end-radio") == ["amp off", "tuner off"])
  }

  @Test("E8 E17 · popcorn and lights do not hold up a film, and a film's end ends the activity")
  func failures() throws {
    let plan = try Shipped.configuration().plan
    for name in ["watch-film", "end-film"] {
      for step in try #require(plan.scenes[name]).steps.commandSteps {
        let isSide = step.device == "popper" || step.device == "lights"
        #expect(step.onFailure == (isSide ? .continue : .stop))
      }
    }
    #expect(Set(plan.activities.keys) == ["film", "music", "radio"])
    #expect(plan.activities["film"]?.whenEnded == .end)
    #expect(plan.activities["film"]?.amplifier == "amp")
    #expect(
      plan.activities.mapValues(\.category) == [
        "film": .films, "music": .songs, "radio": .stations,
      ])
    #expect(plan.scenes["popcorn"] != nil)
  }

  @Test("E9 · a fresh machine has three films and three stations to choose from")
  func library() throws {
    let library = try Shipped.configuration().plan.library
    #expect(library.films.map(\.title) == ["Night Ferry", "Paper Moons", "The Long Hall"])
    #expect(library.stations.count == 3)
    #expect(library.folders.count == 1)
  }

  @Test("F4 F6 · the amplifier is swapped by changing one line")
  func swap() throws {
    let lines = try ProjectFile.text("devices.json").split(separator: "\n").map { line in
      line.contains(#""amp": {"role""#)
        ? #""amp": {"role": "amplifier", "plugin": "Simulated"},"# : String(line)
    }
    let swapped = try Fixtures.read(
      lines.joined(separator: "\n"), plugins: Shipped.plugins())
    let shipped = try Shipped.configuration()
    #expect(swapped["amp"]?.plugin == "Simulated")
    #expect(swapped.plan.scenes == shipped.plan.scenes)
    #expect(swapped.plan.cables == shipped.plan.cables)
    #expect(swapped.devices.dropFirst(2) == shipped.devices.dropFirst(2))
  }

  @Test("F3 · devices.schema.json is what the code makes, and the configurations fit it")
  func schema() throws {
    let schema = TheaterConfiguration.schema(try Shipped.plugins())
    try ProjectFile.expect("devices.schema.json", toBe: schema.prettyText() + "\n")
    let configuration = try JSON(parsing: ProjectFile.text("devices.json"))
    let real = try JSON(parsing: ProjectFile.text("docs/devices.real.json"))
    let rooms = try JSON(parsing: ProjectFile.text("docs/theaters/two-rooms.json"))
    let verdicts = try JSONSchemaValidator.verdicts(
      on: [configuration, real, rooms, [:]], schema: schema)
    #expect(verdicts == [true, true, true, false])
  }

  @Test("F6 · the theaters of docs/theaters are valid", arguments: ["receiver", "two-rooms"])
  func theaters(_ name: String) throws {
    var plugins = try Shipped.plugins()
    plugins["NetworkReceiver"] = try Manifest(
      parsing: ProjectFile.text("Examples/NetworkReceiver/manifest.json").utf8)
    let path = Program.project.appending(path: "docs/theaters/\(name).json").path
    let read = try ConfigurationFile(path: path, home: nil)
      .configuration(plugins: plugins, secrets: PocketSecrets(texts: [:]))
    #expect(read.warnings.isEmpty)
  }

  @Test("F6 · the example of docs/pjlink-projector.md is a valid entry")
  func projectorExample() throws {
    let page = try ProjectFile.text("docs/pjlink-projector.md")
    let example = try #require(page.firstMatch(of: /```json\n((?s).*?)```/)).output.1
    let entry = example.replacing(#"{"secret": "projector"}"#, with: #""JBMIAProjectorLink""#)
    let read = try Fixtures.read("{\"devices\": {\(entry)}}", plugins: Shipped.plugins())
    #expect(read["projector"]?.plugin == "PJLinkProjector")
    #expect(read.warnings.isEmpty)
  }

  @Test("F6 · the examples of docs/mqtt-devices.md are valid entries")
  func mqttExamples() throws {
    let page = try ProjectFile.text("docs/mqtt-devices.md")
    let examples = page.matches(of: /```json\n((?s).*?)```/).map(\.output.1)
    #expect(examples.count == 5)
    for example in examples {
      let entry = example.replacing(#"{"secret": "mqtt"}"#, with: #""correct horse""#)
      let read = try Fixtures.read("{\"devices\": {\(entry)}}", plugins: Shipped.plugins())
      #expect(read.devices.map(\.plugin) == ["MQTTDevices"])
      #expect(read.warnings.isEmpty)
    }
  }

  @Test("F6 · the examples of docs/mpv-player.md are valid entries")
  func playerExamples() throws {
    let page = try ProjectFile.text("docs/mpv-player.md")
    let examples = page.matches(of: /```json\n((?s).*?)```/).map { String($0.output.1) }
    #expect(examples.count == 2)
    for example in examples {
      let read = try Fixtures.read("{\"devices\": {\(example)}}", plugins: Shipped.plugins())
      #expect((read["dvd"] ?? read["cd"])?.plugin == "MpvPlayer")
      #expect(read.warnings.isEmpty)
    }
  }

  @Test("F6 · the example of docs/libav-player.md has valid entries")
  func musicExample() throws {
    let page = try ProjectFile.text("docs/libav-player.md")
    let example = try #require(page.firstMatch(of: /```json\n((?s).*?)```/)).output.1
    let read = try Fixtures.read("{\"devices\": {\(example)}}", plugins: Shipped.plugins())
    #expect(read.devices.map(\.plugin) == ["LibavPlayer", "LibavPlayer"])
    #expect(read.warnings.isEmpty)
  }

  @Test("the reference page shows a mistake with its real message")
  func example() throws {
    let text = try ProjectFile.text("devices.json")
      .replacing(#""role": "lights""#, with: #""role": "light""#)
    let problem = try #require(Fixtures.problems(text, plugins: Shipped.plugins()).first)
    let shown = "\(problem)".split(separator: "\n").map { "    \($0)\n" }.joined()
    #expect(try ProjectFile.text("docs/configuration.md").contains(shown), "it is:\n\(shown)")
  }

  @Test("E15 · the reference page lists every command of every role")
  func reference() throws {
    try ProjectFile.expect(
      "commands", of: "docs/configuration.md", toBe: CommandReference.markdown)
  }
}
