import Foundation
import Glibc

/// Reads and writes certificates in PEM files.
package enum CertificateFiles {
  /// A certificate that was read or created.
  package struct Kept: Sendable {
    package let certificate: ServerCertificate
    /// The fingerprint of the certificate that it replaced, if any.
    package let replaced: String?
    /// Whether it was created by this call.
    package let isNew: Bool

    package init(certificate: ServerCertificate, replaced: String? = nil, isNew: Bool = false) {
      self.certificate = certificate
      self.replaced = replaced
      self.isNew = isNew
    }
  }

  /// Returns the self-signed certificate in the file at `path`. Creates one if there is none, if it
  /// expires within 30 days, or if it lacks one of `names`.
  ///
  /// - Parameters:
  ///   - names: The names under which people reach the controller.
  ///   - more: Further names for a new certificate. An old one that lacks them is kept, because every
  ///     replacement makes people compare fingerprints again.
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

  /// Returns the self-signed certificate at `path`; `nil` if there is no file.
  package static func existing(at path: String) throws(CertificateError) -> ServerCertificate? {
    guard let bytes = try read(path, forbidden: 0o077) else { return nil }
    return try ServerCertificate(chain: bytes, key: bytes, isOwners: false, path: path)
  }

  /// Reads the owner's certificate and key.
  package static func owners(certificate: String, key: String) throws(CertificateError)
    -> ServerCertificate
  {
    // A certificate is public. A group may read the key: on Debian, `ssl-cert`.
    guard let chain = try read(certificate, forbidden: 0) else { throw missing(certificate) }
    guard let secret = try read(key, forbidden: 0o007) else { throw missing(key) }
    return try ServerCertificate(chain: chain, key: secret, isOwners: true, path: certificate)
  }

  // MARK: Files

  private static let largest = 256 * 1024

  private static func missing(_ path: String) -> CertificateError {
    CertificateError("there is no file \(path)", hint: "Fix \"tls\" in \"web\" of devices.json.")
  }

  /// - Parameter forbidden: The mode bits that the file must not have.
  /// - Returns: The contents; `nil` if there is no file.
  private static func read(_ path: String, forbidden: Int) throws(CertificateError) -> [UInt8]? {
    // Follows links: renewal programs replace a certificate by changing one.
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

  /// Writes the file atomically, with mode 0600.
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
