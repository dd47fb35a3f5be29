import TheaterConfiguration
import WebServer

/// Looks at the certificate with which the controller speaks TLS.
struct CertificateCheckup {
  let settings: WebSettings
  let folders: ApplicationPaths

  /// Its fingerprint, to compare with what a browser shows, or what is wrong with it; nothing where
  /// TLS was never spoken.
  func findings() -> [Finding] {
    do throws(CertificateError) {
      guard let certificate = try certificate() else { return [] }
      return [finding(certificate)]
    } catch {
      return [.bad("certificate", error.message, remedy: error.hint)]
    }
  }

  private func certificate() throws(CertificateError) -> ServerCertificate? {
    if case .files(let certificate, let key) = settings.tls {
      return try CertificateFiles.owners(certificate: certificate, key: key)
    }
    return try CertificateFiles.existing(at: folders.certificate)
  }

  private func finding(_ certificate: ServerCertificate) -> Finding {
    let text =
      "\(CertificateLines.origin(certificate)), valid until \(certificate.lastDay), "
      + "SHA-256 \(certificate.fingerprint)"
    // The controller renews its own in time.
    guard certificate.isOwners else { return .good("certificate", text) }
    switch certificate.standing() {
    case .good: return .good("certificate", text)
    case .endsSoon: return .notice("certificate", text, remedy: "Renew it soon.")
    case .notValid: return .bad("certificate", "it is not valid now: \(text)", remedy: "Renew it.")
    }
  }
}
