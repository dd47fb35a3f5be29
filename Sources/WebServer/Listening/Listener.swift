import Hummingbird

/// An address on which the API is served, and its rules.
package struct Listener: Sendable {
  let address: BindAddress
  /// `nil` for the Unix socket, which browsers cannot open.
  let rules: BrowserRules?
  /// `nil` for plain HTTP.
  package let certificate: ServedCertificate?
  var limits = ConnectionLimits.standard

  /// A Unix socket, for programs of its user.
  package static func socket(_ path: String) -> Listener {
    Listener(address: .unixDomainSocket(path: path), rules: nil, certificate: nil)
  }

  /// A TCP port, for browsers and programs of the network.
  ///
  /// - Parameters:
  ///   - hosts: The names of the controller, beside its addresses.
  ///   - certificate: With it the port speaks TLS, without it plain HTTP.
  package static func port(
    _ port: Int, of host: String, hosts: HostList = HostList(),
    certificate: ServerCertificate? = nil, limits: ConnectionLimits = .standard
  ) -> Listener {
    Listener(
      address: .hostname(host, port: port),
      rules: BrowserRules(hosts: hosts, isEncrypted: certificate != nil),
      certificate: certificate.map(ServedCertificate.init), limits: limits)
  }

  /// Whether answers tell browsers to use TLS only (RFC 6797).
  var insistsOnTLS: Bool { certificate?.current.isOwners == true }

  /// Whether it uses TLS or is the Unix socket, so that others on the network cannot read it.
  var isConfidential: Bool { rules.map(\.isEncrypted) ?? true }

  /// The cookies of this listener; `nil` for the Unix socket.
  var cookies: BrowserCookies? {
    rules.map { BrowserCookies(isEncrypted: $0.isEncrypted) }
  }
}
