import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import NIOSSL

/// A connection as a listener sets it up: TLS where it has a certificate, HTTP/1.1,
/// the guard, and whether it goes on.
struct GuardedChannel: ServerChildChannel {
  let http: HTTP1Channel
  /// `nil` for a listener without TLS.
  let certificate: ShownCertificate?
  let places: ConnectionLimiter
  let limits: ConnectionLimits

  func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<HTTP1Channel.Value> {
    channel.eventLoop.makeCompletedFuture {
      // Data that nobody has acknowledged for so long: the other side has gone without a word.
      if channel.remoteAddress?.port != nil {
        try channel.syncOptions?.setOption(
          .tcpOption(.init(rawValue: ConnectionSilence.option)), value: ConnectionSilence.longest)
      }
      // Without a bound the system keeps up to 4 MiB for a listener that does not read (tcp(7)); it
      // takes twice what is asked for.
      try channel.syncOptions?.setOption(.socketOption(.so_sndbuf), value: limits.systemBuffer / 2)
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
          ConnectionGuard(places, limits), ConnectionPersistence(),
          RefusalWriter(insistsOnTLS: certificate?.current.isOwners == true),
        ] as [any ChannelHandler],
        position: .after(parser))
      return value
    }
  }

  func handle(value: HTTP1Channel.Value, logger: Logger) async {
    await http.handle(value: value, logger: logger)
  }
}

/// When the system itself gives a connection up (tcp(7), `TCP_USER_TIMEOUT`). A phone that leaves
/// the house closes nothing; without this its stream of events would keep its place for 15 minutes.
private enum ConnectionSilence {
  static let option: CInt = 18
  /// Milliseconds; two signs of life of a stream fall into it.
  static let longest = 40_000
}
