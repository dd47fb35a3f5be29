import Synchronization

/// A pool with one connection for each broker. Devices with equal options share a connection.
final class BrokerConnectionPool: Sendable {
  private let timing: BrokerConnection.Timing
  private let connections = Mutex<[BrokerOptions: BrokerConnection]>([:])

  init(_ timing: BrokerConnection.Timing = .init()) { self.timing = timing }

  /// Adds a device to the connection of its broker. Makes the connection if there is none.
  ///
  /// - Throws: The reason, if libmosquitto is missing or no thread can be started.
  func attach(
    _ client: any BrokerClient, to options: BrokerOptions
  ) throws(BrokerFailure) -> BrokerAttachment {
    let result = connections.withLock {
      connections -> Result<(BrokerConnection, Int), BrokerFailure> in
      do throws(BrokerFailure) {
        let connection =
          if let old = connections[options] { old } else {
            try BrokerConnection(options, timing: timing)
          }
        connections[options] = connection
        return .success((connection, connection.attach(client)))
      } catch {
        return .failure(error)
      }
    }
    let (connection, id) = try result.get()
    return BrokerAttachment(connection: connection, id: id, options: options)
  }

  /// Removes a device. With the last device of a connection, closes it and waits for its end.
  func detach(_ attachment: BrokerAttachment) async {
    let isLast = connections.withLock { connections in
      guard attachment.connection.detach(attachment.id) else { return false }
      connections[attachment.options] = nil
      return true
    }
    if isLast { await attachment.connection.close() }
  }
}

/// A device's registration at a connection.
struct BrokerAttachment: Sendable {
  let connection: BrokerConnection
  fileprivate let id: Int
  fileprivate let options: BrokerOptions
}
