/// The list of common passwords.
///
/// Compares the folded text: each code point in lower case, without spaces and `-`, `_`, `.`, `,`, and
/// with digits and symbols replaced by the letters that they stand for (`0` is o,
/// `1` and `!` are i, `3` is e, `4` and `@` are a, `5` and `$` are s, `7` is t, `8` is b). It is
/// compared as a whole, and from its first to its last letter if at least eight code points and half of
/// the text remain. A text of which nothing is left is common too.
package enum Blocklist {
  /// Whether `text`, normalised, is too common.
  static func holds(_ text: [Unicode.Scalar]) -> Bool {
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

  /// The part from the first to the last letter if that is most of the text; otherwise empty.
  private static func core(of lower: [Unicode.Scalar]) -> [Unicode.Scalar] {
    guard let first = lower.firstIndex(where: \.isLetter),
      let last = lower.lastIndex(where: \.isLetter)
    else { return [] }
    let core = lower[first...last]
    return core.count >= 8 && core.count * 2 >= lower.count ? Array(core) : []
  }

  // MARK: The list

  /// The entries, folded and sorted, one a line.
  package static var entries: [Substring] { commonPasswords.split(separator: "\n") }

  /// Whether the list contains this folded text; a binary search in place.
  private static func isListed(_ folded: [Unicode.Scalar]) -> Bool {
    guard folded.allSatisfy(\.isASCII) else { return false }
    let wanted = folded.map { UInt8(truncatingIfNeeded: $0.value) }
    var text = commonPasswords
    return text.withUTF8 { lines in
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

  /// `abcdefgh`, `87654321`: each code point is the next one, or each is the one before.
  static func isRun(_ text: [Unicode.Scalar]) -> Bool {
    let steps = zip(text, text.dropFirst()).map { Int($1.value) - Int($0.value) }
    guard let step = steps.first, abs(step) == 1 else { return false }
    return steps.allSatisfy { $0 == step }
  }

  /// `aaaaaaaa`, `film film fi`: a part of fewer than 15 code points, repeated; the last one may be cut.
  static func isRepetition(_ text: [Unicode.Scalar]) -> Bool {
    (1..<15).contains { period in
      period * 2 <= text.count && text.dropFirst(period).elementsEqual(text.dropLast(period))
    }
  }
}
