import JSON

/// The words of a name or an e-mail address, which a password must not contain.
enum PersonalWords {
  /// Shorter words occur in too many others by chance.
  static let shortest = 4
  /// The length from which a whole name or address counts.
  static let shortestWhole = 3

  /// Whether `text` contains `personal` or a word of it, ignoring case.
  ///
  /// The whole counts from three code points on. So do, from four code points on, the part before the
  /// first `@` and each run of letters, marks and digits in it.
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

  /// `text` from its first to its last letter, mark or digit.
  private static func trimmed(_ text: [Unicode.Scalar]) -> [Unicode.Scalar] {
    let front = text.drop { !$0.isWordCharacter }
    return front.reversed().drop { !$0.isWordCharacter }.reversed()
  }
}
