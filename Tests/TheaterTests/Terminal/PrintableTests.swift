import APIClient
import JSON
import NIOHTTP1
import Testing

@testable import theater

@Suite("Texts of plugins on a terminal")
struct PrintableTests {
  private static let evil = "a\u{1B}[2J\u{9B}31m\rb\n  ✓ all is well\u{202E}\u{7F}\u{E0001}"
  private static let harmless =
    #"a\u001b[2J\u009b31m\u000db\u000a  ✓ all is well\u202e\u007f\udb40\udc01"#

  @Test("control and format characters are shown escaped")
  func escaping() {
    #expect(Self.evil.printable() == Self.harmless)
    #expect("two\nlines\u{1B}".printable(keepingLines: true) == "two\nlines\\u001b")
    for text in ["", "plain", "Äöü ✓ 漢字", "می\u{200C}روم", "👩\u{200D}🚀"] {
      #expect(text.printable() == text)
    }
  }

  @Test("escaped JSON keeps its meaning")
  func lossless() throws {
    let value: JSON = ["key\u{9B}": [.string(Self.evil), 1, .null]]
    let text = value.prettyText().printable(keepingLines: true)
    #expect(text.unicodeScalars.allSatisfy { $0 == "\n" || $0.value >= 0x20 && $0.value != 0x9B })
    #expect(try JSON(parsing: text.utf8) == value)
    #expect(value.printable == [#"key\u009b"#: [.string(Self.harmless), 1, .null]])
  }

  @Test("status, changes, steps and errors show a plugin's text on one line")
  func places() {
    let device: JSON = [
      "id": "tuner", "title": "tuner", "availability": "available",
      "state": ["station": ["value": .string(Self.evil), "provenance": "reported", "age": 0]],
    ]
    let view = LiveTheaterStatus(snapshot: ["activity": [:], "devices": [device]], at: 0)
    let status = StatusText(width: 80, hasColour: false).text(view, at: 0)
    var changes = ChangeLines()
    let change = changes.lines(for: ServerSentEvent(id: nil, name: "device", data: device.text()))
    var lines = StepLines()
    let step = lines.line(for: [
      "id": "1", "kind": "command", "device": "tuner", "command": "on", "status": "failed",
      "error": ["message": .string(Self.evil)],
    ])
    let body = JSON.object(["error": ["message": .string(Self.evil)]]).text()
    let ending = ExitError(ControllerResponse(status: 503, headers: [:], body: Array(body.utf8)))
    for text in [status, change.joined(), step ?? "", ending.text] {
      #expect(text.contains(Self.harmless), "\(text)")
    }
    #expect(change.count == 1)
  }

  @Test("a change of the volume prints the new volume")
  func volume() {
    #expect(TransportText.volume(["volume": 45]) == "volume 45 %")
    #expect(TransportText.volume(["muted": true]) == "muted")
    #expect(TransportText.volume(["muted": false]) == "not muted")
    #expect(TransportText.text("muted", ["confirmation": "observed"]) == "muted")
    #expect(
      TransportText.text("muted", ["confirmation": "accepted"]) == "muted (accepted, not confirmed)"
    )
    #expect(
      TransportText.text("muted", ["confirmation": "observed", "room": "attic"]) == "attic: muted")
    let lounge: JSON = [
      "confirmation": "accepted", "room": "lounge", "roomTitle": "Lounge", "category": "films",
    ]
    #expect(
      TransportText.skip("next", lounge) == "Lounge: next chapter (accepted, not confirmed)")
    for (category, part) in [
      ("films", "chapter"), ("songs", "track"), ("stations", "station"), ("newer", "track"),
    ] {
      let answer: JSON = ["confirmation": "observed", "category": .string(category)]
      #expect(TransportText.skip("previous", answer) == "previous \(part)")
    }
  }

  @Test("F1 · the doctor's last line counts faults, else notices")
  func verdict() {
    let good = Finding.good("a", "b")
    let notice = Finding.notice("a", "b", remedy: nil)
    let bad = Finding.bad("a", "b", remedy: nil)
    #expect(Doctor.verdict(on: [good]) == "Nothing is wrong.")
    #expect(Doctor.verdict(on: [good, notice]) == "Nothing is broken; 1 thing to know (!).")
    #expect(
      Doctor.verdict(on: [notice, notice, good]) == "Nothing is broken; 2 things to know (!).")
    #expect(Doctor.verdict(on: [notice, bad]) == "1 thing is wrong (✗).")
    #expect(Doctor.verdict(on: [bad, bad]) == "2 things are wrong (✗).")
  }
}
