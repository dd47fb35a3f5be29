import Glibc
import HTTPTypes
import JSON
import Logging
import NIOCore
import NIOPosix

/// Keeps a listener answering while the process or the machine has no descriptor or buffer left.
///
/// A connection that cannot be accepted stays in the listener's queue, and NIO tries again at once: the thread would
/// be busy with that, and its client would wait for ever. So the handler pauses the listener. One descriptor is in
/// reserve: it is released to accept and refuse the waiting connections, one after the other, and is taken again.
final class AcceptGuard: ChannelInboundHandler {
  typealias InboundIn = any Channel
  typealias InboundOut = any Channel

  /// The time without new connections after one that could not be accepted.
  static let pause = TimeAmount.milliseconds(250)
  /// The most connections that are refused at once: as many as the system queues for a listener.
  private static let mostRefused = 256

  /// Whether a refused client gets an answer. A client that expects TLS does not.
  private let isPlain: Bool
  private let logger: Logger
  /// The descriptor in reserve; negative if there was none.
  private var reserve: CInt = -1
  /// The earliest time of the next warning in the log.
  private var nextWarning = NIODeadline.uptimeNanoseconds(0)

  init(isPlain: Bool, logger: Logger) {
    self.isPlain = isPlain
    self.logger = logger
  }

  func handlerAdded(context: ChannelHandlerContext) { openReserve() }

  func handlerRemoved(context: ChannelHandlerContext) { closeReserve() }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    guard let error = error as? IOError, Self.shortages.contains(error.errnoCode) else {
      return context.fireErrorCaught(error)
    }
    // Unlike these, a connection that its client has closed already (ECONNABORTED) needs no pause.
    warn(of: error)
    refuseWaiting(context)
    pauseAccepting(context)
  }

  /// Logs the reason, at most once a minute.
  private func warn(of error: IOError) {
    guard NIODeadline.now() >= nextWarning else { return }
    nextWarning = .now() + .minutes(1)
    logger.warning(
      "new connections are refused for want of descriptors or memory; LimitNOFILE raises the limit",
      metadata: ["error": "\(error)"])
  }

  private static let shortages: Set<CInt> = [EMFILE, ENFILE, ENOBUFS, ENOMEM]

  private func pauseAccepting(_ context: ChannelHandlerContext) {
    let channel = context.channel
    try? channel.syncOptions?.setOption(.autoRead, value: false)
    context.eventLoop.scheduleTask(in: Self.pause) {
      // Fails if the listener is closed meanwhile.
      try? channel.syncOptions?.setOption(.autoRead, value: true)
    }
  }

  /// Accepts the connections that wait, tells each client that there is no descriptor, and closes it.
  private func refuseWaiting(_ context: ChannelHandlerContext) {
    guard reserve >= 0 else { return openReserve() }
    let isPlain = isPlain
    _ = try? context.channel.pipeline.syncOperations.withUnsafeTransportIfAvailable(
      of: NIOBSDSocket.Handle.self
    ) { listener in
      for _ in 0..<Self.mostRefused {
        closeReserve()
        defer { openReserve() }
        let client = accept(listener, nil, nil)
        guard client >= 0 else { return }
        if isPlain { Self.sendRefusal(to: client) }
        close(client)
      }
    }
  }

  /// Sends what the system takes at once.
  private static func sendRefusal(to client: CInt) {
    discardRequest(of: client)
    _ = refusal.withUnsafeBytes {
      send(client, $0.baseAddress, $0.count, CInt(MSG_DONTWAIT | MSG_NOSIGNAL))
    }
    shutdown(client, CInt(SHUT_WR))
    discardRequest(of: client)
  }

  /// Reads what has arrived of the request: the system would discard the answer if some of it were unread.
  private static func discardRequest(of client: CInt) {
    withUnsafeTemporaryAllocation(byteCount: HeadLimits.bytes, alignment: 1) { bytes in
      _ = recv(client, bytes.baseAddress, bytes.count, CInt(MSG_DONTWAIT))
    }
  }

  private static let refusal: [UInt8] = {
    let error = APIError(
      .serviceUnavailable, "busy", "the controller has no descriptor left for another connection",
      hint: "Try again, or raise the limit of open files of the controller.")
    let body = error.json.text()
    return Array(
      ("HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\n"
        + "Content-Length: \(body.utf8.count)\r\nRetry-After: 2\r\nConnection: close\r\n\r\n\(body)")
        .utf8)
  }()

  private func openReserve() {
    guard reserve < 0 else { return }
    reserve = open("/dev/null", O_RDONLY | O_CLOEXEC)
  }

  private func closeReserve() {
    guard reserve >= 0 else { return }
    close(reserve)
    reserve = -1
  }
}
