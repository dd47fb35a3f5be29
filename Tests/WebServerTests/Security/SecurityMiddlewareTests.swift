import APIClient
import JSON
import NIOHTTP1
import TestSupport
import Testing

@testable import WebServer

@Suite struct SecurityMiddlewareTests {
  @Test("E9 · adds the security headers to every answer")
  func securityHeaders() async throws {
    try await TestServer.open { room in
      let owner = try await room.owner()
      for path in ["/api/v1/health", "/api/v1/status", "/api/v1/nothing", "/api/v1/audio"] {
        let answer = try await owner.send(.GET, path)
        #expect(answer.header("x-content-type-options") == "nosniff")
        #expect(answer.header("content-security-policy")?.contains("default-src 'none'") == true)
        #expect(answer.header("cache-control") == "no-store")
        #expect(answer.header("referrer-policy") == "no-referrer")
      }
    }
  }

  @Test("A9 · answers an unexpected failure with 500 and none of its details")
  func unknownFailure() async throws {
    try await TestServer.open { room in
      let answer = try await room.owner().send(.GET, "/api/v1/audio")
      #expect(answer.status == 500)
      #expect(answer.json["error"]?["code"] == "internal")
      #expect(!String(decoding: answer.body, as: UTF8.self).contains("under the mat"))
    }
  }

  @Test("A9 · answers an unsupported method with 405 and the allowed methods")
  func otherMethod() async throws {
    try await TestServer.open { room in
      let answer = try await room.owner().send(.PUT, "/api/v1/status", [:])
      #expect(answer.status == 405)
      #expect(answer.header("allow") == "GET, HEAD")
      #expect(answer.json["error"]?["code"] == "methodNotAllowed")
    }
  }

  @Test(
    "A9 · accepts only the canonical form of a path",
    arguments: [
      "/api/v1/status/", "/api/v1//status", "/api/v1/./status", "/api/v1/films/../status",
      "/api/v1/%2e/status",
      "/api/v1/devices/a%2Fb", "/api/v1/devices/%00", "/api/v1/devices/%4",
      "//api/v1/status",
    ])
  func canonicalPaths(path: String) async throws {
    try await TestServer.open { room in
      let answer = try await room.owner().send(.GET, path)
      #expect(answer.status == 404)
      #expect(answer.json["error"]?["code"] == "notFound")
    }
  }

  @Test(
    "A9 · refuses a body that is not JSON with 400 and its line and column",
    arguments: ["{", "{\"item\": }", "[1,]", "nonsense", "{\"item\": \"\u{1}\"}", "{} {}"])
  func malformedBody(text: String) async throws {
    try await TestServer.open { room in
      let answer = try await room.owner().send(
        .POST, "/api/v1/watch", bytes: Array(text.utf8),
        headers: ["content-type": "application/json"])
      #expect(answer.status == 400)
      #expect(answer.json["error"]?["code"] == "malformed")
      #expect(answer.json["error"]?["message"]?.string?.contains("line 1") == true)
    }
  }

  @Test("A9 · refuses deeply nested JSON with 400")
  func deepBody() async throws {
    try await TestServer.open { room in
      let bytes = Array(String(repeating: "[", count: 30_000).utf8)
      let answer = try await room.owner().send(
        .POST, "/api/v1/watch", bytes: bytes, headers: ["content-type": "application/json"])
      #expect(answer.status == 400)
    }
  }

  @Test("A9 · refuses a body above 64 KiB with 413")
  func largeBody() async throws {
    try await TestServer.open { room in
      let bytes = [UInt8](repeating: 0x20, count: 64 * 1024 + 1)
      let answer = try await room.owner().send(
        .POST, "/api/v1/watch", bytes: bytes, headers: ["content-type": "application/json"])
      #expect(answer.status == 413)
    }
  }

  @Test("A9 · refuses a chunked body above 64 KiB with 413")
  func largeChunkedBody() async throws {
    try await TestServer.open { room in
      let head = """
        POST /api/v1/sessions HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r
        transfer-encoding: chunked\r\n\r\n10400\r\n
        """
      let chunk = String(repeating: " ", count: 0x10400)
      let answer = try await room.exchange("\(head)\(chunk)\r\n0\r\n\r\n")
      #expect(answer.hasPrefix("HTTP/1.1 413 "))
    }
  }

  @Test(
    "A9 · refuses a body that is not declared as JSON with 415",
    arguments: ["text/plain", "application/x-www-form-urlencoded", ""])
  func otherType(type: String) async throws {
    try await TestServer.open { room in
      let answer = try await room.owner().send(
        .POST, "/api/v1/watch", bytes: Array("{}".utf8), headers: ["content-type": type])
      #expect(answer.status == 415)
    }
  }

  @Test("A9 · refuses an unknown member of a body with 422 and suggests the nearest")
  func unknownMember() async throws {
    try await TestServer.open { room in
      let answer = try await room.owner().send(
        .POST, "/api/v1/watch", ["item": "Metropolis", "fromstart": true])
      #expect(answer.status == 422)
      #expect(answer.json["error"]?["hint"]?.string?.contains("fromStart") == true)
      #expect(room.journal.lines.isEmpty)
    }
  }

  @Test("A9 · refuses too large headers with 431")
  func largeHeaders() async throws {
    try await TestServer.open { room in
      let answer = try await room.stranger.send(
        .GET, "/api/v1/health", headers: ["x-large": String(repeating: "x", count: 20_000)])
      #expect(answer.status == 431)
    }
  }

  @Test(
    "RFC 7240 · reads Prefer and ignores preferences that it cannot parse",
    arguments: [
      (["wait=10"], 10, false), (["respond-async, wait=5"], 5, true), (["wait=\"7\""], 7, false),
      (["wait=999"], 60, false), (["wait=-1"], nil, false), (["wait"], nil, false),
      (["handling=lenient; x=y", "Wait = 3"], 3, false), (["wait=4", "wait=9"], 4, false),
      (["wait=99999999999999999999"], nil, false), ([], nil, false),
    ] as [([String], Int?, Bool)])
  func preferences(headers: [String], seconds: Int?, isAsynchronous: Bool) {
    let wait = PreferredWait(headers)
    #expect(wait.seconds == seconds)
    #expect(wait.isAsynchronous == isAsynchronous)
  }
}
