import APIClient
import JSON
import Testing

@testable import theater

@Suite struct StatusTests {
  @Test("F5 · the status shows address and certificate if they are known")
  func address() {
    #expect(AddressLines.lines([:]) == [])
    #expect(
      AddressLines.lines(["address": "https://a.local:8443", "fingerprint": "AA:BB"])
        == ["web          https://a.local:8443", "certificate  SHA-256 AA:BB"])
  }

  private static func status(playback: JSON = .null) -> JSON {
    [
      "event": "b-1",
      "activity": [
        "status": "running", "activity": "film", "title": "Watch a film",
        "itemTitle": "Metropolis", "item": "metropolis", "player": "dvd",
      ],
      "playback": playback,
      "devices": [
        [
          "id": "dvd", "title": "DVD player", "availability": "available",
          "state": [
            "power": ["value": "on", "provenance": "reported", "age": 1],
            "playback": [
              "value": [
                "state": "playing", "item": "metropolis", "position": 60, "duration": 600,
                "rate": 1,
              ], "provenance": "reported", "age": 0,
            ],
          ],
        ],
        [
          "id": "lights", "title": "lights", "availability": "available",
          "state": [
            "brightness": ["value": 10, "provenance": "assumed", "age": 1],
            "power": ["value": "on", "provenance": "unknown", "age": 99],
          ],
        ],
        [
          "id": "amp", "title": "amplifier", "availability": "unavailable",
          "reason": "it has crashed",
        ],
      ],
    ]
  }

  private static let playing: JSON = [
    "state": "playing", "position": 60, "duration": 600, "rate": 1,
  ]

  @Test("the status shows the activity, its progress and the time left")
  func progress() {
    let view = LiveTheaterStatus(snapshot: Self.status(playback: Self.playing), at: 100)
    let text = StatusText(width: 80, hasColour: false).text(view, at: 130)
    #expect(text.contains("Watch a film: Metropolis (running)"))
    #expect(text.contains("1:30 of 10:00, 8:30 left, playing"))
    #expect(text.contains("[██████░░░░"))
  }

  @Test("progress stops at the end and while paused")
  func ends() {
    var view = LiveTheaterStatus(snapshot: Self.status(playback: Self.playing), at: 0)
    #expect(view.rooms[0].position(at: 10_000) == 600)
    view = LiveTheaterStatus(
      snapshot: Self.status(
        playback: ["state": "paused", "position": 60, "duration": 600, "rate": 0]), at: 0)
    #expect(view.rooms[0].position(at: 500) == 60)
    let text = StatusText(width: 80, hasColour: false).text(view, at: 500)
    #expect(text.contains("Watch a film: Metropolis (paused)"))
  }

  @Test("events update a device and the film's position")
  func events() {
    var view = LiveTheaterStatus(snapshot: Self.status(playback: Self.playing), at: 0)
    let device: JSON = [
      "id": "dvd", "title": "DVD player", "availability": "available",
      "state": [
        "playback": [
          "value": ["state": "playing", "position": 300, "duration": 600, "rate": 1],
          "provenance": "reported", "age": 2,
        ]
      ],
    ]
    view.apply(ServerSentEvent(id: "b-2", name: "device", data: device.text()), at: 10)
    #expect(view.rooms[0].position(at: 10) == 302)
    view.apply(
      ServerSentEvent(id: "b-3", name: "activity", data: "{\"status\":\"idle\"}"), at: 11)
    #expect(view.rooms[0].position(at: 11) == nil)
    let text = StatusText(width: 80, hasColour: false).text(view, at: 11)
    #expect(text.hasPrefix("Nothing is on."))
  }

  @Test("playback ends when the configuration removes the activity's player")
  func removedPlayer() {
    var view = LiveTheaterStatus(snapshot: Self.status(playback: Self.playing), at: 0)
    for (removed, position) in [("lights", 70.0), ("dvd", nil)] as [(JSON, Double?)] {
      let data: JSON = ["status": "applied", "changed": [], "removed": [removed]]
      view.apply(ServerSentEvent(id: nil, name: "configuration", data: data.text()), at: 10)
      #expect(view.rooms[0].position(at: 10) == position)
    }
    #expect(view.rooms[0].playback == nil)
  }

  @Test("F6 · the status shows a refused edit with file, line and what to do")
  func refusedEdit() {
    var snapshot = Self.status().object ?? [:]
    snapshot["configuration"] = [
      "errors": 2,
      "problem": [
        "kind": "shape", "severity": "error", "file": "/etc/devices.json", "line": 10,
        "column": 24, "path": "$.devices.lights.role", "message": "expected a role",
        "hint": "Did you mean \"lights\"?",
      ],
    ]
    var view = LiveTheaterStatus(snapshot: .object(snapshot), at: 0)
    func text() -> String { StatusText(width: 80, hasColour: false).text(view, at: 0) }
    for part in [
      "devices.json was edited and has mistakes (2 errors)",
      "/etc/devices.json:10:24: error: $.devices.lights.role: expected a role",
      "Did you mean \"lights\"?", "config check /etc/devices.json",
    ] {
      #expect(text().contains(part), "\(part)")
    }
    func event(_ data: JSON) -> ServerSentEvent {
      ServerSentEvent(id: nil, name: "configuration", data: data.text())
    }
    view.apply(event(["status": "applied", "changed": [], "removed": ["lights"]]), at: 1)
    #expect(!text().contains("mistakes"))
    #expect(view.devices.map { $0["id"] } == ["dvd", "amp"])
    view.apply(event(["status": "refused", "changed": [], "removed": []]), at: 2)
    #expect(text().contains("devices.json was edited and has mistakes;"))
    var lines = ChangeLines()
    #expect(
      lines.lines(for: event(["status": "refused", "changed": [], "removed": []]))
        == ["configuration: refused"])
  }

  @Test("a device's state is shown with assumed and unknown values marked")
  func deviceStates() {
    let devices = Self.status()["devices"]?.array ?? []
    #expect(
      devices.map(DeviceText.state) == [
        "on, playing metropolis", "~10 %, on?", "unavailable: it has crashed",
      ])
    #expect(DeviceText.state(["availability": "starting"]) == "starting")
    #expect(DeviceText.state(["availability": "available"]) == "nothing known yet")
    #expect(DeviceText.words("frequency", 98.5) == "98.5 MHz")
    #expect(DeviceText.words("frequency", 810) == "810 kHz")
    #expect(DeviceText.words("station", .null) == nil)
  }

  @Test(
    "a progress bar is filled in proportion",
    arguments: [
      (0, "[░░░░]"), (0.5, "[██░░]"), (0.99, "[███░]"), (1, "[████]"), (7, "[████]"),
      (-1, "[░░░░]"), (.nan, "[░░░░]"),
    ] as [(Double, String)])
  func bars(fraction: Double, text: String) {
    #expect(ProgressBar(fraction: fraction, width: 4).text == text)
  }

  @Test(
    "times are formatted as hours, minutes and seconds",
    arguments: [(0, "0:00"), (59.9, "0:59"), (750, "12:30"), (3723, "1:02:03"), (-5, "0:00")]
      as [(Double, String)])
  func times(seconds: Double, text: String) {
    #expect(TimeText.text(seconds) == text)
    #expect(seconds < 0 || seconds != seconds.rounded() || TimeText.seconds(text) == seconds)
  }

  @Test("shows each step of a run once, at its end, and the reason of a failed step")
  func steps() {
    var lines = StepLines()
    func step(_ id: String, _ kind: String, _ status: String, _ more: JSONObject) -> JSON {
      var object: JSONObject = ["id": .string(id), "kind": .string(kind)]
      object["status"] = .string(status)
      for (key, value) in more { object[key] = value }
      return .object(object)
    }
    let dim: JSONObject = ["device": "lights", "command": ["dim": 10], "seconds": 0.2]
    #expect(lines.line(for: step("1", "command", "running", dim)) == nil)
    #expect(lines.line(for: step("1", "command", "done", dim)) == "  ✓ lights dim 10 (0.2 s)")
    #expect(lines.line(for: step("1", "command", "done", dim)) == nil)
    #expect(lines.line(for: step("2", "parallel", "done", [:])) == nil)
    let wait = step("2.1", "wait", "done", ["duration": 1.5, "seconds": 1.5])
    #expect(lines.line(for: wait) == "  ✓ wait 1.5 s")
    let amp: JSONObject = ["device": "amp", "command": "on"]
    #expect(lines.line(for: step("2.2", "command", "cancelled", amp)) == "  – amp on: cancelled")
    var stuck = amp
    stuck["error"] = ["message": "it is stuck", "hint": "Push."]
    #expect(
      lines.line(for: step("3", "command", "failed", stuck))
        == "  ✗ step 3, amp on: it is stuck\n      Push.")
  }

  @Test("F6 · a plan shows each step with its number, and why a command is not sent")
  func plan() {
    let plan: [JSON] = [
      ["id": "1", "kind": "parallel"],
      [
        "id": "1.1", "kind": "command", "device": "lights", "command": ["dim": 10],
        "action": "skip", "reported": ["brightness": 10],
      ],
      ["id": "1.2", "kind": "wait", "duration": 2],
      ["id": "2", "kind": "command", "device": "amp", "command": "on", "action": "decideLater"],
      ["id": "3", "kind": "command", "device": "popper", "command": "pop", "action": "send"],
    ]
    #expect(
      plan.map(StepLines.line(planned:)) == [
        "  1 at the same time:", "    1.1 · lights dim 10: not sent, brightness is 10",
        "    1.2 → wait 2.0 s", "  2 ? amp on: sent unless it is so by then",
        "  3 → popper pop",
      ])
  }

  @Test("a step of a kind that is not known yet is named by its kind, never as another")
  func unknownStep() {
    var lines = StepLines()
    let loop: JSON = ["id": "1", "kind": "repeat", "status": "done"]
    #expect(lines.line(for: loop) == "  ✓ repeat")
    let doubtful: JSON = ["id": "2", "kind": "repeat", "status": "doubtful"]
    #expect(lines.line(for: doubtful) == "  repeat: doubtful")
    let skipped: JSON = ["id": "3", "kind": "repeat", "status": "skipped", "reason": "mode"]
    #expect(lines.line(for: skipped) == "  · repeat: left out: mode")
    let asked: JSON = [
      "id": "4", "kind": "command", "device": "popper", "command": "pop", "action": "ask",
    ]
    #expect(StepLines.line(planned: asked) == "  4 → popper pop: ask")
  }

  @Test("in a pipe each change is one line")
  func changeLines() {
    var changes = ChangeLines()
    let snapshot = ServerSentEvent(id: nil, name: "snapshot", data: Self.status().text())
    #expect(
      changes.lines(for: snapshot).first == "film running: Metropolis")
    #expect(changes.lines(for: snapshot).isEmpty)
    let lights: JSON = [
      "id": "lights", "availability": "available",
      "state": ["brightness": ["value": 80, "provenance": "reported", "age": 0]],
    ]
    let event = ServerSentEvent(id: nil, name: "device", data: lights.text())
    #expect(changes.lines(for: event) == ["lights: 80 %"])
    #expect(changes.lines(for: event).isEmpty)
  }

  @Test("columns are aligned")
  func columns() {
    var columns = Columns(["a", "long heading"])
    columns.add("wide word", "x")
    #expect(columns.text == "a          long heading\nwide word  x")
  }

  @Test("text higher than the terminal is cut, so that the next text covers it")
  func paintingInSmallTerminal() {
    var update = ScreenUpdate()
    #expect(update.next("a\nb\nc", rows: 24) == "\ra\u{1B}[K\nb\u{1B}[K\nc\u{1B}[K\n\u{1B}[J")
    #expect(update.next("a\nb\nc", rows: 3) == "\u{1B}[3A\ra\u{1B}[K\nb\u{1B}[K\n\u{1B}[J")
    #expect(update.next("a\nb\nc", rows: 1) == "\u{1B}[2A\ra\u{1B}[K\n\u{1B}[J")
  }

  @Test("a failed activity names the device")
  func failedDevice() {
    let error: JSON = ["code": "deviceFailed", "message": "it is stuck", "device": "screen"]
    let activity: JSON = ["status": "failed", "activity": "film", "error": error]
    let view = LiveTheaterStatus(snapshot: ["activity": activity, "devices": []], at: 0)
    let text = StatusText(width: 80, hasColour: false).text(view, at: 0)
    #expect(text.contains("✗ screen: it is stuck"), "\(text)")
    var changes = ChangeLines()
    let event = ServerSentEvent(id: nil, name: "activity", data: activity.text())
    #expect(changes.lines(for: event) == ["film failed: screen: it is stuck"])
  }
}
