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
  /// Whether the newest request has come as a whole.
  private var isWhole = false
  private var isBusy = false
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
      isWhole = false
      // It has just begun: others have kept their places for longer.
      if let place { places.isAnswering(place, false) }
      isBusy = false
      arrival?.cancel()
      arrival = closing(context, in: limits.body)
    case .body(let bytes):
      bodyBytes += bytes.readableBytes
      if bodyBytes > limits.refusedBody { return context.close(promise: nil) }
    case .end:
      arrival?.cancel()
      arrival = nil
      isWhole = true
      note(context)
    }
    context.fireChannelRead(data)
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    if case .end = unwrapOutboundIn(data) {
      open = max(0, open - 1)
      note(context)
    }
    context.write(data, promise: promise)
  }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    departure?.cancel()
    departure = context.channel.isWritable ? nil : closing(context, in: limits.stalledAnswer)
    note(context)
    context.fireChannelWritabilityChanged()
  }

  /// Tells whether we are at it: what was asked has come as a whole, and the answer is taken. Whoever
  /// is slow with either may have to make room.
  private func note(_ context: ChannelHandlerContext) {
    let isBusy = open > 0 && isWhole && context.channel.isWritable
    guard isBusy != self.isBusy else { return }
    self.isBusy = isBusy
    if let place { places.isAnswering(place, isBusy) }
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
