import Foundation

/// A minifier of the page's files: removes comments, indentation and needless spaces before they are served.
enum FileMinifier {
  /// The bytes that are served for those of a file.
  static func minified(_ bytes: [UInt8], of name: String) -> [UInt8] {
    switch name.split(separator: ".").last {
    case "json" where name.hasPrefix(Site.texts):
      CyrillicEncoding.encoded(String(decoding: minifiedJSON(bytes), as: UTF8.self))
    case "js": ModuleMinifier.minified(bytes) ?? bytes
    case "css": minifiedStyle(bytes)
    case "json": minifiedJSON(bytes)
    case "svg": minifiedDrawing(bytes)
    default: bytes
    }
  }

  /// A JSON document without spaces between its values, or the bytes themselves if they are none.
  static func minifiedJSON(_ json: [UInt8]) -> [UInt8] {
    guard let value = try? JSONSerialization.jsonObject(with: Data(json)),
      let data = try? JSONSerialization.data(
        withJSONObject: value, options: [.sortedKeys, .withoutEscapingSlashes])
    else { return json }
    return Array(data)
  }

  /// A style sheet without its comments, its line breaks and the spaces beside its punctuation.
  static func minifiedStyle(_ style: [UInt8]) -> [UInt8] {
    var text = String(decoding: withoutComments(style), as: UTF8.self)
      .split(whereSeparator: \.isWhitespace).joined(separator: " ")
    for mark in ["{", "}", ";", ",", ":"] { text.replace("\(mark) ", with: mark) }
    for mark in ["{", "}"] { text.replace(" \(mark)", with: mark) }
    text.replace(";}", with: "}")
    text.replace(" > ", with: ">")
    text.replace(" / ", with: "/")
    text.replace(" * ", with: "*")
    return Array(text.utf8)
  }

  /// A drawing without indentation and the line breaks between its elements.
  static func minifiedDrawing(_ drawing: [UInt8]) -> [UInt8] {
    var text = String(decoding: withoutComments(drawing), as: UTF8.self)
    text.replace(">\n", with: ">")
    return Array(text.utf8)
  }

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
