/// The syntax of an e-mail address, checked from its first to its last character (A8): the dot-atom form
/// of RFC 5322 in ASCII with a host name of two labels or more, which browsers and mail servers accept.
package enum EmailSyntax {
  /// Longest address in bytes (RFC 5321, errata 1690).
  package static let longest = 254

  /// Whether `typed` is an address, without any normalisation.
  package static func isValid(_ typed: String) -> Bool {
    typed.utf8.count <= longest && isWellFormed(typed.utf8)
  }

  private static func isWellFormed(_ typed: String.UTF8View) -> Bool {
    let halves = typed.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
    guard halves.count == 2, let local = halves.first, let host = halves.last else { return false }
    guard (1...64).contains(local.count) else { return false }
    let atoms = local.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    let labels = host.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    return atoms.allSatisfy(isAtom) && labels.count >= 2 && labels.allSatisfy(isLabel)
  }

  private static func isAtom(_ atom: Substring.UTF8View) -> Bool {
    !atom.isEmpty && atom.allSatisfy { isAlphanumeric($0) || atomSymbols.contains($0) }
  }

  private static func isLabel(_ label: Substring.UTF8View) -> Bool {
    let hyphen = UInt8(ascii: "-")
    return (1...63).contains(label.count) && label.first != hyphen && label.last != hyphen
      && label.allSatisfy { isAlphanumeric($0) || $0 == hyphen }
  }

  private static func isAlphanumeric(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: false
    }
  }

  /// `atext` of RFC 5322 beside letters and digits.
  private static let atomSymbols = Set("!#$%&'*+/=?^_`{|}~-".utf8)
}
