import Synchronization

/// A pool of connections to brokers. Devices with equal broker options share one connection.
final class BrokerConnectionPool: Sendable {
  private let timing: BrokerConnection.Timing
  private let connections = Mutex<[BrokerOptions: BrokerConnection]>([:])

  init(_ timing: BrokerConnection.Timing = .init()) { self.timing = timing }

  /// Adds a device to the connection for its options. Makes the connection if there is none.
  ///
  /// - Throws: The reason, if libmosquitto is missing or the system has no thread or descriptor left.
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

  /// Removes a device. After the last device of a connection, closes the connection and waits for its end.
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
