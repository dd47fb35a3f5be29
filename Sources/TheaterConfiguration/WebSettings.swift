/// Where browsers and programs reach the theater, beside its Unix socket.
package struct WebSettings: Sendable, Hashable {
  /// What TLS speaks with.
  package enum TLS: Sendable, Hashable {
    /// A certificate that the controller makes.
    case ownMaking
    /// The owner's certificate and key: absolute paths of PEM files.
    case files(certificate: String, key: String)
  }

  /// The address to listen on; this machine alone when not given.
  package var host: String?
  /// The port there.
  package var port: Int?
  /// Names by which people come, beside addresses, `localhost` and `.local` names.
  package var hosts: [String]
  /// `nil` where nothing is said of it: then TLS is spoken where the network listens.
  package var tls: TLS?

  package init(host: String? = nil, port: Int? = nil, hosts: [String] = [], tls: TLS? = nil) {
    self.host = host
    self.port = port
    self.hosts = hosts
    self.tls = tls
  }
}
