import Foundation
import Glibc
import Platform

/// Reads and writes certificates in PEM files.
package enum CertificateFiles {
  /// A certificate that was read or created.
  package struct LoadedCertificate: Sendable {
    package let certificate: ServerCertificate
    /// The fingerprint of the certificate that it replaced in the file, if any.
    package let replaced: String?

    package init(certificate: ServerCertificate, replaced: String? = nil) {
      self.certificate = certificate
      self.replaced = replaced
    }
  }

  /// Returns the self-signed certificate in the file at `path`. Creates one if there is none, if it
  /// expires within 30 days, or if it lacks one of `names`.
  ///
  /// - Parameters:
  ///   - names: The names under which people reach the controller.
  ///   - additionalNames: Further names for a new certificate. An old one that lacks them is kept,
  ///     because every replacement makes people compare fingerprints again.
  /// - Throws: `CertificateError` if the file cannot be read or written, is readable by other
  ///   users, or if no certificate can be made.
  package static func loadOrCreate(
    at path: String, names: Set<String>, additionalNames: Set<String> = [], now: Date = Date()
  ) throws(CertificateError) -> LoadedCertificate {
    let names = Set(names.map(AddressText.plain))
    let found = try load(at: path)
    if let found, names.isSubset(of: found.names), !found.isToBeRenewed(at: now) {
      return LoadedCertificate(certificate: found)
    }
    let text: String
    do {
      text = try SelfSigned.make(for: names.union(additionalNames), at: now)
    } catch {
      throw CertificateError(
        "no certificate can be made: \(error)",
        hint: "Name a certificate of your own with \"tls\" in \"web\" of devices.json.")
    }
    try write(Array(text.utf8), to: path)
    let certificate = try ServerCertificate(
      chain: Array(text.utf8), key: Array(text.utf8), isOwners: false, path: path)
    return LoadedCertificate(certificate: certificate, replaced: found?.fingerprint)
  }

  /// Returns the self-signed certificate at `path`; `nil` if there is no file.
  package static func load(at path: String) throws(CertificateError) -> ServerCertificate? {
    guard let bytes = try read(path, forbidden: 0o077) else { return nil }
    return try ServerCertificate(chain: bytes, key: bytes, isOwners: false, path: path)
  }

  /// Reads the owner's certificate and key.
  package static func loadOwners(certificate: String, key: String) throws(CertificateError)
    -> ServerCertificate
  {
    // A certificate is public. A group may read the key: on Debian, `ssl-cert`.
    guard let chain = try read(certificate, forbidden: 0) else { throw missing(certificate) }
    guard let secret = try read(key, forbidden: 0o007) else { throw missing(key) }
    return try ServerCertificate(chain: chain, key: secret, isOwners: true, path: certificate)
  }

  // MARK: Files

  /// The largest accepted file, in bytes.
  private static let largest = 256 * 1024

  private static func missing(_ path: String) -> CertificateError {
    CertificateError("there is no file \(path)", hint: "Fix \"tls\" in \"web\" of devices.json.")
  }

  /// - Parameter forbidden: The mode bits that the file must not have.
  /// - Returns: The contents; `nil` if there is no file.
  private static func read(_ path: String, forbidden: mode_t) throws(CertificateError) -> [UInt8]? {
    let bytes: [UInt8]
    do throws(RegularFile.Failure) {
      // Follows links: renewal programs replace a certificate by changing one.
      bytes = try RegularFile.read(path, atMost: largest)
    } catch {
      if error == .missing { return nil }
      throw CertificateError(
        "\(path) cannot be used: \(error)",
        hint: "Name a PEM file that the controller's user may read.")
    }
    guard let permissions = RegularFile.permissions(at: path) else { return nil }
    guard permissions & forbidden == 0 else {
      let mode = String(permissions & 0o777 & ~forbidden, radix: 8)
      throw CertificateError(
        "\(path) holds a key and can be read by others", hint: "Type: chmod \(mode) \(path)")
    }
    return bytes
  }

  /// Writes the file atomically, with mode 0600.
  private static func write(_ bytes: [UInt8], to path: String) throws(CertificateError) {
    let draft = "\(path).\(getpid())"
    unlink(draft)
    do throws(SystemError) {
      try create(draft, with: bytes)
      guard rename(draft, path) == 0 else { throw SystemError(errno) }
    } catch {
      unlink(draft)
      throw CertificateError(
        "cannot write \(path): \(error)",
        hint: "Check who owns its folder, and that its disk has room.")
    }
  }

  private static func create(_ path: String, with bytes: [UInt8]) throws(SystemError) {
    let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw SystemError(errno) }
    defer { close(file) }
    try RegularFile.write(bytes, to: file)
    guard fsync(file) == 0 else { throw SystemError(errno) }
  }
}
