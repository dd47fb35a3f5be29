import JSON
import Testing

@testable import theater

@Suite struct DevicesLeftOnTests {
  private static func device(
    _ id: String, _ role: String, _ key: String, _ value: JSON, rooms: JSON = ["lounge"],
    availability: String = "available"
  ) -> JSON {
    [
      "id": .string(id), "role": .string(role), "rooms": rooms,
      "availability": .string(availability),
      "state": .object([key: ["value": value, "provenance": "observed"]]),
    ]
  }

  private static func hint(_ devices: [JSON], room: String? = nil) -> String? {
    DevicesLeftOn(
      status: ["activity": ["room": "lounge", "status": "idle"], "devices": .array(devices)]
    ).hint(room)
  }

  @Test("names the devices of the room that are on, in the order of the file")
  func names() {
    let devices = [
      Self.device("beamer", "projector", "power", "on"),
      Self.device("amp", "amplifier", "power", "warming"),
      Self.device("wall", "screen", "position", "down"),
      Self.device("cd", "cdPlayer", "power", "off"),
      Self.device("other", "screen", "position", "up"),
      Self.device("unknown", "lights", "power", .null),
      Self.device("lost", "lights", "power", "on", availability: "unavailable"),
      Self.device("hall", "lights", "power", "on", rooms: ["kitchen"]),
    ]
    #expect(
      Self.hint(devices)
        == "beamer, amp and wall stay on; to turn everything off: \(ProgramName.name) off")
    #expect(
      Self.hint([devices[0]], room: "lounge")
        == "beamer stays on; to turn everything off: \(ProgramName.name) off --room lounge")
    #expect(Self.hint([devices[3]]) == nil)
  }

  @Test("a start says where it goes on, and --resume that there is no position")
  func opening() {
    func lines(
      _ answer: JSON, for purpose: RunFollower.Purpose = .start, isResuming: Bool = false
    ) -> [String] {
      RunFollower.opening(answer, for: purpose, isAnnounced: true, isResuming: isResuming)
    }
    let playing: JSON = [
      "run": ["steps": [["kind": "command", "command": ["play": ["item": "x"]]]]]
    ]
    #expect(lines(playing).isEmpty)
    #expect(
      lines(playing, isResuming: true) == ["no position of it is kept; it plays from its start"])
    #expect(lines(["run": ["steps": [["command": "pop"]]]], isResuming: true).isEmpty)
    #expect(
      lines(["resumedAt": 60], isResuming: true)
        == ["going on at 1:00 (--from-start plays from the beginning)"])
    let placed: JSON = [
      "run": ["steps": [["kind": "command", "command": ["play": ["item": "x", "position": 9]]]]]
    ]
    #expect(lines(placed, isResuming: true).isEmpty, "the step names a position itself")
    let lounge: JSON = ["room": "lounge", "roomTitle": "Lounge"]
    #expect(lines(lounge, for: .end) == ["Lounge: shutting down"])
    #expect(lines(lounge).isEmpty)
    #expect(RunFollower.Purpose.start.line("lights on") == "Getting ready: lights on")
    #expect(RunFollower.Purpose.end.line(nil) == "Shutting down")
    #expect(RunFollower.Purpose.scene.line("lights on") == "lights on")
  }
}
