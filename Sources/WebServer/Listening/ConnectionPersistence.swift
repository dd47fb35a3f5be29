import NIOCore
import NIOHTTP1

/// Decides for each request whether its connection goes on after the answer (RFC 9112, section 9.3).
///
/// It ends where the other side wants that; behind HTTP/1.0, whose way of going on is an addition that
/// not everybody in between understands; and behind a request that waits to be asked for its body: were
/// it refused instead, nobody could tell whether a body or another request comes next.
///
/// HTTP/1.0 is answered in its own words, which have no chunks (RFC 9112, section 6.1) and no 100 (RFC
/// 9110, section 10.1.1).
final class ConnectionPersistence: ChannelDuplexHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart
  typealias OutboundIn = HTTPServerResponsePart
  typealias OutboundOut = HTTPServerResponsePart

  private struct Asked {
    let version: HTTPVersion
    let isLast: Bool
  }

  /// The requests whose answers are not out yet, the oldest first.
  private var asked = CircularBuffer<Asked>()

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard case .head(var head) = unwrapInboundIn(data) else {
      return context.fireChannelRead(data)
    }
    let isOld = head.version.isBeforeHTTP11
    if isOld { head.headers.remove(name: "expect") }
    let isLast = isOld || !head.isKeepAlive || head.headers.contains(name: "expect")
    // Who reads the requests behind us knows one spelling alone, and reads no further then.
    if isLast { head.headers.replaceOrAdd(name: "connection", value: "close") }
    asked.append(Asked(version: isOld ? .http1_0 : .http1_1, isLast: isLast))
    context.fireChannelRead(wrapInboundOut(.head(head)))
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    switch unwrapOutboundIn(data) {
    case .head(var head):
      if let request = asked.first {
        head.version = request.version
        if request.isLast { head.headers.replaceOrAdd(name: "connection", value: "close") }
      }
      return context.write(wrapOutboundOut(.head(head)), promise: promise)
    case .body: break
    case .end: _ = asked.popFirst()
    }
    context.write(data, promise: promise)
  }

  func triggerUserOutboundEvent(
    context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?
  ) {
    guard event is BodyWanted else {
      return context.triggerUserOutboundEvent(event, promise: promise)
    }
    let head = HTTPResponseHead(version: .http1_1, status: .continue)
    context.writeAndFlush(wrapOutboundOut(.head(head)), promise: promise)
  }
}

/// That the body of a request may come which waits to be asked for it (RFC 9110, section 10.1.1).
struct BodyWanted: Sendable {}

extension HTTPVersion {
  fileprivate var isBeforeHTTP11: Bool { major < 1 || major == 1 && minor < 1 }
}
