/// Finds a sequence of elements in others by the algorithm of Knuth, Morris and Pratt: its cost grows
/// with the sum of both lengths, whatever they hold, and not with their product.
public struct SubsequenceFinder<Element: Equatable> {
  @usableFromInline let part: [Element]
  /// For each beginning of `part` the length of the longest shorter beginning that it ends with.
  @usableFromInline let borders: [Int]

  /// Prepares the search for `part`; an empty one stands in every sequence.
  // Inlinable, so that it is compiled for the elements: else each comparison is a call.
  @inlinable
  public init(_ part: some Sequence<Element>) {
    let part = Array(part)
    var borders: [Int] = []
    borders.reserveCapacity(part.count)
    var length = 0
    for index in part.indices {
      if index > 0 {
        while length > 0, part[index] != part[length] { length = borders[length - 1] }
        if part[index] == part[length] { length += 1 }
      }
      borders.append(length)
    }
    self.part = part
    self.borders = borders
  }

  /// Whether the elements of the part stand in `sequence` side by side.
  @inlinable
  public func occurs(in sequence: some Sequence<Element>) -> Bool {
    if part.isEmpty { return true }
    var length = 0
    for element in sequence {
      while length > 0, element != part[length] { length = borders[length - 1] }
      if element == part[length] { length += 1 }
      if length == part.count { return true }
    }
    return false
  }
}
