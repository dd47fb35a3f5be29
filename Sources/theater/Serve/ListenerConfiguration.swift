import Glibc
import Logging
import NIOCore
import TheaterConfiguration
import WebServer

/// The TCP address on which the controller listens, and its protection.
struct ListenerConfiguration: Sendable {
  /// The protection against eavesdropping.
  enum Protection: Sendable, Hashable {
    /// Reachable from this machine only.
    case loopback
    case tls(WebSettings.TLS)
    /// None, as the command line demands.
    case insecure
  }

  let host: String
  let port: Int
  let names: [String]
  let protection: Protection
  /// The most open event streams.
  let eventStreams: Int

  /// Combines command line and configuration; the command line takes precedence.
  ///
  /// - Parameter isInsecure: Whether the command line permits plain HTTP on the network.
  init(host: String?, port: Int?, isInsecure: Bool, settings: WebSettings) throws(ExitError) {
    self.host = host ?? settings.host ?? "127.0.0.1"
    self.port = port ?? settings.port ?? 8080
    names = settings.hosts
    eventStreams = settings.eventStreams ?? EventStreamLimiter.standard
    let isLoopback: Bool
    do {
      // Resolved here, because it decides whether TLS is needed.
      isLoopback = try SocketAddress.makeAddressResolvingHost(self.host, port: self.port).isLoopback
    } catch {
      throw .notOurs(self.host)
    }
    if isInsecure, settings.tls != nil {
      throw ExitError(
        .wrongUsage, "the configuration asks for TLS, \(Self.insecureOption) for none",
        hint: "Remove one of the two.")
    }
    protection =
      if let tls = settings.tls { .tls(tls) } else if isLoopback { .loopback } else if isInsecure {
        .insecure
      } else { .tls(.ownMaking) }
  }

  static let insecureOption = "--insecure-plain-http-on-the-network"

  /// Loads the certificate; makes the controller's own if there is none yet.
  func certificate(
    _ paths: ApplicationPaths
  ) throws(ExitError) -> CertificateFiles.LoadedCertificate? {
    guard case .tls(let tls) = protection else { return nil }
    do throws(CertificateError) {
      switch tls {
      case .files(let certificate, let key):
        return CertificateFiles.LoadedCertificate(
          certificate: try CertificateFiles.loadOwners(certificate: certificate, key: key))
      case .ownMaking:
        return try CertificateFiles.loadOrCreate(
          at: paths.certificate, names: askedNames, additionalNames: MachineNames.all())
      }
    } catch {
      throw ExitError(.failed, error.message, hint: error.hint)
    }
  }

  /// The listener for the web server.
  func listener(_ certificate: ServerCertificate?) -> Listener {
    var limits = ConnectionLimits.standard
    // The limit for other connections stays the same, whatever the number of streams.
    limits.connections += eventStreams - EventStreamLimiter.standard
    limits.connections = DescriptorLimit.connections(limits.connections)
    return .port(
      port, of: host, hosts: HostList(askedNames), certificate: certificate, limits: limits)
  }

  /// The service that reloads the owner's certificate when its files change, or renews the
  /// controller's own before it expires; `nil` without TLS.
  func renewal(
    of served: ServedCertificate?, _ paths: ApplicationPaths, logger: Logger,
    onUpdate: @escaping CertificateUpdater.UpdateHandler
  ) -> (any CertificateUpdater)? {
    guard case .tls(let tls) = protection, let served else { return nil }
    switch tls {
    case .files(let certificate, let key):
      return CertificateRenewal(
        certificate: certificate, key: key, served: served, logger: logger, onUpdate: onUpdate)
    case .ownMaking:
      return OwnRenewal(
        path: paths.certificate, names: askedNames, additionalNames: { MachineNames.all() },
        served: served, logger: logger, onUpdate: onUpdate)
    }
  }

  /// The scheme of the web address.
  var scheme: String {
    if case .tls = protection { "https" } else { "http" }
  }

  /// The web address, with the first configured name, else the host; `nil` if neither is known before
  /// the listener is open.
  var address: String? {
    let isEverywhere = ["0.0.0.0", "::"].contains(host)
    guard port != 0, let name = names.first ?? (isEverywhere ? nil : host) else { return nil }
    return "\(scheme)://\(name.contains(":") ? "[\(name)]" : name):\(port)"
  }

  /// The configured names and, if it is a single address, the host.
  private var askedNames: Set<String> {
    let everything = ["0.0.0.0", "::"]
    return Set(
      names.map { $0.lowercased() } + (everything.contains(host) ? [] : [host.lowercased()]))
  }
}

extension ExitError {
  /// The error for a host that is not an address of this machine.
  static func notOurs(_ host: String) -> ExitError {
    ExitError(
      .failed, "\(host) is not an address of this machine",
      hint: "Use 127.0.0.1, or an address that `ip address` shows.")
  }
}
