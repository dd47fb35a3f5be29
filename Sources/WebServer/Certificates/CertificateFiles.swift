import Foundation
import Glibc

/// Certificates in files.
package enum CertificateFiles {
  /// What was found or made.
  package struct Kept: Sendable {
    package let certificate: ServerCertificate
    /// The fingerprint that it had until now, where a new certificate took its place.
    package let replaced: String?
    /// Whether it was made just now.
    package let isNew: Bool

    package init(certificate: ServerCertificate, replaced: String? = nil, isNew: Bool = false) {
      self.certificate = certificate
      self.replaced = replaced
      self.isNew = isNew
    }
  }

  /// The controller's own certificate, from the file at `path`. One is made where there is none,
  /// where it ends within 30 days, and where it is not for all of `names`.
  ///
  /// - Parameters:
  ///   - names: What people type to come here.
  ///   - more: Further names for a new one; that the old one lacks them is no reason to make one,
  ///     since everybody would have to compare fingerprints anew.
  package static func own(
    at path: String, for names: Set<String>, and more: Set<String> = [], now: Date = Date()
  ) throws(CertificateError) -> Kept {
    let names = Set(names.map(AddressText.plain))
    let found = try existing(at: path)
    if let found, names.isSubset(of: found.names), !found.isToBeRenewed(at: now) {
      return Kept(certificate: found)
    }
    let text: String
    do {
      text = try SelfSigned.make(for: names.union(more), at: now)
    } catch {
      throw CertificateError(
        "no certificate can be made: \(error)", hint: "Bring your own with \"tls\".")
    }
    try write(Array(text.utf8), to: path)
    let certificate = try ServerCertificate(
      chain: Array(text.utf8), key: Array(text.utf8), isOwners: false, path: path)
    return Kept(certificate: certificate, replaced: found?.fingerprint, isNew: true)
  }

  /// The certificate that the controller made earlier; `nil` where there is none.
  package static func existing(at path: String) throws(CertificateError) -> ServerCertificate? {
    guard let bytes = try read(path, forbidden: 0o077) else { return nil }
    return try ServerCertificate(chain: bytes, key: bytes, isOwners: false, path: path)
  }

  /// The certificate and key that the theater's owner brought, in PEM files.
  package static func owners(certificate: String, key: String) throws(CertificateError)
    -> ServerCertificate
  {
    // A certificate is public; a key may be read by a group, as Debian's `ssl-cert`.
    guard let chain = try read(certificate, forbidden: 0) else { throw missing(certificate) }
    guard let secret = try read(key, forbidden: 0o007) else { throw missing(key) }
    return try ServerCertificate(chain: chain, key: secret, isOwners: true, path: certificate)
  }

  // MARK: Files

  private static let largest = 256 * 1024

  private static func missing(_ path: String) -> CertificateError {
    CertificateError("there is no file \(path)", hint: "Mend \"tls\" in \"web\" of devices.json.")
  }

  /// - Parameter forbidden: What others must not be allowed to do with the file.
  private static func read(_ path: String, forbidden: Int) throws(CertificateError) -> [UInt8]? {
    // A link is followed: that is how renewing programs put new certificates in place.
    let file = URL(fileURLWithPath: path).resolvingSymlinksInPath()
    let attributes: [FileAttributeKey: Any]
    let contents: Data
    do {
      attributes = try FileManager.default.attributesOfItem(atPath: file.path)
      guard attributes[.type] as? FileAttributeType == .typeRegular,
        let size = attributes[.size] as? Int, size <= largest
      else {
        throw CertificateError("\(path) is no PEM file", hint: "Name a file of at most 256 KiB.")
      }
      contents = try Data(contentsOf: file)
    } catch CocoaError.fileReadNoSuchFile, CocoaError.fileNoSuchFile {
      return nil
    } catch let error as CertificateError {
      throw error
    } catch {
      throw CertificateError("\(path) cannot be read", hint: "Check who owns it.")
    }
    guard let mode = attributes[.posixPermissions] as? Int, mode & forbidden == 0 else {
      throw CertificateError(
        "\(path) holds a key and can be read by others", hint: "Type: chmod 600 \(path)")
    }
    return Array(contents)
  }

  /// Whole or not at all, for its owner alone.
  private static func write(_ bytes: [UInt8], to path: String) throws(CertificateError) {
    let draft = "\(path).\(getpid())"
    unlink(draft)
    let file = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw failure(path) }
    let isWritten = Glibc.write(file, bytes, bytes.count) == bytes.count && fsync(file) == 0
    close(file)
    guard isWritten, rename(draft, path) == 0 else {
      let problem = failure(path)
      unlink(draft)
      throw problem
    }
  }

  private static func failure(_ path: String) -> CertificateError {
    CertificateError(
      "cannot write \(path): \(String(cString: strerror(errno)))",
      hint: "Check who owns its folder, and that its disk has room.")
  }
}
