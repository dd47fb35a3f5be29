import NIOCore
import NIOHTTP1

/// Decides for each request whether its connection persists after the answer (RFC 9112, section 9.3).
///
/// It ends if the client wants that, after HTTP/1.0, whose persistence not all proxies understand, and
/// after a request with `Expect: 100-continue`: if that is refused, it is not known whether a body or
/// another request follows. It also ends after an answer that says so, as an event stream does.
///
/// Answers to HTTP/1.0 use neither chunks (RFC 9112, section 6.1) nor 100 (RFC 9110, section 10.1.1).
final class ConnectionPersistence: ChannelDuplexHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart
  typealias OutboundIn = HTTPServerResponsePart
  typealias OutboundOut = HTTPServerResponsePart

  private struct OpenRequest {
    let version: HTTPVersion
    let isLast: Bool
  }

  /// The unanswered requests, oldest first.
  private var open = CircularBuffer<OpenRequest>()
  /// Whether the answer that is written now ends the connection although its request did not ask for that.
  private var endsConnection = false

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard case .head(var head) = unwrapInboundIn(data) else {
      return context.fireChannelRead(data)
    }
    let isOld = head.version.isBeforeHTTP11
    if isOld { head.headers.remove(name: "expect") }
    let isLast = isOld || !head.isKeepAlive || head.headers.contains(name: "expect")
    // Hummingbird knows this spelling only, and reads no further request then.
    if isLast { head.headers.replaceOrAdd(name: "connection", value: "close") }
    open.append(OpenRequest(version: isOld ? .http1_0 : .http1_1, isLast: isLast))
    context.fireChannelRead(wrapInboundOut(.head(head)))
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    switch unwrapOutboundIn(data) {
    case .head(var head):
      if let request = open.first {
        endsConnection = !request.isLast && !head.isKeepAlive
        head.version = request.version
        if request.isLast { head.headers.replaceOrAdd(name: "connection", value: "close") }
      }
      return context.write(wrapOutboundOut(.head(head)), promise: promise)
    case .body: break
    case .end:
      _ = open.popFirst()
      if endsConnection { return writeLast(data, context, promise) }
    }
    context.write(data, promise: promise)
  }

  /// Writes the end of an answer, then ends the output. The client closes the connection; `ConnectionGuard`
  /// closes it if the client does not.
  private func writeLast(
    _ data: NIOAny, _ context: ChannelHandlerContext, _ promise: EventLoopPromise<Void>?
  ) {
    let sent = promise ?? context.eventLoop.makePromise()
    let channel = context.channel
    sent.futureResult.whenSuccess { channel.close(mode: .output, promise: nil) }
    context.write(data, promise: sent)
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

/// An outbound event: sends 100 to a client that waits for it before its body (RFC 9110, section
/// 10.1.1).
struct BodyWanted: Sendable {}

extension HTTPVersion {
  fileprivate var isBeforeHTTP11: Bool { major < 1 || major == 1 && minor < 1 }
}
