/// The natural order of names: it ignores case, and 2 comes before 10.
package enum NaturalOrder {
  /// Returns whether `first` comes before `second`. Names that differ only in case or in leading
  /// zeros are ordered as strings.
  package static func precedes(_ first: String, _ second: String) -> Bool {
    var left = Substring(first.lowercased())
    var right = Substring(second.lowercased())
    while !left.isEmpty, !right.isEmpty, let one = piece(&left), let other = piece(&right) {
      switch (number(one), number(other)) {
      case (let one?, let other?) where one != other: return precedes(number: one, other)
      case (.some, .some): continue
      default: if one != other { return one < other }
      }
    }
    if left.isEmpty != right.isEmpty { return left.isEmpty }
    return first < second
  }

  /// Removes and returns a run of digits, or one other character, from the beginning; nil at the end.
  private static func piece(_ text: inout Substring) -> Substring? {
    guard let first = text.first else { return nil }
    guard isDigit(first) else {
      defer { text.removeFirst() }
      return text.prefix(1)
    }
    let digits = text.prefix(while: isDigit)
    text.removeFirst(digits.count)
    return digits
  }

  /// Returns the digits of a number without leading zeros; nil for other text.
  private static func number(_ text: Substring) -> Substring? {
    guard let first = text.first, isDigit(first) else { return nil }
    return text.drop { $0 == "0" }
  }

  /// Compares numbers of any length.
  private static func precedes(number one: Substring, _ other: Substring) -> Bool {
    one.count != other.count ? one.count < other.count : one < other
  }

  private static func isDigit(_ character: Character) -> Bool {
    character >= "0" && character <= "9" && character.isASCII
  }
}
