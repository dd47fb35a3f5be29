import APIClient
import Devices
import JSON
import NIOHTTP1
import TestSupport
import TheaterAPI
import Testing
import WebServer

@Suite("E9 · long lists over HTTP", .timeLimit(.minutes(2)))
struct ListRouteTests {
  /// Opens a server with songs.
  private func open(
    songs: Int, _ body: (TestServer, TestClient) async throws -> Void
  ) async throws {
    try await TestServer.open { room in
      let owner = try await room.owner()
      await room.devices["cd"]?.setItems(
        (0..<songs).map { CatalogueItem(id: "s\($0)", title: "Song \"\($0)\"", artist: "Élan") })
      _ = try await owner.send(.POST, "/api/v1/library/scan")
      try await body(room, owner)
    }
  }

  @Test("E9 · lists at most 1,000 entries without a limit, and the rest by offset")
  func standardLimit() async throws {
    try await open(songs: 2500) { _, owner in
      var ids: [String] = []
      var pages: [Int] = []
      repeat {
        let page = try await owner.send(.GET, "/api/v1/songs?offset=\(ids.count)").json
        #expect(page["total"] == 2500)
        let songs = page["songs"]?.array ?? []
        pages.append(songs.count)
        ids += songs.compactMap { $0["id"]?.string }
      } while ids.count < 2500 && pages.last != 0
      #expect(pages == [1000, 1000, 500])
      #expect(Set(ids).count == 2500)
      #expect(try await owner.send(.GET, "/api/v1/songs").json["songs"]?.array?.count == 1000)
    }
  }

  @Test("E9 · a list in parts has its length in the head, is whole JSON, and HEAD says the same")
  func parts() async throws {
    try await open(songs: 1000) { _, owner in
      for (query, count) in [("", 1000), ("?limit=1", 1), ("?search=nothing", 0)] {
        let answer = try await owner.send(.GET, "/api/v1/songs\(query)")
        #expect(answer.json["songs"]?.array?.count == count)
        #expect(answer.header("content-length") == "\(answer.body.count)")
        #expect(answer.header("transfer-encoding") == nil)
        let head = try await owner.send(.HEAD, "/api/v1/songs\(query)")
        #expect(head.status == 200 && head.body.isEmpty)
        #expect(head.header("content-length") == "\(answer.body.count)")
      }
      let answer = try await owner.send(.GET, "/api/v1/songs")
      #expect(answer.body.count > 2 * 32 * 1024, "it has several parts")
      #expect(answer.json.text().utf8.elementsEqual(answer.body))
    }
  }
}
