import Platform

/// A maker of connections to servers: resolves, checks and connects to a checked address.
struct ProxyConnector: Sendable {
  /// The most addresses of a server that are tried.
  private static let mostAddresses = 4

  let limits: ProxyLimits
  let resolve: @Sendable (String) -> [NetworkAddress]

  /// Connects to one of the server's checked addresses. Gives up early if the client hangs up.
  func connect(
    to server: ConnectionRule.Server, by rule: ConnectionRule, client: Int32
  ) throws(NetworkAccess.Problem) -> Int32 {
    let addresses = resolve(server.host)
    guard !addresses.isEmpty else { throw .unknownHost(server.host) }
    guard rule.allows(server, at: addresses) else { throw .privateNetwork(server.host) }
    let tried = addresses.filter { !$0.isUnspecified }.prefix(Self.mostAddresses)
    var failure = SystemError.timedOut
    for address in tried {
      do throws(SystemError) {
        return try ProxySocket.connect(
          to: address, port: server.port,
          within: limits.connecting / Int32(clamping: tried.count), client: client)
      } catch {
        failure = error
        if error == .cancelled { break }
      }
    }
    throw NetworkAccess.Problem(
      "its server \(server.host) cannot be reached: \(failure.description.lowercased())")
  }
}
