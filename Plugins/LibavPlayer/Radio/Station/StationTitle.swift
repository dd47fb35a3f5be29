/// What a station says it plays, from the text blocks in its stream.
enum StationTitle {
  /// The title in `StreamTitle='Artist - Title';StreamUrl='…';`; nil for an empty one.
  ///
  /// Quotes inside a title are not escaped, so it ends at a quote that a semicolon follows.
  static func read(_ block: String) -> String? {
    let key = "StreamTitle='"
    guard let start = block.range(of: key) else { return nil }
    let rest = block[start...]
    let end = rest.range(of: "';") ?? rest.lastIndex(of: "'") ?? rest.endIndex
    let title = Tags.tidy(String(rest[..<end]))
    return title.isEmpty ? nil : title
  }
}

extension StringProtocol {
  /// Where `text` first stands: behind it when it opens a value, before it when it ends one.
  fileprivate func range(of text: String) -> Index? {
    var cursor = startIndex
    while cursor < endIndex {
      if self[cursor...].hasPrefix(text) {
        return text.hasSuffix("'") ? index(cursor, offsetBy: text.count) : cursor
      }
      cursor = index(after: cursor)
    }
    return nil
  }
}
