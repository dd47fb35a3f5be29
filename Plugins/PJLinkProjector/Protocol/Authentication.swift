import Crypto

/// The password of a projector and how it is proved.
struct Authentication: Sendable {
  /// The option `authentication`.
  enum Policy: String, CaseIterable, Sendable {
    /// SHA-256, or MD5 where the projector does not know it.
    case auto
    case md5
    /// Never MD5, which an eavesdropper can use to try passwords quickly.
    case sha256
  }

  /// How a connection was authenticated.
  enum Method: String, Sendable {
    case none
    case md5 = "MD5"
    case sha256 = "SHA-256"
  }

  /// The number of random bytes of each side for SHA-256.
  static let nonceSize = 16

  let password: String?
  let policy: Policy
  /// Whether the projector was found not to know SHA-256.
  var isWithoutSHA256 = false

  /// Whether SHA-256 is tried first.
  var triesSHA256: Bool { policy != .md5 && !isWithoutSHA256 }

  /// The text before the first command with MD5: the digest of the projector's salt and the password.
  static func md5(salt: String, password: String) -> String {
    Hexadecimal.text(Insecure.MD5.hash(data: Array((salt + password).utf8)))
  }

  /// The text before the first command with SHA-256: the client's random bytes, and the digest of both
  /// sides' bytes and the password.
  ///
  /// - Parameters:
  ///   - projector: The 16 random bytes of the projector.
  ///   - client: 16 random bytes.
  static func sha256(projector: [UInt8], client: [UInt8], password: String) -> String {
    let mixed = Hexadecimal.text(zip(projector, client).map { $0 ^ $1 })
    let digest = SHA256.hash(data: Array((mixed + password).utf8))
    return Hexadecimal.text(client) + Hexadecimal.text(digest)
  }
}
