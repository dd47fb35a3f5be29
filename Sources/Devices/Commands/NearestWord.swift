import JSON

/// Limits of spelling hints: comparing two words costs the product of their lengths.
private enum HintLimits {
  /// Longest word that is compared, in bytes in UTF-8.
  static let longestWord = 64
  /// Most words of nearly the same letters that one word is compared with.
  static let mostWords = 200
}

/// Returns the word in `words` that a misspelt word probably stands for: at most a third of its
/// letters differ.
///
/// - Returns: `nil` if none is near enough, and for words of more than 64 bytes. Only the first 200
///   words with nearly the same letters, in any order, are compared.
public func nearest(to word: String, in words: some Sequence<String>) -> String? {
  guard word.utf8.count <= HintLimits.longestWord else { return nil }
  let typed = FoldedWord(word)
  var best: (word: String, distance: Int)?
  var compared = 0
  for candidate in words where candidate.utf8.count <= HintLimits.longestWord {
    let known = FoldedWord(candidate)
    let most = max(1, max(typed.letters.count, known.letters.count) / 3)
    guard typed.leastDistance(to: known) <= most else { continue }
    guard compared < HintLimits.mostWords else { break }
    compared += 1
    let distance = distance(typed.letters, known.letters)
    if distance <= most, distance < best?.distance ?? .max { best = (candidate, distance) }
  }
  return best?.word
}

/// Lists words for a hint: the first 20, and the number of the others.
public func listed(_ words: some Collection<String>) -> String {
  let most = 20
  let shown = words.prefix(most).map(\.quotation).joined(separator: ", ")
  return words.count > most ? "\(shown) and \(words.count - most) more" : shown
}

/// A short word in lower case.
private struct FoldedWord {
  let letters: [Unicode.Scalar]
  /// How many letters fall into each of 32 classes.
  private let classes: SIMD32<Int8>

  init(_ word: String) {
    letters = Array(word.lowercased().unicodeScalars)
    classes = letters.reduce(into: SIMD32()) { $0[Int($1.value & 31)] &+= 1 }
  }

  /// A lower bound of the distance, from the counts of the letters alone.
  func leastDistance(to other: FoldedWord) -> Int {
    let difference = classes &- other.classes
    let surplus = difference.replacing(with: 0, where: difference .< 0).wrappedSum()
    return max(Int(surplus), Int(surplus &- difference.wrappedSum()))
  }
}

/// The number of code points that must be inserted, removed, replaced or swapped with a neighbour
/// (optimal string alignment).
private func distance(_ a: [Unicode.Scalar], _ b: [Unicode.Scalar]) -> Int {
  var beforeLast: [Int] = []
  var last = Array(0...b.count)
  for i in a.indices {
    var row = [i + 1]
    row.reserveCapacity(b.count + 1)
    for j in b.indices {
      var best = min(last[j + 1] + 1, row[j] + 1, last[j] + (a[i] == b[j] ? 0 : 1))
      if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] {
        best = min(best, beforeLast[j - 1] + 1)
      }
      row.append(best)
    }
    (beforeLast, last) = (last, row)
  }
  return last[b.count]
}
