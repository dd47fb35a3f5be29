import NIOCore
import NIOHTTP1

/// Watches one connection, right behind the parser: whether it has a place, whether it asks in a form
/// that can be read in one way only, and whether it keeps its times.
///
/// A peer that does not take its answers is dropped: after `stalledAnswer` without progress, or
/// `farewell` after the connection was to end. Both count whatever is buffered, here or in the system.
final class ConnectionGuard: ChannelDuplexHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart
  typealias OutboundIn = HTTPServerResponsePart
  typealias OutboundOut = HTTPServerResponsePart

  /// Longest part of a body that is written at once, in bytes.
  private static let longestPart = 16 * 1024

  private let limits: ConnectionLimits
  private let places: ConnectionLimiter
  private var place: ConnectionLimiter.Place?
  /// The requests whose answers are not out yet, the oldest first: whether each is a HEAD.
  private var open = CircularBuffer<Bool>()
  /// Whether the newest request has come as a whole.
  private var isWhole = false
  private var isBusy = false
  private var bodyBytes = 0
  /// What has to come before it strikes: the first head, or the end of a body.
  private var arrival: Scheduled<Void>?
  /// Parts of answers that the system has not taken yet.
  private var unsent = 0
  /// Drops the connection when no further part of an answer is taken for too long.
  private var departure: Scheduled<Void>?
  /// Drops the connection when it has not ended `farewell` after it was to end.
  private var ending: Scheduled<Void>?
  /// Whether the server stops, so that no further request is taken.
  private var isQuiescing = false

  init(_ places: ConnectionLimiter, _ limits: ConnectionLimits) {
    self.places = places
    self.limits = limits
  }

  func handlerAdded(context: ChannelHandlerContext) {
    place = places.take(context.channel)
    if place == nil { return context.close(promise: nil) }
    arrival = closing(context, in: limits.firstHead)
  }

  func channelInactive(context: ChannelHandlerContext) {
    stop()
    context.fireChannelInactive()
  }

  func handlerRemoved(context: ChannelHandlerContext) { stop() }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head(let head):
      // `http://host/path`, `host:port` and `*` are for proxies, and would be read in two ways.
      guard head.uri.utf8.first == UInt8(ascii: "/") else {
        return context.fireErrorCaught(HTTPParserError.invalidURL)
      }
      open.append(head.method == .HEAD)
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
    switch unwrapOutboundIn(data) {
    case .head: send(data, context, promise)
    case .body(.byteBuffer(var bytes)):
      // A slow reader makes progress with each part that the system takes.
      while bytes.readableBytes > Self.longestPart,
        let part = bytes.readSlice(length: Self.longestPart)
      {
        send(wrapOutboundOut(.body(.byteBuffer(part))), context, nil)
      }
      send(wrapOutboundOut(.body(.byteBuffer(bytes))), context, promise)
    case .body: send(data, context, promise)
    case .end:
      let isHead = open.popFirst() ?? false
      note(context)
      // An answer to HEAD ends with its header fields; the encoder would add the last chunk.
      send(
        isHead ? wrapOutboundOut(.body(.byteBuffer(ByteBuffer()))) : data, context, promise)
      if isQuiescing, open.isEmpty { end(context, within: limits.farewell) }
    }
  }

  /// Writes one part of an answer and watches until the system has taken it.
  private func send(
    _ part: NIOAny, _ context: ChannelHandlerContext, _ promise: EventLoopPromise<Void>?
  ) {
    let sent = promise ?? context.eventLoop.makePromise()
    unsent += 1
    if unsent == 1 { watchDeparture(context) }
    sent.futureResult.assumeIsolated().whenComplete { _ in self.partLeft(context) }
    context.write(part, promise: sent)
  }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    note(context)
    context.fireChannelWritabilityChanged()
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if event is ChannelShouldQuiesceEvent {
      isQuiescing = true
      if unsent > 0 { watchDeparture(context) }
      if open.isEmpty { end(context, within: limits.farewell) }
    }
    context.fireUserInboundEventTriggered(event)
  }

  func triggerUserOutboundEvent(
    context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?
  ) {
    guard event is ConnectionEnding else {
      return context.triggerUserOutboundEvent(event, promise: promise)
    }
    end(context, within: limits.farewell)
    promise?.succeed()
  }

  /// The system took a part of an answer, or the connection is closed.
  private func partLeft(_ context: ChannelHandlerContext) {
    unsent -= 1
    watchDeparture(context)
  }

  /// Gives the peer its time anew to take the next part, while there is one.
  private func watchDeparture(_ context: ChannelHandlerContext) {
    departure?.cancel()
    departure = nil
    guard unsent > 0, place != nil else { return }
    departure = dropping(context, in: isQuiescing ? limits.farewell : limits.stalledAnswer)
  }

  private func end(_ context: ChannelHandlerContext, within time: TimeAmount) {
    guard ending == nil, place != nil else { return }
    ending = dropping(context, in: time)
  }

  /// Tells whether we are at it: what was asked has come as a whole, and the answer is taken. Whoever
  /// is slow with either may have to make room.
  private func note(_ context: ChannelHandlerContext) {
    let isBusy = !open.isEmpty && isWhole && context.channel.isWritable
    guard isBusy != self.isBusy else { return }
    self.isBusy = isBusy
    if let place { places.isAnswering(place, isBusy) }
  }

  private func closing(_ context: ChannelHandlerContext, in time: TimeAmount) -> Scheduled<Void> {
    let channel = context.channel
    return context.eventLoop.scheduleTask(in: time) { channel.close(promise: nil) }
  }

  private func dropping(
    _ context: ChannelHandlerContext, in time: TimeAmount
  ) -> Scheduled<Void> {
    let channel = context.channel
    return context.eventLoop.scheduleTask(in: time) {
      channel.triggerUserOutboundEvent(ConnectionDrop(), promise: nil)
    }
  }

  private func stop() {
    arrival?.cancel()
    departure?.cancel()
    ending?.cancel()
    arrival = nil
    departure = nil
    ending = nil
    if let place { places.leave(place) }
    place = nil
  }
}

/// An event: the connection serves no further request and is dropped within `farewell`, even if its peer
/// has not taken everything.
struct ConnectionEnding: Sendable {}
