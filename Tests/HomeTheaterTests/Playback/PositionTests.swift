import Devices
import HomeTheater
import JSON
import Scenes
import TestSupport
import Testing

@Suite struct PositionTests {
  @Test("E10 · saves the position while the film plays, and resumes there at the next start")
  func resuming() async throws {
    try await Theater().live { theater in
      let first = try await theater.facade.begin("film", item: "f1", fromStart: false, user: "ann")
      _ = await first.run.finished()
      #expect(first.resumedAt == nil)
      theater.clock.advance(by: .seconds(42))
      _ = await (try await theater.facade.end()).finished()
      #expect(theater.positions.position(item: "f1", user: "ann") == 42)

      theater.journal.clear()
      let second = try await theater.facade.begin("film", item: "f1", fromStart: false, user: "ann")
      #expect(second.resumedAt == 42)
      #expect(
        await theater.journal(of: second.run).last
          == #"dvd {"play":{"item":"f1","position":42}}"#)
    }
  }

  @Test("E10 · positions belong to a user, and resuming can be declined")
  func perPerson() async throws {
    try await Theater().live { theater in
      theater.positions.save(30, item: "f1", user: "ann")
      let bob = try await theater.facade.begin("film", item: "f1", fromStart: false, user: "bob")
      #expect(bob.resumedAt == nil)
      let ann = try await theater.facade.begin("film", item: "f1", fromStart: true, user: "ann")
      #expect(ann.resumedAt == nil)
      _ = await ann.run.finished()
    }
  }

  @Test("E10 · the saved position is never more than five seconds behind")
  func interval() async throws {
    try await Theater().live { theater in
      let begun = try await theater.facade.begin("film", item: "f1", fromStart: false, user: "ann")
      _ = await begun.run.finished()
      for second in stride(from: 4.0, through: 28, by: 4) {
        await theater.clock.waitForSleepers(1)
        theater.clock.advance(by: .seconds(4))
        guard second > 12 else { continue }
        #expect(
          await eventually {
            (theater.positions.position(item: "f1", user: "ann") ?? 0) >= second - 1
          })
      }
    }
  }

  @Test("E10 · an item left in its first seconds saves no position, and keeps an earlier one")
  func beginning() async throws {
    try await Theater().live { theater in
      for (seconds, saved) in [(2, nil), (42, 42), (2, 42)] as [(Double, Double?)] {
        let begun = try await theater.facade.begin("film", item: "f1", fromStart: true, user: "ann")
        _ = await begun.run.finished()
        theater.clock.advance(by: .seconds(seconds))
        _ = await (try await theater.facade.end()).finished()
        #expect(theater.positions.position(item: "f1", user: "ann") == saved)
      }
    }
  }

  @Test("E10 · going back to the beginning of an item deletes its position")
  func back() async throws {
    try await Theater().live { theater in
      let begun = try await theater.facade.begin("film", item: "f1", fromStart: true, user: "ann")
      _ = await begun.run.finished()
      for (seconds, saved) in [(42, 42), (0, nil)] as [(Double, Double?)] {
        await theater["dvd"].report(
          .playback, Playback(.paused, item: "f1", position: seconds, duration: 90).json)
        #expect(await eventually { theater.positions.position(item: "f1", user: "ann") == saved })
      }
      _ = await (try await theater.facade.end()).finished()
      #expect(theater.positions.position(item: "f1", user: "ann") == nil)
    }
  }

  @Test("E10 · clears the position of an item that was played to its end")
  func ended() async throws {
    try await Theater().live { theater in
      theater.positions.save(80, item: "f1", user: "ann")
      let begun = try await theater.facade.begin("film", item: "f1", fromStart: false, user: "ann")
      _ = await begun.run.finished()
      await theater["dvd"].report(
        .playback, Playback(.ended, item: "f1", position: 90, duration: 90).json)
      #expect(await eventually { theater.positions.position(item: "f1", user: "ann") == nil })
    }
  }

  @Test("E9 · status shows the position and the duration of the film")
  func progress() async throws {
    try await Theater().live { theater in
      let begun = try await theater.facade.begin("film", item: "f1", fromStart: false, user: "ann")
      _ = await begun.run.finished()
      await theater["dvd"].report(
        .playback, Playback(.playing, item: "f1", position: 10, duration: 90).json)
      theater.clock.advance(by: .seconds(5))
      let status = try await theater.facade.status()
      #expect(status["playback"]?["position"]?.number == 15)
      #expect(status["playback"]?["duration"]?.number == 90)
    }
  }

  @Test("E9 · lists join the configured items with those that the players found")
  func lists() async throws {
    try await Theater().live { theater in
      let songs = await theater.facade.entries(.songs)
      #expect(songs.map(\.item.title) == ["Opening", "A Found Song"])
      #expect(songs.last?.players == ["cd"])
      #expect(songs.last?.item.artist == "Nobody")
      #expect(await theater.facade.entries(.films).count == 2)
    }
  }
}
