import Crypto

/// The stored digest of a secret: SHA-256 for 80 bits or more, HMAC-SHA256 for less. Compared in constant
/// time.
public struct SecretDigest: Hashable, Sendable {
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

  /// Takes a stored digest; nil unless it has 32 bytes.
  public init?(bytes: some Collection<UInt8>) {
    guard bytes.count == 32 else { return nil }
    words = Array(bytes).withUnsafeBytes(Self.load)
  }

  /// The 32 stored bytes.
  public var bytes: [UInt8] {
    withUnsafeBytes(of: words) { Array($0) }
  }

  public static func == (a: SecretDigest, b: SecretDigest) -> Bool {
    let difference =
      (a.words.0 ^ b.words.0) | (a.words.1 ^ b.words.1) | (a.words.2 ^ b.words.2)
      | (a.words.3 ^ b.words.3)
    return difference == 0
  }

  public func hash(into hasher: inout Hasher) {
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

/// A value that descriptions, interpolations, dumps and logs leave out.
public protocol Redacted: CustomStringConvertible, CustomDebugStringConvertible,
  CustomReflectable
{}

extension Redacted {
  public var description: String { "\(Self.self)(kept secret)" }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}
