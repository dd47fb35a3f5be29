import APIClient
import Devices
import Foundation
import HomeTheater
import JSON
import NIOHTTP1
import TestSupport
import Testing
import WebServer

@Suite("E9 · pictures of films and songs over HTTP", .timeLimit(.minutes(5)))
struct PictureRouteTests {
  private static let path = "/api/v1/library/picture"
  private static let jpeg: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0, 1, 2, 3]

  /// Opens a server whose DVD player has pictures of two films, one of which is for adults.
  private func open(_ body: (TestServer, TestClient) async throws -> Void) async throws {
    try await TestServer.open { room in
      let picture = try #require(ItemPicture(Self.jpeg))
      let webp = try #require(ItemPicture(Array("RIFF1234WEBPVP8 ".utf8)))
      await room.devices["dvd"]?.setItems([
        CatalogueItem(id: "metropolis", title: "Metropolis", hasPicture: true),
        CatalogueItem(id: "nosferatu", title: "Nosferatu", hasPicture: true),
        CatalogueItem(id: "Films/M & N/é?.mkv", title: "M", hasPicture: true),
        CatalogueItem(id: "damaged", title: "Damaged", hasPicture: true),
        CatalogueItem(id: "plain", title: "Plain"),
      ])
      await room.devices["dvd"]?.setPictures([
        "metropolis": picture, "nosferatu": picture, "Films/M & N/é?.mkv": webp, "plain": picture,
      ])
      let owner = try await room.owner()
      _ = try await owner.send(.POST, "/api/v1/library/scan")
      room.journal.clear()
      try await body(room, owner)
    }
  }

  @Test("E9 A9 · the lists say which films have a picture, and the route answers with it")
  func found() async throws {
    try await open { room, owner in
      let films = try await owner.send(.GET, "/api/v1/films").json["films"]?.array ?? []
      #expect(films.count == 5)
      let without = films.filter { $0["picture"] != true }
      #expect(without.map { $0["id"] } == ["plain"])
      #expect(without.first?["picture"] == nil)
      let answer = try await owner.send(.GET, Self.path + "?item=metropolis")
      #expect(answer.status == 200 && answer.body == Self.jpeg)
      #expect(answer.header("content-type") == "image/jpeg")
      #expect(answer.header("cache-control") == "private, max-age=3600")
      #expect(answer.header("vary") == "Cookie, Authorization")
      #expect(answer.header("x-content-type-options") == "nosniff")
      #expect(answer.header("content-security-policy")?.contains("sandbox") == true)
      #expect(answer.header("cross-origin-resource-policy") == "same-origin")
      #expect(answer.header("cross-origin-opener-policy") == "same-origin")
      #expect(answer.header("referrer-policy") == "no-referrer")
      let other = try await owner.send(
        .GET, Self.path + "?item=Films%2FM%20%26%20N%2F%C3%A9%3F.mkv")
      #expect(other.status == 200 && other.header("content-type") == "image/webp")
      let guest = try await room.logIn(withPass: try await room.guestPass(from: owner))
      #expect(try await guest.send(.GET, Self.path + "?item=metropolis").status == 200)
    }
  }

  @Test("E9 E15 · an id of 4,096 bytes is listed, played, and has a picture")
  func longestID() async throws {
    try await open { room, owner in
      let id = String(repeating: "i", count: CatalogueItem.longestID)
      await room.devices["dvd"]?.setItems([CatalogueItem(id: id, title: "Long", hasPicture: true)])
      await room.devices["dvd"]?.setPictures([id: try #require(ItemPicture(Self.jpeg))])
      _ = try await owner.send(.POST, "/api/v1/library/scan")
      let films = try await owner.send(.GET, "/api/v1/films").json["films"]?.array ?? []
      #expect(films.contains { $0["id"]?.string == id })
      #expect(try await owner.send(.GET, Self.path + "?item=\(id)").status == 200)
      let answer = try await owner.send(.POST, "/api/v1/watch", ["item": .string(id)], wait: 10)
      #expect(answer.json["run"]?["status"] == "done")
      #expect(room.journal.lines.last == "dvd {\"play\":{\"item\":\"\(id)\"}}")
    }
  }

  @Test("E9 A9 · a client that has the picture gets 304, and HEAD no body")
  func unchanged() async throws {
    try await open { _, owner in
      let answer = try await owner.send(.GET, Self.path + "?item=metropolis")
      let tag = try #require(answer.header("etag"))
      #expect(tag.hasPrefix("\"") && tag.count == 66)
      for known in [tag, "\"other\", W/\(tag)", "*"] {
        let again = try await owner.send(
          .GET, Self.path + "?item=metropolis", headers: ["if-none-match": known])
        #expect(again.status == 304 && again.body.isEmpty && again.header("etag") == tag)
        #expect(again.header("cache-control") == "private, max-age=3600")
      }
      let changed = try await owner.send(
        .GET, Self.path + "?item=metropolis", headers: ["if-none-match": "\"other\""])
      #expect(changed.status == 200)
      let head = try await owner.send(.HEAD, Self.path + "?item=metropolis")
      #expect(head.status == 200 && head.body.isEmpty && head.header("etag") == tag)
    }
  }

  @Test("E9 A9 · an unknown, a plain and a damaged film have no picture, and a stranger gets none")
  func missing() async throws {
    try await open { room, owner in
      for item in ["nothing", "plain", "damaged", "..%2F..%2Fetc%2Fpasswd"] {
        let answer = try await owner.send(.GET, Self.path + "?item=\(item)")
        #expect(answer.status == 404, "\(item)")
        #expect(answer.header("cache-control") == "no-store")
      }
      #expect(room.journal.lines == ["dvd picture damaged"], "only what was listed is asked for")
      for query in [
        "", "?item=", "?item=\(String(repeating: "x", count: CatalogueItem.longestID + 1))",
      ] {
        #expect(try await owner.send(.GET, Self.path + query).status == 422, "\(query.prefix(20))")
      }
      let stranger = try await room.stranger.send(.GET, Self.path + "?item=metropolis")
      #expect(stranger.status == 401)
    }
  }

  @Test("E9 · a film above the age limit has no picture, as if it did not exist")
  func ageLimit() async throws {
    try await open { room, owner in
      let member = try await room.member(invitedBy: owner)
      let accounts = try await owner.send(.GET, "/api/v1/accounts").json["accounts"]?.array ?? []
      let ben = try #require(accounts.first { $0["name"] == "Ben" }?["id"]?.string)
      #expect(try await member.send(.GET, Self.path + "?item=nosferatu").status == 200)
      _ = try await owner.send(
        .POST, "/api/v1/accounts/\(ben)/age-limit", ["ageLimit": 12])
      room.journal.clear()
      let hidden = try await member.send(.GET, Self.path + "?item=nosferatu")
      let unknown = try await member.send(.GET, Self.path + "?item=xxxxxxxxx")
      #expect(hidden.status == 404)
      #expect(
        hidden.json["error"]?["message"]?.string?.replacing("nosferatu", with: "xxxxxxxxx")
          == unknown.json["error"]?["message"]?.string)
      #expect(room.journal.lines.isEmpty)
      #expect(try await member.send(.GET, Self.path + "?item=metropolis").status == 200)
      #expect(try await owner.send(.GET, Self.path + "?item=nosferatu").status == 200)
    }
  }

  @Test("E9 · a picture is asked for once for all who wait for it, and one after the other")
  func shared() async throws {
    try await open { room, owner in
      let dvd = try #require(room.devices["dvd"])
      await dvd.hold("picture")
      async let one = owner.send(.GET, Self.path + "?item=metropolis")
      async let two = owner.send(.GET, Self.path + "?item=metropolis")
      await dvd.waitForHeldCommand()
      async let other = owner.send(.GET, Self.path + "?item=nosferatu")
      // A command does not wait for the picture.
      let command = try await owner.send(.POST, "/api/v1/devices/dvd/commands", "on")
      #expect(command.status == 200)
      #expect(room.journal.lines == ["dvd picture metropolis", "dvd \"on\""])
      await dvd.release()
      for answer in try await [one, two, other] { #expect(answer.status == 200) }
      let asked = room.journal.lines.filter { $0.contains("picture") }
      #expect(asked.count <= 3 && asked.first == "dvd picture metropolis")
    }
  }

  @Test("E9 · a player that does not answer is a failure of the device")
  func failure() async throws {
    try await open { room, owner in
      await room.devices["dvd"]?.fail(
        "picture", with: DeviceError(.unavailable, "its plugin ended", hint: "It is restarted."))
      let answer = try await owner.send(.GET, Self.path + "?item=metropolis")
      #expect(answer.status == 503 && answer.json["error"]?["device"] == "dvd")
    }
  }
}
