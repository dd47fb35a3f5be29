import WebServer

/// A certificate, as people read about it.
enum CertificateLines {
  /// What the controller says of it at its start.
  static func report(_ kept: CertificateFiles.Kept) -> [String] {
    let certificate = kept.certificate
    var lines = [
      "certificate: \(origin(certificate)), valid until \(certificate.lastDay)",
      "  SHA-256 \(certificate.fingerprint)",
    ]
    if let replaced = kept.replaced {
      lines.append("  it is new; until now it was \(replaced)")
    }
    if !certificate.isOwners {
      lines.append("  compare that when a browser asks for the first time, then tell it to go on")
    }
    return lines
  }

  /// Who made it.
  static func origin(_ certificate: ServerCertificate) -> String {
    certificate.isOwners ? "your own" : "made by this theater"
  }
}
