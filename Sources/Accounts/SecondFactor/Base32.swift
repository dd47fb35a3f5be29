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
