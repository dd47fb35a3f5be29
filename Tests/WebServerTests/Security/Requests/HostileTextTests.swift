import Devices
import APIClient
import HTTPTypes
import HomeTheater
import JSON
import NIOHTTP1
import TestSupport
import TheaterAPI
import Testing
import WebServer

@testable import WebServer

/// Texts that cost far more to compare than their length tells, at every route of the table: each is
/// refused before anything compares it, by an anonymous client and by an owner.
@Suite("Hostile texts at every route")
struct HostileTextTests {
  private static let malformed = "400 malformed"
  private static let invalid = "422 invalid"

  private static func row(_ part: String, bytes: Int) -> String {
    String(repeating: part, count: bytes / part.utf8.count)
  }

  private static let marks = row("\u{308}", bytes: 32_000) + row("\u{323}", bytes: 31_800)

  /// Bodies of about 64 KiB, and how each is refused.
  private static let bodies: [(kind: String, body: String, refusal: String)] = [
    ("a key of marks", "{\"a\(marks)\":1}", malformed),
    ("a text of marks", "{\"name\":\"a\(marks)\"}", malformed),
    ("marks in turn", "{\"item\":\"\(row("\u{308}\u{323}", bytes: 64_000))\"}", malformed),
    ("marks alone", "\"\(marks)\"", malformed),
    ("sound marks", "{\"pass\":\"\(row("\u{FF9E}", bytes: 64_000))\"}", malformed),
    ("a row within a list", "{\"activities\":[\"\(marks)\"]}", malformed),
    ("a row within an object", "{\"parameters\":{\"\(marks)\":\"x\"}}", malformed),
    ("a long key", "{\"\(row("a", bytes: 64_000))\":1}", malformed),
    ("a byte-order mark", "\u{FEFF}{}", malformed),
    ("a long list", "{\"activities\":[\(list(of: "\"film\"", 101))]}", invalid),
    ("a list of lists", "[\(list(of: "[]", 20_000))]", invalid),
    ("a long object", "{\(list(0..<101))}", invalid),
    ("a longer object", "{\"parameters\":{\(list(0..<5_000))}}", invalid),
  ]

  private static func list(of part: String, _ count: Int) -> String {
    Array(repeating: part, count: count).joined(separator: ",")
  }

  private static func list(_ keys: Range<Int>) -> String {
    keys.map { "\"k\($0)\":0" }.joined(separator: ",")
  }

  private func refusal(of answer: ControllerResponse) -> String {
    "\(answer.status) \(answer.json["error"]?["code"]?.string ?? "")"
  }

  @Test("F5 · refuses a hostile body on every route before it acts")
  func everyBody() async throws {
    try await TestServer.open { room in
      let owner = try await room.owner()
      let before = room.theater.events.sequence
      let lines = room.journal.lines
      var refused = 0
      for route in room.routes where route.takesJSON {
        let client = route.access == .everyone ? room.stranger : owner
        for (kind, body, expected) in Self.bodies {
          let answer = try await client.send(
            Self.method(of: route), route.path(filledWith: "film"), bytes: Array(body.utf8),
            headers: ["content-type": "application/json"])
          #expect(refusal(of: answer) == expected, "\(route.fullPath): \(kind)")
          // The quotation in the answer is bounded.
          #expect(answer.body.count < 1_000, "\(route.fullPath): \(kind)")
          refused += 1
        }
      }
      #expect(refused >= 30 * Self.bodies.count)
      // The players' catalogues and the devices' first reports may arrive late; a request causes other events.
      let events = try #require(room.theater.events.entries(after: before))
      #expect(
        events.allSatisfy { [EventName.library, .device].contains($0.event.name) }, "\(events)")
      #expect(room.journal.lines == lines)
    }
  }

  @Test("F5 · takes only the configuration as text, within the same limits")
  func texts() async throws {
    try await TestServer.open { room in
      let texts = room.routes.filter { $0.body == .text }.map(\.fullPath)
      #expect(
        texts == [
          "/api/v1/configuration", "/api/v1/configuration/check",
          "/api/v1/configuration/difference",
        ])
    }
  }

  @Test("F5 · refuses a hostile path or query on every route")
  func everyPath() async throws {
    func row(of count: Int) -> String {
      String(repeating: "%CC%88", count: count / 2) + String(repeating: "%CC%A3", count: count / 2)
    }
    let marks = row(of: 1200)
    try await TestServer.open(Listener.port(0, of: "127.0.0.1")) { room in
      let owner = try await room.owner()
      var captures = 0
      for route in room.routes {
        let method = Self.method(of: route)
        let places = route.fullPath.count { $0 == "{" }
        if places > 0 {
          captures += 1
          // Together they stay below the limit of a path.
          let answer = try await owner.send(
            method, route.path(filledWith: "a\(row(of: 1200 / places))"))
          #expect(refusal(of: answer) == "404 notFound", "\(route.fullPath)")
        }
        let path = route.path(filledWith: "film")
        for query in ["x=\(marks)", "\(marks)=1", "%FF=%FF&limit=\(marks)"] {
          let answer = try await owner.send(method, "\(path)?\(query)")
          #expect(refusal(of: answer) == Self.malformed, "\(route.fullPath)?\(query.prefix(9))")
        }
        // A client of ours encodes a lone percent sign, so these bytes go out by hand.
        let raw = try await room.sendRaw(lines: [
          "\(method.rawValue) \(path)?%&since=a\(marks) HTTP/1.1", "Host: 127.0.0.1:\(room.port)",
          "Authorization: Bearer \(owner.token ?? "")",
        ])
        #expect(
          raw.status == 400 && raw.body.contains("\"malformed\""), "\(route.path): \(raw.text)")
      }
      #expect(captures >= 10)
    }
  }

  @Test(
    "F5 · refuses a hostile header on every route",
    arguments: [
      "user-agent", "cookie", "prefer", "last-event-id", "theater-device", "authorization",
      "origin",
      "x-anything", "accept-language",
    ])
  func everyHeader(name: String) async throws {
    let marks =
      String(repeating: "\u{308}", count: 900) + String(repeating: "\u{323}", count: 900)
    try await TestServer.open { room in
      for route in room.routes {
        let answer = try await room.stranger.send(
          Self.method(of: route), route.path(filledWith: "film"), bytes: nil,
          headers: [name: "theater/1 (a\(marks) wait=1)"])
        #expect(refusal(of: answer) == Self.malformed, "\(route.fullPath)")
      }
    }
  }

  @Test("accepts at most 100 activities for a guest pass")
  func activities() async throws {
    try await TestServer.open { room in
      let owner = try await room.owner()
      for (count, status) in [(1, 201), (100, 201), (101, 422), (5_000, 422)] {
        let names = JSON.array(Array(repeating: "film", count: count))
        let answer = try await owner.send(.POST, "/api/v1/guests", ["activities": names])
        #expect(answer.status == status, "\(count)")
      }
      let passes = try await owner.send(.GET, "/api/v1/guests").json["guests"]?.array ?? []
      #expect(passes.map { $0["activities"] } == [["film"], ["film"]])
    }
  }

  @Test(
    "E7 · accepts ordinary text of many scripts in a body, path, query and header",
    arguments: [
      "Nguyễn Thị Ánh", "Nguye\u{302}\u{303}n", "ที่นี่ปู่ย่า", "नमस्ते क्षेत्र", "👩‍👩‍👧‍👦🏳️‍🌈🇨🇭👍🏽", "مُحَمَّدٌ",
      "한국어", "Zoë",
    ])
  func people(text: String) async throws {
    try await TestServer.open { room in
      let owner = try await room.owner()
      let renamed = try await owner.send(.POST, "/api/v1/account/name", ["name": .string(text)])
      #expect(renamed.status == 204)
      let name = try await owner.send(.GET, "/api/v1/sessions/current").json["user"]?["name"]
      #expect(name == .string(text))
      let encoded = text.utf8.map { byte in
        byte < 0x80 && byte != 0x20
          ? String(UnicodeScalar(byte)) : "%" + String(byte, radix: 16, uppercase: true)
      }.joined()
      let device = try await owner.send(
        .GET, "/api/v1/devices/\(encoded)?x=\(encoded)", headers: ["user-agent": text])
      #expect(device.status == 404)
      #expect(device.json["error"]?["message"]?.string?.contains(text.quotation) == true)
    }
  }

  private static func method(of route: Route) -> NIOHTTP1.HTTPMethod {
    NIOHTTP1.HTTPMethod(rawValue: route.method.rawValue)
  }
}

extension Route {
  /// Its path with this text in the place of whatever it captures.
  fileprivate func path(filledWith text: String) -> String {
    fullPath.split(separator: "/").map { $0.hasPrefix("{") ? "/\(text)" : "/\($0)" }.joined()
  }
}
