import APIClient
import Accounts
import HTTPTypes
import JSON
import NIOHTTP1
import TestSupport
import TheaterAPI
import Testing

@testable import WebServer

/// Repeated requests of clients without a session.
@Suite struct OpenRouteTests {
  private static let wrong: JSON = "0000-0000-0000-0000-0000"

  /// The request bodies to try on each POST route, by path, made from the number of the try.
  private static let tries: [String: [@Sendable (Int) -> JSON]] = [
    "/api/v1/accounts": [
      { person($0, ["setupCode": wrong]) }, { person($0, ["invitation": wrong]) },
    ],
    "/api/v1/validation/answers": [
      { _ in ["question": "emailFree", "text": "ann@example.org", "setupCode": wrong] },
      { _ in ["question": "emailFree", "text": "ann@example.org", "invitation": wrong] },
    ],
    "/api/v1/sessions": [
      { ["email": email($0), "password": "not the right one"] },
      { _ in ["email": "ann@example.org", "password": "not the right one"] },
      { _ in ["request": "0", "oneTimeCode": "123456"] },
    ],
    "/api/v1/login-codes": [{ ["email": email($0)] }, { _ in ["email": "ann@example.org"] }],
    "/api/v1/password-resets": [{ ["email": email($0)] }, { _ in ["email": "ann@example.org"] }],
    "/api/v1/password-resets/confirmation": [
      { _ in ["request": "0", "code": "123456", "newPassword": "another evening with friends"] }
    ],
    "/api/v1/registrations": [
      { ["invitation": wrong, "email": email($0)] },
      { _ in ["invitation": wrong, "email": "ann@example.org"] },
    ],
    "/api/v1/registrations/confirmation": [
      { person($0, ["invitation": wrong, "request": "0", "code": "123456"]) },
      { _ in ["invitation": wrong, "request": "0", "code": "123456"] },
    ],
    "/api/v1/guests/sessions": [{ _ in ["pass": wrong] }],
  ]

  private static func email(_ number: Int) -> JSON { .string("person\(number)@example.org") }

  private static func person(_ number: Int, _ admission: JSONObject) -> JSON {
    var body = admission
    body["name"] = "Eve"
    body["email"] = email(number)
    body["password"] = .string(TestServer.password)
    return .object(body)
  }

  @Test(
    "F5 E7 · judges at most thirty tries of a source on an open route, and records no open GET")
  func throttled() async throws {
    try await TestServer.open(Listener.port(0, of: "127.0.0.1")) { room in
      _ = try await room.owner()
      let open = room.routes.filter { $0.access == .everyone }
      #expect(Set(open.filter { $0.method == .post }.map(\.fullPath)) == Set(Self.tries.keys))
      var source = 1
      for (path, bodies) in Self.tries {
        for body in bodies {
          source += 1
          let stranger = NetworkClient(room: room, address: "127.0.2.\(source)")
          var statuses: [Int?] = []
          for number in 0..<40 {
            statuses.append(try await stranger.post(path, body(number)).status)
          }
          let judged = statuses.count { $0 != 429 }
          #expect((1...30).contains(judged), "\(path): \(judged)")
          #expect(statuses.suffix(40 - judged).allSatisfy { $0 == 429 }, "\(path)")
        }
      }
      let written = try await room.accountService.audit.entries(newest: 1000)
      for route in open where route.method == .get {
        for _ in 0..<40 {
          #expect(try await room.stranger.send(.GET, route.fullPath).status == 200)
        }
      }
      #expect(try await room.accountService.audit.entries(newest: 1000) == written)
      // Refusals are recorded; the repeats of one source share an entry.
      let refused = written.filter { $0.outcome != .done }
      #expect(refused.contains { $0.action == .registration && $0.outcome.word == "setupClosed" })
      #expect(refused.contains { $0.action == .guestEntered && $0.count == 30 })
      #expect(refused.count <= 101)
    }
  }

  @Test("E7 · bounds the audit entries of anonymous requests from many addresses to 100 an hour")
  func distributed() async throws {
    try await TestServer.open(Listener.port(0, of: "127.0.0.1")) { room in
      _ = try await room.owner()
      let first = NetworkClient(room: room, address: "127.0.3.1")
      _ = try await first.post("/api/v1/guests/sessions", ["pass": Self.wrong])
      var judged = 1
      for address in 1...150 {
        let stranger = NetworkClient(room: room, address: "127.0.4.\(address)")
        for body in Self.tries["/api/v1/accounts"] ?? [] {
          if try await stranger.post("/api/v1/accounts", body(address)).status != 429 {
            judged += 1
          }
        }
      }
      #expect(judged == 301)
      let refused = try await room.accountService.audit.entries(newest: 1000).filter {
        $0.outcome != .done
      }
      #expect(refused.first?.origin.address == "127.0.3.1")
      #expect(refused.count == 102)
      #expect(refused.suffix(2).map(\.origin.address) == ["many addresses", "many addresses"])
      #expect(refused.map(\.count).reduce(0, +) == judged)
      #expect(refused.allSatisfy { $0.last == $0.at })
    }
  }
}
