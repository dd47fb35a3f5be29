import ArgumentParser
import Devices
import Discovery
import Foundation
import JSON
import MQTTClient
import TestSupport
import TheaterConfiguration
import Testing
import TheaterLoader
import WebServer

@testable import theater

@Suite struct DiscoverTests {
  /// The finding of each kind.
  private static let findings: [DiscoveryFinding] = [
    DiscoveryFinding(
      .projectors, id: "pjlink:192.0.2.20", title: "Projector", place: "x", roles: [.projector],
      plugin: "PJLinkProjector", options: ["host": "192.0.2.20"]),
    DiscoveryFinding(
      .mqtt, id: "mqtt:tasmota:plug", title: "Plug", place: "x",
      roles: [.popcornPopper, .lights, .screen], plugin: "MQTTDevices",
      options: ["broker": ["host": "192.0.2.10"], "profile": "tasmota", "topic": "plug"],
      optionsOfRoles: [.lights: ["dimmer": false], .screen: ["drive": "switch"]]),
    DiscoveryFinding(
      .sound, id: "alsa:hw:CARD=PCH,DEV=0", title: "Card", place: "x", roles: [.amplifier],
      plugin: "ALSAAmplifier", options: ["device": "hw:CARD=PCH,DEV=0"]),
    DiscoveryFinding(
      .drives, id: "drive:/dev/sr0", title: "Drive", place: "x", roles: [.dvdPlayer, .cdPlayer],
      plugin: "MpvPlayer", options: ["drive": "/dev/sr0"]),
    DiscoveryFinding(
      .folders, id: "films:/srv/films", title: "Folder", place: "x", roles: [.dvdPlayer],
      plugin: "MpvPlayer", options: ["folders": ["/srv/films"]]),
  ]

  private static func withFile(
    _ body: (ConfigurationFileStore, URL) throws -> Void
  ) async throws {
    try await withTemporaryFolder { folder in
      let file = folder.appendingPathComponent("devices.json")
      try FileManager.default.copyItem(
        at: Program.project.appendingPathComponent("devices.json"), to: file)
      let store = ConfigurationFileStore(
        name: file.path, plugins: [Program.project.appendingPathComponent("Plugins").path],
        paths: ApplicationPaths { $0.hasPrefix("XDG") ? folder.path : nil })
      try body(store, file)
    }
  }

  private static func insert(
    _ store: ConfigurationFileStore, _ choices: String..., isReplacing: Bool = false
  ) throws -> String {
    try FindingPlacement(store: store, findings: findings, isReplacing: isReplacing)
      .insert(choices.compactMap(FindingChoice.init)).text
  }

  @Test("F6 F7 · findings are put in, checked, and everything else stays byte for byte")
  func put() async throws {
    try await Self.withFile { store, file in
      let before = try String(contentsOf: file, encoding: .utf8)
      let text = try Self.insert(
        store, "projector", "lights", "screen", "popper", "dvd=drive:/dev/sr0",
        "dvd=films:/srv/films")
      #expect(text.contains("~ devices.dvd: ") && text.contains("~ devices.projector: "))
      let after = try String(contentsOf: file, encoding: .utf8)
      #expect(
        after.contains(
          #""projector": {"role": "projector", "plugin": "PJLinkProjector", "options": {"host": "192.0.2.20"}}"#
        ))
      #expect(after.contains(#"{"drive": "/dev/sr0", "folders": ["/srv/films"]}"#))
      #expect(after.contains(#""drive": "switch""#) && after.contains(#""dimmer": false"#))
      let lines = { (text: String) in text.split(separator: "\n").filter { !$0.contains("role") } }
      #expect(lines(before) == lines(after))
      #expect(try store.validate(store.read()).configuration["dvd"]?.plugin == "MpvPlayer")
      #expect(try Self.insert(store, "projector").isEmpty)
    }
  }

  @Test("F6 · a real plugin or another value is only replaced when that is asked for")
  func real() async throws {
    try await Self.withFile { store, file in
      let before = try Data(contentsOf: file)
      for choice in ["amp", "cd"] {
        let error = try #require(throws: ExitError.self) { try Self.insert(store, choice) }
        #expect(error.code == .failed && error.text.contains("--replace"), "\(error.text)")
      }
      #expect(try Data(contentsOf: file) == before)
      #expect(try Self.insert(store, "amp", isReplacing: true) == "~ devices.amp: options.device")
      #expect(try store.validate(store.read()).configuration["amp"]?.plugin == "ALSAAmplifier")
    }
  }

  @Test("F6 · several findings, none, an unknown device or an invalid result change nothing")
  func refused() async throws {
    try await Self.withFile { store, file in
      let before = try Data(contentsOf: file)
      for (choice, word) in [
        ("dvd", "dvd=drive:/dev/sr0"), ("dvd=x", "nothing with this id"),
        ("tuner", "nothing was found"), ("nothing", "has no device"),
      ] {
        let error = try #require(throws: ExitError.self) { try Self.insert(store, choice) }
        #expect(error.text.contains(word), "\(error.text)")
      }
      let bad = DiscoveryFinding(
        .projectors, id: "x", title: "x", place: "x", roles: [.projector],
        plugin: "PJLinkProjector", options: ["host": "a b"])
      let error = try #require(throws: ExitError.self) {
        try FindingPlacement(store: store, findings: [bad], isReplacing: true).insert(
          [try #require(FindingChoice("projector"))])
      }
      #expect(error.text.contains("host"), "\(error.text)")
      #expect(try Data(contentsOf: file) == before)
    }
  }

  @Test("F7 · the text names each finding, its id and its entry, and the problems")
  func text() {
    let result = DiscoveryResult(findings: [Self.findings[0]], problems: ["mqtt: no broker"])
    #expect(
      DiscoveryText.text(
        result,
        devices: ConfiguredDevices(["beamer": ["role": "projector", "plugin": "Simulated"]])) == """
          Projector, x
            id pjlink:192.0.2.20
            "beamer": {"role": "projector", "plugin": "PJLinkProjector", "options": {"host": "192.0.2.20"}}

          ! mqtt: no broker
          """)
    #expect(
      DiscoveryText.text(DiscoveryResult(), devices: ConfiguredDevices([:]))
        == "Nothing was found.")
  }

  @Test("F7 · an entry is named after the device that it fits best")
  func names() throws {
    let plug = Self.findings[1]
    let devices = ConfiguredDevices([
      "attic": ["role": "lights", "plugin": "MQTTDevices", "options": ["topic": "other"]],
      "salon": ["role": "lights", "plugin": "Simulated"],
      "cinema": ["role": "projector", "plugin": "PJLinkProjector", "options": ["host": "x"]],
    ])
    // There is no popper, but there are lamps, of which one is simulated.
    #expect(devices.role(of: plug) == .lights)
    #expect(devices.name(of: plug, for: .lights) == "salon")
    #expect(
      DiscoveryText.text(DiscoveryResult(findings: [plug]), devices: devices)
        .contains(#""salon": {"role": "lights""#))
    #expect(devices.name(of: Self.findings[0], for: .projector) == "cinema")
    // The device that is this plug already, even where there is a simulated one.
    let present = plug.entry(for: .screen)
    let blind = ConfiguredDevices([
      "salon": ["role": "lights", "plugin": "Simulated"], "blind": .object(present),
    ])
    #expect(blind.role(of: plug) == .screen && blind.name(of: plug, for: .screen) == "blind")
    // A name that another role has is not given again.
    let taken = ConfiguredDevices(["projector": ["role": "screen", "plugin": "Simulated"]])
    #expect(taken.name(of: Self.findings[0], for: .projector) == "projector2")
    #expect(ConfiguredDevices([:]).name(of: plug, for: .lights) == "lights")
  }

  @Test("F6 · a finding of exactly the device's kind is preferred to one that can be of it")
  func exactKind() async throws {
    try await Self.withFile { store, _ in
      let lamp = DiscoveryFinding(
        .mqtt, id: "mqtt:zigbee:lamp", title: "Lamp", place: "x", roles: [.lights],
        plugin: "MQTTDevices",
        options: ["broker": ["host": "192.0.2.10"], "profile": "zigbee2mqtt", "topic": "lamp"])
      let difference = try FindingPlacement(
        store: store, findings: Self.findings + [lamp], isReplacing: false
      ).insert([try #require(FindingChoice("lights"))])
      #expect(difference.text.contains("~ devices.lights: "))
      let text = try String(decoding: store.read(), as: UTF8.self)
      #expect(text.contains(#""topic": "lamp""#) && !text.contains(#""topic": "plug""#))
    }
  }

  @Test(
    "F7 · wrong words are a wrong usage",
    arguments: [
      ["--timeout", "0"], ["--timeout", "61"], ["--only", "cars"], ["--broker", "a b"],
      ["--user", "u"], ["--broker", "b", "--password-stdin"], ["--replace"], ["--put-in", "=x"],
      ["--tls"], ["--broker", "b", "--ca-file", "ca.pem"],
    ])
  func usage(words: [String]) throws {
    let error = try #require(throws: (any Error).self) {
      _ = try Theater.parseAsRoot(["discover"] + words)
    }
    #expect(ExitError(error).code == .wrongUsage)
  }

  @Test("F7 · the controller searches the folders of its user, and says which secret is missing")
  func controller() async throws {
    try await withTemporaryFolder { folder in
      let music = folder.appendingPathComponent("Music")
      try FileManager.default.createDirectory(at: music, withIntermediateDirectories: true)
      try Data().write(to: music.appendingPathComponent("a.flac"))
      let discovery = ControllerDiscovery(
        sources: DiscoverySources(folders: [], home: folder.path),
        secrets: SecretFolders(credentials: nil, own: folder.path))
      let found = try await discovery.search(
        for: DiscoveryRequest(kinds: [.folders], timeout: .seconds(1)))
      #expect(found.findings.map(\.id).contains("music:\(music.path)"))
      let login = DiscoveryRequest(
        kinds: [.mqtt], timeout: .seconds(1),
        broker: BrokerAddress(host: "192.0.2.10", user: "theater"), secret: "plugs")
      let error = await #expect(throws: TheaterError.self) {
        try await discovery.search(for: login)
      }
      #expect(error?.code == .invalid && error?.message.contains("plugs") == true)
    }
  }

  private static let network = Program.project.appending(
    path: "Tests/Fixtures/broadcast_network.py"
  ).path
  /// Whether this machine lets a user make a network.
  private static let hasNetworks =
    (try? Program.runBlocking("unshare", ["-rn", "python3", network]))?.status == 0

  @Test(
    "F7 · the program finds a projector that answers to its broadcast",
    .enabled(if: hasNetworks, "needs the right to make a network namespace"))
  func broadcast() async throws {
    let outcome = try await Program.run(
      URL(filePath: "/usr/bin/unshare"),
      [
        "-rn", "python3", Self.network, Program.products.appending(path: "theater").path,
        "discover", "--only", "projectors", "--timeout", "5", "--json",
      ])
    #expect(outcome.status == 0, "\(outcome.errors)")
    let answer = try JSON(parsing: Array(outcome.output.utf8))
    let findings = answer["findings"]?.array ?? []
    #expect(findings.map { $0["id"] } == ["pjlink:192.0.2.1"], "\(answer.text())")
    #expect(findings.first?["title"]?.string?.contains("Rück-Projektor") == true)
  }

  @Test("F7 · the program searches without a controller and answers with JSON")
  func program() async throws {
    try await withTemporaryFolder { folder in
      try FileManager.default.createDirectory(
        at: folder.appendingPathComponent("Music"), withIntermediateDirectories: true)
      try Data().write(to: folder.appendingPathComponent("Music/a.flac"))
      let outcome = try await Program.run(
        Program.products.appendingPathComponent("theater"),
        ["discover", "--only", "folders", "--only", "displays", "--json"],
        environment: ["HOME": folder.path, "DISPLAY": ":7"], folder: folder)
      #expect(outcome.status == 0, "\(outcome.errors)")
      let answer = try JSON(parsing: Array(outcome.output.utf8))
      #expect(answer["failed"] == [])
      let ids = (answer["findings"]?.array ?? []).compactMap { $0["id"]?.string }
      #expect(ids.contains("display::7") && ids.contains("music:\(folder.path)/Music"), "\(ids)")
    }
  }

  @Test(
    "a search that could not be made is told by the exit code, unless nobody asked for it",
    arguments: [
      (["--broker", "127.0.0.1:1", "--only", "mqtt"], 1, ["mqtt"]),
      (["--broker", "127.0.0.1:1", "--only", "displays", "--only", "mqtt"], 1, ["mqtt"]),
      (["--only", "displays"], 0, []),
    ] as [([String], Int32, [JSON])])
  func failedSearch(words: [String], status: Int32, failed: [JSON]) async throws {
    try await withTemporaryFolder { folder in
      let outcome = try await Program.run(
        Program.products.appendingPathComponent("theater"),
        ["discover", "--timeout", "1", "--json"] + words,
        environment: ["HOME": folder.path, "DISPLAY": ":7"], folder: folder)
      #expect(outcome.status == status, "\(outcome.errors)")
      #expect(try JSON(parsing: Array(outcome.output.utf8))["failed"] == .array(failed))
      guard status != 0 else { return #expect(outcome.errors.isEmpty) }
      let error = try JSON(parsing: Array(outcome.errors.utf8))
      #expect(error["error"]?["code"] == "failed")
      #expect(error["error"]?["message"]?.string?.contains("mqtt") == true)
    }
  }
}
