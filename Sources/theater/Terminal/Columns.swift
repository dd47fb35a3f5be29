/// Rows of words in columns that line up.
struct Columns {
  private var rows: [[String]] = []

  init(_ heading: [String] = []) {
    if !heading.isEmpty { rows.append(heading) }
  }

  /// Adds a row.
  mutating func add(_ row: String...) { rows.append(row) }

  /// The lines, each column as wide as its widest word; without white space at the ends.
  var lines: [String] {
    let count = rows.map(\.count).max() ?? 0
    let widths = (0..<count).map { column in
      rows.compactMap { column < $0.count ? Self.width($0[column]) : nil }.max() ?? 0
    }
    return rows.map { row in
      var line = ""
      for (word, width) in zip(row, widths) {
        line += word + String(repeating: " ", count: width - Self.width(word) + 2)
      }
      while line.last == " " { line.removeLast() }
      return line
    }
  }

  /// The lines as one text.
  var text: String { lines.joined(separator: "\n") }

  private static func width(_ text: String) -> Int { text.count }
}
