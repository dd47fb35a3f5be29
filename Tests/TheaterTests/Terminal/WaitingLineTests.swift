import JSON
import Testing

@testable import theater

@Suite("The line of a command that waits")
struct WaitingLineTests {
  @Test("names what it waits for, turns, and counts the seconds from the first one")
  func text() {
    #expect(WaitingLine.line("Searching", seconds: 0, turn: 0, width: 80) == "| Searching…")
    #expect(WaitingLine.line("Searching", seconds: 12, turn: 1, width: 80) == "/ Searching… 12 s")
  }

  @Test("fits into one row of any terminal, and shows no control characters")
  func width() {
    for width in [0, 5, 10, 20, 80] {
      let text = String(repeating: "x", count: 200)
      #expect(WaitingLine.line(text, seconds: 100, turn: 2, width: width).count <= max(width, 9))
    }
    #expect(!WaitingLine.line("a\u{1B}[2J", seconds: 0, turn: 0, width: 80).contains("\u{1B}"))
  }

  @Test("a run shows its steps that are under way")
  func steps() {
    var lines = StepLines()
    func step(_ id: String, _ status: String, _ command: JSON) -> JSON {
      [
        "id": .string(id), "status": .string(status), "kind": "command", "device": "lights",
        "command": command,
      ]
    }
    #expect(lines.underWay == nil)
    #expect(lines.line(for: step("1", "running", "on")) == nil)
    #expect(lines.line(for: step("2", "running", ["dim": 10])) == nil)
    #expect(lines.underWay == "lights on, lights dim 10")
    #expect(lines.line(for: step("1", "done", "on")) != nil)
    #expect(lines.underWay == "lights dim 10")
  }
}
