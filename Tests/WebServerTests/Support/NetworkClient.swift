import JSON
import WebServer

/// A client that connects to the port from an address of its own, not over the Unix socket.
struct NetworkClient: Sendable {
  let room: TestServer
  /// One of 127.0.0.0/8, all of which are this machine's.
  let address: String
  var token: String?
  var device: String?

  func post(_ path: String, _ body: JSON) async throws -> RawAnswer {
    var lines = [
      "POST \(path) HTTP/1.1", "Host: localhost:\(room.port)", "Content-Type: application/json",
    ]
    if let token { lines.append("Authorization: Bearer \(token)") }
    if let device { lines.append("Theater-Device: \(device)") }
    return try await room.sendRaw(lines: lines, body: body.text(), from: address)
  }
}

extension RawAnswer {
  /// The body as JSON; `null` where it is none.
  var json: JSON { (try? JSON(parsing: body)) ?? .null }
}
