import Devices
import JSON
import PluginProtocol

extension ConformanceCase {
  /// The cases about the reports of disc players when one item follows another: the controller's only source for the
  /// title, the saved positions and the end of the activity.
  package static let playback = [
    ConformanceCase(
      "play reports the requested item before any other", .itemFirst,
      scope: .roles([.cdPlayer, .dvdPlayer])
    ) { trial in
      try await trial.withPlayer { client, items in
        for item in [items.last, items.first].compactMap(\.self) {
          let playback = try await client.play(item)
          try expect(playback.item == item.id, "\"\(item.id)\"", received: text(playback.json))
          try expect(
            playback.duration.map { $0 > playback.position } ?? true,
            "a position before the item's end", received: text(playback.json))
        }
      }
    },
    ConformanceCase(
      "after next and previous, the player reports only the new item", .itemSkipped,
      .noEndBetween, scope: .roles([.cdPlayer])
    ) { trial in
      try await trial.withPlayer { client, items in
        // `next` needs a second item.
        guard items.count > 1, let first = items.first else {
          throw NotApplicable.because("the disc has one item")
        }
        try await client.play(first)
        let (result, before) = try await client.perform("a", "next")
        try result.success("next")
        let next = try await client.playback(among: before) { $0.item != first.id }
        try expect(
          items.contains { $0.id == next.item } && next.status == .playing && next.position < 5,
          "another item of the disc, playing from its beginning", received: text(next.json))
        try before.playbacks.forEach { report in
          try expect(
            report.status != .ended && report.status != .stopped, "no end between items",
            received: text(report.json), rule: .noEndBetween)
          try expect(
            report.item != first.id || !report.isAtEnd, "no report of the skipped item's end",
            received: text(report.json))
        }
        // An item that has played for some seconds begins again; the next "previous" leaves it.
        var reports: [RPCMessage] = []
        for _ in 1...3 {
          let (back, news) = try await client.perform("a", "previous")
          try back.success("previous")
          reports += news
          if reports.playbacks.last?.item != next.item { break }
        }
        let previous = try await client.playback(among: reports) { $0.item != next.item }
        try expect(previous.item == first.id, "\"\(first.id)\"", received: text(previous.json))
      }
    },
    ConformanceCase(
      "an item is reported at its end before the next item, and the last item is reported as ended",
      .itemEnds, .noEndBetween, scope: .roles([.cdPlayer, .dvdPlayer])
    ) { trial in
      try await trial.withPlayer { client, items in
        for item in items {
          try await client.expectEnd(of: item, among: items)
          try await client.perform("a", "stop").result.success("stop")
        }
      }
    },
  ]
}

extension ConformanceTrial {
  /// Runs `body` with a player that is on, and the items that it can play.
  fileprivate func withPlayer(
    _ body: (PluginClient, [CatalogueItem]) async throws -> Void
  ) async throws {
    try await withDevice { client, _ in
      try await client.perform("a", "on").result.success("on")
      let items = try await client.ask(ScanRequest(device: "a", folder: nil)).items
      if items.isEmpty { throw NotApplicable.noItems }
      try await body(client, items)
    }
  }
}

extension Playback {
  /// Whether the position is the end of the item: the controller then deletes the saved position.
  fileprivate var isAtEnd: Bool { duration.map { position >= $0 - 0.001 } ?? false }
}

extension [RPCMessage] {
  /// The playback reports among these.
  fileprivate var playbacks: [Playback] {
    states.compactMap { $0.values[.playback].flatMap(Playback.init) }
  }
}

extension PluginClient {
  /// Plays an item and returns the first report of a playing item.
  @discardableResult
  fileprivate func play(_ item: CatalogueItem) async throws -> Playback {
    let (result, before) = try await perform("a", item.play(from: 0))
    try result.success("play")
    return try await playback(among: before) { $0.status == .playing }
  }

  /// Returns the first playback that satisfies a condition, among `messages` and then among those that follow.
  fileprivate func playback(
    among messages: [RPCMessage], where condition: (Playback) -> Bool
  ) async throws -> Playback {
    if let found = messages.playbacks.first(where: condition) { return found }
    while true {
      if let found = [try await nextMessage()].playbacks.first(where: condition) { return found }
    }
  }

  /// Plays the last 0.2 s of an item, and checks the reports up to its end.
  fileprivate func expectEnd(of item: CatalogueItem, among items: [CatalogueItem]) async throws {
    guard let duration = item.duration else { return }
    let (result, before) = try await perform("a", item.play(from: max(0, duration - 0.2)))
    try result.success("play")
    var reports = before.playbacks
    while !reports.contains(where: { $0.status == .ended || $0.item != item.id }) {
      reports += [try await nextMessage()].playbacks
    }
    let end = reports.last { $0.item == item.id }
    try expect(
      end?.isAtEnd == true, "\"\(item.id)\" at its end", received: text(end?.json))
    try expect(
      reports.contains { $0.item == item.id && $0.status == .playing },
      "\"\(item.id)\" playing before its end", received: reports.map { text($0.json) })
    try expect(
      !reports.contains { $0.status == .stopped }, "no report of \"stopped\"",
      received: reports.map { text($0.json) }, rule: .noEndBetween)
    guard let last = reports.last, last.item != item.id else { return }
    try expect(
      (last.status == .playing || last.status == .ended) && items.contains { $0.id == last.item },
      "another item of the disc", received: text(last.json))
  }
}

extension CatalogueItem {
  /// Returns the command that plays this item from a position in seconds.
  fileprivate func play(from position: Double) -> JSON {
    ["play": ["item": .string(id), "position": .number(position)]]
  }
}
