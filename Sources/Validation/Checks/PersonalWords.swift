/// The words of a name or an e-mail address that have no place in a password.
enum PersonalWords {
  /// Shorter words are no use for guessing, and stand in too many others by chance.
  static let shortest = 4

  /// Whether `text` holds a word of `personal`, whatever the case of either.
  ///
  /// Of an e-mail address the part before the first `@` counts. It counts as a whole, and so does
  /// each run of letters, marks and digits in it, where it has four code points or more.
  static func occur(of personal: String, in text: [Unicode.Scalar]) -> Bool {
    let typed = TypedText(personal)
    let folded = typed.codePoints.prefix { $0 != "@" }.flatMap(\.lowercased)
    let words = folded.split { !$0.isWordCharacter } + [trimmed(folded)[...]]
    let folding = text.flatMap(\.lowercased)
    return words.contains { $0.count >= shortest && folding.contains(sequence: $0) }
  }

  /// `text` without what is no word at either end.
  private static func trimmed(_ text: [Unicode.Scalar]) -> [Unicode.Scalar] {
    let front = text.drop { !$0.isWordCharacter }
    return front.reversed().drop { !$0.isWordCharacter }.reversed()
  }
}
