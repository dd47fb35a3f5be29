/// A code that a person reads from one screen and types on another: 100 random bits in five groups of
/// four symbols.
///
/// The alphabet is Crockford's base 32, without letters that look like digits. Reading ignores case,
/// hyphens and spaces, and accepts O, I, L for 0 and 1.
public struct EntryCode: Sendable, Redacted {
  private let symbols: String

  private static let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ")
  private static let length = 20

  init(from random: RandomSource) {
    // 256 is a multiple of 32, so the low five bits are as even as the byte.
    symbols = String(random.bytes(Self.length).map { Self.alphabet[Int($0 & 31)] })
  }

  /// Reads a typed code; nil when it is malformed.
  public init?(typed: String) {
    guard typed.utf8.count <= 4 * Self.length else { return nil }
    var symbols = ""
    for character in typed.uppercased() where character != "-" && !character.isWhitespace {
      switch character {
      case "O": symbols.append("0")
      case "I", "L": symbols.append("1")
      case let known where Self.alphabet.contains(known): symbols.append(known)
      default: return nil
      }
    }
    guard symbols.count == Self.length else { return nil }
    self.symbols = symbols
  }

  /// The secret itself, in groups, for the one time it is shown.
  public var text: String {
    stride(from: 0, to: Self.length, by: 4)
      .map { String(symbols.dropFirst($0).prefix(4)) }
      .joined(separator: "-")
  }

  var digest: SecretDigest { digest(for: "entry code") }

  /// The stored digest of a code of this purpose.
  func digest(for purpose: StaticString) -> SecretDigest {
    SecretDigest(of: symbols, purpose: purpose)
  }
}
