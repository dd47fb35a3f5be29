import JSON
import Testing

@testable import theater

@Suite struct DifferenceTextTests {
  @Test("F6 · a difference is shown line by line, or the mistakes of the file")
  func differenceText() {
    let answer: JSON = [
      "problems": [],
      "changes": [
        ["kind": "added", "section": "scenes", "name": "x", "keys": [], "live": true],
        ["kind": "changed", "section": "web", "keys": ["host", "port"], "live": false],
      ],
    ]
    #expect(
      DifferenceText.text(answer) == """
        + scenes.x
        ~ web: host, port (takes effect at the next start)
        """)
    #expect(DifferenceText.text(["problems": [], "changes": []]) == "Nothing differs.")
    let wrong: JSON = [
      "problems": [
        [
          "severity": "error", "file": "mine.json", "line": 4, "column": 2,
          "path": "$.devices.amp", "message": "expected an object", "hint": "Write one.",
        ]
      ], "changes": [],
    ]
    #expect(
      DifferenceText.text(wrong)
        == "mine.json:4:2: error: $.devices.amp: expected an object\n  Write one.")
    #expect(DifferenceText.hasErrors(wrong) && !DifferenceText.hasErrors(answer))
  }
}
