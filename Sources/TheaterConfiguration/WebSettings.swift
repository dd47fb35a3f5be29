/// The address and TLS settings of the HTTP listener.
package struct WebSettings: Sendable, Hashable {
  /// The certificate for TLS.
  package enum TLS: Sendable, Hashable {
    /// A self-signed certificate that the controller makes.
    case ownMaking
    /// The owner's certificate and key: absolute paths of PEM files.
    case files(certificate: String, key: String)
  }

  /// The address to listen on; `nil` for this machine only.
  package var host: String?
  /// The port; `nil` for 8080, 0 for any free one.
  package var port: Int?
  /// The host names in requests, in addition to addresses, `localhost` and `.local` names.
  package var hosts: [String]
  /// `nil` uses TLS if the listener is reachable from the network.
  package var tls: TLS?
  /// The most open event streams, one for each open page; `nil` for 64.
  package var eventStreams: Int?

  /// The settings of a file without the section `web`, unless given otherwise.
  package init(
    host: String? = nil, port: Int? = nil, hosts: [String] = [], tls: TLS? = nil,
    eventStreams: Int? = nil
  ) {
    self.host = host
    self.port = port
    self.hosts = hosts
    self.tls = tls
    self.eventStreams = eventStreams
  }
}
