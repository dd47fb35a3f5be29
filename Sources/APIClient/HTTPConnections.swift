import AsyncHTTPClient
import NIOCore
import NIOPosix

/// The HTTP connections of a process, on one thread.
package struct HTTPConnections: Sendable {
  /// For requests with one response.
  let requests: HTTPClient
  /// For event streams, which send a comment every 15 seconds when nothing happens.
  let events: HTTPClient
  /// The largest accepted response body, in bytes.
  let maximumBody: Int

  /// The connections of this process, with the default limits.
  package static let shared = HTTPConnections()

  /// Instances are never shut down: keep each in a static property.
  ///
  /// - Parameters:
  ///   - responseTimeout: The longest wait for the next byte of a response. Devices may take
  ///     minutes until they report that a command is done.
  ///   - streamTimeout: The longest silence of an event stream.
  ///   - maximumBody: The largest accepted response body, in bytes.
  package init(
    responseTimeout: TimeAmount = .minutes(15), streamTimeout: TimeAmount = .seconds(60),
    maximumBody: Int = 64 << 20
  ) {
    let thread = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    requests = Self.client(readTimeout: responseTimeout, on: thread)
    events = Self.client(readTimeout: streamTimeout, on: thread)
    self.maximumBody = maximumBody
  }

  private static func client(readTimeout: TimeAmount, on thread: MultiThreadedEventLoopGroup)
    -> HTTPClient
  {
    var configuration = HTTPClient.Configuration(
      redirectConfiguration: .disallow,
      timeout: .init(connect: .seconds(5), read: readTimeout))
    configuration.httpVersion = .http1Only
    configuration.connectionPool.retryConnectionEstablishment = false
    // Each event stream holds a connection.
    configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 1_000
    // Called for each new connection, before the connection gets its first request.
    configuration.http1_1ConnectionDebugInitializer = { channel in
      let check = SocketOwnership.checkPeer(of: channel)
      check.whenFailure { _ in
        // Deferred, because the pool must first register the failure.
        channel.eventLoop.execute { channel.close(promise: nil) }
      }
      return check
    }
    return HTTPClient(eventLoopGroup: thread, configuration: configuration)
  }
}
