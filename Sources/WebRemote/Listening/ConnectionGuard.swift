import NIOCore
import NIOHTTP1

/// Watches one connection, right behind the parser: whether it has a place, whether it asks in a form
/// that can be read in one way only, and whether it keeps its times.
final class ConnectionGuard: ChannelDuplexHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart
  typealias OutboundIn = HTTPServerResponsePart
  typealias OutboundOut = HTTPServerResponsePart

  private let limits: ConnectionLimits
  private let places: ConnectionPlaces
  private var place: ConnectionPlaces.Place?
  /// Requests whose answers are not out yet.
  private var open = 0
  private var bodyBytes = 0
  /// What has to come before it strikes: the first head, or the end of a body.
  private var arrival: Scheduled<Void>?
  /// Strikes when the other side takes nothing for too long.
  private var departure: Scheduled<Void>?

  init(_ places: ConnectionPlaces, _ limits: ConnectionLimits) {
    self.places = places
    self.limits = limits
  }

  func handlerAdded(context: ChannelHandlerContext) {
    place = places.take(context.channel)
    if place == nil { return context.close(promise: nil) }
    arrival = closing(context, in: limits.firstHead)
  }

  func channelInactive(context: ChannelHandlerContext) {
    end()
    context.fireChannelInactive()
  }

  func handlerRemoved(context: ChannelHandlerContext) { end() }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head(let head):
      // `http://host/path`, `host:port` and `*` are for proxies, and would be read in two ways.
      guard head.uri.utf8.first == UInt8(ascii: "/") else {
        return context.fireErrorCaught(HTTPParserError.invalidURL)
      }
      open += 1
      bodyBytes = 0
      if let place { places.isAnswering(place, true) }
      arrival?.cancel()
      arrival = closing(context, in: limits.body)
    case .body(let bytes):
      bodyBytes += bytes.readableBytes
      if bodyBytes > limits.refusedBody { return context.close(promise: nil) }
    case .end:
      arrival?.cancel()
      arrival = nil
    }
    context.fireChannelRead(data)
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    if case .end = unwrapOutboundIn(data) {
      open = max(0, open - 1)
      if open == 0, let place { places.isAnswering(place, false) }
    }
    context.write(data, promise: promise)
  }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    departure?.cancel()
    departure = context.channel.isWritable ? nil : closing(context, in: limits.stalledAnswer)
    context.fireChannelWritabilityChanged()
  }

  private func closing(_ context: ChannelHandlerContext, in time: TimeAmount) -> Scheduled<Void> {
    let channel = context.channel
    return context.eventLoop.scheduleTask(in: time) { channel.close(promise: nil) }
  }

  private func end() {
    arrival?.cancel()
    departure?.cancel()
    arrival = nil
    departure = nil
    if let place { places.leave(place) }
    place = nil
  }
}
