import Crypto

/// What is kept in place of a secret: the SHA-256 of one of 80 bits or more, or the HMAC-SHA256 of a
/// shorter one. Compared without a shortcut, so that the time of an answer tells nothing.
package struct SecretDigest: Hashable, Sendable {
  private let words: (UInt64, UInt64, UInt64, UInt64)

  /// Hashes a secret. `purpose` keeps digests of different kinds of secret apart.
  init(of secret: String, purpose: StaticString) {
    var hash = SHA256()
    purpose.withUTF8Buffer { hash.update(bufferPointer: UnsafeRawBufferPointer($0)) }
    var text = secret
    text.withUTF8 { hash.update(bufferPointer: UnsafeRawBufferPointer($0)) }
    words = hash.finalize().withUnsafeBytes(Self.load)
  }

  /// Takes a keyed digest.
  init(_ code: HMAC<SHA256>.MAC) {
    words = code.withUnsafeBytes(Self.load)
  }

  /// Takes a digest that a store kept; nil unless it has 32 bytes.
  package init?(bytes: some Collection<UInt8>) {
    guard bytes.count == 32 else { return nil }
    words = Array(bytes).withUnsafeBytes(Self.load)
  }

  /// The 32 bytes that a store keeps.
  package var bytes: [UInt8] {
    withUnsafeBytes(of: words) { Array($0) }
  }

  package static func == (a: SecretDigest, b: SecretDigest) -> Bool {
    let difference =
      (a.words.0 ^ b.words.0) | (a.words.1 ^ b.words.1) | (a.words.2 ^ b.words.2)
      | (a.words.3 ^ b.words.3)
    return difference == 0
  }

  package func hash(into hasher: inout Hasher) {
    // Uniformly distributed already.
    hasher.combine(words.0)
  }

  private static func load(_ bytes: UnsafeRawBufferPointer) -> (UInt64, UInt64, UInt64, UInt64) {
    func word(_ index: Int) -> UInt64 {
      bytes.loadUnaligned(fromByteOffset: index * 8, as: UInt64.self)
    }
    return (word(0), word(1), word(2), word(3))
  }
}
