import Hummingbird

/// Where the API is to be had, and by what rules.
package struct Listener: Sendable {
  let address: BindAddress
  /// `nil` where no browser comes.
  let rules: BrowserRules?
  /// `nil` for plain HTTP.
  package let certificate: ShownCertificate?
  var limits = ConnectionLimits.standard

  /// A Unix socket: for programs of its user.
  package static func socket(_ path: String) -> Listener {
    Listener(address: .unixDomainSocket(path: path), rules: nil, certificate: nil)
  }

  /// A TCP port: for browsers, and for whoever the network lets come.
  ///
  /// - Parameters:
  ///   - hosts: Names of the controller beside its addresses.
  ///   - certificate: With it the port speaks TLS, without it plain HTTP.
  package static func port(
    _ port: Int, of host: String, hosts: HostList = HostList(),
    certificate: ServerCertificate? = nil, limits: ConnectionLimits = .standard
  ) -> Listener {
    Listener(
      address: .hostname(host, port: port),
      rules: BrowserRules(hosts: hosts, isEncrypted: certificate != nil),
      certificate: certificate.map(ShownCertificate.init), limits: limits)
  }

  /// Whether browsers are to come with TLS alone from now on (RFC 6797).
  var insistsOnTLS: Bool { certificate?.current.isOwners == true }

  /// How browsers keep what is theirs here; `nil` where none comes.
  var cookies: BrowserCookies? {
    rules.map { BrowserCookies(isEncrypted: $0.isEncrypted) }
  }
}
