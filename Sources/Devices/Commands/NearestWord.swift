/// The word in `words` that `word` was probably meant to be: at most a third of its letters differ.
public func nearest(to word: String, in words: some Sequence<String>) -> String? {
  let typed = Array(word.lowercased().prefix(64))
  let ranked = words.map {
    (word: $0, distance: distance(typed, Array($0.lowercased().prefix(64))))
  }
  guard let best = ranked.min(by: { $0.distance < $1.distance }) else { return nil }
  return best.distance <= max(1, max(typed.count, best.word.count) / 3) ? best.word : nil
}

/// How many letters must be inserted, removed, replaced or swapped with a neighbour
/// (optimal string alignment).
private func distance(_ a: [Character], _ b: [Character]) -> Int {
  var beforeLast: [Int] = []
  var last = Array(0...b.count)
  for i in a.indices {
    var row = [i + 1]
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
