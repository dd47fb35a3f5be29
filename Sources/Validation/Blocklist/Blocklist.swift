import CCommonPasswords

/// The list of common passwords.
///
/// A text is compared in folded form: each code point in lower case, without spaces and `-`, `_`,
/// `.`, `,`, and with digits and symbols replaced by the letters that they stand for (`0` is o, `1`
/// and `!` are i, `3` is e, `4` and `@` are a, `5` and `$` are s, `7` is t, `8` is b). The whole
/// text is compared, and the part from its first to its last letter if that part has at least eight
/// code points and half of the text. A run or a repetition is common too, and so is a text whose
/// folded form is empty.
package enum Blocklist {
  /// Whether `text`, which is normalised, is too common.
  static func contains(_ text: [Unicode.Scalar]) -> Bool {
    let lower = text.flatMap(\.lowercased).filter { !separators.contains($0) }
    return lower.isEmpty || isCommon(lower) || isCommon(core(of: lower))
  }

  private static func isCommon(_ lower: [Unicode.Scalar]) -> Bool {
    isRun(lower) || isRepetition(lower) || isListed(lower.map { letters[$0] ?? $0 })
  }

  // MARK: Folding

  private static let separators: Set<Unicode.Scalar> = [" ", "-", "_", ".", ","]

  /// The letters for which digits and symbols stand.
  private static let letters: [Unicode.Scalar: Unicode.Scalar] = [
    "0": "o", "1": "i", "!": "i", "3": "e", "4": "a", "@": "a", "5": "s", "$": "s", "7": "t",
    "8": "b",
  ]

  /// The part from the first to the last letter, if it has at least eight code points and half of
  /// the text; otherwise empty.
  private static func core(of lower: [Unicode.Scalar]) -> [Unicode.Scalar] {
    guard let first = lower.firstIndex(where: \.isLetter),
      let last = lower.lastIndex(where: \.isLetter)
    else { return [] }
    let core = lower[first...last]
    return core.count >= 8 && core.count * 2 >= lower.count ? Array(core) : []
  }

  // MARK: The list

  /// The bytes of the list: its entries, folded and sorted, one a line.
  private static func withList<Value>(_ body: (UnsafeBufferPointer<UInt8>) -> Value) -> Value {
    body(UnsafeBufferPointer(start: common_passwords, count: common_passwords_length))
  }

  /// The entries, folded and sorted.
  package static var entries: [Substring] {
    withList { String(decoding: $0, as: UTF8.self) }.split(separator: "\n")
  }

  /// Whether the list contains this folded text; a binary search in place.
  private static func isListed(_ folded: [Unicode.Scalar]) -> Bool {
    guard folded.allSatisfy(\.isASCII) else { return false }
    let wanted = folded.map { UInt8(truncatingIfNeeded: $0.value) }
    return withList { lines in
      var (low, high) = (0, lines.count)
      while low < high {
        let middle = low + (high - low) / 2
        let start = lines[low..<middle].lastIndex(of: newLine).map { $0 + 1 } ?? low
        let end = lines[middle..<high].firstIndex(of: newLine) ?? high
        let line = lines[start..<end]
        if line.elementsEqual(wanted) { return true }
        if line.lexicographicallyPrecedes(wanted) { low = end + 1 } else { high = start }
      }
      return false
    }
  }

  private static let newLine = UInt8(ascii: "\n")

  // MARK: Runs and repetitions

  /// Whether each code point is one above the code point before it, or each is one below:
  /// `abcdefgh`, `87654321`.
  static func isRun(_ text: [Unicode.Scalar]) -> Bool {
    let steps = zip(text, text.dropFirst()).map { Int($1.value) - Int($0.value) }
    guard let step = steps.first, abs(step) == 1 else { return false }
    return steps.allSatisfy { $0 == step }
  }

  /// Whether the text repeats a part of fewer than 15 code points, the last time perhaps cut:
  /// `aaaaaaaa`, `filmfilmfi`.
  static func isRepetition(_ text: [Unicode.Scalar]) -> Bool {
    (1..<15).contains { period in
      period * 2 <= text.count && text.dropFirst(period).elementsEqual(text.dropLast(period))
    }
  }
}
