import APIClient
import Foundation
import Glibc
import JSON
import NIOHTTP1
import TestSupport
import Testing

/// What is on in two rooms, on gear that goes on while the controller is away.
@Suite(.serialized, .timeLimit(.minutes(3))) struct RestartTests {
  /// A lounge and a kitchen, each with an amplifier and a CD player.
  private struct House {
    static let rooms = ["lounge", "kitchen"]
    let theater: SmallTheater
    let owner: ControllerClient

    init() async throws {
      var devices = JSONObject()
      var scenes = JSONObject()
      var activities = JSONObject()
      var rooms = JSONObject()
      var cables: [JSON] = []
      for room in Self.rooms {
        let (amplifier, player) = ("\(room)-amp", "\(room)-cd")
        devices[amplifier] = ["role": "amplifier", "plugin": "Gear", "options": [:]]
        devices[player] = ["role": "cdPlayer", "plugin": "Gear", "options": [:]]
        cables.append([
          "from": .string(player), "to": .string(amplifier), "input": "disc",
        ])
        scenes["\(room)-song"] = [
          "parameters": ["music": "song"],
          "steps": [
            .object([amplifier: ["on", ["input": "disc"]]]),
            .object([player: ["on", ["play": ["item": "$music"]]]]),
          ],
        ]
        scenes["\(room)-over"] = [
          "steps": [.object([player: "off"]), .object([amplifier: "off"])]
        ]
        activities["\(room)-music"] = [
          "start": .string("\(room)-song"), "end": .string("\(room)-over"),
          "player": .string(player), "amplifier": .string(amplifier),
        ]
        rooms[room] = ["devices": [.string(amplifier), .string(player)]]
      }
      theater = try SmallTheater(more: [
        "devices": .object(devices), "scenes": .object(scenes), "cables": .array(cables),
        "activities": .object(activities), "rooms": .object(rooms),
      ])
      try theater.addPlugin("Gear")
      let file = theater.folder.appendingPathComponent("devices.json")
      var configuration = Configuration(json: try JSON(parsing: Data(contentsOf: file)))
      for name in devices.map(\.key) {
        configuration.set(
          "options", at: ["devices", name], ["gear": .string(theater.path("\(name).gear"))])
      }
      try Data(configuration.json.text().utf8).write(to: file)
      try #require(try await theater.start(), "\(theater.text("log"))")
      owner = try await theater.registerOwner()
    }

    /// Begins a song in each room.
    func begin() async throws {
      for (room, song) in zip(Self.rooms, ["night-bus", "last-light"]) {
        let begun = try await owner.send(
          .POST, "/api/v1/activities/\(room)-music", ["item": .string(song)])
        #expect(begun.status == 202 || begun.status == 200, "\(begun.json)")
        try await wait(for: "running", in: room)
      }
    }

    /// What is on in a room.
    func activity(in room: String) async throws -> JSON? {
      try await owner.send(.GET, "/api/v1/rooms/\(room)/status").json["activity"]
    }

    func wait(
      for status: String, in room: String, _ location: SourceLocation = #_sourceLocation
    ) async throws {
      let isReached = await eventually {
        (try? await activity(in: room))?["status"]?.string == status
      }
      let found = try await activity(in: room) ?? .null
      try #require(isReached, "\(found)\n\(theater.text("log"))", sourceLocation: location)
    }

    /// The commands that a device got.
    func commands(of device: String) throws -> [JSON] {
      let gear = try JSON(parsing: Data(theater.text("\(device).gear").utf8))
      return gear["commands"]?.array ?? []
    }
  }

  @Test("E26a · two rooms go on after a crash, each with its song, and end apart")
  func crash() async throws {
    let house = try await House()
    try await house.begin()
    let before = try House.rooms.map { try house.commands(of: "\($0)-cd") }
    await house.theater.crash()
    try #require(try await house.theater.start())
    for (room, song) in zip(House.rooms, ["night-bus", "last-light"]) {
      try await house.wait(for: "running", in: room)
      let activity = try await house.activity(in: room)
      #expect(activity?["item"]?.string == song, "\(activity ?? .null)")
      #expect(activity?["activity"]?.string == "\(room)-music" && activity?["error"] == nil)
    }
    #expect(try House.rooms.map { try house.commands(of: "\($0)-cd") } == before)
    let ended = try await house.owner.send(.POST, "/api/v1/rooms/kitchen/end")
    #expect(ended.status < 300, "\(ended.json)")
    try await house.wait(for: "idle", in: "kitchen")
    #expect(try await house.activity(in: "lounge")?["status"] == "running")
    #expect(try house.commands(of: "kitchen-amp").last == "off")
    #expect(try house.commands(of: "lounge-amp").last != "off")
    // What ended stays ended.
    await house.theater.crash()
    try #require(try await house.theater.start())
    try await house.wait(for: "running", in: "lounge")
    #expect(try await house.activity(in: "kitchen")?["status"] == "idle")
    await house.theater.close()
  }

  @Test("E26a · after a stop of the controller, resume goes on where each room stopped")
  func stop() async throws {
    let house = try await House()
    try await house.begin()
    _ = try await house.owner.send(.POST, "/api/v1/rooms/kitchen/pause")
    let end = await house.theater.stop(SIGTERM)
    #expect(end.status != nil)
    #expect(try house.commands(of: "lounge-cd").last == "stop")
    try #require(try await house.theater.start())
    // The paused song is still paused; the end of the controller has stopped the other one.
    try await house.wait(for: "running", in: "kitchen")
    #expect(try await house.activity(in: "kitchen")?["error"] == nil)
    try await house.wait(for: "running", in: "lounge")
    let lounge = try await house.activity(in: "lounge")
    #expect(lounge?["item"] == "night-bus" && lounge?["retryAt"] != nil, "\(lounge ?? .null)")
    let resumed = try await house.owner.send(.POST, "/api/v1/rooms/lounge/resume")
    #expect(resumed.status == 200, "\(resumed.json)")
    #expect(
      await eventually { (try? await house.activity(in: "lounge"))?["error"] == nil })
    #expect(try house.commands(of: "lounge-cd").last?["play"]?["item"] == "night-bus")
    await house.theater.close()
  }
}
