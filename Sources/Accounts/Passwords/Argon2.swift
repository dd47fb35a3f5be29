import CArgon2

/// Argon2id (RFC 9106) by libargon2, synchronously, on the calling thread.
enum Argon2 {
  /// The sizes of the salt and of the hash, in bytes, as the PHC string format recommends.
  static let saltBytes = 16
  private static let hashBytes = 32

  /// Hashes the whole of `password`.
  /// - Throws: `internal` when libargon2 fails, in practice because memory is short.
  static func hash(
    _ password: Password, salt: [UInt8], parameters: Argon2Parameters
  ) throws(AccountError) -> PasswordHash {
    let room = argon2_encodedlen(
      parameters.passes, parameters.memoryKiB, parameters.lanes, UInt32(salt.count),
      UInt32(hashBytes), Argon2_id)
    var encoded = [CChar](repeating: 0, count: room)
    let status = argon2id_hash_encoded(
      parameters.passes, parameters.memoryKiB, parameters.lanes, password.bytes,
      password.bytes.count, salt, salt.count, hashBytes, &encoded, encoded.count)
    guard status == ARGON2_OK.rawValue else { throw failure(status) }
    let text = encoded.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    return PasswordHash(String(decoding: text, as: UTF8.self))
  }

  /// Returns whether `hash` is that of `password`. Uses the parameters that the hash names.
  /// - Throws: `internal` for an unreadable hash, or when memory is short.
  static func verify(_ password: Password, against hash: PasswordHash) throws(AccountError) -> Bool
  {
    let status = argon2id_verify(hash.text, password.bytes, password.bytes.count)
    switch status {
    case ARGON2_OK.rawValue: return true
    case ARGON2_VERIFY_MISMATCH.rawValue: return false
    default: throw failure(status)
    }
  }

  private static func failure(_ status: Int32) -> AccountError {
    let reason = argon2_error_message(status).map { String(cString: $0) } ?? "error \(status)"
    return .internalFailure("The password could not be hashed: \(reason).")
  }
}
