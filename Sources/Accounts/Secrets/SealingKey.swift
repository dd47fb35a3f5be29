import Crypto

/// The key beside the database, 256 bits: what the database alone must not give away is sealed with
/// it (secrets of second factors) or digested with it (one-time codes, whose million possibilities
/// a plain hash would not hide).
///
/// It protects a database that gets out without the key: a copy, a backup, a dump. Against somebody
/// who reads both files it protects nothing.
package struct SealingKey: Sendable, Redacted {
  /// Bytes of a key.
  package static let length = 32

  private let key: SymmetricKey

  /// Takes the bytes of a key file; nil unless there are 32.
  package init?(bytes: [UInt8]) {
    guard bytes.count == Self.length else { return nil }
    key = SymmetricKey(data: bytes)
  }

  /// A new key, for a database that nobody keeps.
  package static func random() -> SealingKey { SealingKey(key: SymmetricKey(size: .bits256)) }

  private init(key: SymmetricKey) { self.key = key }

  /// The keyed digest (HMAC-SHA256) of a secret with little entropy.
  /// - Parameters:
  ///   - context: what it belongs to; the same secret elsewhere has another digest.
  ///   - purpose: keeps kinds of secret apart.
  func digest(of secret: String, context: String, purpose: String) -> SecretDigest {
    var hmac = HMAC<SHA256>(key: derived(purpose))
    // The length goes before, so that no end of one is taken for the beginning of the other.
    hmac.update(data: Array("\(context.utf8.count):\(context)\(secret)".utf8))
    return SecretDigest(hmac.finalize())
  }

  /// Seals bytes (AES-256-GCM, a random nonce), bound to what they belong to.
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

  /// What was sealed.
  /// - Throws: `storageFailed` where it was sealed with another key or for another context.
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
