import APIClient
import Glibc
import NIOHTTP1
import Testing

@testable import WebServer

@Suite("The Date field of answers")
struct DateFieldTests {
  @Test("The date has the fixed form of RFC 9110")
  func form() {
    #expect(DateField.text(of: 784_111_777) == "Sun, 06 Nov 1994 08:49:37 GMT")
    #expect(DateField.text(of: 0) == "Thu, 01 Jan 1970 00:00:00 GMT")
    #expect(DateField.text(of: 1_709_164_799) == "Wed, 28 Feb 2024 23:59:59 GMT")
  }

  @Test("Each answer carries the time at which it was made, on the port and on the socket")
  func answers() async throws {
    try await TestServer.open(.port(0, of: "127.0.0.1")) { room in
      let before = time(nil)
      let answers = [
        try await room.stranger.send(.GET, "/api/v1/health").headers.first(name: "date"),
        try await room.sendRaw("GET / HTTP/1.1\r\nHost: 127.0.0.1:\(room.port)\r\n\r\n")
          .header("date"),
      ]
      let expected = (before...time(nil)).map(DateField.text)
      for answer in answers { #expect(expected.contains(answer ?? "none")) }
    }
  }
}
