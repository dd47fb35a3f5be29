import Glibc
import NIOCore
import NIOHTTP1

/// Enforces the limits of one connection, directly after the parser: its slot, the form of the request
/// target, the end of the body, and its deadlines.
///
/// A peer that does not take its answers is dropped: after `stalledAnswer` without progress, or
/// `closing` after the connection should have ended, whatever is buffered here or in the kernel.
final class ConnectionGuard: ChannelDuplexHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart
  typealias OutboundIn = HTTPServerResponsePart
  typealias OutboundOut = HTTPServerResponsePart

  /// Longest part of a body that is written at once, in bytes.
  private static let longestPart = 16 * 1024

  private let limits: ConnectionLimits
  private let limiter: ConnectionLimiter
  private var slot: ConnectionLimiter.Slot?
  /// The unanswered requests, oldest first: whether each is a HEAD.
  private var open = CircularBuffer<Bool>()
  /// Whether the newest request has arrived completely.
  private var isComplete = false
  private var isAnswering = false
  private var bodyBytes = 0
  /// Whether a request was refused.
  private var hasRefused = false
  /// Closes the connection unless the first head, or the end of a body, arrives in time.
  private var readDeadline: Scheduled<Void>?
  /// Parts of answers that the kernel has not taken yet.
  private var unsent = 0
  /// Drops the connection unless the next part of an answer is taken in time.
  private var writeDeadline: Scheduled<Void>?
  /// Drops the connection unless it closes in time.
  private var closingDeadline: Scheduled<Void>?
  /// Whether the server stops: no further request is accepted.
  private var isQuiescing = false
  /// Whether the client has closed its side.
  private var isInputClosed = false
  private var inputWatch: InputWatch?

  init(_ limiter: ConnectionLimiter, _ limits: ConnectionLimits) {
    self.limiter = limiter
    self.limits = limits
  }

  func handlerAdded(context: ChannelHandlerContext) {
    slot = limiter.acquire(context.channel)
    if slot == nil { return context.close(promise: nil) }
    readDeadline = scheduleClose(context, in: limits.firstHead)
  }

  func channelInactive(context: ChannelHandlerContext) {
    handleInputClosed()
    stop()
    context.fireChannelInactive()
  }

  func handlerRemoved(context: ChannelHandlerContext) { stop() }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head where hasRefused, .end where hasRefused: return
    case .head(let head):
      // `http://host/path`, `host:port` and `*` are for proxies, and are read differently elsewhere.
      guard head.uri.utf8.first == UInt8(ascii: "/") else {
        return refuse(context, .invalidURL)
      }
      guard head.hasReadableEnd else { return refuse(context, .invalidHeaderToken) }
      open.append(head.method == .HEAD)
      bodyBytes = 0
      isComplete = false
      // An incomplete request counts as idle, from now on.
      if let slot { limiter.setAnswering(slot, false) }
      isAnswering = false
      readDeadline?.cancel()
      readDeadline = scheduleClose(context, in: limits.body)
    case .body(let bytes):
      bodyBytes += bytes.readableBytes
      if bodyBytes > limits.refusedBody { return context.close(promise: nil) }
    case .end:
      readDeadline?.cancel()
      readDeadline = nil
      isComplete = true
      updateAnswering(context)
    }
    if !hasRefused { context.fireChannelRead(data) }
  }

  /// Refuses a request. Nothing after it is read: the parser may see requests in its body.
  private func refuse(_ context: ChannelHandlerContext, _ error: HTTPParserError) {
    hasRefused = true
    context.fireErrorCaught(error)
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
      updateAnswering(context)
      // An answer to HEAD ends with its header fields; the encoder would add the last chunk.
      send(
        isHead ? wrapOutboundOut(.body(.byteBuffer(ByteBuffer()))) : data, context, promise)
      if isQuiescing, open.isEmpty { scheduleEnd(context, within: limits.closing) }
    }
  }

  /// Writes one part of an answer and watches until the system has taken it.
  private func send(
    _ part: NIOAny, _ context: ChannelHandlerContext, _ promise: EventLoopPromise<Void>?
  ) {
    let sent = promise ?? context.eventLoop.makePromise()
    unsent += 1
    if unsent == 1 { restartWriteDeadline(context) }
    sent.futureResult.assumeIsolated().whenComplete { _ in self.handlePartWritten(context) }
    context.write(part, promise: sent)
  }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    updateAnswering(context)
    context.fireChannelWritabilityChanged()
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if event is ChannelShouldQuiesceEvent {
      isQuiescing = true
      if unsent > 0 { restartWriteDeadline(context) }
      if open.isEmpty { scheduleEnd(context, within: limits.closing) }
      endWatch()
    }
    if event as? ChannelEvent == .inputClosed { handleInputClosed() }
    context.fireUserInboundEventTriggered(event)
  }

  func triggerUserOutboundEvent(
    context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?
  ) {
    switch event {
    case is ConnectionEnding: scheduleEnd(context, within: limits.closing)
    case let text as StreamedText:
      write(
        context: context, data: wrapOutboundOut(.body(.byteBuffer(text.bytes))), promise: promise)
      return context.flush()
    case let watch as InputWatch:
      inputWatch = watch
      if isInputClosed || isQuiescing { endWatch() }
    default: return context.triggerUserOutboundEvent(event, promise: promise)
    }
    promise?.succeed()
  }

  private func handleInputClosed() {
    isInputClosed = true
    endWatch()
  }

  private func endWatch() { inputWatch.take()?.onClosed() }

  /// The kernel took a part of an answer, or the connection is closed.
  private func handlePartWritten(_ context: ChannelHandlerContext) {
    unsent -= 1
    restartWriteDeadline(context)
  }

  /// Restarts the deadline for the next part of an answer.
  private func restartWriteDeadline(_ context: ChannelHandlerContext) {
    writeDeadline?.cancel()
    writeDeadline = nil
    guard unsent > 0, slot != nil else { return }
    writeDeadline = scheduleDrop(context, in: isQuiescing ? limits.closing : limits.stalledAnswer)
  }

  private func scheduleEnd(_ context: ChannelHandlerContext, within time: TimeAmount) {
    guard closingDeadline == nil, slot != nil else { return }
    closingDeadline = scheduleDrop(context, in: time)
  }

  /// Tells the limiter whether a complete request is being answered and the peer takes the answer.
  private func updateAnswering(_ context: ChannelHandlerContext) {
    let isAnswering = !open.isEmpty && isComplete && context.channel.isWritable
    guard isAnswering != self.isAnswering else { return }
    self.isAnswering = isAnswering
    if let slot { limiter.setAnswering(slot, isAnswering) }
  }

  private func scheduleClose(
    _ context: ChannelHandlerContext, in time: TimeAmount
  ) -> Scheduled<Void> {
    let channel = context.channel
    return context.eventLoop.scheduleTask(in: time) { channel.close(promise: nil) }
  }

  private func scheduleDrop(
    _ context: ChannelHandlerContext, in time: TimeAmount
  ) -> Scheduled<Void> {
    let channel = context.channel
    return context.eventLoop.scheduleTask(in: time) {
      channel.triggerUserOutboundEvent(ConnectionDrop(), promise: nil)
    }
  }

  private func stop() {
    readDeadline?.cancel()
    writeDeadline?.cancel()
    closingDeadline?.cancel()
    readDeadline = nil
    writeDeadline = nil
    closingDeadline = nil
    if let slot { limiter.release(slot) }
    slot = nil
  }
}

extension HTTPRequestHead {
  /// Whether it is certain where the body ends (RFC 9112, section 6.3).
  ///
  /// The parser checks `Content-Length`, but reports an unknown transfer coding only after the head, which
  /// would be answered already. `chunked` alone is accepted: no other coding is decoded here, and HTTP/1.0
  /// has none (section 6.1).
  fileprivate var hasReadableEnd: Bool {
    let codings = headers["transfer-encoding"]
    if codings.isEmpty { return true }
    return codings.count == 1 && codings.first?.lowercased() == "chunked" && version == .http1_1
  }
}

/// An outbound event: the connection serves no further request and is dropped within `closing`, even
/// if its peer has not taken everything.
struct ConnectionEnding: Sendable {}

/// An outbound event: a part of the body that is being sent. Its promise succeeds when the system has taken the part.
struct StreamedText: Sendable {
  let bytes: ByteBuffer
}

/// Resets a connection on `ConnectionDrop`: without the closing handshake of TLS, for which NIOSSL would
/// wait five seconds, and without the data that the kernel still buffers. The first handler of a
/// pipeline.
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

/// An outbound event: the connection is reset at once, whatever is buffered.
struct ConnectionDrop: Sendable {}
