/// The secret of an access token: `theater_`, 52 symbols of 5 random bits each, and 7 symbols of a checksum.
///
/// The fixed beginning lets secret scanners find a token in a file that should not have it, and the checksum lets
/// them, and the controller, tell a token from a text that looks like one. The alphabet has only small letters and
/// digits, without those that look alike, so a double click selects the whole token.
public struct AccessTokenSecret: Sendable, Redacted {
  /// The secret itself, for an `Authorization` header or a file with mode 0600.
  public let text: String

  /// The beginning of every token.
  public static let prefix = "theater_"
  /// A regular expression that matches every token, for secret scanners.
  public static let pattern = "theater_[0-9a-hjkmnp-tv-z]{59}"

  private static let alphabet = Array("0123456789abcdefghjkmnpqrstvwxyz")
  private static let (randomLength, checksumLength) = (52, 7)

  init(from random: RandomSource) {
    // 256 is a multiple of 32, so the low five bits are as even as the byte.
    let body = random.bytes(Self.randomLength).map { Self.alphabet[Int($0 & 31)] }
    let start = Self.prefix + String(body)
    text = start + Self.checksum(of: start)
  }

  /// Reads a received token; nil when it is malformed or its checksum is wrong.
  public init?(_ text: String) {
    let length = Self.prefix.utf8.count + Self.randomLength + Self.checksumLength
    guard text.utf8.count == length, text.hasPrefix(Self.prefix) else { return nil }
    let body = text.dropFirst(Self.prefix.count)
    guard body.allSatisfy(Self.alphabet.contains) else { return nil }
    let start = String(text.dropLast(Self.checksumLength))
    guard text.hasSuffix(Self.checksum(of: start)) else { return nil }
    self.text = text
  }

  /// Whether a received text is meant as an access token, well-formed or not.
  public static func isMeant(by text: String) -> Bool { text.hasPrefix(prefix) }

  /// The stored digest.
  var digest: SecretDigest { SecretDigest(of: text, purpose: "access token") }

  /// The first 35 bits of the SHA-256 of "theater token" and `start`, as symbols.
  private static func checksum(of start: String) -> String {
    let bytes = SecretDigest(of: start, purpose: "theater token").bytes
    var bits = bytes.prefix(5).reduce(UInt64(0)) { $0 << 8 | UInt64($1) } >> 5
    var symbols: [Character] = []
    for _ in 0..<checksumLength {
      symbols.append(alphabet[Int(bits & 31)])
      bits >>= 5
    }
    return String(symbols.reversed())
  }
}
