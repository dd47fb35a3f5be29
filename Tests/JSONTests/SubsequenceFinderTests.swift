import JSON
import Testing

@Suite("Finding a sequence in another")
struct SubsequenceFinderTests {
  @Test("finds a sequence exactly when a search at every position does")
  func allShortTexts() {
    let texts = (0..<256).map { number in (0..<8).map { number >> $0 & 1 } }
    for part in texts.prefix(128).map({ Array($0.prefix(5)) }) + [[], [1], [0, 1]] {
      let finder = SubsequenceFinder(part)
      for text in texts {
        let isThere = (0...text.count).contains { text[$0...].starts(with: part) }
        #expect(finder.occurs(in: text) == isThere, "\(part) in \(text)")
      }
    }
  }

  @Test("reads each element of the text once, also for a long part that does not occur")
  func linear() {
    let text = CountedElements(String(repeating: "a", count: 10_000).utf8)
    let part = String(repeating: "a", count: 5_000) + "b"
    #expect(!SubsequenceFinder(part.utf8).occurs(in: text))
    #expect(text.taken == 10_000)
  }

  /// Counts how many elements are asked for.
  private final class CountedElements: Sequence, IteratorProtocol {
    private var rest: String.UTF8View.Iterator
    private(set) var taken = 0

    init(_ text: String.UTF8View) { rest = text.makeIterator() }

    func next() -> UInt8? {
      guard let element = rest.next() else { return nil }
      taken += 1
      return element
    }
  }
}
