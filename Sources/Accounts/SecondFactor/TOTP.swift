import Crypto
import Foundation

/// Time-based one-time passwords (RFC 6238) as authenticator apps make them: HMAC-SHA-1, 6 digits,
/// a new one every 30 s.
enum TOTP {
  static let digits = 6
  /// Seconds of a step.
  static let period = 30
  /// Bytes of a secret: the length of a SHA-1 digest (RFC 4226, section 4).
  static let secretBytes = 20

  /// The number of the step of `date`.
  static func step(at date: Date) -> Int64 {
    // Rounded down, also before 1970.
    let (quotient, remainder) = date.milliseconds.quotientAndRemainder(
      dividingBy: Int64(period) * 1000)
    return remainder < 0 ? quotient - 1 : quotient
  }

  /// The code of a step (RFC 4226, section 5.3).
  static func code(_ secret: [UInt8], step: Int64, digits: Int = digits) -> String {
    let counter = withUnsafeBytes(of: step.bigEndian) { Array($0) }
    let mac = Array(
      HMAC<Insecure.SHA1>.authenticationCode(for: counter, using: SymmetricKey(data: secret)))
    let offset = Int((mac.last ?? 0) & 15)
    let word = mac.dropFirst(offset).prefix(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    let text = String(word & 0x7FFF_FFFF)
    let padded = String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
    return String(padded.suffix(digits))
  }

  /// The steps around `date` whose code is `typed`: the current one and, for clocks that differ, its
  /// two neighbours.
  static func steps(of typed: String, _ secret: [UInt8], at date: Date) -> [Int64] {
    let now = step(at: date)
    // All three are compared in constant time.
    return [now, now &- 1, now &+ 1].filter { isSame(code(secret, step: $0), typed) }
  }

  private static func isSame(_ a: String, _ b: String) -> Bool {
    guard a.utf8.count == b.utf8.count else { return false }
    return zip(a.utf8, b.utf8).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
  }
}

/// Base 32 (RFC 4648) without padding, in which authenticator apps take secrets.
enum Base32 {
  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)

  static func text(_ bytes: [UInt8]) -> String {
    var symbols: [UInt8] = []
    var buffer: UInt32 = 0
    var bits: UInt32 = 0
    for byte in bytes {
      buffer = buffer << 8 | UInt32(byte)
      bits += 8
      while bits >= 5 {
        bits -= 5
        symbols.append(alphabet[Int(buffer >> bits & 31)])
      }
    }
    if bits > 0 { symbols.append(alphabet[Int(buffer << (5 - bits) & 31)]) }
    return String(decoding: symbols, as: UTF8.self)
  }
}
