import Crypto

/// The key beside the database, 256 bits. It encrypts the secrets of second factors, and keys the digests
/// of one-time codes, whose million possibilities a plain hash would not protect.
///
/// It protects a copy or dump of the database without the key, not against a reader of both files.
public struct SealingKey: Sendable, Redacted {
  /// Bytes of a key.
  public static let length = 32

  private let key: SymmetricKey

  /// Takes the bytes of a key file; nil unless there are 32.
  public init?(bytes: [UInt8]) {
    guard bytes.count == Self.length else { return nil }
    key = SymmetricKey(data: bytes)
  }

  /// A new key, for a database in memory.
  public static func random() -> SealingKey { SealingKey(key: SymmetricKey(size: .bits256)) }

  private init(key: SymmetricKey) { self.key = key }

  /// The keyed digest (HMAC-SHA256) of a secret with little entropy.
  /// - Parameters:
  ///   - context: The object it belongs to; the same secret of another object has another digest.
  ///   - purpose: The kind of secret.
  func digest(of secret: String, context: String, purpose: String) -> SecretDigest {
    var hmac = HMAC<SHA256>(key: derived(purpose))
    // The length keeps apart two pairs of context and secret whose texts are equal when joined.
    hmac.update(data: Array("\(context.utf8.count):\(context)\(secret)".utf8))
    return SecretDigest(hmac.finalize())
  }

  /// Encrypts bytes (AES-256-GCM, a random nonce), bound to their context.
  /// - Throws: `internal`.
  func seal(
    _ bytes: [UInt8], context: String, purpose: String
  ) throws(AccountError) -> [UInt8] {
    do {
      let box = try AES.GCM.seal(
        bytes, using: derived(purpose), authenticating: Array(context.utf8))
      return Array(box.nonce) + box.ciphertext + box.tag
    } catch {
      throw .internalFailure("A secret could not be sealed.")
    }
  }

  /// Decrypts bytes.
  /// - Throws: `storageFailed` when they were encrypted with another key or context.
  func open(
    _ sealed: [UInt8], context: String, purpose: String
  ) throws(AccountError) -> [UInt8] {
    do {
      let box = try AES.GCM.SealedBox(combined: sealed)
      return Array(
        try AES.GCM.open(box, using: derived(purpose), authenticating: Array(context.utf8)))
    } catch {
      throw .wrongSealingKey
    }
  }

  private func derived(_ purpose: String) -> SymmetricKey {
    HKDF<SHA256>.deriveKey(
      inputKeyMaterial: key, info: Array(purpose.utf8), outputByteCount: Self.length)
  }
}

extension AccountError {
  static let wrongSealingKey = AccountError(
    .storageFailed, message: "The second factor was sealed with another key than theater.key.",
    hint: "Log in with a recovery code, or put the theater.key of this database back.")
}
