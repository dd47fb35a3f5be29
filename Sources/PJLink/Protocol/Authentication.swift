import Crypto
import JSON

/// The password of a projector, and the method that proves it.
package struct Authentication: Sendable {
  /// The option `authentication`.
  package enum Policy: String, CaseIterable, Sendable {
    /// SHA-256, or MD5 if the projector does not answer to SHA-256.
    case auto
    /// Only MD5.
    case md5
    /// Only SHA-256: an eavesdropper can guess a weak password from an MD5 digest.
    case sha256
  }

  /// The authentication method of a connection.
  package enum Method: String, Sendable {
    case none
    case md5 = "MD5"
    case sha256 = "SHA-256"
  }

  /// The number of random bytes that each side makes for SHA-256.
  package static let nonceSize = 16

  /// The password; nil without one.
  let password: String?
  let policy: Policy
  /// Whether the projector did not answer to SHA-256 before.
  var isWithoutSHA256 = false

  /// - Parameter password: The password; nil without one.
  package init(password: String?, policy: Policy, isWithoutSHA256: Bool = false) {
    self.password = password
    self.policy = policy
    self.isWithoutSHA256 = isWithoutSHA256
  }

  /// Returns ``nonceSize`` random bytes of the system.
  @Sendable
  package static func randomNonce() -> [UInt8] {
    var generator = SystemRandomNumberGenerator()
    return (0..<nonceSize).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
  }

  /// Whether SHA-256 is tried.
  var triesSHA256: Bool { policy != .md5 && !isWithoutSHA256 }

  /// Returns the text that precedes the first command with MD5: the digest of the projector's salt and the password.
  static func md5(salt: String, password: String) -> String {
    Hexadecimal.text(Insecure.MD5.hash(data: Array((salt + password).utf8)))
  }

  /// Returns the text that precedes the first command with SHA-256: the client's random bytes, then the digest of both
  /// sides' random bytes (combined with XOR, in hexadecimal) and the password.
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
