/// The rule for the connections of a medium: the configured server may be anywhere; every other server, which a
/// redirect or a playlist names, must have public addresses only.
package struct ConnectionRule: Sendable {
  /// A server in the network: a host and a port.
  package struct Server: Hashable, Sendable {
    /// A name or an IP address, in lower case and without brackets.
    package let host: String
    package let port: Int

    package init(host: String, port: Int) {
      self.host = host
      self.port = port
    }
  }

  /// The server that the configuration names.
  package let configured: Server
  /// Whether an address is public. Tests treat some addresses of this machine as public ones.
  private let isPublic: @Sendable (NetworkAddress) -> Bool

  package init(
    configured: Server, isPublic: @escaping @Sendable (NetworkAddress) -> Bool = \.isPublic
  ) {
    self.configured = configured
    self.isPublic = isPublic
  }

  /// Returns whether a connection to a server with these addresses is allowed.
  package func allows(_ server: Server, at addresses: [NetworkAddress]) -> Bool {
    isConfigured(server) || addresses.allSatisfy(isPublic)
  }

  /// Whether it is the configured server. A server at the port of http may redirect to its own port of https.
  private func isConfigured(_ server: Server) -> Bool {
    server.host == configured.host
      && (server.port == configured.port || (configured.port, server.port) == (80, 443))
  }
}
