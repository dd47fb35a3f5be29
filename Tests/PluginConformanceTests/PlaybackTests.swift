import Devices
import JSON
import PluginProtocol
import Testing

/// The notifications of a disc player from item to item (docs/plugin-protocol.md). The controller
/// takes the title, the saved positions and the end of the activity from them alone.
@Suite("F1 E10 · every disc player of every plugin", .timeLimit(.minutes(3)))
struct PlaybackTests {
  private static let players = RoleUnderTest.all.filter {
    $0.role == .cdPlayer || $0.role == .dvdPlayer
  }

  /// Runs `body` with a player that is on, and the items that it can play.
  private static func run(
    _ role: RoleUnderTest, _ body: (PluginProcess, [CatalogueItem]) async throws -> Void
  ) async throws {
    try await PluginProcess.run(role.plugin) { client in
      _ = try await client.open("a", role).result.get()
      _ = try await client.perform("a", "on").result.get()
      let items = try await client.ask(ScanRequest(device: "a", folder: nil)).items
      try #require(!items.isEmpty)
      try await body(client, items)
    }
  }

  private static func play(_ item: CatalogueItem, from position: Double = 0) -> JSON {
    ["play": ["item": .string(item.id), "position": .number(position)]]
  }

  @Test("E10 · play reports the item that was asked for, before any other", arguments: players)
  func plays(_ role: RoleUnderTest) async throws {
    try await Self.run(role) { client, items in
      for item in [items.last, items.first].compactMap(\.self) {
        let (result, before) = try await client.perform("a", Self.play(item))
        _ = try result.get()
        let playback = try await client.playback(among: before) { $0.status == .playing }
        #expect(playback.item == item.id)
        #expect(playback.duration == nil || (playback.duration ?? 0) > playback.position)
      }
    }
  }

  @Test("E10 · after next, playback.item is another item of the disc", arguments: players)
  func next(_ role: RoleUnderTest) async throws {
    try await Self.run(role) { client, items in
      // A film has chapters; a disc with one item has nothing behind it.
      guard role.role == .cdPlayer, items.count > 1, let first = items.first else { return }
      var (result, before) = try await client.perform("a", Self.play(first))
      _ = try result.get()
      _ = try await client.playback(among: before) { $0.status == .playing }
      (result, before) = try await client.perform("a", "next")
      _ = try result.get()
      let next = try await client.playback(among: before) { $0.item != first.id }
      #expect(items.map(\.id).contains(next.item ?? ""))
      #expect(next.status == .playing)
      #expect(next.position < 5)
      #expect(!before.playbacks.contains { $0.status == .ended || $0.status == .stopped })
      let isAtEnd = before.playbacks.contains { $0.item == first.id && $0.isAtEnd }
      #expect(!isAtEnd, "what was skipped was not played to its end")
      (result, before) = try await client.perform("a", "previous")
      _ = try result.get()
      let previous = try await client.playback(among: before) { $0.item != next.item }
      #expect(previous.item == first.id)
    }
  }

  @Test(
    "E10 · an item that is over is reported at its end, then what follows it; the last one has ended",
    arguments: players)
  func ends(_ role: RoleUnderTest) async throws {
    try await Self.run(role) { client, items in
      for item in items {
        guard let duration = item.duration else { continue }
        let (result, before) = try await client.perform(
          "a", Self.play(item, from: max(0, duration - 0.2)))
        _ = try result.get()
        var reports = before.playbacks
        while !reports.contains(where: { $0.status == .ended || $0.item != item.id }) {
          reports += [try await client.nextMessage()].playbacks
        }
        let last = try #require(reports.last)
        let end = try #require(reports.last { $0.item == item.id })
        #expect(end.isAtEnd, "\(item.id): \(end)")
        #expect(reports.contains { $0.item == item.id && $0.status == .playing })
        #expect(!reports.contains { $0.status == .stopped })
        if last.item != item.id {
          #expect(last.status == .playing || last.status == .ended)
          #expect(items.map(\.id).contains(last.item ?? ""))
        }
        _ = try await client.perform("a", "stop").result.get()
      }
    }
  }
}

extension Playback {
  /// Whether it is at its item's end: a controller forgets the item's position then.
  fileprivate var isAtEnd: Bool { duration.map { position >= $0 - 0.001 } ?? false }
}

extension [RPCMessage] {
  /// The playback reports among these.
  fileprivate var playbacks: [Playback] {
    states.compactMap { $0.values[.playback].flatMap(Playback.init) }
  }
}

extension PluginProcess {
  /// The first playback among `messages`, or else of those to come, that satisfies a condition.
  fileprivate func playback(
    among messages: [RPCMessage], where condition: (Playback) -> Bool
  ) async throws -> Playback {
    if let found = messages.playbacks.first(where: condition) { return found }
    while true {
      if let found = [try await nextMessage()].playbacks.first(where: condition) { return found }
    }
  }
}
