import Synchronization

/// The connections of the plugin: one for each broker, shared by its devices.
final class Brokers: Sendable {
  private let shortestDelay: Duration
  private let connections = Mutex<[BrokerOptions: BrokerConnection]>([:])

  /// - Parameter shortestDelay: The wait before the first new try of a lost connection.
  init(shortestDelay: Duration = .seconds(1)) { self.shortestDelay = shortestDelay }

  /// Adds a device to the connection of its broker, which is made if there is none.
  func attach(
    _ client: any BrokerClient, to options: BrokerOptions
  ) throws(BrokerFailure) -> BrokerMembership {
    let result = connections.withLock {
      connections -> Result<(BrokerConnection, Int), BrokerFailure> in
      do throws(BrokerFailure) {
        let connection =
          if let old = connections[options] { old } else {
            try BrokerConnection(options, shortestDelay: shortestDelay)
          }
        connections[options] = connection
        return .success((connection, connection.attach(client)))
      } catch {
        return .failure(error)
      }
    }
    let (connection, id) = try result.get()
    return BrokerMembership(connection: connection, id: id, options: options)
  }

  /// Removes a device. The last one ends the connection, and waits for that.
  func detach(_ membership: BrokerMembership) async {
    let isLast = connections.withLock { connections in
      guard membership.connection.detach(membership.id) else { return false }
      connections[membership.options] = nil
      return true
    }
    if isLast { await membership.connection.close() }
  }
}

/// The place of a device in a connection.
struct BrokerMembership: Sendable {
  let connection: BrokerConnection
  fileprivate let id: Int
  fileprivate let options: BrokerOptions
}
