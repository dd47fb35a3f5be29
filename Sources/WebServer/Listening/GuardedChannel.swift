import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import NIOSSL

/// Sets up the connections of a listener: TLS if it has a certificate, HTTP/1.1, the connection guard
/// and persistence.
struct GuardedChannel: ServerChildChannel {
  let http: HTTP1Channel
  /// `nil` for a listener without TLS.
  let certificate: ServedCertificate?
  let limiter: ConnectionLimiter
  let limits: ConnectionLimits

  func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<HTTP1Channel.Value> {
    channel.eventLoop.makeCompletedFuture {
      // Closes the connection when the peer has acknowledged nothing for this time.
      if channel.remoteAddress?.port != nil {
        try channel.syncOptions?.setOption(
          .tcpOption(.init(rawValue: UnacknowledgedDataTimeout.option)),
          value: UnacknowledgedDataTimeout.value)
      }
      // Without a bound the kernel buffers up to 4 MiB for a client that does not read (tcp(7)). It
      // doubles the given value.
      try channel.syncOptions?.setOption(.socketOption(.so_sndbuf), value: limits.systemBuffer / 2)
      // A connection keeps its buffer. Most requests are small; it grows for the others.
      try channel.syncOptions?.setOption(
        .recvAllocator,
        value: AdaptiveRecvByteBufferAllocator(minimum: 64, initial: 512, maximum: 65_536))
      try channel.pipeline.syncOperations.addHandler(ConnectionDropper())
      if let certificate {
        try channel.pipeline.syncOperations.addHandler(
          NIOSSLServerHandler(context: certificate.context))
      }
    }
    .flatMap { http.setup(channel: channel, logger: logger) }
    .flatMapThrowing { value in
      let pipeline = channel.pipeline.syncOperations
      let parser = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
      try pipeline.addHandlers(
        [
          ConnectionGuard(limiter, limits), ConnectionPersistence(),
          RefusalWriter(insistsOnTLS: certificate?.current.isOwners == true),
        ] as [any ChannelHandler],
        position: .after(parser))
      return value
    }
  }

  func handle(value: HTTP1Channel.Value, logger: Logger) async {
    await withTaskExecutorPreference(ConnectionExecutor(value.channel.eventLoop)) {
      await http.handle(value: value, logger: logger)
    }
  }
}

/// `TCP_USER_TIMEOUT` (tcp(7)). A phone that leaves the network closes nothing; without this its event
/// stream would keep its slot for 15 minutes.
private enum UnacknowledgedDataTimeout {
  static let option: CInt = 18
  /// In milliseconds: two keep-alives of a stream.
  static let value = 40_000
}
