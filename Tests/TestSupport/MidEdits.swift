/// Generates the states of a file during an edit, the same ones in every run.
public struct MidEdits {
  private var numbers: SeededNumbers

  public init(seed: Int) { numbers = SeededNumbers(seed) }

  /// Returns one of the versions whole, or truncated, mixed with another one, or with pieces swapped,
  /// repeated or lost.
  ///
  /// - Parameter versions: At least one.
  public mutating func next(_ versions: [[UInt8]]) -> [UInt8] {
    let text = versions[number(below: versions.count)]
    let other = versions[number(below: versions.count)]
    let place = number(below: text.count + 1)
    switch number(below: 8) {
    case 0: return text
    case 1, 2: return Array(text[..<place])
    case 3: return Array(text[..<place] + other.dropFirst(place))
    case 4: return Array(other.suffix(number(below: 200)) + text[place...])
    case 5: return swappingLines(text)
    case 6:
      let end = min(text.count, place + number(below: 40))
      return Array(text[..<end] + text[place...])
    default:
      let end = min(text.count, place + number(below: 40))
      return Array(text[..<place] + text[end...])
    }
  }

  /// A number below `bound`, or 0.
  public mutating func number(below bound: Int) -> Int {
    Int.random(in: 0..<max(1, bound), using: &numbers)
  }

  private mutating func swappingLines(_ text: [UInt8]) -> [UInt8] {
    var lines = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    lines.swapAt(number(below: lines.count), number(below: lines.count))
    return Array(lines.joined(separator: [UInt8(ascii: "\n")]))
  }
}
