/// Returns a hint for a misspelt word: the word of `words` that was probably meant, and which of its letters only
/// look right; `nil` if no word is near enough.
///
/// - Parameters:
///   - word: The word as it was written.
///   - words: The words that are known.
///   - sign: What stands before each word in the text, such as "$" before a parameter.
public func spellingHint(
  for word: String, among words: some Sequence<String>, sign: String = ""
) -> String? {
  let words = Array(words)
  if let meant = words.first(where: { $0 != word && looksLike($0, word) }),
    let hint = lookalikeHint(for: word)
  {
    return "Did you mean \"\(sign)\(meant)\"? \(hint)"
  }
  return nearest(to: word, in: words).map { "Did you mean \"\(sign)\($0)\"?" }
}

/// Returns a hint for a word in which a letter only looks like a Latin one; `nil` if there is none.
public func lookalikeHint(for word: String) -> String? {
  guard let letter = word.unicodeScalars.first(where: { latinLookalikes[$0] != nil }) else {
    return nil
  }
  let number = String(letter.value, radix: 16, uppercase: true)
  let code = "U+" + String(repeating: "0", count: max(0, 4 - number.count)) + number
  return "The letter \(Character(letter)) (\(code)) only looks like a Latin one; "
    + "type the word again with a Latin keyboard."
}

/// Whether two words look the same, although some of their letters are of other scripts.
public func looksLike(_ one: String, _ other: String) -> Bool {
  guard one.utf8.count <= 256, other.utf8.count <= 256 else { return one == other }
  return latinForm(of: one) == latinForm(of: other)
}

private func latinForm(of word: String) -> [Unicode.Scalar] {
  word.unicodeScalars.map { latinLookalikes[$0] ?? $0 }
}

/// Cyrillic and Greek letters that look like Latin ones in most fonts (Unicode Technical Standard 39, confusables).
private let latinLookalikes: [Unicode.Scalar: Unicode.Scalar] = [
  "а": "a", "с": "c", "ԁ": "d", "е": "e", "һ": "h", "і": "i", "ј": "j", "о": "o", "р": "p",
  "ԛ": "q", "ѕ": "s", "ԝ": "w", "х": "x", "у": "y",
  "А": "A", "В": "B", "С": "C", "Е": "E", "Н": "H", "І": "I", "Ј": "J", "К": "K", "М": "M",
  "О": "O", "Р": "P", "Ѕ": "S", "Т": "T", "Х": "X", "У": "Y",
  "α": "a", "ο": "o", "ν": "v", "ρ": "p", "ι": "i", "κ": "k", "υ": "u",
  "Α": "A", "Β": "B", "Ε": "E", "Ζ": "Z", "Η": "H", "Ι": "I", "Κ": "K", "Μ": "M", "Ν": "N",
  "Ο": "O", "Ρ": "P", "Τ": "T", "Υ": "Y", "Χ": "X",
]
