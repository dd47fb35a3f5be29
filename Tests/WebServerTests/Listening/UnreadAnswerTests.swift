import APIClient
import Devices
import HomeTheater
import JSON
import NIOCore
import NIOHTTP1
import TestSupport
import Testing

@testable import WebServer

@Suite("F5 · answers that clients do not read", .timeLimit(.minutes(2)))
struct UnreadAnswerTests {
  private typealias Answers = UnreadAnswers<String>

  private static func answers(
    ofOneUser: Int = 100, ofStrangers: Int = 100, ofAll: Int = 300
  ) -> Answers {
    var limits = UnreadAnswerLimits()
    limits.ofOneUser = ofOneUser
    limits.ofStrangers = ofStrangers
    limits.ofAll = ofAll
    return Answers(limits)
  }

  @Test("beyond a user's bound the client that took nothing for longest gives way")
  func ofOneUser() {
    var answers = Self.answers()
    let first = answers.insert(40, for: .user("a"), on: "first")
    let second = answers.insert(40, for: .user("a"), on: "second")
    _ = answers.insert(100, for: .user("b"), on: "other user")
    #expect(first.dropped.isEmpty && second.dropped.isEmpty)
    answers.recordProgress(of: first.key)
    #expect(answers.insert(30, for: .user("a"), on: "third").dropped == ["second"])
    #expect(answers.insert(100, for: .user("a"), on: "large").dropped == ["first", "third"])
    #expect(answers.bytes == 200)
  }

  @Test("an answer larger than the bound is written when no other is")
  func larger() {
    var answers = Self.answers()
    let large = answers.insert(1000, for: .user("a"), on: "large")
    #expect(large.dropped.isEmpty)
    #expect(answers.insert(1000, for: .user("a"), on: "next").dropped == ["large"])
    answers.remove(large.key)
    #expect(answers.bytes == 1000)
  }

  @Test("strangers share a bound, and the address with the most unread bytes gives way")
  func ofStrangers() {
    var answers = Self.answers()
    _ = answers.insert(20, for: .stranger([192, 0, 2, 1]), on: "small")
    for number in 1...4 { _ = answers.insert(20, for: .stranger([192, 0, 2, 2]), on: "\(number)") }
    #expect(answers.insert(20, for: .stranger([192, 0, 2, 3]), on: "new").dropped == ["1"])
    #expect(answers.insert(20, for: .user("a"), on: "user").dropped.isEmpty)
  }

  @Test("beyond the bound of all the recipient with the most unread bytes gives way")
  func ofAll() {
    var answers = Self.answers()
    _ = answers.insert(60, for: .user("a"), on: "a")
    for user in ["b", "c"] { _ = answers.insert(100, for: .user(user), on: user) }
    _ = answers.insert(30, for: .stranger(nil), on: "stranger")
    let dropped = answers.insert(40, for: .user("d"), on: "d").dropped
    #expect(dropped == ["b"] || dropped == ["c"])
    #expect(answers.bytes <= 300)
  }

  /// Opens a server with 1,000 songs of long titles.
  private static func open(
    _ change: (inout UnreadAnswerLimits) -> Void = { _ in },
    _ body: (TestServer, TestClient) async throws -> Void
  ) async throws {
    var limits = UnreadAnswerLimits.standard
    change(&limits)
    try await TestServer.open(.port(0, of: "127.0.0.1"), unreadAnswers: limits) { room in
      let owner = try await room.owner()
      let title = String(repeating: "la ", count: 300)
      await room.devices["cd"]?.setItems(
        (0..<1000).map { CatalogueItem(id: "s\($0)", title: "\(title)\($0)") })
      _ = try await owner.send(.POST, "/api/v1/library/scan")
      try await body(room, owner)
    }
  }

  @Test("60 clients that read nothing of a long list hold the bound of one each")
  func manySilent() async throws {
    try await Self.open { room, owner in
      let request = room.request("/api/v1/songs?limit=1000", token: owner.token)
      let clients = try (0..<60).map { _ in try SilentClient(port: room.port, request) }
      #expect(await eventually { room.unreadAnswers.bytes == 60 * UnreadAnswerLimiter.held })
      #expect(clients.allSatisfy { !$0.isDropped })
      // A client that reads gets the whole list meanwhile.
      let songs = try await owner.send(.GET, "/api/v1/songs?limit=1000").json["songs"]?.array
      #expect(songs?.count == 1000)
    }
  }

  @Test(
    "clients that read nothing are dropped at a user's bound, and one that reads is served")
  func dropsSilent() async throws {
    try await Self.open({ $0.ofOneUser = 3 * UnreadAnswerLimiter.held }) { room, owner in
      let request = room.request("/api/v1/songs?limit=1000", token: owner.token)
      let clients = try (0..<8).map { _ in try SilentClient(port: room.port, request) }
      #expect(await eventually { clients.count(where: \.isDropped) == 5 })
      #expect(room.unreadAnswers.bytes <= 3 * UnreadAnswerLimiter.held)
      for _ in 1...3 {
        let songs = try await owner.send(.GET, "/api/v1/songs?limit=1000").json["songs"]?.array
        #expect(songs?.count == 1000)
      }
    }
  }

  @Test("answers that are whole in memory count whole, also those of strangers")
  func strangers() async throws {
    let size = 500_000
    try await Self.open({ $0.ofStrangers = size }) { room, owner in
      let list = try await owner.send(.GET, "/api/v1/validation/blocklist")
      #expect(list.status == 200 && (100_000...size).contains(list.body.count))
      // Each connection asks often enough that the buffers of the system are full.
      let request = String(
        repeating: room.request("/api/v1/validation/blocklist"), count: 10)
      let clients = try (0..<6).map { _ in try SilentClient(port: room.port, request) }
      let kept = size / list.body.count
      #expect(await eventually { clients.count(where: \.isDropped) == 6 - kept })
      #expect(room.unreadAnswers.bytes <= size)
      // A client that reads is served.
      let again = try await owner.send(.GET, "/api/v1/validation/blocklist")
      #expect(again.body.count == list.body.count)
    }
  }

  @Test("a client that takes nothing of a list in parts is dropped after the stated time")
  func stalled() async throws {
    var limits = ConnectionLimits.standard
    limits.stalledAnswer = .milliseconds(250)
    try await TestServer.open(.port(0, of: "127.0.0.1", limits: limits)) { room in
      let owner = try await room.owner()
      await room.devices["cd"]?.setItems(
        (0..<1000).map {
          CatalogueItem(id: "s\($0)", title: String(repeating: "o", count: 900) + "\($0)")
        })
      _ = try await owner.send(.POST, "/api/v1/library/scan")
      let client = try SilentClient(
        port: room.port, room.request("/api/v1/songs?limit=1000", token: owner.token))
      #expect(await eventually { client.isDropped })
      #expect(await eventually { room.unreadAnswers.bytes == 0 })
    }
  }

  @Test("a text of events counts while a client does not take it")
  func eventTexts() async throws {
    try await Self.open { room, owner in
      let client = try SilentClient(
        port: room.port, room.request("/api/v1/events", token: owner.token))
      let filler = JSON.string(String(repeating: "x", count: 20_000))
      let isCounted = await eventually {
        room.theater.events.publish(.other(.configuration, filler))
        return room.unreadAnswers.bytes > UnreadAnswerLimiter.smallest
      }
      #expect(isCounted && !client.isDropped)
      // One text at a time is on its way.
      #expect(room.unreadAnswers.bytes < 100_000)
    }
  }
}
