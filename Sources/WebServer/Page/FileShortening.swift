import Foundation

/// What the page's files lose before they are served: comments, indentation and needless spaces.
enum FileShortening {
  /// The bytes that are served for those of a file.
  static func shortened(_ bytes: [UInt8], of name: String) -> [UInt8] {
    switch name.split(separator: ".").last {
    case "js": module(bytes)
    case "css": style(bytes)
    case "json": compact(bytes)
    case "svg": withoutComments(bytes)
    default: bytes
    }
  }

  /// A JSON document without spaces between its values, or the bytes themselves if they are none.
  static func compact(_ json: [UInt8]) -> [UInt8] {
    guard let value = try? JSONSerialization.jsonObject(with: Data(json)),
      let data = try? JSONSerialization.data(
        withJSONObject: value, options: [.sortedKeys, .withoutEscapingSlashes])
    else { return json }
    return Array(data)
  }

  /// A style sheet without its comments, its line breaks and the spaces beside its punctuation.
  static func style(_ style: [UInt8]) -> [UInt8] {
    var text = String(decoding: withoutComments(style), as: UTF8.self)
      .split(whereSeparator: \.isWhitespace).joined(separator: " ")
    for mark in ["{", "}", ";", ",", ":"] { text.replace("\(mark) ", with: mark) }
    for mark in ["{", "}"] { text.replace(" \(mark)", with: mark) }
    text.replace(";}", with: "}")
    text.replace(" > ", with: ">")
    return Array(text.utf8)
  }

  /// A module without its comments, its indentation and most of its spaces.
  ///
  /// Each line stays a line, so that an error names the right one.
  static func module(_ code: [UInt8]) -> [UInt8] {
    Array(
      withoutComments(code).split(separator: newline, omittingEmptySubsequences: false)
        .map { withoutSpaces($0) }.joined(separator: [newline]))
  }

  /// A line of a module without the spaces beside its punctuation.
  ///
  /// A line with a template in a template, an escape, or a slash outside its texts, which may begin a regular
  /// expression, stays as it is.
  private static func withoutSpaces(_ line: ArraySlice<UInt8>) -> [UInt8] {
    let tick = UInt8(ascii: "`")
    guard line.count(where: { $0 == tick }) <= 2 else { return Array(line) }
    var short: [UInt8] = [], quote: UInt8?
    for (index, byte) in zip(line.indices, line) {
      switch (byte, quote) {
      case (UInt8(ascii: "\\"), _), (UInt8(ascii: "/"), nil): return Array(line)
      case (UInt8(ascii: "'"), nil), (UInt8(ascii: "\""), nil), (tick, nil): quote = byte
      case (_, byte): quote = nil
      case (UInt8(ascii: " "), nil):
        if isNeedless(between: short.last, and: line[index...].dropFirst().first) { continue }
      default: break
      }
      short.append(byte)
    }
    return quote == nil ? short : Array(line)
  }

  /// Whether a space between two bytes of code outside texts may go. Two signs in a row would become another
  /// operator: `a + +b`.
  private static func isNeedless(between previous: UInt8?, and next: UInt8?) -> Bool {
    guard let previous, let next else { return true }
    if signs.contains(previous) && signs.contains(next) { return false }
    return punctuation.contains(previous) || punctuation.contains(next)
  }

  private static let signs: [UInt8] = Array("+-".utf8)
  private static let punctuation: [UInt8] = Array(",;=(){}[]?:<>&|!*%^~+-".utf8)
  private static let newline = UInt8(ascii: "\n")

  /// Code without the comments that have lines of their own, and without indentation.
  static func withoutComments(_ code: [UInt8]) -> [UInt8] {
    var isInComment = false
    let lines = String(decoding: code, as: UTF8.self)
      .split(separator: "\n", omittingEmptySubsequences: false)
      .map { line -> Substring in
        let text = line.drop { $0 == " " }
        guard isInComment || text.hasPrefix("/*") else { return text.hasPrefix("//") ? "" : text }
        let end = text.firstRange(of: "*/")?.upperBound
        isInComment = end == nil
        return end.map { text[$0...] } ?? ""
      }
    return Array(lines.joined(separator: "\n").utf8)
  }
}
