/// What a station says it plays, from the text blocks in its stream.
enum StationTitle {
  /// The title in `StreamTitle='Artist - Title';StreamUrl='…';`, at most ``MediaText/longestTag``
  /// bytes; nil for an empty one.
  ///
  /// Quotes inside a title are not escaped, so it ends at a quote that a semicolon follows. The block
  /// is searched as bytes: as a `String` a row of combining marks would cost seconds.
  static func read(_ block: [UInt8]) -> String? {
    let key = Array("StreamTitle='".utf8)
    guard let start = index(of: key, in: block[...]) else { return nil }
    let rest = block[(start + key.count)...]
    let quote = UInt8(ascii: "'")
    let end =
      index(of: [quote, UInt8(ascii: ";")], in: rest) ?? rest.lastIndex(of: quote) ?? rest.endIndex
    let title = MediaText.line(rest[..<end])
    return title.isEmpty ? nil : title
  }

  private static func index(of text: [UInt8], in bytes: ArraySlice<UInt8>) -> Int? {
    bytes.indices.first { bytes[$0...].starts(with: text) }
  }
}
