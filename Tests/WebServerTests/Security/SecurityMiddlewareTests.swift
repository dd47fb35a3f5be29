import APIClient
import JSON
import NIOHTTP1
import TestSupport
import Testing

@testable import WebServer

@Suite struct SecurityMiddlewareTests {
  @Test("E9 · every answer keeps browsers from guessing, framing, caching and telling")
  func securityHeaders() async throws {
    try await LivingRoom.open { room in
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

  @Test("A9 · an unknown failure is an empty 500: nothing of it goes out")
  func unknownFailure() async throws {
    try await LivingRoom.open { room in
      let answer = try await room.owner().send(.GET, "/api/v1/audio")
      #expect(answer.status == 500)
      #expect(answer.body.isEmpty)
    }
  }

  @Test("A9 · another method is 405 and says what is possible")
  func otherMethod() async throws {
    try await LivingRoom.open { room in
      let answer = try await room.owner().send(.PUT, "/api/v1/status", [:])
      #expect(answer.status == 405)
      #expect(answer.header("allow") == "GET, HEAD")
      #expect(answer.json["error"]?["code"] == "methodNotAllowed")
    }
  }

  @Test(
    "A9 · a path has one form",
    arguments: [
      "/api/v1/status/", "/api/v1//status", "/api/v1/./status", "/api/v1/films/../status",
      "/api/v1/%2e/status",
      "/api/v1/devices/a%2Fb", "/api/v1/devices/%00", "/api/v1/devices/%ff", "/api/v1/devices/%4",
      "//api/v1/status",
    ])
  func canonicalPaths(path: String) async throws {
    try await LivingRoom.open { room in
      let answer = try await room.owner().send(.GET, path)
      #expect(answer.status == 404)
      #expect(answer.json["error"]?["code"] == "notFound")
    }
  }

  @Test(
    "A9 · a body that is not JSON is 400 with the place",
    arguments: ["{", "{\"item\": }", "[1,]", "nonsense", "{\"item\": \"\u{1}\"}", "{} {}"])
  func malformedBody(text: String) async throws {
    try await LivingRoom.open { room in
      let answer = try await room.owner().send(
        .POST, "/api/v1/watch", bytes: Array(text.utf8),
        headers: ["content-type": "application/json"])
      #expect(answer.status == 400)
      #expect(answer.json["error"]?["code"] == "malformed")
      #expect(answer.json["error"]?["message"]?.string?.contains("line 1") == true)
    }
  }

  @Test("A9 · JSON that nests too deeply is 400, not a crash")
  func deepBody() async throws {
    try await LivingRoom.open { room in
      let bytes = Array(String(repeating: "[", count: 30_000).utf8)
      let answer = try await room.owner().send(
        .POST, "/api/v1/watch", bytes: bytes, headers: ["content-type": "application/json"])
      #expect(answer.status == 400)
    }
  }

  @Test("A9 · a body larger than 64 KiB is 413")
  func largeBody() async throws {
    try await LivingRoom.open { room in
      let bytes = [UInt8](repeating: 0x20, count: 64 * 1024 + 1)
      let answer = try await room.owner().send(
        .POST, "/api/v1/watch", bytes: bytes, headers: ["content-type": "application/json"])
      #expect(answer.status == 413)
    }
  }

  @Test("A9 · a body in chunks, which names no length, is 413 beyond 64 KiB as well")
  func largeChunkedBody() async throws {
    try await LivingRoom.open { room in
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
    "A9 · a body that is not declared as JSON is 415",
    arguments: ["text/plain", "application/x-www-form-urlencoded", ""])
  func otherType(type: String) async throws {
    try await LivingRoom.open { room in
      let answer = try await room.owner().send(
        .POST, "/api/v1/watch", bytes: Array("{}".utf8), headers: ["content-type": type])
      #expect(answer.status == 415)
    }
  }

  @Test("A9 · a member of a body that nobody knows is 422 and names the nearest")
  func unknownMember() async throws {
    try await LivingRoom.open { room in
      let answer = try await room.owner().send(
        .POST, "/api/v1/watch", ["item": "Metropolis", "fromstart": true])
      #expect(answer.status == 422)
      #expect(answer.json["error"]?["hint"]?.string?.contains("fromStart") == true)
      #expect(room.journal.lines.isEmpty)
    }
  }

  @Test("A9 · headers beyond the limits are 431")
  func largeHeaders() async throws {
    try await LivingRoom.open { room in
      let answer = try await room.stranger.send(
        .GET, "/api/v1/health", headers: ["x-large": String(repeating: "x", count: 20_000)])
      #expect(answer.status == 431)
    }
  }

  @Test(
    "RFC 7240 · what a request prefers is read, what cannot be read is passed over",
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
