/// Finds a sequence of elements in another one (Knuth, Morris and Pratt). For every input the cost grows
/// with the sum of both lengths, not with their product.
public struct SubsequenceFinder<Element: Equatable> {
  @usableFromInline let part: [Element]
  /// For each prefix of `part`, the length of its longest proper prefix that is also its suffix.
  @usableFromInline let borders: [Int]

  /// Prepares the search for `part`; an empty one occurs in every sequence.
  // Inlinable, so that it is specialised for the element type; otherwise each comparison is a call.
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

  /// Whether `sequence` contains the elements of the part, one directly after the other.
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
