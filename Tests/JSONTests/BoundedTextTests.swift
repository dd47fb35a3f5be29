import JSON
import Testing

@Suite("Texts from outside are bounded")
struct BoundedTextTests {
  @Test("thirty combining marks in a row are stream-safe, thirty-one are not")
  func marksInARow() {
    let thirty = String(repeating: "\u{308}", count: 30)
    #expect(("a" + thirty).isStreamSafe)
    #expect(("a" + thirty + "b" + thirty).isStreamSafe)
    #expect(!("a" + thirty + "\u{323}").isStreamSafe)
    #expect(!(thirty + "\u{323}").isStreamSafe)
    // U+FF9E is a letter whose normal form is a mark.
    #expect(!(thirty + "\u{FF9E}").isStreamSafe)
  }

  @Test("a text without marks is stream-safe at any length")
  func plainTexts() {
    #expect("".isStreamSafe)
    #expect(String(repeating: "a", count: 100_000).isStreamSafe)
    #expect(String(repeating: "語", count: 100_000).isStreamSafe)
  }

  @Test("a line within the limit stays as it is")
  func untouched() {
    for text in ["", "Morning Stairs", "Ärger im Büro", "夜の船", "👩‍👩‍👧", "a\u{308}b"] {
      #expect(Array(text.boundedLine(maximumBytes: 100).utf8) == Array(text.utf8))
    }
  }

  @Test("a cut text ends with an ellipsis and never exceeds the limit in bytes")
  func cut() {
    #expect("Night Ferry".boundedLine(maximumBytes: 8) == "Night…")
    #expect("Night Ferry".boundedLine(maximumBytes: 11) == "Night Ferry")
    #expect(" Night Ferry \n\u{200B}\t ".boundedLine(maximumBytes: 11) == "Night Ferry")
    #expect("夜の船の上".boundedLine(maximumBytes: 10) == "夜の…")
    for limit in 4...40 {
      let text = String(repeating: "e\u{301}語👩‍👧 x", count: 9)
      let line = text.boundedLine(maximumBytes: limit)
      #expect(line.utf8.count <= limit)
      #expect(line.last == "…")
    }
  }

  @Test("a combining mark is never separated from its letter by the cut")
  func cutBeforeAMark() {
    // "abe" with its accent has five bytes and the ellipsis three: only "ab" fits beside it.
    #expect("abe\u{301}cd".boundedLine(maximumBytes: 6) == "ab…")
  }

  @Test("line breaks become spaces; control characters and bidirectional controls are removed")
  func unsafeCharacters() {
    #expect("one\ntwo\tthree".boundedLine(maximumBytes: 100) == "one two three")
    #expect("\u{1B}[31mred\u{7}".boundedLine(maximumBytes: 100) == "[31mred")
    #expect("\u{202E}gpj.exe\u{2066}".boundedLine(maximumBytes: 100) == "gpj.exe")
    #expect("  both ends \n".boundedLine(maximumBytes: 100) == "both ends")
  }

  @Test("marks beyond the limit are removed, so the result is stream-safe")
  func excessMarks() {
    let row = "a" + String(repeating: "\u{308}", count: 500) + "b"
    let line = row.boundedLine(maximumBytes: 1000)
    #expect(line.isStreamSafe)
    #expect(line.unicodeScalars.count == 32)
    #expect(line.unicodeScalars.last == "b")
  }
}
