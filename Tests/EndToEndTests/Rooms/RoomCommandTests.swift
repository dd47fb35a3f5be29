import APIClient
import Foundation
import JSON
import NIOHTTP1
import TestSupport
import Testing

/// The commands of the terminal in a house with two rooms.
@Suite(.serialized, .timeLimit(.minutes(5))) struct RoomCommandTests {
  private static let song = "Long Song"
  private static let nextSong = "Next Song"
  private static let film = "Harbour Lights"

  /// Runs `body` with the house, which has two songs of five minutes in the kitchen.
  private static func house(
    _ arrange: (inout Configuration) -> Void = { _ in },
    _ body: (LiveController) async throws -> Void
  ) async throws {
    try await withLiveController(arrange: { configuration, folder in
      configuration = try Configuration(theater: "house")
      let music = folder.appendingPathComponent("music").path
      configuration.set("folders", at: ["devices", "kitchen-cd", "options"], [.string(music)])
      arrange(&configuration)
    }) { room in
      for song in [Self.song, Self.nextSong] {
        try await room.makeTone("\(song).flac", seconds: 300, left: 440)
      }
      try await room.registerOwner()
      try await room.expect("library", "scan")
      try await body(room)
    }
  }

  /// A client with another session of the owner.
  private static func sessionOfOwner(in room: LiveController) async throws -> ControllerClient {
    let socket = room.folder.appendingPathComponent("run/theater/theater.sock").path
    let answer = try await ControllerClient(.socket(socket)).send(
      .POST, "/api/v1/sessions",
      ["email": "ann@example.org", "password": .string(room.password)])
    let token = try #require(answer.json["token"]?.string, "\(answer.json)")
    return ControllerClient(.socket(socket), token: token)
  }

  /// The lines about the rooms in the output of `theater status`.
  private static func headlines(_ room: LiveController) async throws -> [String] {
    try await room.expect("status").split(separator: "\n").map(String.init)
      .filter { $0.hasPrefix("Lounge: ") || $0.hasPrefix("Kitchen: ") }
  }

  /// Runs a command that must fail.
  ///
  /// - Returns: What it says.
  private static func refusal(
    of words: String, in room: LiveController, _ location: SourceLocation = #_sourceLocation
  ) async throws -> String {
    let outcome = try await Program.run(
      Program.products.appendingPathComponent("theater"),
      words.split(separator: " ").map(String.init), environment: room.environment,
      folder: room.folder)
    #expect(outcome.status == 1, "\(words): \(outcome.output)", sourceLocation: location)
    return outcome.errors
  }

  @Test(
    "E27 · commands with --room act in that room, later ones of the session in the last one named")
  func namedRoom() async throws {
    try await Self.house { room in
      let listen = try await room.expect("listen", Self.song, "--room", "kitchen")
      #expect(listen.contains("kitchen-cd play"), "\(listen)")
      #expect(
        try await Self.headlines(room) == [
          "Lounge: nothing is on.", "Kitchen: Kitchen music: \(Self.song) (running)",
        ])
      let loungeVolume = await room.value("volume", of: "lounge-amp")
      #expect(
        try await room.expect("volume", "20", "--room", "kitchen") == "Kitchen: volume 20 %\n")
      #expect(await eventually { await room.value("volume", of: "kitchen-amp") == 20 })
      #expect(try await room.expect("pause", "--room", "kitchen") == "Kitchen: paused\n")
      #expect(await room.playback(in: "kitchen") == "paused")
      #expect(try await room.expect("resume") == "Kitchen: playing\n")
      #expect(await room.playback(in: "kitchen") == "playing")
      #expect(try await room.expect("volume", "+5") == "Kitchen: volume 25 %\n")
      #expect(await eventually { await room.value("volume", of: "kitchen-amp") == 25 })
      #expect(await room.value("volume", of: "lounge-amp") == loungeVolume)

      // Another session means the first room of the file.
      let other = try await Self.sessionOfOwner(in: room).send(.POST, "/api/v1/pause")
      #expect(other.status == 409, "\(other.json)")

      let unknown = try await Self.refusal(of: "pause --room kichen", in: room)
      #expect(
        unknown.contains("there is no room \"kichen\"\n  Did you mean \"kitchen\"?"), "\(unknown)")
      // A room that does not exist is not remembered.
      #expect(try await room.expect("pause") == "Kitchen: paused\n")
      let idle = try await Self.refusal(of: "stop --room lounge", in: room)
      #expect(
        idle.contains("nothing is on\n  Something is on in the room \"kitchen\""), "\(idle)")
      let resume = try await Self.refusal(of: "resume", in: room)
      #expect(resume.contains("nothing is playing"), "\(resume)")
      #expect(await room.playback(in: "kitchen") == "paused")
      #expect(try await room.expect("resume", "--room", "kitchen") == "Kitchen: playing\n")
      let stop = try await room.expect("stop")
      #expect(stop.hasPrefix("Kitchen: shutting down\n"), "\(stop)")
      #expect(stop.contains("kitchen-amp off"), "\(stop)")
      #expect(await room.activity(in: "kitchen")?["status"] == "idle")
    }
  }

  @Test("mute, seek, next, previous and radio act in the room of --room")
  func otherCommands() async throws {
    try await Self.house { room in
      try await room.expect("watch", Self.film)
      try await room.expect("listen", Self.song, "--room", "kitchen")
      let muted = await room.value("muted", of: "lounge-amp")
      #expect(try await room.expect("mute", "on", "--room", "kitchen") == "Kitchen: muted\n")
      #expect(await eventually { await room.value("muted", of: "kitchen-amp") == true })
      #expect(await room.value("muted", of: "lounge-amp") == muted)
      #expect(
        try await room.expect("seek", "4:00", "--room", "kitchen").hasPrefix("Kitchen: at 4:00"))
      let isThere = await eventually {
        let position = await room.status(ofRoom: "kitchen")?["playback"]?["position"]
        return position?.number.map { $0 >= 240 } ?? false
      }
      #expect(isThere, "\(room.log)")
      #expect(try await room.expect("next", "--room", "kitchen").hasPrefix("Kitchen: next track"))
      #expect(
        await eventually {
          await room.activity(in: "kitchen")?["itemTitle"]?.string == Self.nextSong
        }, "\(room.log)")
      let previous = try await room.expect("previous", "--room", "kitchen")
      #expect(previous.hasPrefix("Kitchen: previous track"), "\(previous)")
      try await room.expect("radio", "Lantern Radio", "--room", "kitchen")
      #expect(
        try await Self.headlines(room) == [
          "Lounge: Großes Kino: \(Self.film) (running)",
          "Kitchen: Kitchen radio: Lantern Radio (running)",
        ])
      #expect(await room.playback(in: "lounge") == "playing")
    }
  }

  @Test("a start scene without a player begins its activity beside that of another room")
  func gaming() async throws {
    try await Self.house { room in
      try await room.expect("listen", Self.song, "--room", "kitchen")
      let plan = try await room.expect("scene", "plan", "gaming")
      #expect(plan.contains("lounge-amp input hdmi2"), "\(plan)")
      try await room.expect("scene", "run", "gaming")
      #expect(
        try await Self.headlines(room) == [
          "Lounge: Gaming (running)", "Kitchen: Kitchen music: \(Self.song) (running)",
        ])
      #expect(await room.activity(in: "lounge")?["activity"] == "gaming")
      let stop = try await room.expect("stop", "--room", "lounge")
      #expect(stop.contains("beamer off"), "\(stop)")
      #expect(await room.activity(in: "lounge")?["status"] == "idle")
      #expect(await room.playback(in: "kitchen") == "playing")
    }
  }

  @Test("a scene beside the activities is replaced by its next run, and cancelled by its name")
  func cancelledScene() async throws {
    try await Self.house({ configuration in
      let steps: JSON = [["stars": "on"], ["wait": "10 min"], ["stars": "off"]]
      configuration.set("sunrise", at: ["scenes"], ["title": "Sunrise", "steps": steps])
    }) { room in
      try await room.expect("scene", "run", "gaming")
      try await room.expect("scene", "run", "sunrise", "--no-wait")
      let first = try #require(try await room.state("/runs")["runs"]?.array)
      #expect(first.map { $0["scene"] } == ["sunrise"])
      let status = try await room.expect("status")
      #expect(status.contains("\nrunning: sunrise\n"), "\(status)")
      try await room.expect("scene", "run", "sunrise", "--no-wait")
      let second = try #require(try await room.state("/runs")["runs"]?.array)
      #expect(second.map { $0["scene"] } == ["sunrise"])
      #expect(second.first?["id"] != first.first?["id"])
      let replaced = try #require(first.first?["id"]?.string)
      #expect(try await room.state("/runs/\(replaced)")["status"] == "cancelled")
      #expect(
        try await room.expect("scene", "cancel", "sunrise") == "sunrise is cancelled\n")
      #expect(try await room.state("/runs")["runs"] == [])
      #expect(try await !room.expect("status").contains("running:"))
      #expect(await room.value("power", of: "stars") == "on")
      #expect(await room.activity(in: "lounge")?["activity"] == "gaming")
      let again = try await Self.refusal(of: "scene cancel sunrise", in: room)
      #expect(again.contains("the scene \"sunrise\" is not running"), "\(again)")
    }
  }

  @Test("off with --room turns off a room, and without it the house")
  func off() async throws {
    try await Self.house { room in
      try await room.expect("listen", Self.song, "--room", "kitchen")
      try await room.expect("watch", Self.film, "--room", "lounge")
      let kitchen = try await room.expect("off", "--room", "kitchen")
      #expect(kitchen.contains("kitchen-amp off"), "\(kitchen)")
      #expect(!kitchen.contains("lounge-amp") && !kitchen.contains("bluray"), "\(kitchen)")
      #expect(
        try await Self.headlines(room) == [
          "Lounge: Großes Kino: \(Self.film) (running)", "Kitchen: nothing is on.",
        ])
      #expect(await eventually { await room.value("power", of: "kitchen-amp") == "off" })
      #expect(await room.playback(in: "lounge") == "playing")
      #expect(await room.value("power", of: "lounge-amp") == "on")
      #expect(await room.value("power", of: "beamer") == "on")
      #expect(await room.value("brightness", of: "ceiling") == 5)

      try await room.expect("listen", Self.song, "--room", "kitchen")
      // The house, although the session has named the kitchen last.
      try await room.expect("off")
      #expect(
        try await Self.headlines(room) == ["Lounge: nothing is on.", "Kitchen: nothing is on."])
      let devices = try #require(try await room.state("/devices")["devices"]?.array)
      for device in devices where device["state"]?["power"] != nil {
        let id = try #require(device["id"]?.string)
        #expect(await eventually { await room.value("power", of: id) == "off" }, "\(id)")
      }
    }
  }

  @Test("the end of an activity leaves alone what the activity of another room uses")
  func sharedLamp() async throws {
    try await Self.house({ configuration in
      configuration.set(
        "steps", at: ["scenes", "kitchen-music-over"],
        [["ceiling": "off"], ["kitchen-amp": "off"], ["kitchen-cd": ["stop", "off"]]])
    }) { room in
      try await room.expect("listen", Self.song, "--room", "kitchen")
      try await room.expect("watch", Self.film)
      let plan = try await room.expect("scene", "plan", "kitchen-music-over")
      let kept = "  · ceiling: left as it is, Großes Kino in lounge uses it"
      #expect(plan.contains(kept), "\(plan)")
      let end = try await room.expect("stop", "--room", "kitchen")
      #expect(end.contains(kept) && !end.contains("ceiling off"), "\(end)")
      #expect(await room.value("brightness", of: "ceiling") == 5)
      #expect(await room.activity(in: "kitchen")?["status"] == "idle")
      #expect(await room.playback(in: "lounge") == "playing")
      // Alone it is turned off.
      try await room.expect("stop", "--room", "lounge")
      try await room.expect("listen", Self.song, "--room", "kitchen")
      let alone = try await room.expect("stop", "--room", "kitchen")
      #expect(alone.contains("ceiling off"), "\(alone)")
    }
  }

  @Test("off in a room leaves alone a shared lamp that the activity of another room uses")
  func sharedLampAtOff() async throws {
    try await Self.house({ configuration in
      let devices = configuration.json["rooms"]?["kitchen"]?["devices"]?.array ?? []
      configuration.set("devices", at: ["rooms", "kitchen"], .array(devices + ["ceiling"]))
    }) { room in
      try await room.expect("watch", Self.film)
      let kept = "  · ceiling: left as it is, Großes Kino in lounge uses it"
      let used = try await room.expect("off", "--room", "kitchen")
      #expect(used.contains(kept) && !used.contains("ceiling off"), "\(used)")
      #expect(await room.value("brightness", of: "ceiling") == 5)
      try await room.expect("stop", "--room", "lounge")
      let free = try await room.expect("off", "--room", "kitchen")
      #expect(free.contains("ceiling off") && !free.contains("left as it is"), "\(free)")
    }
  }

  @Test("an activity or a room that is not there is refused with the reason; nothing begins")
  func refusals() async throws {
    try await Self.house { room in
      for (words, reason) in [
        ("watch Harbour --room kitchen", "no activity plays films in the room \"kitchen\""),
        (
          "watch Harbour --activity cinema --room kitchen",
          "\"cinema\" is for the room \"lounge\", not for \"kitchen\""
        ),
        (
          "watch Harbour --activity gaming", "\"gaming\" plays no films\n  These play films: cinema"
        ),
        ("watch Harbour --activity kitchen-radio", "\"kitchen-radio\" plays no films"),
        ("radio Lantern --activity gaming", "\"gaming\" plays no stations"),
        ("radio Lantern --room lounge", "no activity plays stations in the room \"lounge\""),
        ("listen Long --room lounge", "It can be played by: kitchen-cd."),
        ("status --room kichen", "Did you mean \"kitchen\"?"),
        ("scene run mood-1 --room kichen", "Did you mean \"kitchen\"?"),
        ("off --room loung", "Did you mean \"lounge\"?"),
      ] {
        let refusal = try await Self.refusal(of: words, in: room)
        #expect(refusal.contains(reason), "\(words): \(refusal)")
      }
      #expect(
        try await Self.headlines(room) == ["Lounge: nothing is on.", "Kitchen: nothing is on."])
      #expect(try await room.state("/runs")["runs"] == [])
    }
  }

  @Test("a scene that turns off the player of an activity ends the activity")
  func playerTurnedOff() async throws {
    try await Self.house({ configuration in
      configuration.set(
        "hush", at: ["scenes"], ["title": "Hush", "steps": [["kitchen-cd": ["stop", "off"]]]])
    }) { room in
      try await room.expect("scene", "run", "gaming")
      try await room.expect("listen", Self.song, "--room", "kitchen")
      try await room.expect("scene", "run", "hush")
      #expect(
        try await Self.headlines(room) == ["Lounge: Gaming (running)", "Kitchen: nothing is on."])
    }
  }
}
