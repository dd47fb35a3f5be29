import Devices
import APIClient
import Foundation
import HomeTheater
import JSON
import NIOCore
import TestSupport
import Testing

@testable import WebServer

/// A program that sends requests, reads no further than a mark in the answer, and waits until its
/// connection is closed from the other side in both directions.
struct StuckReader {
  /// How it connects.
  enum Transport: String, CaseIterable {
    case port, socket, tls
  }

  let transport: Transport
  /// A port, or the path of a socket.
  let address: String

  /// Returns whether the connection was dropped within 60 s of the last byte that was read.
  /// - Parameters:
  ///   - request: the request that it sends.
  ///   - mark: the text at which it stops reading.
  ///   - body: the code that runs after it has stopped.
  func isDropped(
    _ request: String, readingTo mark: String, after body: () async throws -> Void
  ) async throws -> Bool {
    try await withTemporaryFolder { folder in
      let sign = folder.appendingPathComponent("stopped").path
      async let outcome = Program.tool(
        ["python3", "-c", Self.program, transport.rawValue, address, mark, sign], input: request)
      #expect(await eventually { FileManager.default.fileExists(atPath: sign) })
      try await body()
      let (output, errors) = try await (outcome.output, outcome.errors)
      #expect(errors.isEmpty, "\(errors)")
      return output == "dropped\n"
    }
  }

  // A mask of 0 polls for POLLHUP and POLLERR alone, which a half-closed connection does not set.
  private static let program = """
    import select, socket, ssl, sys
    transport, address, mark, sign = sys.argv[1:5]
    if transport == "socket":
        channel = socket.socket(socket.AF_UNIX)
        channel.connect(address)
    else:
        channel = socket.create_connection(("127.0.0.1", int(address)), 10)
    if transport == "tls":
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
        channel = context.wrap_socket(channel)
    channel.sendall(sys.stdin.buffer.read())
    text = b""
    while mark.encode() not in text:
        part = channel.recv(4096)
        if not part:
            sys.exit("closed before the mark")
        text += part
    open(sign, "w").close()
    poll = select.poll()
    poll.register(channel, 0)
    # The time includes the publishing of the events that stay unread, on a busy machine.
    print("dropped" if poll.poll(60000) else "open")
    """
}

extension TestServer {
  /// The path of the socket.
  var socket: String {
    if case .socket(let path) = stranger.address { path } else { "" }
  }

  /// Publishes changes of 1 KiB each, and waits until a listener that reads has them all.
  func publish(kibibytes: Int, to listener: TestClient) async throws {
    let filler = JSON.string(String(repeating: "x", count: 1000))
    let events = theater.events
    let last = events.currentID
    for _ in 0..<kibibytes { events.publish(.other(.library, filler)) }
    events.publish(.other(.configuration, .null))
    _ = try await listener.listen(after: last, isChecked: false) { $0.name != "configuration" }
  }
}
