/// What a guesser tries first.
///
/// Compared is the folded text: each code point in lower case, without spaces and `-`, `_`, `.`,
/// `,`, and with digits and symbols turned into the letters that they are written for (`0` is o,
/// `1` and `!` are i, `3` is e, `4` and `@` are a, `5` and `$` are s, `7` is t, `8` is b). It is
/// compared as it is, and without what stands around its first and last letter where at least
/// eight code points and half of the text remain.
package enum Blocklist {
  /// Whether `text`, normalised, is too common.
  static func holds(_ text: [Unicode.Scalar]) -> Bool {
    let lower = text.flatMap(\.lowercased).filter { !separators.contains($0) }
    return isCommon(lower) || isCommon(core(of: lower))
  }

  private static func isCommon(_ lower: [Unicode.Scalar]) -> Bool {
    guard !lower.isEmpty else { return false }
    return isRun(lower) || isRepetition(lower)
  }

  // MARK: Folding

  private static let separators: Set<Unicode.Scalar> = [" ", "-", "_", ".", ","]

  /// What lies between the first and the last letter, where that is most of the text; else nothing.
  private static func core(of lower: [Unicode.Scalar]) -> [Unicode.Scalar] {
    guard let first = lower.firstIndex(where: \.properties.isAlphabetic),
      let last = lower.lastIndex(where: \.properties.isAlphabetic)
    else { return [] }
    let core = lower[first...last]
    return core.count >= 8 && core.count * 2 >= lower.count ? Array(core) : []
  }

  // MARK: What needs no list

  /// `abcdefgh`, `87654321`: each code point is the next one, or each is the one before.
  static func isRun(_ text: [Unicode.Scalar]) -> Bool {
    let steps = zip(text, text.dropFirst()).map { Int($1.value) - Int($0.value) }
    guard let step = steps.first, abs(step) == 1 else { return false }
    return steps.allSatisfy { $0 == step }
  }

  /// `aaaaaaaa`, `film film fi`: fewer than 15 code points, twice or more, the last time perhaps cut.
  static func isRepetition(_ text: [Unicode.Scalar]) -> Bool {
    (1..<15).contains { period in
      period * 2 <= text.count && text.dropFirst(period).elementsEqual(text.dropLast(period))
    }
  }
}
