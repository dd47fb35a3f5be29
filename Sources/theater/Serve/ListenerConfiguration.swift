import Glibc
import Logging
import NIOCore
import TheaterConfiguration
import WebServer

/// Where the controller listens for browsers and programs, and how far it goes out of the house.
struct ListenerConfiguration: Sendable {
  /// What keeps others from reading along.
  enum Protection: Sendable, Hashable {
    /// Nobody else is on the way: this machine alone is listened to.
    case loopback
    case tls(WebSettings.TLS)
    /// Nothing, as the person wanted it.
    case insecure
  }

  let host: String
  let port: Int
  let names: [String]
  let protection: Protection

  /// Puts together what the command line and the configuration say; the command line wins.
  ///
  /// - Parameter isInsecure: Whether plain HTTP was asked for on the network.
  init(host: String?, port: Int?, isInsecure: Bool, settings: WebSettings) throws(ExitError) {
    self.host = host ?? settings.host ?? "127.0.0.1"
    self.port = port ?? settings.port ?? 8080
    names = settings.hosts
    let isLoopback: Bool
    do {
      // The very address that will be listened on.
      isLoopback = try SocketAddress.makeAddressResolvingHost(self.host, port: self.port).isLoopback
    } catch {
      throw .notOurs(self.host)
    }
    if isInsecure, settings.tls != nil {
      throw ExitError(
        .wrongUsage, "the configuration asks for TLS, \(Self.insecureOption) for none",
        hint: "Leave one of the two away.")
    }
    protection =
      if let tls = settings.tls { .tls(tls) } else if isLoopback { .loopback } else if isInsecure {
        .insecure
      } else { .tls(.ownMaking) }
  }

  static let insecureOption = "--insecure-plain-http-on-the-network"

  /// The certificate to listen with; the controller's own is made where there is none yet.
  func certificate(_ folders: ApplicationPaths) throws(ExitError) -> CertificateFiles.Kept? {
    guard case .tls(let tls) = protection else { return nil }
    do throws(CertificateError) {
      switch tls {
      case .files(let certificate, let key):
        return CertificateFiles.Kept(
          certificate: try CertificateFiles.owners(certificate: certificate, key: key))
      case .ownMaking:
        return try CertificateFiles.own(
          at: folders.certificate, for: askedNames, and: MachineNames.all())
      }
    } catch {
      throw ExitError(.failed, error.message, hint: error.hint)
    }
  }

  /// The listener itself.
  func listener(_ certificate: ServerCertificate?) -> Listener {
    .port(port, of: host, hosts: HostList(askedNames), certificate: certificate)
  }

  /// What looks after the certificate that is shown: shows the owner's anew when it was renewed, and
  /// makes the controller's own anew before it ends; `nil` where there is none.
  func renewal(
    of shown: ShownCertificate?, _ folders: ApplicationPaths, logger: Logger,
    news: @escaping CertificateKeeping.News
  ) -> (any CertificateKeeping)? {
    guard case .tls(let tls) = protection, let shown else { return nil }
    switch tls {
    case .files(let certificate, let key):
      return CertificateRenewal(
        certificate: certificate, key: key, shown: shown, logger: logger, news: news)
    case .ownMaking:
      return OwnRenewal(
        path: folders.certificate, names: askedNames, more: { MachineNames.all() }, shown: shown,
        logger: logger, news: news)
    }
  }

  /// What a browser's address line says before the port.
  var scheme: String {
    if case .tls = protection { "https" } else { "http" }
  }

  /// What a person types to come here: the first of the configured names, else the host; `nil` where
  /// neither is known before the listener is open.
  var address: String? {
    let isEverywhere = ["0.0.0.0", "::"].contains(host)
    guard port != 0, let name = names.first ?? (isEverywhere ? nil : host) else { return nil }
    return "\(scheme)://\(name.contains(":") ? "[\(name)]" : name):\(port)"
  }

  /// The configured names, and the host where it is one that can be asked for.
  private var askedNames: Set<String> {
    let everything = ["0.0.0.0", "::"]
    return Set(
      names.map { $0.lowercased() } + (everything.contains(host) ? [] : [host.lowercased()]))
  }
}

extension ExitError {
  /// An address that cannot be listened on.
  static func notOurs(_ host: String) -> ExitError {
    ExitError(
      .failed, "\(host) is no address of this machine",
      hint: "Take 127.0.0.1, or one that `ip address` shows.")
  }
}
