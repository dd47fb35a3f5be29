import JSON

/// A typed search text, prepared for comparison with many titles.
struct TitleSearch {
  /// The longest search text in bytes of UTF-8; a longer text is no title.
  static let longest = 1024

  private let folded: String
  /// Characters, so that "é" is found composed and decomposed.
  private let characters: SubsequenceFinder<Character>
  /// A fast first check for a search text in ASCII: a title that lacks its bytes lacks its characters, too.
  private let bytes: SubsequenceFinder<UInt8>?

  /// - Returns: `nil` for a text that is too long to be a title.
  init?(_ typed: String) {
    guard typed.utf8.count <= Self.longest else { return nil }
    folded = typed.lowercased()
    characters = SubsequenceFinder(folded)
    bytes = folded.utf8.allSatisfy { $0 < 0x80 } ? SubsequenceFinder(folded.utf8) : nil
  }

  /// Whether the text is the title, regardless of case.
  ///
  /// - Parameter title: In lower case.
  func isTitle(_ title: String) -> Bool { title == folded }

  /// Whether the title contains the text, regardless of case.
  ///
  /// - Parameter title: In lower case.
  func occurs(in title: String) -> Bool {
    if let bytes, !bytes.occurs(in: title.utf8) { return false }
    // The bytes of "e" also occur in "e" with a combining accent, which is another character.
    return characters.occurs(in: title)
  }
}
