/// The secret that authenticates requests: 256 random bits, 43 characters of base64url.
public struct SessionToken: Sendable, Redacted {
  /// The secret itself, for a cookie, a header or a file with mode 0600.
  public let text: String

  private static let alphabet = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
  private static let length = 43

  init(from random: RandomSource) {
    // 43 symbols of six bits each: 258 bits.
    let symbols = random.bytes(Self.length).map { Self.alphabet[Int($0 & 63)] }
    text = String(decoding: symbols, as: UTF8.self)
  }

  /// Reads a received token; nil when it is malformed.
  public init?(_ text: String) {
    guard text.utf8.count == Self.length, text.utf8.allSatisfy(Self.isSymbol) else { return nil }
    self.text = text
  }

  var digest: SecretDigest { SecretDigest(of: text, purpose: "session token") }

  private static func isSymbol(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
      true
    default: false
    }
  }
}
