import APIClient
import JSON
import NIOHTTP1
import TestSupport
import TheaterAPI
import Testing

@testable import WebServer

/// A request that a browser could be made to send, in parts; each part is what our own page would
/// send, or is not.
private struct Forgery: Sendable, Hashable, CustomTestStringConvertible {
  /// Lines of the head, and whether our page would send them. `PORT` and `HOST` are filled in.
  struct Part: Sendable, Hashable {
    var lines: [String]
    var isOurs = false
    static func ours(_ lines: String...) -> Part { Part(lines: lines, isOurs: true) }
    static func foreign(_ lines: String...) -> Part { Part(lines: lines) }
  }

  var parts: [Part]
  var isHostile: Bool { parts.contains { !$0.isOurs } }
  var testDescription: String { parts.flatMap(\.lines).joined(separator: " | ") }

  static let methods: [Part] = [
    .ours("POST /api/v1/devices/lights/commands HTTP/1.1"),
    .foreign("PUT /api/v1/devices/lights/commands HTTP/1.1"),
    .foreign("PATCH /api/v1/devices/lights/commands HTTP/1.1"),
    .foreign("DELETE /api/v1/devices/lights/commands HTTP/1.1"),
    .foreign("GET /api/v1/devices/lights/commands HTTP/1.1"),
    .foreign("POST http://HOST/api/v1/devices/lights/commands HTTP/1.1"),
    .foreign("POST /api/v1/devices/lights/commands?_method=POST HTTP/1.1", "X-HTTP-Method: \u{0}"),
  ]
  static let hosts: [Part] = [
    .ours("Host: 127.0.0.1:PORT"), .ours("Host: localhost:PORT"), .ours("Host: theater.local:PORT"),
    .ours("Host: theater.example.org"), .foreign(), .foreign("Host:"),
    .foreign("Host: evil.example:PORT"), .foreign("Host: 127.0.0.1.evil.example:PORT"),
    .foreign("Host: localhost.evil.example:PORT"), .foreign("Host: 127.0.0.1:1"),
    .foreign("Host: localhost"), .foreign("Host: 0x7f000001:PORT"), .foreign("Host: 127.1:PORT"),
    .foreign("Host: evil@localhost:PORT"), .foreign("Host: localhost:PORT, evil.example"),
    .foreign("Host: localhost:PORT", "Host: evil.example"),
    .foreign("Host: evil.example", "Host: localhost:PORT"),
    .foreign("Host: evil.example:PORT", "X-Forwarded-Host: localhost:PORT"),
    .foreign("Host: evil.example:PORT", "Forwarded: host=localhost:PORT"),
  ]
  static let origins: [Part] = [
    .ours("Origin: http://HOST"), .ours(), .foreign("Origin: null"), .foreign("Origin:"),
    .foreign("Origin: http://evil.example"), .foreign("Origin: http://evil.example:PORT"),
    .foreign("Origin: http://HOST.evil.example"), .foreign("Origin: http://HOST/"),
    .foreign("Origin: http://HOST, http://evil.example"),
    .foreign("Origin: http://HOST", "Origin: http://evil.example"), .foreign("Origin: HOST"),
    .foreign("Origin: file://"), .foreign("Origin: chrome-extension://HOST"),
    .foreign("Origin: http://evil@HOST"), .foreign("Origin: ws://HOST"),
  ]
  static let sites: [Part] = [
    .ours("Sec-Fetch-Site: same-origin", "Sec-Fetch-Mode: cors"), .ours(),
    .foreign("Sec-Fetch-Site: cross-site"), .foreign("Sec-Fetch-Site: same-site"),
    .foreign("Sec-Fetch-Site: none"), .foreign("Sec-Fetch-Site:"),
    .foreign("Sec-Fetch-Site: same-origin", "Sec-Fetch-Site: cross-site"),
  ]
  static let marks: [Part] = [
    .ours("X-Theater: 1"), .foreign(), .foreign("X-Theater: 0"), .foreign("X-Theater:"),
    .foreign("X-Theater: 1", "X-Theater: 1"), .foreign("X_Theater: 1"),
  ]
  static let types: [Part] = [
    .ours("Content-Type: application/json"), .ours("Content-Type: application/json; charset=utf-8"),
    .foreign(), .foreign("Content-Type: text/plain"),
    .foreign("Content-Type: application/x-www-form-urlencoded"),
    .foreign("Content-Type: multipart/form-data; boundary=x"),
    .foreign("Content-Type: text/plain; application/json"),
    .foreign("Content-Type: application/json, text/plain"),
    .foreign("Content-Type: application/jsonp"), .foreign("Content-Type: application/csp-report"),
  ]

  static let columns = [methods, hosts, origins, sites, marks, types]

  /// Every single fault in an otherwise perfect request, then combinations drawn with a fixed seed.
  static func hostile(_ count: Int) -> [Forgery] {
    let perfect = columns.map { $0[0] }
    var forgeries: [Forgery] = []
    for (column, parts) in columns.enumerated() {
      for part in parts where !part.isOurs {
        var forged = perfect
        forged[column] = part
        forgeries.append(Forgery(parts: forged))
      }
    }
    var seen = Set(forgeries)
    var number: UInt64 = 20_260_101
    func draw(_ parts: [Part]) -> Part {
      number = number &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return parts[Int(number >> 33) % parts.count]
    }
    while forgeries.count < count {
      let forgery = Forgery(parts: columns.map { draw($0) })
      if forgery.isHostile, seen.insert(forgery).inserted { forgeries.append(forgery) }
    }
    return forgeries
  }

  /// Every combination of what our own page may send.
  static var honest: [Forgery] {
    columns.reduce([[]]) { rows, column in
      rows.flatMap { row in column.filter(\.isOurs).map { row + [$0] } }
    }.map(Forgery.init(parts:))
  }

  /// The lines to send. A request without any host is filled in with one that would be right.
  func lines(port: Int) -> [String] {
    let host =
      parts[1].lines.first.map { $0.dropFirst("Host: ".count) }.flatMap { $0.isEmpty ? nil : $0 }
      ?? "127.0.0.1:PORT"
    return parts.flatMap(\.lines).map {
      $0.replacing("HOST", with: host).replacing("PORT", with: "\(port)")
    }
  }
}

@Suite struct HostileRequestTests {
  private static let listener = Listener.port(
    0, of: "127.0.0.1", hosts: HostList(["theater.example.org"]))

  @Test("F5 · refuses 220 cross-site requests with a user's cookie")
  func forged() async throws {
    try await TestServer.open(Self.listener) { room in
      let cookie = "Cookie: theater=\(try await room.owner().token ?? "")"
      let forgeries = Forgery.hostile(220)
      var sent: Set<[String]> = []
      for forgery in forgeries {
        let lines = forgery.lines(port: room.port) + [cookie]
        sent.insert(lines)
        let answer = try await room.sendRaw(lines: lines, body: #""on""#)
        #expect(!answer.isSuccess, "\(forgery.testDescription)")
        #expect(answer.status.map { (400..<500).contains($0) } == true)
      }
      // No two are the same on the wire.
      #expect(sent.count == 220)
      #expect(room.journal.lines.isEmpty)
    }
  }

  @Test("F5 · accepts requests of the theater's own page under each of its names")
  func honest() async throws {
    try await TestServer.open(Self.listener) { room in
      let cookie = "Cookie: theater=\(try await room.owner().token ?? "")"
      let honest = Forgery.honest
      for request in honest {
        let lines = request.lines(port: room.port) + [cookie]
        let answer = try await room.sendRaw(lines: lines, body: #""on""#)
        #expect(answer.status == 200, "\(request.testDescription): \(answer.text)")
      }
      #expect(room.journal.lines.count == honest.count)
    }
  }

  @Test(
    "F5 · answers 421 on every route for a foreign name that resolves here"
  )
  func rebinding() async throws {
    try await TestServer.open(Self.listener) { room in
      let token = try await room.owner().token ?? ""
      for route in room.routes {
        let path = route.fullPath.replacing("{", with: "").replacing("}", with: "")
        let name = "evil.example:\(room.port)"
        let answer = try await room.sendRaw(lines: [
          "\(route.method.rawValue) \(path) HTTP/1.1", "Host: \(name)", "Origin: http://\(name)",
          "Sec-Fetch-Site: same-origin", "X-Theater: 1", "Cookie: theater=\(token)",
          "Authorization: Bearer \(token)",
        ])
        #expect(answer.status == 421, "\(route.method.rawValue) \(route.fullPath)")
      }
      #expect(room.journal.lines.isEmpty)
    }
  }

  @Test("F5 · asks no browser headers of a program with its own token")
  func programs() async throws {
    try await TestServer.open(Self.listener) { room in
      let token = try await room.owner().token ?? ""
      let request = [
        "POST /api/v1/devices/lights/commands HTTP/1.1", "Host: localhost:\(room.port)",
        "Authorization: Bearer \(token)", "Content-Type: application/json",
      ]
      #expect(try await room.sendRaw(lines: request, body: #""on""#).status == 200)
      // The same from a browser's page: the token is right, the page is not.
      let foreign = request + ["Origin: http://evil.example"]
      #expect(try await room.sendRaw(lines: foreign, body: #""off""#).status == 403)
      #expect(room.journal.lines.count == 1)
    }
  }

  @Test(
    "F5 · refuses cross-site reading"
  )
  func foreignReading() async throws {
    try await TestServer.open(Self.listener) { room in
      let cookie = "Cookie: theater=\(try await room.owner().token ?? "")"
      let request = ["GET /api/v1/status HTTP/1.1", "Host: localhost:\(room.port)", cookie]
      #expect(try await room.sendRaw(lines: request).status == 200)
      for line in [
        "Sec-Fetch-Site: cross-site", "Sec-Fetch-Site: same-site", "Origin: http://evil.example",
      ] {
        let answer = try await room.sendRaw(lines: request + [line])
        #expect(answer.status == 403)
        #expect(answer.header("access-control-allow-origin") == nil)
      }
    }
  }

  @Test("F5 · refuses CORS preflights")
  func preflight() async throws {
    try await TestServer.open(Self.listener) { room in
      let answer = try await room.sendRaw(lines: [
        "OPTIONS /api/v1/devices/lights/commands HTTP/1.1", "Host: localhost:\(room.port)",
        "Origin: http://evil.example", "Access-Control-Request-Method: POST",
        "Access-Control-Request-Headers: x-theater, authorization",
      ])
      #expect(answer.status == 403)
      #expect(!answer.text.lowercased().contains("access-control-allow"))
    }
  }

  @Test("F5 · checks no browser headers on the Unix socket")
  func unixSocket() async throws {
    try await TestServer.open { room in
      let answer = try await room.owner().send(
        .GET, "/api/v1/status", headers: ["origin": "http://evil.example"])
      #expect(answer.status == 200)
    }
  }
}
