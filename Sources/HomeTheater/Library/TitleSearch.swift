import JSON

/// A typed search text, prepared for comparison with many titles.
struct TitleSearch {
  /// The longest search text in bytes of UTF-8; a longer text is no title.
  static let longest = 1024

  private let folded: String
  /// Characters, so that "é" is found composed and decomposed.
  private let characters: SubsequenceFinder<Character>
  /// For texts in ASCII: where their bytes are not found, neither are their characters.
  private let bytes: SubsequenceFinder<UInt8>?

  /// - Returns: `nil` for a text that is too long to be a title.
  init?(_ typed: String) {
    guard typed.utf8.count <= Self.longest else { return nil }
    folded = typed.lowercased()
    characters = SubsequenceFinder(folded)
    bytes = folded.utf8.allSatisfy { $0 < 0x80 } ? SubsequenceFinder(folded.utf8) : nil
  }

  /// Whether it is the title, whatever the case of either.
  ///
  /// - Parameter title: In lower case.
  func isTitle(_ title: String) -> Bool { title == folded }

  /// Whether it stands in the title, whatever the case of either.
  ///
  /// - Parameter title: In lower case.
  func occurs(in title: String) -> Bool {
    if let bytes, !bytes.occurs(in: title.utf8) { return false }
    // A mark in the title may belong to a letter that is typed without it.
    return characters.occurs(in: title)
  }
}
