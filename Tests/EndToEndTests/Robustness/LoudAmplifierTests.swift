import APIClient
import Foundation
import JSON
import NIOHTTP1
import TestSupport
import Testing

/// The volume limit of a guest, as it is heard at amplifiers that start at 90 %.
@Suite(.serialized, .timeLimit(.minutes(3))) struct LoudAmplifierTests {
  private static let limit = 30

  /// A command that an amplifier has carried out or refused, and the volume that is heard after it, in %.
  private struct Heard: Equatable, CustomStringConvertible {
    let command: String
    let volume: Int
    var description: String { "\(command) \(volume)" }
  }

  /// A theater with loud amplifiers and a guest.
  private struct Party {
    /// The line of an amplifier that has started.
    private static let loud = Heard(command: "on", volume: 90)
    private static let gear: JSON = [
      "power": "on", "input": "aux", "mode": "stereo", "volume": 90, "muted": false,
    ]

    let theater: SmallTheater
    let owner: ControllerClient
    let guest: ControllerClient

    /// - Parameters:
    ///   - amplifiers: Those that the scene turns on.
    ///   - volume: The volume that the scene asks for.
    ///   - areTogether: Whether it turns them on at the same time, not one after the other.
    ///   - exits: Whether the plugin ends once `before` or `after` its answer to `on`.
    init(
      _ amplifiers: [String] = ["loud"], volume: Int? = nil, areTogether: Bool = false,
      exits: String = "never"
    ) async throws {
      var devices = JSONObject()
      for name in amplifiers {
        devices[name] = [
          "role": "amplifier", "plugin": "Loud", "process": .string(name), "options": [:],
        ]
      }
      let volumes = volume.map { [JSON.object(["volume": .integer($0)])] } ?? []
      let on: [JSON] = amplifiers.map { name in
        .object([name: .array(["on", ["input": "aux"], "stereo"] + volumes)])
      }
      let off: [JSON] = amplifiers.map { name in .object([name: "off"]) }
      theater = try SmallTheater(more: [
        "devices": .object(devices),
        "scenes": [
          "party": ["steps": areTogether ? [["parallel": .array(on)]] : .array(on)],
          "party-over": ["steps": .array(off)],
        ],
        "activities": [
          "party": ["start": "party", "end": "party-over", "amplifier": "loud"]
        ],
      ])
      try theater.addPlugin("Loud")
      try Self.setOptions(in: theater, exits: exits)
      try #require(try await theater.start())
      owner = try await theater.registerOwner()
      let pass = try await owner.send(
        .POST, "/api/v1/guests",
        [
          "name": "Cleo", "activities": ["party"],
          "volumeLimit": .integer(LoudAmplifierTests.limit),
        ])
      let code = try #require(pass.json["code"], "\(pass.json)")
      let session = try await theater.client().send(
        .POST, "/api/v1/guests/sessions", ["pass": code])
      guest = theater.client(token: try #require(session.json["token"]?.string))
    }

    /// The options of an amplifier, whose files are in the folder of the theater.
    static func options(of name: String, in theater: SmallTheater, exits: String = "never") -> JSON
    {
      [
        "log": .string(theater.path("\(name).log")),
        "gear": .string(theater.path("\(name).gear")), "exits": .string(exits),
      ]
    }

    private static func setOptions(in theater: SmallTheater, exits: String) throws {
      let file = theater.folder.appendingPathComponent("devices.json")
      var configuration = Configuration(json: try JSON(parsing: Data(contentsOf: file)))
      for (name, _) in configuration.json["devices"]?.object ?? [:] {
        let options = options(of: name, in: theater, exits: exits)
        configuration.set("options", at: ["devices", name], options)
      }
      try Data(configuration.json.text().utf8).write(to: file)
    }

    /// Copies the plugin under another name, before its first use.
    func copyPlugin(as copy: String) throws {
      try theater.addPlugin("Loud", as: copy)
      let file = theater.folder.appendingPathComponent("plugins/\(copy)/manifest.json")
      let text = try String(contentsOf: file, encoding: .utf8)
      try Data(text.replacing("\"Loud\"", with: "\"\(copy)\"").utf8).write(to: file)
    }

    /// Turns on the gear of a plugin at 90 %, before the plugin finds it.
    func turnOnGear(of name: String) throws {
      let gear: JSON = [Self.gear, false]
      try Data(gear.text().utf8).write(to: theater.folder.appendingPathComponent("\(name).gear"))
    }

    /// Gives the amplifier `loud` another plugin, with files of its own.
    func swap(to plugin: String, writing name: String) async throws {
      let answer = try await owner.send(
        .POST, "/api/v1/devices/loud/plugin",
        ["plugin": .string(plugin), "options": Self.options(of: name, in: theater)])
      #expect(answer.status == 200, "\(answer.json)")
    }

    /// The log of an amplifier, one entry a command.
    func heard(at name: String) -> [Heard] {
      theater.text("\(name).log").split(separator: "\n").compactMap { line in
        guard let space = line.lastIndex(of: " "), let volume = Int(line[space...].dropFirst())
        else { return nil }
        return Heard(command: String(line[..<space]), volume: volume)
      }
    }

    /// Posts a request of the guest, and waits for the end of its run.
    ///
    /// - Returns: The status of the run.
    func runByGuest(_ path: String) async throws -> String {
      let answer = try await guest.send(.POST, "/api/v1/\(path)")
      let id = try #require(answer.json["run"]?["id"]?.string, "\(answer.json)")
      let isOver = await eventually {
        let run = try? await guest.send(.GET, "/api/v1/runs/\(id)").json
        return run.map { $0["status"] != "running" } ?? false
      }
      try #require(isOver, "\(theater.text("log"))")
      let run = try await guest.send(.GET, "/api/v1/runs/\(id)").json
      return run["status"]?.string ?? "?"
    }

    /// Waits until an amplifier has been turned on or taken over, and is not heard above the limit.
    func waitForLimit(at name: String, _ location: SourceLocation = #_sourceLocation) async throws {
      let isReached = await eventually {
        let heard = heard(at: name)
        return heard.dropLast().contains(Self.loud)
          && heard.last.map { $0.volume <= LoudAmplifierTests.limit } == true
      }
      try #require(
        isReached, "\(heard(at: name))\n\(theater.text("log"))", sourceLocation: location)
    }

    /// Expects that an amplifier was loud, and that each time the next command turned it down.
    func expectLimit(
      at name: String, _ location: SourceLocation = #_sourceLocation
    ) {
      let heard = heard(at: name)
      #expect(heard.contains(Self.loud), "\(name): \(heard)", sourceLocation: location)
      for (line, next) in zip(heard, heard.dropFirst())
      where line.volume > LoudAmplifierTests.limit {
        #expect(
          next.volume <= LoudAmplifierTests.limit, "\(name): \(heard)", sourceLocation: location)
      }
      #expect(
        heard.last.map { $0.volume <= LoudAmplifierTests.limit } == true, "\(name): \(heard)",
        sourceLocation: location)
    }
  }

  @Test(
    "an amplifier that starts loud is turned down by the next command, and stays so",
    arguments: [nil, 80])
  func plain(volume: Int?) async throws {
    let party = try await Party(volume: volume)
    #expect(try await party.runByGuest("activities/party") == "done")
    try await party.waitForLimit(at: "loud")
    #expect(party.heard(at: "loud").last?.volume == Self.limit)
    #expect(try await party.runByGuest("end") == "done")
    #expect(party.heard(at: "loud").last == Heard(command: "off", volume: 0))
    party.expectLimit(at: "loud")
    await party.theater.close()
  }

  @Test(
    "an amplifier whose plugin ends right after on is turned down by the next process",
    arguments: ["before", "after"])
  func exit(when exits: String) async throws {
    let party = try await Party(exits: exits)
    let status = try await party.runByGuest("activities/party")
    // After the answer, the run may go on with the next process.
    #expect(exits == "after" || status == "failed")
    try await party.waitForLimit(at: "loud")
    party.expectLimit(at: "loud")
    // The new process can be used.
    #expect(try await party.runByGuest("activities/party") == "done")
    #expect(party.heard(at: "loud").last?.volume == Self.limit)
    #expect(try await party.runByGuest("end") == "done")
    party.expectLimit(at: "loud")
    await party.theater.close()
  }

  @Test(
    "a second amplifier that the scene turns on is turned down as well", arguments: [false, true])
  func second(areTogether: Bool) async throws {
    let party = try await Party(["loud", "porch"], areTogether: areTogether)
    #expect(try await party.runByGuest("activities/party") == "done")
    for name in ["loud", "porch"] {
      try await party.waitForLimit(at: name)
      #expect(party.heard(at: name).last?.volume == Self.limit)
    }
    #expect(try await party.runByGuest("end") == "done")
    for name in ["loud", "porch"] { party.expectLimit(at: name) }
    await party.theater.close()
  }

  @Test("an amplifier that gets another plugin while it is on keeps the limit")
  func swap() async throws {
    let party = try await Party()
    try party.copyPlugin(as: "LoudCopy")
    #expect(try await party.runByGuest("activities/party") == "done")
    try await party.swap(to: "LoudCopy", writing: "copy")
    try await party.waitForLimit(at: "copy")
    #expect(party.heard(at: "copy").last?.volume == Self.limit)
    #expect(try await party.runByGuest("end") == "done")
    #expect(party.heard(at: "copy").last == Heard(command: "off", volume: 0))
    for name in ["loud", "copy"] { party.expectLimit(at: name) }
    await party.theater.close()
  }

  @Test("an amplifier that another plugin finds on and loud is turned down first")
  func swapToLoud() async throws {
    let party = try await Party()
    try party.copyPlugin(as: "LoudCopy")
    #expect(try await party.runByGuest("activities/party") == "done")
    try party.turnOnGear(of: "copy")
    try await party.swap(to: "LoudCopy", writing: "copy")
    let isHeard = await eventually { !party.heard(at: "copy").isEmpty }
    #expect(isHeard, "\(party.theater.text("log"))")
    #expect(try await party.runByGuest("end") == "done")
    let heard = party.heard(at: "copy")
    #expect(heard.first?.volume == Self.limit, "\(heard)")
    #expect(heard.allSatisfy { $0.volume <= Self.limit }, "\(heard)")
    await party.theater.close()
  }
}
