/// The text of docs/plugin-protocol.md, to find the line of a rule by its sentence.
package struct ProtocolDocument: Sendable {
  private struct Line {
    let number: Int
    let section: String
    let text: String
  }

  private let lines: [Line]

  /// - Parameter text: The whole document in Markdown.
  package init(_ text: String) {
    var section = ""
    lines = text.split(separator: "\n", omittingEmptySubsequences: false).enumerated().map {
      index, line in
      if line.hasPrefix("#") { section = String(line.drop { $0 == "#" || $0 == " " }) }
      return Line(number: index + 1, section: section, text: Self.collapsed(line))
    }
  }

  /// Returns the line at which the sentence of a rule begins, counted from 1; `nil` if its section does not
  /// contain it.
  package func line(of rule: ProtocolRule) -> Int? {
    let candidates = lines.filter { $0.section == rule.section && !$0.text.isEmpty }
    var text = ""
    var starts: [(offset: Int, number: Int)] = []
    for line in candidates {
      starts.append((text.utf8.count, line.number))
      text += line.text + " "
    }
    guard let place = Self.offset(of: Self.collapsed(rule.sentence[...]), in: text) else {
      return nil
    }
    return starts.last { $0.offset <= place }?.number
  }

  /// Returns the text without white space at its ends, and with one space for each inner run of white space.
  private static func collapsed(_ text: Substring) -> String {
    text.split { $0 == " " || $0 == "\n" }.joined(separator: " ")
  }

  /// Returns the offset of the first occurrence in bytes of UTF-8; `nil` if there is none.
  private static func offset(of part: String, in text: String) -> Int? {
    text.firstRange(of: part).map { text.utf8.distance(from: text.startIndex, to: $0.lowerBound) }
  }
}
