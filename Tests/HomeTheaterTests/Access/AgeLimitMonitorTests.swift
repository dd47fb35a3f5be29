import Devices
import JSON
import Scenes
import Synchronization
import TestSupport
import Testing

@testable import HomeTheater

/// Items that play without a command: the next one of a disc, or one that is put in at the player.
@Suite struct AgeLimitMonitorTests {
  static let child = Principal(ageLimit: 12)
  static let grown = Principal(ageLimit: 16)

  /// The reported stops.
  final class Stops: Sendable {
    private let stops = Mutex<[LimitStop]>([])
    var all: [LimitStop] { stops.withLock { $0 } }
    func record(_ stop: LimitStop) { stops.withLock { $0.append(stop) } }
  }

  /// Runs `body` after the principal has begun a film for all ages.
  static func evening(
    begunBy principal: Principal,
    _ body: @Sendable (Theater, Stops) async throws -> Void
  ) async throws {
    let stops = Stops()
    var plan = TheaterPlan.rated
    plan.scenes["other"] = Scene(
      name: "other", steps: [TheaterPlan.step("dvd", .dvdPlayer, ["play": ["item": "f2"]])])
    try await Theater(plan: plan, limitStopped: { stops.record($0) }).live { theater in
      let begun = try await theater.facade.begin(
        "film", item: "f1", fromStart: false, by: principal.named("ben"))
      #expect(await begun.run.finished().status == .done)
      #expect(await waitUntilPlaying("f1", in: theater))
      theater.journal.clear()
      try await body(theater, stops)
    }
  }

  /// Waits until the facade has seen the player play an item.
  static func waitUntilPlaying(_ item: String, in theater: Theater) async -> Bool {
    await eventually {
      let playback = await theater.facade.snapshot(of: "dvd")?.state.playback
      return playback?.item == item && playback?.status == .playing
    }
  }

  /// Reports that the player has gone on to an item by itself.
  static func advancePlayer(
    to item: String, as status: Playback.Status = .playing, in theater: Theater
  ) async {
    await theater["dvd"].report(.playback, Playback(status, item: item, position: 1).json)
  }

  static func commands(_ theater: Theater) -> [String] {
    theater.journal.lines.filter { !$0.contains(" plug ") }
  }

  @Test(
    "a player that goes on to an item above the age limit is stopped, and the activity reports it",
    arguments: [("f2", "\"The Short Cut\", rated 16"), ("x9", "\"x9\", not in the library")])
  func goesOn(item: String, words: String) async throws {
    try await Self.evening(begunBy: Self.child) { theater, stops in
      await Self.advancePlayer(to: item, in: theater)
      #expect(await eventually { !stops.all.isEmpty })
      #expect(Self.commands(theater) == ["dvd \"stop\""])
      #expect(stops.all.map(\.words) == [words])
      #expect(stops.all.map(\.user) == ["ben"])
      let report = await theater.facade.report
      #expect(report.status == .running)
      #expect(report.error?.code == .forbidden)
      #expect(report.error?.message.contains(words) == true)
      #expect(report.error?.device == "dvd")
      let status = try await theater.facade.status()
      #expect(status["playback"]?["state"] == "stopped")
      // "Play" at the player is stopped again; a permitted item plays, and the error is cleared.
      await Self.advancePlayer(to: item, as: .opening, in: theater)
      #expect(await eventually { stops.all.count == 2 })
      await Self.advancePlayer(to: "f1", in: theater)
      #expect(await eventually { await theater.facade.report.error == nil })
      await Self.advancePlayer(to: "f3", in: theater)
      #expect(await Self.waitUntilPlaying("f3", in: theater))
      #expect(Self.commands(theater).count == 2)
    }
  }

  @Test(
    "repeats the stop command with each report of a player that refuses, and reports it once")
  func refusesToStop() async throws {
    try await Self.evening(begunBy: Self.child) { theater, stops in
      await theater["dvd"].fail("stop", with: DeviceError(.failed, "it is stuck"))
      await Self.advancePlayer(to: "f2", in: theater)
      #expect(
        await eventually {
          let error = await theater.facade.report.error
          return error?.message.hasSuffix("did not stop: it is stuck") == true
        })
      #expect(stops.all.isEmpty)
      await theater["dvd"].fail("stop", with: nil)
      await theater["dvd"].report(.playback, Playback(.playing, item: "f2", position: 6).json)
      #expect(await eventually { stops.all.count == 1 })
      #expect(await theater["dvd"].snapshot().state.playback?.status == .stopped)
    }
  }

  @Test("does not stop playback within the user's age limit, or without a limit")
  func oldEnough() async throws {
    for principal in [Principal.owner, Self.grown] {
      try await Self.evening(begunBy: principal) { theater, stops in
        await Self.advancePlayer(to: "f2", in: theater)
        #expect(await Self.waitUntilPlaying("f2", in: theater))
        #expect(await theater.facade.ageLimits.limits["dvd"]?.permittedItem == "f2")
        #expect(Self.commands(theater).isEmpty && stops.all.isEmpty)
      }
    }
  }

  /// Ways for a user without limits to choose another film in a child's activity.
  enum Choosing: CaseIterable {
    case command, scene, skipping

    func happens(in theater: Theater) async throws {
      switch self {
      case .command:
        _ = try await theater.facade.perform(["play": ["item": "f2"]], on: "dvd", until: .accepted)
      case .scene:
        _ = await (try await theater.facade.runScene("other", arguments: [:])).finished()
      case .skipping:
        _ = try await theater.facade.next()
        await AgeLimitMonitorTests.advancePlayer(to: "f2", in: theater)
      }
    }
  }

  @Test(
    "the age limit of the user who chose last counts: an older user's choice is not stopped",
    arguments: Choosing.allCases)
  func takenOver(choosing: Choosing) async throws {
    try await Self.evening(begunBy: Self.child) { theater, stops in
      try await choosing.happens(in: theater)
      #expect(
        await eventually { await theater.facade.ageLimits.limits["dvd"]?.permittedItem == "f2" })
      #expect(stops.all.isEmpty)
      // The child chooses again: the current item is not stopped, the next one is.
      await theater["dvd"].hold("play")
      async let chosen = theater.facade.perform(
        ["play": ["item": "f3"]], on: "dvd", until: .accepted, by: Self.child)
      await theater["dvd"].waitForHeldCommand()
      await theater["dvd"].report(.playback, Playback(.playing, item: "f2", position: 9).json)
      #expect(
        await eventually {
          await theater.facade.snapshot(of: "dvd")?.state.playback?.position == 9
        })
      #expect(stops.all.isEmpty)
      await theater["dvd"].release()
      _ = try await chosen
      #expect(
        await eventually { await theater.facade.ageLimits.limits["dvd"]?.permittedItem == "f3" })
      await Self.advancePlayer(to: "f2", in: theater)
      #expect(await eventually { stops.all.count == 1 })
    }
  }

  @Test("resuming after a pause keeps the age limit")
  func resumed() async throws {
    try await Self.evening(begunBy: Self.child) { theater, stops in
      try await theater.facade.pause()
      try await theater.facade.resume()
      await Self.advancePlayer(to: "f2", in: theater)
      #expect(await eventually { stops.all.count == 1 })
    }
  }

  @Test("a choice counts without an activity too, until it is stopped")
  func nothingOn() async throws {
    let stops = Stops()
    try await Theater(plan: .rated, limitStopped: { stops.record($0) }).live { theater in
      let play: JSON = ["play": ["item": "f1"]]
      _ = try await theater.facade.perform(play, on: "dvd", until: .accepted, by: Self.child)
      #expect(await Self.waitUntilPlaying("f1", in: theater))
      await Self.advancePlayer(to: "f2", in: theater)
      #expect(await eventually { stops.all.count == 1 })
      #expect(stops.all.first?.user == nil)

      _ = try await theater.facade.perform(play, on: "dvd", until: .accepted, by: Self.child)
      #expect(await Self.waitUntilPlaying("f1", in: theater))
      _ = try await theater.facade.perform("stop", on: "dvd", until: .settled)
      #expect(await eventually { await theater.facade.ageLimits.limits["dvd"] == nil })
      await Self.advancePlayer(to: "f2", in: theater)
      #expect(await Self.waitUntilPlaying("f2", in: theater))
      #expect(stops.all.count == 1)
    }
  }

  @Test("a refused command is not a choice")
  func refused() async throws {
    try await Self.evening(begunBy: Self.child) { theater, stops in
      await theater["dvd"].fail("play", with: DeviceError(.invalid, "there is no such film"))
      await #expect(throws: TheaterError.self) {
        try await theater.facade.perform(["play": ["item": "f9"]], on: "dvd", until: .accepted)
      }
      await Self.advancePlayer(to: "f2", in: theater)
      #expect(await eventually { stops.all.count == 1 })
    }
  }

  @Test("another choice does not cancel a stop under way")
  func choosingMeanwhile() async throws {
    try await Self.evening(begunBy: Self.child) { theater, stops in
      await theater["dvd"].fail("stop", with: DeviceError(.failed, "it is stuck"))
      await Self.advancePlayer(to: "f2", in: theater)
      #expect(await eventually { await theater.facade.ageLimits.limits["dvd"]?.stop != nil })
      await theater["dvd"].fail("play", with: DeviceError(.failed, "its file is gone"))
      await #expect(throws: TheaterError.self) {
        try await theater.facade.perform(
          ["play": ["item": "f1"]], on: "dvd", until: .accepted, by: Self.child)
      }
      await theater["dvd"].fail("stop", with: nil)
      await theater["dvd"].report(.playback, Playback(.playing, item: "f2", position: 7).json)
      #expect(await eventually { stops.all.count == 1 })
    }
  }
}
