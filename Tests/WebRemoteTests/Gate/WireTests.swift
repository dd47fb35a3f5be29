import NIOCore
import NIOHTTP1
import TestSupport
import Testing

@testable import WebRemote

/// What goes over a connection, byte by byte.
@Suite struct WireTests {
  private static let door = Listener.port(0, of: "127.0.0.1")

  private static func login(_ room: LivingRoom, _ line: String) -> String {
    "POST /api/sessions HTTP/1.1\r\nHost: 127.0.0.1:\(room.port)\r\n"
      + "Content-Type: application/json\r\n\(line)\r\n\r\n"
  }

  @Test(
    "A9 · a body in a form that HTTP does not have is 400, and no fault of ours in the log",
    arguments: [
      ("Transfer-Encoding: gzip", "{}"), ("Transfer-Encoding: chunked", "zz\r\n{}\r\n0\r\n\r\n"),
      ("Transfer-Encoding: chunked", "fffffffffffffffff\r\n{}\r\n0\r\n\r\n"),
      ("Transfer-Encoding: chunked", "2\r\n{}nonsense\r\n0\r\n\r\n"),
    ])
  func unreadableBody(line: String, body: String) async throws {
    try await LivingRoom.open(Self.door) { room in
      let answer = try await room.raw(Self.login(room, line) + body)
      #expect(answer.status == 400, "\(answer.text)")
      #expect(room.log.alarms.isEmpty, "\(room.log.lines)")
      #expect(try await room.stranger.send(.GET, "/api/health").status == 200)
    }
  }

  @Test("A9 · a body that breaks off is no fault of ours in the log")
  func brokenBody() async throws {
    try await LivingRoom.open(Self.door) { room in
      for line in ["Content-Length: 100", "Transfer-Encoding: chunked"] {
        let text = Self.login(room, line) + "5\r\n{\"a\":"
        try await room.connection { _, outbound in
          try await outbound.write(ByteBuffer(string: text))
        }
      }
      #expect(
        await eventually {
          room.log.lines.count { $0.contains("the body breaks off") } == 2
        })
      #expect(room.log.alarms.isEmpty, "\(room.log.lines)")
    }
  }

  @Test("A9 · HEAD is answered with headers alone, and the next answer follows them")
  func head() async throws {
    try await LivingRoom.open(Self.door) { room in
      let host = "Host: 127.0.0.1:\(room.port)\r\n"
      for (path, status) in [("/api/health", 401), ("/api/status", 401), ("/api/nothing", 401)] {
        let answer = try await room.raw(
          "HEAD \(path) HTTP/1.1\r\n\(host)\r\n"
            + "GET /api/health HTTP/1.1\r\n\(host)Connection: close\r\n\r\n")
        #expect(answer.status == status)
        #expect(answer.header("content-length").flatMap { Int($0) }.map { $0 > 0 } == true)
        #expect(answer.header("x-content-type-options") == "nosniff")
        #expect(answer.body.hasPrefix("HTTP/1.1 200"), "\(answer.text)")
      }
    }
  }
}
