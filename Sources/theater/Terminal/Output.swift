import ArgumentParser
import JSON

/// A table with aligned columns.
struct Columns {
  private var rows: [[String]] = []

  init(_ heading: [String] = []) {
    if !heading.isEmpty { rows.append(heading) }
  }

  /// Adds a row.
  mutating func add(_ row: String...) { add(row) }

  /// Adds a row.
  mutating func add(_ row: [String]) { rows.append(row) }

  /// The lines, each column as wide as its widest cell, without trailing white space.
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

/// Times in hours, minutes and seconds.
enum TimeText {
  /// `750` as `12:30`, `3723` as `1:02:03`.
  static func text(_ seconds: Double) -> String {
    let whole = Int(min(max(seconds, 0), 359_999))
    let (hours, minutes, rest) = (whole / 3600, whole / 60 % 60, whole % 60)
    return hours > 0 ? "\(hours):\(two(minutes)):\(two(rest))" : "\(minutes):\(two(rest))"
  }

  /// The seconds of `12:30`, `1:02:03`, `90` or `90.5`; `nil` for anything else.
  static func seconds(_ text: String) -> Double? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard (1...3).contains(parts.count), let last = parts.last, isPlain(last),
      let seconds = Double(last), seconds.isFinite
    else { return nil }
    if parts.count > 1, seconds >= 60 { return nil }
    var total = 0.0
    for (index, part) in parts.dropLast().enumerated() {
      guard part.allSatisfy(\.isASCII), let value = UInt16(part), index == 0 || value < 60 else {
        return nil
      }
      total = total * 60 + Double(value)
    }
    return total * 60 + seconds
  }

  private static func isPlain(_ text: Substring) -> Bool {
    !text.isEmpty && text.allSatisfy { $0.isASCII && ($0.isNumber || $0 == ".") }
  }

  private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}

/// Options of a command that prints a result.
struct OutputOptions: ParsableArguments {
  @Flag(help: "Show JSON, for scripts.")
  var json = false

  /// Prints a value as JSON, or as the text that `text` makes of it.
  func show(_ value: JSON, _ text: (JSON) throws -> String) throws {
    Console.writeLine(json ? value.prettyText() : try text(value.printable))
  }

  /// Prints the sentence of a command that has no other result; as JSON it is the member `message`.
  ///
  /// - Parameter members: Further members for programs.
  func confirm(_ message: String, _ members: JSONObject = [:]) {
    var object = members
    object["message"] = .string(message)
    Console.writeLine(json ? JSON.object(object).prettyText() : message)
  }
}
