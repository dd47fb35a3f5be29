import Devices
import Foundation
import HomeTheater
import JSON
import PluginProtocol
import Scenes
import TestSupport
import Testing

@testable import TheaterConfiguration

@Suite("A configuration without mistakes")
struct WholeConfigurationTests {
  let configuration: TheaterConfiguration

  init() throws { configuration = try Fixtures.read(Fixtures.whole) }

  @Test("F3 · devices are bound to roles and plugins, in the order of the file")
  func devices() {
    #expect(
      configuration.devices.map(\.id.name) == [
        "amp", "dvd", "cd", "tuner", "lights", "screen", "popper",
      ])
    #expect(configuration["amp"]?.role == .amplifier)
    #expect(configuration["amp"]?.plugin == "Speaker")
    #expect(configuration["dvd"]?.process == "discs")
    #expect(configuration["cd"]?.process == nil)
    #expect(configuration.warnings.isEmpty)
  }

  @Test("options have the manifest's defaults filled in, also deep inside")
  func defaults() {
    #expect(
      configuration["amp"]?.options.written == [
        "device": "hw:1", "whenMissing": "fail", "buffer": 100,
        "extras": [["key": "a", "weight": 0.5], ["key": nil, "weight": 2]],
      ])
    #expect(configuration["tuner"]?.options.written == ["speed": 1])
    #expect(
      configuration["cd"]?.options.revealed() == ["speed": 2.5, "faults": ["refuses": ["eject"]]])
  }

  @Test("F6 · steps keep their order, their device and the settings for waits and failures")
  func steps() throws {
    let steps = try #require(configuration.plan.scenes["watch-film"]).steps.commandSteps
    #expect(
      steps.map(\.device.name) == ["popper", "lights", "screen", "amp", "amp", "dvd", "dvd"])
    #expect(steps.map(\.onFailure) == [.continue] + Array(repeating: .stop, count: 6))
    #expect(steps.map(\.until)[2] == .accepted)
    #expect(steps.map(\.always) == [false, true, false, false, false, false, false])
    #expect(steps[1].command == .fixed(try Command(["dim": 10], role: .lights)))
    #expect(
      steps[5].command
        == .template(name: "play", argument: ["item": "$film", "position": 1.5], role: .dvdPlayer))
    #expect(steps[6].command == .fixed(try Command("play", role: .dvdPlayer)))
  }

  @Test("F6 · a scene is a tree: lists, groups, pauses and several commands for one device")
  func tree() throws {
    let steps = try #require(configuration.plan.scenes["evening"]).steps
    func command(_ device: DeviceID, _ role: Role, _ json: JSON) throws -> Step {
      .command(CommandStep(device: device, command: .fixed(try Command(json, role: role))))
    }
    #expect(
      steps == [
        .parallel(
          [
            try command("lights", .lights, ["dim": 40]),
            .sequence([try command("screen", .screen, "down"), .wait(.milliseconds(1500))]),
          ], onFailure: .continue),
        .sequence([
          try command("amp", .amplifier, "on"), try command("amp", .amplifier, ["volume": 20]),
        ]),
        .sequence([.wait(.seconds(90))]),
      ])
  }

  @Test("E8 · an activity has its scenes, and derives its category and amplifier")
  func activities() {
    #expect(
      configuration.plan.activities["film"]
        == Activity(
          name: "film", label: Label(title: "Film"), start: "watch-film", end: "end", player: "dvd",
          amplifier: "amp", category: .films, whenEnded: .stay,
          whenFailed: .end(after: .seconds(90)), endsWithout: ["dvd", "amp"]))
    #expect(configuration.plan.activities["radio"]?.whenFailed == .end(after: .seconds(1200)))
    #expect(configuration.plan.activities["radio"]?.category == .stations)
    #expect(configuration.plan.activities["radio"]?.amplifier == "amp")
  }

  @Test("E9 · the library has films, songs and stations; a station's id is its title")
  func library() {
    let library = configuration.plan.library
    #expect(
      library.films == [
        LibraryItem(id: "ferry", title: "Night Ferry", duration: 120.5, rating: 12, player: "dvd")
      ])
    #expect(library.songs.first?.artist == "The Sine Waves")
    #expect(library.stations.map(\.id) == ["Lantern", "v"])
    #expect(library.stations.map(\.frequency) == [.fm(98.5), .am(810)])
  }

  @Test("F5 · reads the web address with its names and certificate")
  func web() throws {
    #expect(
      configuration.web
        == WebSettings(
          host: "0.0.0.0", port: 8443, hosts: ["tv.example"],
          tls: .files(
            certificate: "/etc/theater/tls/chain.pem", key: "/home/ada/key.pem"),
          eventStreams: 500))
    let text = Fixtures.whole(
      #"{"certificate": "tls/chain.pem", "key": "~/key.pem"}"#, "true")
    #expect(try Fixtures.read(text).web.tls == .ownMaking)
    #expect(try Shipped.configuration().web == WebSettings())
  }

  @Test("relative paths start at the folder of the configuration")
  func paths() throws {
    #expect(
      configuration.plan.library.folders.map(\.path) == [
        "/etc/theater/Samples/Music", "/srv/music", "/etc/other", "/home/ada/Music",
      ])
    #expect(configuration.pluginFolders == ["/etc/theater/more-plugins"])
    let text = Fixtures.whole(#""device": "hw:1""#, #""device": "hw:1", "impulse": "room.wav""#)
    #expect(
      try Fixtures.read(text)["amp"]?.options.written["impulse"] == "/etc/theater/room.wav")
  }

  @Test("cables name source, amplifier and input")
  func cables() {
    #expect(
      configuration.plan.cables == [
        CableEdge(from: "dvd", to: "amp", input: "dvd"),
        CableEdge(from: "cd", to: "amp", input: "cd"),
      ])
  }

  @Test("an input in the amplifier's option `inputs` needs no cable")
  func ownInputs() throws {
    var plugins = Fixtures.plugins
    plugins["Speaker"] = Manifest(
      id: "Speaker", version: "1", command: ["./Speaker"],
      roles: [
        .amplifier: .init(
          options: [
            "type": "object",
            "properties": [
              "device": ["type": "string"], "extras": Fixtures.speakerExtras,
              "inputs": ["type": "array", "items": ["type": "string"], "default": ["aux"]],
            ],
          ], cables: [.pcm])
      ])
    let text = Fixtures.whole(#"{"input": "dvd"}"#, #"{"input": "aux"}"#)
    #expect(try Fixtures.read(text, plugins: plugins).plan.scenes["watch-film"] != nil)
    #expect(Fixtures.problems(text).map(\.kind) == [.reference])
  }

  @Test("A9 · a missing file of a certificate is a mistake with its place")
  func missingCertificate() throws {
    let folder = try TemporaryFolder()
    let text = Fixtures.whole(#""tls/chain.pem""#, #""chain.pem""#)
    for (name, contents) in [("devices.json", text), ("chain.pem", "")] {
      try folder.write(name, Array(contents.utf8))
    }
    let file = try ConfigurationFile(
      path: folder.path(of: "devices.json"), home: folder.path)
    let error = try #require(throws: InvalidConfiguration.self) {
      try file.configuration(plugins: Fixtures.plugins, secrets: PocketSecrets(texts: [:]))
    }
    #expect(error.problems.map(\.path.description) == ["$.web.tls.key"])
    let problem = try #require(error.problems.first)
    #expect(problem.position != nil)
    #expect(problem.message == "expected a PEM file, but there is no \(folder.path)/key.pem")
    #expect(problem.hint?.contains("\"tls\": true") == true)
    try folder.write("key.pem", [])
    _ = try file.configuration(plugins: Fixtures.plugins, secrets: PocketSecrets(texts: [:]))
  }

  @Test("a parameter that no step uses is a warning, not an error")
  func unusedParameter() throws {
    let text = Fixtures.whole(#"{"item": "$film", "position": 1.5}"#, #"{"item": "ferry"}"#)
    let warnings = try Fixtures.read(text).warnings
    #expect(warnings.map(\.path.description) == ["$.scenes.watch-film.parameters.film"])
    #expect(warnings.map(\.severity) == [.warning])
  }

  @Test("A9 · a folder that does not exist is a warning where folders are checked")
  func missingFolders() throws {
    let folder = try TemporaryFolder()
    try folder.write("music/song.flac", [])
    let path = try folder.write(
      "devices.json",
      Array(
        """
        {"pluginFolders": ["plugins", "music"],
         "devices": {"lights": {"role": "lights", "plugin": "Pretend"}},
         "library": {"folders": ["music", "film", "music/song.flac"]}}
        """.utf8))
    let file = try ConfigurationFile(path: path, home: nil)
    func warnings(checksFolders: Bool) throws -> [ConfigurationIssue] {
      try file.configuration(
        plugins: Fixtures.plugins, secrets: PocketSecrets(texts: [:]), checksFolders: checksFolders
      ).warnings
    }
    let found = try warnings(checksFolders: true)
    #expect(
      found.map { "\($0.path): \($0.message)" } == [
        "$.pluginFolders[0]: there is no folder \(folder.path)/plugins",
        "$.library.folders[1]: there is no folder \(folder.path)/film",
        "$.library.folders[2]: \(folder.path)/music/song.flac is not a folder",
      ])
    #expect(found.allSatisfy { $0.severity == .warning && $0.hint != nil })
    #expect(try warnings(checksFolders: false).isEmpty)
  }

  @Test("a plugin that cannot be used leaves its device bound, with a warning")
  func faultyPlugin() throws {
    var plugins = Fixtures.plugins
    plugins["Speaker"] = nil
    plugins.faults["Speaker"] = "its manifest is not JSON"
    let configuration = try Fixtures.read(Fixtures.whole, plugins: plugins)
    #expect(configuration["amp"]?.plugin == "Speaker")
    #expect(configuration.warnings.map(\.kind) == [.plugin])
    #expect(configuration.warnings.first?.message.contains("its manifest is not JSON") == true)
  }
}

extension Command {
  fileprivate init(_ name: String, role: Role) throws(CommandError) {
    try self.init(name, argument: nil, role: role)
  }
}
