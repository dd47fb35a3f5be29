import Devices
import JSON
import Scenes
import TestSupport
import Testing

@testable import HomeTheater

/// An activity follows its player: from song to song of a disc, to its end.
@Suite struct PlaybackMonitorTests {
  private static let songs = (1...5).map {
    LibraryItem(
      id: "s\($0)", title: "Song \($0)", album: "An Audiobook", duration: 20, player: "cd")
  }

  /// The evening with a disc of five parts of an audio book, of 20 s each: short songs have no positions.
  private static func evening(
    _ change: (inout TheaterPlan) -> Void = { _ in },
    _ body: @Sendable (Theater) async throws -> Void
  ) async throws {
    var plan = TheaterPlan.evening
    plan.library.songs = songs
    change(&plan)
    let theater = Theater(plan: plan)
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { await theater.facade.run() }
      try #require(
        await eventually {
          await theater.facade.entries(.songs).contains { $0.item.id == "scanned" }
        })
      try await body(theater)
      group.cancelAll()
    }
  }

  /// Begins a song and waits until it plays.
  @discardableResult
  private static func listen(
    to song: String, as user: String = "ann", in theater: Theater
  ) async throws -> Double? {
    let begun = try await theater.facade.begin(
      "music", item: song, fromStart: false, by: Principal(user))
    #expect(await begun.run.finished().status == .done)
    #expect(await eventually { await theater.facade.report.status == .running })
    await play(song, at: begun.resumedAt ?? 0, in: theater)
    return begun.resumedAt
  }

  /// Begins a song, which goes on at this position.
  private static func expect(
    _ song: String, resumesAt position: Double?, as user: String = "ann", in theater: Theater
  ) async throws {
    let resumedAt = try await listen(to: song, as: user, in: theater)
    #expect(resumedAt == position)
  }

  /// The player reports a song, and the facade has seen it.
  private static func play(
    _ song: String, _ status: Playback.Status = .playing, at position: Double = 0,
    in theater: Theater
  ) async {
    let playback = Playback(status, item: song, position: position, duration: 20)
    await theater["cd"].report(.playback, playback.json)
    #expect(
      await eventually { await theater.facade.snapshot(of: "cd")?.state.playback == playback },
      "\(song) was not seen")
  }

  /// The song is played to its end, and the disc goes on to the next one by itself.
  private static func goOn(to next: String, from song: String, in theater: Theater) async {
    theater.clock.advance(by: .seconds(20))
    await theater["cd"].report(
      .playback, Playback(.playing, item: song, position: 20, duration: 20, rate: 0).json)
    await play(next, in: theater)
  }

  @Test("E9 E10 · item, title, length and progress follow the disc from song to song")
  func titles() async throws {
    try await Self.evening { theater in
      try await Self.listen(to: "s1", in: theater)
      let place = theater.facade.events.sequence
      for number in 2...5 {
        await Self.goOn(to: "s\(number)", from: "s\(number - 1)", in: theater)
        theater.clock.advance(by: .seconds(3))
        let status = try await theater.facade.status()
        #expect(status["activity"]?["item"]?.string == "s\(number)")
        #expect(status["activity"]?["itemTitle"]?.string == "Song \(number)")
        #expect(status["activity"]?["status"] == "running")
        #expect(status["playback"]?["item"]?.string == "s\(number)")
        #expect(status["playback"]?["position"]?.number == 3)
        #expect(status["playback"]?["duration"]?.number == 20)
        theater.clock.advance(by: .seconds(-3))
      }
      let entries = theater.facade.events.entries(after: place) ?? []
      let titles = entries.compactMap { entry -> String? in
        guard case .activity(let report, _) = entry.event else { return nil }
        return report.itemTitle
      }
      #expect(titles == ["Song 2", "Song 3", "Song 4", "Song 5"])
    }
  }

  @Test("E10 · a song played to its end has no position, the one that was stopped has its own")
  func positions() async throws {
    try await Self.evening { theater in
      theater.positions.save(7, item: "s1", user: "ann")
      try await Self.expect("s1", resumesAt: 7, in: theater)
      await Self.goOn(to: "s2", from: "s1", in: theater)
      await Self.goOn(to: "s3", from: "s2", in: theater)
      theater.clock.advance(by: .seconds(6))
      _ = await (try await theater.facade.end(by: .owner)).finished()
      let saved = (1...5).map { theater.positions.position(item: "s\($0)", user: "ann") }
      #expect(saved == [nil, nil, 6, nil, nil])
      try await Self.expect("s1", resumesAt: nil, in: theater)
      try await Self.expect("s3", resumesAt: 6, in: theater)
    }
  }

  @Test("E10 · a song that was left by next or previous keeps its position")
  func skipping() async throws {
    try await Self.evening { theater in
      try await Self.listen(to: "s2", in: theater)
      theater.clock.advance(by: .seconds(9))
      try await theater.facade.next(by: .owner)
      await Self.play("s3", in: theater)
      theater.clock.advance(by: .seconds(2))
      try await theater.facade.previous(by: .owner)
      await Self.play("s2", in: theater)
      #expect(await eventually { await theater.facade.report.item == "s2" })
      try await theater.facade.seek(12, isRelative: false, by: .owner)
      #expect(
        await eventually {
          await theater.facade.snapshot(of: "cd")?.state.playback?.position == 12
        })
      try await theater.facade.pause(by: .owner)
      #expect(
        await eventually { theater.positions.position(item: "s2", user: "ann") == 12 })
      #expect(theater.positions.position(item: "s3", user: "ann") == 2)
    }
  }

  @Test("E10 · a skip is told before it is answered, so the status after it names the new song")
  func statusAfterSkip() async throws {
    try await Self.evening { theater in
      try await Self.listen(to: "s1", in: theater)
      await theater["cd"].report(
        .playback, Playback(.playing, item: "s2", position: 0, duration: 20).json)
      let status = try await theater.facade.status()
      #expect(status["activity"]?["itemTitle"] == "Song 2")
    }
  }

  @Test("E10 · each user has positions of their own on one disc")
  func users() async throws {
    try await Self.evening { theater in
      for (user, seconds) in [("ann", 5.0), ("ben", 11)] {
        try await Self.listen(to: "s1", as: user, in: theater)
        await Self.goOn(to: "s2", from: "s1", in: theater)
        theater.clock.advance(by: .seconds(seconds))
      }
      _ = await (try await theater.facade.end(by: .owner)).finished()
      for (user, seconds) in [("ann", 5.0), ("ben", 11)] {
        #expect(theater.positions.position(item: "s1", user: user) == nil)
        #expect(theater.positions.position(item: "s2", user: user) == seconds)
        try await Self.expect("s2", resumesAt: seconds, as: user, in: theater)
      }
    }
  }

  @Test(
    "E10 · a position at the end of a song is none",
    arguments: [(19.5, nil), (18.5, nil), (16, 16), (0.5, nil)] as [(Double, Double?)])
  func ends(saved: Double, offered: Double?) async throws {
    try await Self.evening { theater in
      theater.positions.save(saved, item: "s1", user: "ann")
      try await Self.expect("s1", resumesAt: offered, in: theater)
    }
  }

  @Test("E10 · a song of unknown length that was left for another begins anew")
  func unknownLength() async throws {
    try await Self.evening { theater in
      theater.positions.save(8, item: "x.m4b", user: "ann")
      try await Self.listen(to: "s1", in: theater)
      for item in ["x.m4b", "y.m4b"] {
        await theater["cd"].report(.playback, Playback(.playing, item: item).json)
        #expect(await eventually { await theater.facade.report.itemTitle == item })
        theater.clock.advance(by: .seconds(30))
      }
      _ = await (try await theater.facade.end(by: .owner)).finished()
      #expect(theater.positions.position(item: "x.m4b", user: "ann") == nil)
      #expect(theater.positions.position(item: "y.m4b", user: "ann") == 30)
    }
  }

  @Test(
    "E11 · the end of the disc follows `whenEnded`, whichever song started it",
    arguments: WhenEnded.allCases)
  func endOfDisc(whenEnded: WhenEnded) async throws {
    try await Self.evening({ $0.activities["music"]?.whenEnded = whenEnded }) { theater in
      try await Self.listen(to: "s4", in: theater)
      await Self.goOn(to: "s5", from: "s4", in: theater)
      theater.journal.clear()
      await theater["cd"].report(
        .playback, Playback(.ended, item: "s5", position: 20, duration: 20).json)
      #expect(
        await eventually {
          let status = await theater.facade.snapshot(of: "cd")?.state.playback?.status
          let isIdle = await theater.facade.report.status == .idle
          return status != .playing && isIdle == (whenEnded == .end)
        })
      #expect(await theater.facade.report.item == (whenEnded == .end ? nil : "s5"))
      #expect(theater.journal.lines.isEmpty == (whenEnded == .stay))
      #expect(theater.positions.position(item: "s5", user: "ann") == nil)
    }
  }

  @Test("E10 N-E6 · does not mistake the player's earlier item for the chosen one")
  func before() async throws {
    try await Self.evening { theater in
      await Self.play("s4", at: 15, in: theater)
      await theater["amp"].hold("on")
      let begun = try await theater.facade.begin(
        "music", item: "s1", fromStart: false, by: Principal("ann"))
      await theater["amp"].waitForHeldCommand()
      await Self.play("s4", at: 19, in: theater)
      await Self.play("s5", at: 1, in: theater)
      #expect(await theater.facade.report.itemTitle == "Song 1")
      await theater["amp"].release()
      #expect(await begun.run.finished().status == .done)
      await Self.play("s1", at: 1, in: theater)
      #expect(await theater.facade.report.itemTitle == "Song 1")
      for song in ["s4", "s5"] {
        #expect(theater.positions.position(item: song, user: "ann") == nil)
      }
    }
  }

  @Test("E10 · a disc that goes on before the beginning is done is followed")
  func goesOnEarly() async throws {
    let step = TheaterPlan.step("lights", .lights, ["dim": 10])
    try await Self.evening({ $0.scenes["listen-music"]?.steps.append(step) }) { theater in
      await theater["lights"].hold("dim")
      let begun = try await theater.facade.begin(
        "music", item: "s1", fromStart: false, by: Principal("ann"))
      await theater["lights"].waitForHeldCommand()
      await Self.play("s1", at: 18, in: theater)
      await Self.play("s2", at: 1, in: theater)
      #expect(await eventually { await theater.facade.report.itemTitle == "Song 2" })
      await theater["lights"].release()
      #expect(await begun.run.finished().status == .done)
      #expect(await theater.facade.report.itemTitle == "Song 2")
    }
  }

  @Test("E10 · a disc that ends before the beginning is done ends the activity then")
  func endsEarly() async throws {
    let step = TheaterPlan.step("lights", .lights, ["dim": 10])
    try await Self.evening({ $0.scenes["listen-music"]?.steps.append(step) }) { theater in
      await theater["lights"].hold("dim")
      let begun = try await theater.facade.begin(
        "music", item: "s5", fromStart: false, by: Principal("ann"))
      await theater["lights"].waitForHeldCommand()
      await Self.play("s5", .ended, at: 20, in: theater)
      #expect(await theater.facade.report.status == .starting)
      await theater["lights"].release()
      #expect(await begun.run.finished().status == .done)
      #expect(await eventually { await theater.facade.report.status == .idle })
    }
  }

  @Test("E10 · where the player never reports the chosen song, its own counts once all is begun")
  func neverSeen() async throws {
    let step = TheaterPlan.step("cd", .cdPlayer, "next")
    try await Self.evening({ plan in
      plan.scenes["listen-music"]?.steps.removeLast()
      plan.scenes["listen-music"]?.steps.append(step)
    }) { theater in
      await theater["cd"].hold("next")
      let begun = try await theater.facade.begin(
        "music", item: "s1", fromStart: false, by: Principal("ann"))
      await theater["cd"].waitForHeldCommand()
      await Self.play("s2", at: 1, in: theater)
      #expect(await theater.facade.report.item == "s1")
      await theater["cd"].release()
      #expect(await begun.run.finished().status == .done)
      #expect(await eventually { await theater.facade.report.item == "s2" })
    }
  }

  @Test("a killed player's position stands still, and the song goes on where it was")
  func killedPlayer() async throws {
    try await Self.evening { theater in
      try await Self.listen(to: "s1", in: theater)
      await Self.goOn(to: "s2", from: "s1", in: theater)
      theater.clock.advance(by: .seconds(8))
      let playback = Playback(.playing, item: "s2", position: 0, duration: 20).json
      await theater["cd"].report(.playback, playback, provenance: .unknown)
      #expect(await eventually { theater.positions.position(item: "s2", user: "ann") == 8 })
      theater.clock.advance(by: .seconds(60))
      await theater["cd"].restart()
      await theater["cd"].report(.playback, Playback(.stopped).json)
      await Self.play("s2", .opening, at: 8, in: theater)
      #expect(await theater.facade.report.itemTitle == "Song 2")
      await Self.play("s2", at: 8, in: theater)
      theater.clock.advance(by: .seconds(2))
      _ = await (try await theater.facade.end(by: .owner)).finished()
      #expect(theater.positions.position(item: "s2", user: "ann") == 10)
      #expect(theater.positions.position(item: "s1", user: "ann") == nil)
    }
  }

  @Test("E10 · a player that is stopped by its own button keeps the song's position")
  func stoppedByHand() async throws {
    try await Self.evening { theater in
      try await Self.listen(to: "s1", in: theater)
      await Self.goOn(to: "s2", from: "s1", in: theater)
      theater.clock.advance(by: .seconds(9))
      await theater["cd"].report(.playback, Playback(.stopped).json)
      #expect(await eventually { theater.positions.position(item: "s2", user: "ann") == 9 })
      #expect(await theater.facade.report.item == "s2")
    }
  }

  @Test("E9 · the age limit of the next song holds, and what plays after it is named")
  func ageLimit() async throws {
    let child = Principal(ageLimit: 12)
    try await Self.evening({ $0.library.songs[1].rating = 16 }) { theater in
      let begun = try await theater.facade.begin(
        "music", item: "s1", fromStart: false, by: child.named("ben"))
      #expect(await begun.run.finished().status == .done)
      await Self.play("s1", in: theater)
      theater.journal.clear()
      await theater["cd"].report(
        .playback, Playback(.playing, item: "s2", position: 0, duration: 20).json)
      #expect(
        await eventually { await theater["cd"].snapshot().state.playback?.status == .stopped })
      #expect(theater.journal.lines == ["cd \"stop\""])
      #expect(await theater.facade.report.error?.code == .forbidden)
      await Self.play("s3", in: theater)
      #expect(
        await eventually {
          let report = await theater.facade.report
          return report.error == nil && report.itemTitle == "Song 3"
        })
    }
  }

  @Test("E9 · a failure of the player is told until it plays again")
  func failure() async throws {
    try await Self.evening { theater in
      try await Self.listen(to: "s1", in: theater)
      await theater["cd"].report(
        .playback, Playback(.failed, item: "s2", reason: "the file is damaged").json)
      #expect(
        await eventually {
          let report = await theater.facade.report
          return report.itemTitle == "Song 2" && report.error?.message == "the file is damaged"
        })
      await Self.play("s3", in: theater)
      #expect(await eventually { await theater.facade.report.error == nil })
    }
  }

  @Test("E14 · the title follows the tuner from station to station, and between them")
  func stations() async throws {
    try await Self.evening { theater in
      let begun = try await theater.facade.begin(
        "radio", item: "Jazz", fromStart: false, by: Principal("ann"))
      #expect(await begun.run.finished().status == .done)
      await theater["tuner"].report(.band, "fm")
      await theater["tuner"].report(.frequency, 91.2)
      for (station, title) in [("Rock", "Rock"), (nil, "91.2 MHz FM"), ("Jazz", "Jazz")] {
        await theater["tuner"].report(.playback, Playback(.playing, item: station).json)
        #expect(await eventually { await theater.facade.report.itemTitle == title })
      }
    }
  }
}
