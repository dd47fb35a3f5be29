import Devices
import JSON
import Scenes
import TestSupport
import Testing

@testable import HomeTheater

/// A player that fails has not ended: the activity stays, and the item can be tried again.
@Suite struct PlaybackFailureTests {
  private static let limit = Duration.seconds(20 * 60)
  private static let reason = "the server closed the connection"

  /// A theater in which a film plays that has come to its 50th second.
  private static func film(
    by principal: Principal = Principal("ann"), _ change: (inout TheaterPlan) -> Void = { _ in },
    _ body: @Sendable (Theater) async throws -> Void
  ) async throws {
    var plan = TheaterPlan.evening
    plan.library.films[0].duration = 7200
    change(&plan)
    try await Theater(plan: plan).live { theater in
      let begun = try await theater.facade.begin(
        "film", item: "f1", fromStart: false, by: principal)
      #expect(await begun.run.finished().status == .done)
      #expect(await eventually { await theater.facade.report.status == .running })
      await report(.playing, at: 0, in: theater)
      theater.clock.advance(by: .seconds(50))
      theater.journal.clear()
      try await body(theater)
    }
  }

  /// The DVD player reports a state, and the facade has seen it.
  private static func report(
    _ status: Playback.Status, item: String? = "f1", at position: Double, in theater: Theater,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async {
    let playback = Playback(
      status, item: item, position: position, duration: 7200,
      reason: status == .failed ? reason : nil)
    await theater["dvd"].report(.playback, playback.json)
    #expect(
      await eventually { await theater.facade.snapshot(of: "dvd")?.state.playback == playback },
      sourceLocation: sourceLocation)
  }

  private static func fail(in theater: Theater) async {
    await report(.failed, at: 48, in: theater)
    #expect(await eventually { await theater.facade.report.retryAt == 48 })
    // One saves the position, the other one times the failure.
    #expect(await eventually { theater.clock.sleeperCount == 2 })
  }

  /// The commands to devices since the journal was cleared.
  private static func commands(_ theater: Theater) -> [String] {
    theater.journal.lines.filter { !$0.contains(" plug ") }
  }

  /// Expects that the time of a failure leaves the activity as it is.
  private static func expectNoEnd(_ theater: Theater) async {
    #expect(await eventually { theater.clock.sleeperCount == 1 })
    theater.clock.advance(by: limit * 2)
    #expect(await eventually { theater.clock.sleeperCount == 1 })
    #expect(await theater.facade.report.status == .running)
    #expect(!commands(theater).contains { $0.hasPrefix("projector") })
  }

  @Test("E10 · a film that breaks off stays on, keeps its position, and says what to do")
  func staysOn() async throws {
    try await Self.film { theater in
      let place = theater.facade.events.sequence
      await Self.fail(in: theater)
      let report = await theater.facade.report
      #expect(report.status == .running && report.item == "f1")
      #expect(report.error?.message == Self.reason && report.error?.device == "dvd")
      #expect(report.error?.hint?.hasPrefix("\"resume\" tries it again at 0:48.") == true)
      #expect(report.error?.hint?.contains("ends in 20 min") == true)
      #expect(await eventually { theater.positions.position(item: "f1", user: "ann") == 48 })
      #expect(Self.commands(theater).isEmpty)
      let reports = (theater.facade.events.entries(after: place) ?? []).compactMap {
        entry -> ActivityReport? in
        guard case .activity(let report, _) = entry.event else { return nil }
        return report
      }
      #expect(reports.map(\.retryAt) == [48])
      let status = try await theater.facade.status()["activity"]
      #expect(status?["retryAt"]?.number == 48 && status?["error"]?["hint"] != nil)
    }
  }

  @Test("resume tries the film again where it failed, and its success ends the failure")
  func retry() async throws {
    try await Self.film { theater in
      await Self.fail(in: theater)
      let confirmation = try await theater.facade.resume()
      #expect(confirmation == .observed)
      #expect(Self.commands(theater) == [#"dvd {"play":{"item":"f1","position":48}}"#])
      #expect(await theater.facade.report.error == nil)
      #expect(await theater.facade.report.retryAt == nil)
      await Self.expectNoEnd(theater)
    }
  }

  @Test(
    "a play command without an item tries it again as well",
    arguments: ["command", "session"])
  func play(_ way: String) async throws {
    try await Self.film { theater in
      await Self.fail(in: theater)
      switch way {
      case "command":
        _ = try await theater.facade.perform("play", on: "dvd", until: .settled, by: .owner)
      default: try await theater.facade.session(for: .owner).dvd.play()
      }
      #expect(Self.commands(theater) == [#"dvd {"play":{"item":"f1","position":48}}"#])
      await Self.expectNoEnd(theater)
    }
  }

  @Test("E10 · a film that nobody tries again ends after 20 minutes, and keeps the reason")
  func ends() async throws {
    try await Self.film { theater in
      await Self.fail(in: theater)
      theater.clock.advance(by: Self.limit - .seconds(1))
      #expect(await theater.facade.report.status == .running)
      #expect(Self.commands(theater).isEmpty)
      await theater["popper"].fail("off", with: DeviceError(.unavailable, "unplugged"))
      await theater["screen"].fail("up", with: DeviceError(.unavailable, "unplugged"))
      theater.clock.advance(by: .seconds(1))
      #expect(await eventually { await theater.facade.report.status == .idle })
      #expect(Self.commands(theater).contains(#"projector "off""#))
      #expect(
        await theater.facade.report.error?.message
          == "it did not play for 20 min, so \"film\" ended: \(Self.reason)")
      #expect(theater.positions.position(item: "f1", user: "ann") == 48)
      let again = try await theater.facade.begin("film", item: "f1", fromStart: false, user: "ann")
      #expect(again.resumedAt == 48)
      #expect(await again.run.finished().status == .done)
    }
  }

  @Test(
    "the time of a failure is set in the configuration",
    arguments: [(.end(after: .seconds(60)), true), (.stay, false)] as [(WhenFailed, Bool)])
  func setting(whenFailed: WhenFailed, ends: Bool) async throws {
    try await Self.film(by: Principal("ann"), { $0.activities["film"]?.whenFailed = whenFailed }) {
      theater in
      await Self.report(.failed, at: 48, in: theater)
      #expect(await eventually { theater.clock.sleeperCount == (ends ? 2 : 1) })
      theater.clock.advance(by: .seconds(60))
      if ends {
        #expect(await eventually { await theater.facade.report.status == .idle })
      } else {
        theater.clock.advance(by: Self.limit * 4)
        #expect(await eventually { theater.clock.sleeperCount == 1 })
        #expect(await theater.facade.report.status == .running)
        #expect(await theater.facade.report.error?.hint?.contains("ends in") == false)
      }
    }
  }

  @Test("a hole in the network is no failure: the film waits, and goes on by itself")
  func hole() async throws {
    try await Self.film { theater in
      await Self.report(.opening, at: 48, in: theater)
      #expect(await eventually { theater.clock.sleeperCount == 2 })
      theater.clock.advance(by: .seconds(10))
      #expect(await theater.facade.report.status == .running)
      #expect(await theater.facade.report.error == nil)
      await Self.report(.playing, at: 48, in: theater)
      await Self.expectNoEnd(theater)
      #expect(Self.commands(theater).isEmpty)
    }
  }

  @Test("a film that only waits ends after the time of a failure: no lamp burns all night")
  func waitsForEver() async throws {
    try await Self.film { theater in
      await Self.report(.opening, at: 48, in: theater)
      #expect(await eventually { theater.clock.sleeperCount == 2 })
      theater.clock.advance(by: Self.limit)
      #expect(await eventually { await theater.facade.report.status == .idle })
      #expect(Self.commands(theater).contains(#"projector "off""#))
    }
  }

  @Test("another attempt of a person begins the time anew, one of the player does not")
  func failsAgain() async throws {
    try await Self.film { theater in
      await Self.fail(in: theater)
      theater.clock.advance(by: .seconds(15 * 60))
      // The player tries again by itself.
      await Self.report(.opening, at: 48, in: theater)
      await Self.report(.failed, at: 48, in: theater)
      theater.clock.advance(by: .seconds(4 * 60))
      await theater["dvd"].fail("play", with: DeviceError(.failed, "no route to the host"))
      let refused = await refusal { () async throws(TheaterError) in
        try await theater.facade.resume()
      }
      #expect(refused?.message == "no route to the host")
      #expect(await theater.facade.report.retryAt == 48)
      #expect(await eventually { theater.clock.sleeperCount == 2 })
      theater.clock.advance(by: Self.limit - .seconds(1))
      #expect(await theater.facade.report.status == .running)
      theater.clock.advance(by: .seconds(1))
      #expect(await eventually { await theater.facade.report.status == .idle })
    }
  }

  @Test("attempts of the player itself do not keep a lamp on")
  func playerTries() async throws {
    try await Self.film { theater in
      await Self.fail(in: theater)
      for _ in 1...3 {
        theater.clock.advance(by: .seconds(6 * 60))
        await Self.report(.opening, at: 48, in: theater)
        await Self.report(.failed, at: 48, in: theater)
      }
      theater.clock.advance(by: .seconds(2 * 60))
      #expect(await eventually { await theater.facade.report.status == .idle })
    }
  }

  @Test("resume tries the film again after the plugin of its player has started anew")
  func restart() async throws {
    try await Self.film { theater in
      await Self.fail(in: theater)
      await theater["dvd"].setAvailability(.unavailable("its plugin ended"))
      #expect(
        await eventually { await theater.facade.snapshot(of: "dvd")?.isReachable == false })
      theater.clock.advance(by: .seconds(60))
      await theater["dvd"].report(.playback, Playback(.stopped).json)
      await theater["dvd"].restart()
      await theater["dvd"].setAvailability(.available)
      #expect(await eventually { await theater.facade.snapshot(of: "dvd")?.generation == 2 })
      #expect(await theater.facade.report.retryAt == 48)
      #expect(await theater.facade.report.error?.message == Self.reason)
      theater.journal.clear()
      try await theater.facade.resume()
      #expect(Self.commands(theater) == [#"dvd {"play":{"item":"f1","position":48}}"#])
      await Self.expectNoEnd(theater)
    }
  }

  @Test(
    "the time of a failure goes on while the player is lost, and after its restart",
    arguments: [false, true])
  func lost(comesBack: Bool) async throws {
    try await Self.film { theater in
      await Self.fail(in: theater)
      await theater["dvd"].setAvailability(.unavailable("its plugin ended"))
      #expect(
        await eventually { await theater.facade.snapshot(of: "dvd")?.isReachable == false })
      theater.clock.advance(by: .seconds(60))
      if comesBack {
        await theater["dvd"].restart()
        await theater["dvd"].report(.playback, Playback(.stopped).json)
        await theater["dvd"].setAvailability(.available)
        #expect(
          await eventually { await theater.facade.snapshot(of: "dvd")?.isReachable == true })
      }
      theater.clock.advance(by: Self.limit - .seconds(61))
      #expect(await theater.facade.report.status == .running)
      theater.clock.advance(by: .seconds(1))
      #expect(await eventually { await theater.facade.report.status == .idle })
    }
  }

  @Test("a film whose player is lost while it plays ends after the time of a failure")
  func lostWhilePlaying() async throws {
    try await Self.film { theater in
      await theater["dvd"].setAvailability(.unavailable("its plugin ended"))
      #expect(await eventually { theater.clock.sleeperCount == 2 })
      theater.clock.advance(by: Self.limit)
      #expect(await eventually { await theater.facade.report.status == .idle })
    }
  }

  @Test(
    "E11 · a pause, a stop, another start and an end are no failure any more",
    arguments: ["stop", "eject", "button", "start", "end", "pause"])
  func overBy(_ way: String) async throws {
    try await Self.film { theater in
      if way == "pause" {
        try await theater.facade.pause()
      } else {
        await Self.fail(in: theater)
      }
      switch way {
      case "stop", "eject":
        _ = try await theater.facade.perform(
          .string(way), on: "dvd", until: .settled, by: .owner)
        #expect(await theater.facade.report.error == nil)
      case "button":
        theater.clock.advance(by: .seconds(1))
        await theater["dvd"].report(.playback, Playback(.stopped).json)
        #expect(await eventually { await theater.facade.report.error == nil })
      case "start":
        let next = try await theater.facade.begin("film", item: "f2", fromStart: true, user: "ann")
        #expect(await next.run.finished().status == .done)
        theater.journal.clear()
      case "end":
        _ = await (try await theater.facade.end()).finished()
        theater.clock.advance(by: Self.limit)
        #expect(await theater.facade.report.status == .idle)
        #expect(await theater.facade.report.error == nil)
        return
      default: break
      }
      await Self.expectNoEnd(theater)
    }
  }

  @Test("E10 · a disc that goes on to its next song by itself has not failed any more")
  func goesOn() async throws {
    var plan = TheaterPlan.evening
    plan.library.songs = (1...2).map {
      LibraryItem(id: "s\($0)", title: "Song \($0)", duration: 200, player: "cd")
    }
    try await Theater(plan: plan).live(songs: 3) { theater in
      let begun = try await theater.facade.begin("music", item: "s1", fromStart: false, user: "ann")
      #expect(await begun.run.finished().status == .done)
      await theater["cd"].report(
        .playback, Playback(.failed, item: "s1", position: 7, reason: "it is damaged").json)
      #expect(await eventually { await theater.facade.report.retryAt == 7 })
      await theater["cd"].report(.playback, Playback(.playing, item: "s2").json)
      #expect(await eventually { await theater.facade.report.item == "s2" })
      #expect(await theater.facade.report.error == nil)
      await Self.expectNoEnd(theater)
      // The next song fails at its own position, not at that of the first.
      await theater["cd"].report(.playback, Playback(.failed, item: "s2", position: 3).json)
      #expect(await eventually { await theater.facade.report.retryAt == 3 })
      theater.journal.clear()
      try await theater.facade.resume()
      #expect(Self.commands(theater) == [#"cd {"play":{"item":"s2","position":3}}"#])
    }
  }

  @Test("limited people resume a failed film within their limits only")
  func limited() async throws {
    let rated: (inout TheaterPlan) -> Void = { $0.library.films[0].rating = 16 }
    try await Self.film(by: Principal("ann"), rated) { theater in
      await Self.fail(in: theater)
      for principal in [
        Principal(ageLimit: 12), Principal(permissions: [.view, .play], activities: ["music"]),
      ] {
        let refused = await refusal { () async throws(TheaterError) in
          try await theater.facade.resume(by: principal)
        }
        #expect(refused?.code == .forbidden)
      }
      #expect(Self.commands(theater).isEmpty)
      await theater["amp"].report(.volume, 80)
      let guest = Principal(permissions: [.view, .play], activities: ["film"], volumeLimit: 30)
      try await theater.facade.resume(by: guest)
      #expect(
        Self.commands(theater) == [
          #"amp {"volume":30}"#, #"dvd {"play":{"item":"f1","position":48}}"#,
        ])
    }
  }

  @Test("a resume of a failed film does not raise the age limit of its player")
  func resumeRaisesNothing() async throws {
    let rated: (inout TheaterPlan) -> Void = { $0.library.films[1].rating = 16 }
    try await Self.film(by: Principal("kim", ageLimit: 12), rated) { theater in
      await Self.fail(in: theater)
      try await theater.facade.resume()
      await theater["dvd"].report(.playback, Playback(.playing, item: "f2", duration: 60).json)
      #expect(
        await eventually { await theater["dvd"].snapshot().state.playback?.status == .stopped })
    }
  }

  @Test("E10 · a film that fails in the first moment keeps the position where it was left before")
  func failsAtOnce() async throws {
    try await Self.film { theater in
      _ = await (try await theater.facade.end()).finished()
      theater.positions.save(3000, item: "f1", user: "ann")
      let again = try await theater.facade.begin("film", item: "f1", fromStart: false, user: "ann")
      #expect(again.resumedAt == 3000)
      #expect(await again.run.finished().status == .done)
      await Self.report(.opening, at: 0, in: theater)
      await Self.report(.failed, at: 0, in: theater)
      #expect(await eventually { await theater.facade.report.retryAt == 3000 })
      #expect(theater.positions.position(item: "f1", user: "ann") == 3000)
    }
  }

  @Test(
    "a film whose start failed ends after the time of a failure, unless a person cancelled it"
  )
  func failedStart() async throws {
    for isCancelled in [false, true] {
      try await Theater().live { theater in
        await theater["dvd"].fail("play", with: DeviceError(.failed, "the disc is damaged"))
        if isCancelled { await theater["dvd"].hold("play") }
        let begun = try await theater.facade.begin(
          "film", item: "f1", fromStart: false, user: "ann")
        if isCancelled {
          await theater["dvd"].waitForHeldCommand()
          _ = try await theater.facade.cancelRun(id: begun.run.id, by: .owner)
        }
        _ = await begun.run.finished()
        #expect(await eventually { await theater.facade.report.status == .failed })
        theater.journal.clear()
        #expect(await eventually { theater.clock.sleeperCount == (isCancelled ? 1 : 2) })
        theater.clock.advance(by: Self.limit)
        if isCancelled {
          #expect(await eventually { theater.clock.sleeperCount == 1 })
          #expect(await theater.facade.report.status == .failed)
        } else {
          #expect(await eventually { await theater.facade.report.status == .idle })
          #expect(Self.commands(theater).contains(#"projector "off""#))
        }
      }
    }
  }

  @Test("E14 · resume tunes a failed radio to its station again")
  func radio() async throws {
    try await Theater().live { theater in
      let begun = try await theater.facade.begin(
        "radio", item: "Jazz", fromStart: false, user: "ann")
      #expect(await begun.run.finished().status == .done)
      await theater["tuner"].report(.playback, Playback(.failed, item: "Jazz").json)
      #expect(await eventually { await theater.facade.report.error != nil })
      theater.journal.clear()
      try await theater.facade.resume()
      #expect(Self.commands(theater) == [#"tuner {"station":"Jazz"}"#])
    }
  }
}
