/// Why there is no certificate to speak TLS with.
package struct CertificateError: Error, Sendable, Hashable {
  /// What happened, without a word of the key.
  package let message: String
  /// What to do next.
  package let hint: String

  init(_ message: String, hint: String) {
    self.message = message
    self.hint = hint
  }
}
