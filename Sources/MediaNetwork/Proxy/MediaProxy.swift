import Glibc
import Platform
import Synchronization

/// A forward proxy on 127.0.0.1 through which libav and mpv reach media in the network, so that one rule holds for
/// addresses, redirects, playlists and segments alike (``ConnectionRule``).
///
/// It resolves the name of each server, checks the addresses and connects to a checked one, so a name that changes its
/// address gains nothing. It serves `GET` and `CONNECT`, one request a connection, and only to who knows the
/// credentials of a ``NetworkAccess``. Safe from any thread.
package final class MediaProxy: Sendable {
  /// The most connections at a time.
  package static let mostConnections = 32

  /// The accesses of the configured servers.
  private final class Accesses: Sendable {
    let all = Mutex<[ConnectionRule.Server: NetworkAccess]>([:])

    /// Returns the access with these credentials; nil if there is none.
    func access(authorizedBy text: String?) -> NetworkAccess? {
      guard let text else { return nil }
      return all.withLock { all in
        all.values.first { $0.authorization == text || $0.listAuthorization == text }
      }
    }
  }

  private let accesses: Accesses
  private let listener: LoopbackListener
  private let limits: ProxyLimits
  private let resolve: @Sendable (String) -> [NetworkAddress]
  private let isPublic: @Sendable (NetworkAddress) -> Bool
  private let relays = Mutex<[ConnectionRule.Server: LoopbackListener]>([:])

  /// Starts the proxy.
  ///
  /// - Parameters:
  ///   - resolve: Returns the addresses of a host.
  ///   - isPublic: Whether an address is public.
  package init(
    limits: ProxyLimits = ProxyLimits(),
    resolve: @escaping @Sendable (String) -> [NetworkAddress] = NetworkAddress.all(of:),
    isPublic: @escaping @Sendable (NetworkAddress) -> Bool = \.isPublic
  ) throws(SystemError) {
    // libav would connect to the hosts in this variable without a proxy.
    if getenv("no_proxy") != nil { unsetenv("no_proxy") }
    let accesses = Accesses()
    self.accesses = accesses
    self.limits = limits
    self.resolve = resolve
    self.isPublic = isPublic
    listener = try LoopbackListener(most: Self.mostConnections) { client in
      ProxyConnection(
        client: client, connector: ProxyConnector(limits: limits, resolve: resolve),
        access: { accesses.access(authorizedBy: $0) }
      ).run()
    }
  }

  /// Returns the access of a medium at a configured address. Media of one server share it.
  package func access(to configured: MediaAddress) -> NetworkAccess {
    let server = ConnectionRule.Server(host: configured.host, port: configured.port)
    return accesses.all.withLock { all in
      if let access = all[server] {
        access.setCredentials(configured.credentials)
        return access
      }
      let rule = ConnectionRule(configured: server, isPublic: isPublic)
      let access = NetworkAccess(rule: rule, proxyPort: listener.port)
      access.setCredentials(configured.credentials)
      all[server] = access
      return access
    }
  }

  /// Returns the port of 127.0.0.1 that stands for a configured server with RTSP, for which libav knows no proxy. Every
  /// connection leads to that server, and a redirect ends it.
  package func relayPort(to server: ConnectionRule.Server) throws(SystemError) -> UInt16 {
    try relays.withLock { (relays) throws(SystemError) in
      if let relay = relays[server] { return relay.port }
      let connector = ProxyConnector(limits: limits, resolve: resolve)
      let relay = try LoopbackListener(most: Self.mostConnections) { client in
        defer { close(client) }
        let rule = ConnectionRule(configured: server)
        guard let upstream = try? connector.connect(to: server, by: rule, client: client) else {
          return
        }
        defer { close(upstream) }
        var filter = RTSPFilter()
        ProxyRelay(client: client, upstream: upstream, limits: connector.limits)
          .relayBoth { filter.allows($0) }
      }
      relays[server] = relay
      return relay.port
    }
  }
}

/// The times that the proxy waits, in milliseconds.
package struct ProxyLimits: Sendable {
  /// The longest time in which a client must send its request.
  package var request: Int32 = 10_000
  /// The longest time for a connection to a server, over all of its addresses.
  package var connecting: Int32 = 10_000
  /// The longest time that a server may send nothing to a client that waits.
  package var silence: Int32 = 120_000
  /// The longest time that a client may read nothing, as a paused film does.
  package var pause: Int32 = 3_600_000

  package init() {}
}
