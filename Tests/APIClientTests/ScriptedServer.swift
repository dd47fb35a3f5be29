import APIClient
import Foundation
import NIOCore
import NIOPosix
import NIOSSL
import Synchronization
import TestSupport

/// A peer that records each request, byte by byte, and sends the bytes that a test chose.
final class ScriptedServer: Sendable {
  let address: ControllerAddress
  private let channel: any Channel
  private let log: Log

  fileprivate final class Log: Sendable {
    let requests = Mutex<[String]>([])
    let closed = Mutex(0)
  }

  /// The requests, oldest first.
  var requests: [String] { log.requests.withLock { $0 } }
  /// The number of connections that have ended.
  var closedConnections: Int { log.closed.withLock { $0 } }

  private init(_ address: ControllerAddress, _ channel: any Channel, _ log: Log) {
    (self.address, self.channel, self.log) = (address, channel, log)
  }

  /// Runs `body` with a server on a Unix socket.
  ///
  /// - Parameters:
  ///   - socket: The name of the socket's file.
  ///   - reply: Sent once for each request.
  ///   - closes: Whether the server closes the connection after the reply.
  static func run(
    socket: String = "theater.sock", reply: String, closes: Bool = true,
    _ body: (ScriptedServer) async throws -> Void
  ) async throws {
    try await withTemporaryFolder { folder in
      let path = folder.appendingPathComponent(socket).path
      try await run(reply: reply, closes: closes, body) {
        let channel = try await $0.bind(unixDomainSocketPath: path).get()
        return (channel, .socket(path))
      }
    }
  }

  /// Runs `body` with a server on a free port of the loopback interface.
  ///
  /// - Parameter tls: The certificate; `nil` for a server without TLS.
  static func runOnPort(
    reply: String, tls: NIOSSLContext? = nil, _ body: (ScriptedServer) async throws -> Void
  ) async throws {
    try await run(reply: reply, closes: true, tls: tls, body) {
      let channel = try await $0.bind(host: "127.0.0.1", port: 0).get()
      let port = channel.localAddress?.port ?? 0
      return (
        channel, tls == nil ? .port(host: "127.0.0.1", port) : .tls(host: "127.0.0.1", port)
      )
    }
  }

  private static func run(
    reply: String, closes: Bool, tls: NIOSSLContext? = nil,
    _ body: (ScriptedServer) async throws -> Void,
    bind: (ServerBootstrap) async throws -> (any Channel, ControllerAddress)
  ) async throws {
    let log = Log()
    let bootstrap = ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          if let tls {
            try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: tls))
          }
          try channel.pipeline.syncOperations.addHandler(
            Handler(reply: reply, closes: closes, log: log))
        }
      }
    let (channel, address) = try await bind(bootstrap)
    do {
      try await body(ScriptedServer(address, channel, log))
    } catch {
      try await channel.close()
      throw error
    }
    try await channel.close()
  }

  private final class Handler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer
    private let reply: String
    private let closes: Bool
    private let log: Log
    private var received = ""

    init(reply: String, closes: Bool, log: Log) {
      (self.reply, self.closes, self.log) = (reply, closes, log)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      received += String(buffer: unwrapInboundIn(data))
      guard isWhole else { return }
      log.requests.withLock { $0.append(received) }
      received = ""
      context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: reply)), promise: nil)
      if closes { context.close(promise: nil) }
    }

    func channelInactive(context: ChannelHandlerContext) { log.closed.withLock { $0 += 1 } }

    /// Whether the head and the body that it announces have arrived.
    private var isWhole: Bool {
      // A server without TLS answers to a handshake at once.
      if received.utf8.first == 0x16 { return true }
      guard let head = received.firstRange(of: "\r\n\r\n") else { return false }
      let length = received[..<head.lowerBound].lowercased()
        .firstMatch(of: /content-length: (\d+)/).flatMap { Int($0.output.1) }
      return received[head.upperBound...].utf8.count >= length ?? 0
    }
  }
}
