import Glibc
import NIOCore

/// Closes a connection at once when asked by `ConnectionDrop`: with neither the goodbye of TLS, for
/// which NIOSSL waits five seconds, nor what the system still holds for the peer, for which it would
/// keep the connection until the peer reads. The first handler of a pipeline.
final class ConnectionDropper: ChannelOutboundHandler {
  typealias OutboundIn = Any

  func triggerUserOutboundEvent(
    context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?
  ) {
    guard event is ConnectionDrop else {
      return context.triggerUserOutboundEvent(event, promise: promise)
    }
    // Closing with a linger time of zero resets the connection (socket(7), `SO_LINGER`).
    let options = context.channel as? any SocketOptionProvider
    _ = options?.setSoLinger(linger(l_onoff: 1, l_linger: 0))
    context.close(promise: promise)
  }
}

/// That a connection is to be closed at once, whatever is buffered.
struct ConnectionDrop: Sendable {}
