import JSON
import Testing

@testable import PluginHost

@Suite("Lines of a plugin's log")
struct LogLineTests {
  /// A line of stderr as the log keeps it.
  private static func shown(_ line: String) -> String {
    let log = PluginLog()
    return Array((line + "\n").utf8).withUnsafeBufferPointer { log.append($0) }.first ?? ""
  }

  @Test("a line with rows of combining marks can be written as JSON and read again")
  func marks() throws {
    for row in ["\u{308}", "\u{308}\u{323}", "\u{FF9E}"] {
      let line = "a" + String(repeating: row, count: 80) + "b"
      let shown = Self.shown(line)
      #expect(shown.isStreamSafe)
      #expect(shown.unicodeScalars.first == "a" && shown.unicodeScalars.last == "b")
      #expect(try JSON(parsing: JSON.string(shown).text()) == .string(shown))
    }
  }

  @Test("a line in any script stays as it is")
  func people() {
    for line in ["Nguye\u{302}\u{303}n", "ที่นี่", "नमस्ते", "한국어", "Zoë"] {
      #expect(Self.shown(line) == line)
    }
  }
}
