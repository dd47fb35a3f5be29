import JSON

/// The words of a name or an e-mail address that have no place in a password.
enum PersonalWords {
  /// Shorter words are no use for guessing, and stand in too many others by chance.
  static let shortest = 4
  /// A whole name or address counts from here on: it is what a guesser tries first.
  static let shortestWhole = 3

  /// Whether `text` holds `personal` or a word of it, whatever the case of either.
  ///
  /// All of it counts where it has three code points or more. Of an e-mail address the part before
  /// the first `@` counts by itself as well. That part counts as a whole, and so does each run of
  /// letters, marks and digits in it, where it has four code points or more.
  static func occur(of personal: String, in text: [Unicode.Scalar]) -> Bool {
    let folded = TypedText(personal).codePoints.flatMap(\.lowercased)
    let folding = text.flatMap(\.lowercased)
    let whole = trimmed(folded)
    if whole.count >= shortestWhole, SubsequenceFinder(whole).occurs(in: folding) { return true }
    let own = Array(folded.prefix { $0 != "@" })
    let words = own.split { !$0.isWordCharacter } + [trimmed(own)[...]]
    return Set(words.filter { $0.count >= shortest })
      .contains { SubsequenceFinder($0).occurs(in: folding) }
  }

  /// `text` without what is no word at either end.
  private static func trimmed(_ text: [Unicode.Scalar]) -> [Unicode.Scalar] {
    let front = text.drop { !$0.isWordCharacter }
    return front.reversed().drop { !$0.isWordCharacter }.reversed()
  }
}
