import AsyncHTTPClient
import NIOCore
import NIOPosix
import Synchronization
import TheaterAPI

/// The HTTP connections of a process, on one thread.
package struct HTTPConnections: Sendable {
  /// For requests with one response.
  let requests: HTTPClient
  /// For event streams, which send a comment every 15 seconds when nothing happens.
  let events: HTTPClient
  /// The largest accepted response body, in bytes.
  let maximumBody: Int
  /// The longest time from a request to the head of its response.
  let longestHead: TimeAmount
  /// The longest time from the head of a response to the end of its body.
  let longestBody: Duration

  /// The connections of this process to processes of this machine, with the default limits.
  package static let shared = HTTPConnections()

  private static let withTLS = Mutex<[PeerCheck: HTTPConnections]>([:])

  /// Returns the connections of this process with TLS, with the default limits.
  ///
  /// - Parameter fingerprint: That of the accepted certificate; with `nil` each request fails with the certificate's
  ///   fingerprint before anything is sent.
  package static func tls(pinnedTo fingerprint: CertificateFingerprint?) -> HTTPConnections {
    let check = PeerCheck.certificate(fingerprint)
    return withTLS.withLock { made in
      if let connections = made[check] { return connections }
      let connections = HTTPConnections(peer: check)
      made[check] = connections
      return connections
    }
  }

  /// Instances are never shut down: keep each in a static property.
  ///
  /// - Parameters:
  ///   - responseTimeout: The longest wait for the next byte of a response. Devices may take
  ///     minutes until they report that a command is done.
  ///   - streamTimeout: The longest silence of an event stream.
  ///   - maximumBody: The largest accepted response body, in bytes.
  ///   - longestBody: The longest time from the head of a response to the end of its body: a peer
  ///     that sends a byte now and then never exceeds the wait for the next one.
  ///   - peer: The check of each new connection.
  package init(
    responseTimeout: TimeAmount = .minutes(15), streamTimeout: TimeAmount = .seconds(60),
    maximumBody: Int = 64 << 20, longestBody: Duration = .seconds(300),
    peer: PeerCheck = .thisMachine
  ) {
    let thread = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    requests = Self.client(readTimeout: responseTimeout, peer, on: thread)
    events = Self.client(readTimeout: streamTimeout, peer, on: thread)
    self.maximumBody = maximumBody
    longestHead = responseTimeout + .seconds(30)
    self.longestBody = longestBody
  }

  private static func client(
    readTimeout: TimeAmount, _ peer: PeerCheck, on thread: MultiThreadedEventLoopGroup
  ) -> HTTPClient {
    var configuration = HTTPClient.Configuration(
      tlsConfiguration: PeerCheck.tlsConfiguration, redirectConfiguration: .disallow,
      timeout: .init(connect: .seconds(5), read: readTimeout))
    configuration.httpVersion = .http1Only
    configuration.connectionPool.retryConnectionEstablishment = false
    // Each event stream holds a connection.
    configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 1_000
    // Called for each new connection, before the connection gets its first request.
    configuration.http1_1ConnectionDebugInitializer = { channel in
      let check = peer.check(channel)
      check.whenFailure { _ in
        // Deferred, because the pool must first register the failure.
        channel.eventLoop.execute { channel.close(promise: nil) }
      }
      return check
    }
    return HTTPClient(eventLoopGroup: thread, configuration: configuration)
  }
}
