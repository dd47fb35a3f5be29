import Devices
import JSON
import Scenes
import TestSupport
import Testing

@testable import HomeTheater

@Suite struct TransportTests {
  @Test("E11 · pause, resume, relative seek, next and previous reach the current player")
  func transport() async throws {
    try await Theater().live { theater in
      let begun = try await theater.facade.begin("film", item: "f1", fromStart: false, user: "a")
      _ = await begun.run.finished()
      await theater["dvd"].report(
        .playback, Playback(.playing, item: "f1", position: 20, duration: 90).json)
      theater.clock.advance(by: .seconds(5))
      theater.journal.clear()
      try await theater.facade.seek(30, isRelative: true)
      try await theater.facade.seek(-500, isRelative: true)
      try await theater.facade.seek(500, isRelative: true)
      try await theater.facade.pause()
      try await theater.facade.resume()
      try await theater.facade.next()
      try await theater.facade.previous()
      #expect(
        theater.journal.lines == [
          #"dvd {"seek":55}"#, #"dvd {"seek":0}"#, #"dvd {"seek":90}"#, #"dvd "pause""#,
          #"dvd "play""#, #"dvd "next""#, #"dvd "previous""#,
        ])
    }
  }

  @Test("E15 · the volume changes by percentage points and stays within 0 and 100")
  func volume() async throws {
    let theater = Theater()
    try await theater.facade.changeVolume(.to(40))
    try await theater.facade.changeVolume(.by(5))
    #expect(await theater["amp"].snapshot().state.volume == 45)
    try await theater.facade.changeVolume(.by(.max))
    #expect(await theater["amp"].snapshot().state.volume == 100)
    try await theater.facade.changeVolume(.by(-1000))
    #expect(await theater["amp"].snapshot().state.volume == 0)
    try await theater.facade.changeVolume(.toggleMute)
    #expect(await theater["amp"].snapshot().state.isMuted == true)
    try await theater.facade.changeVolume(.toggleMute)
    #expect(await theater["amp"].snapshot().state.isMuted == false)
    await #expect(throws: TheaterError.self) { try await theater.facade.changeVolume(.to(101)) }
  }

  @Test("E15 · two simultaneous mute toggles mute and unmute")
  func simultaneousToggles() async throws {
    let theater = Theater()
    let (facade, amplifier) = (theater.facade, theater["amp"])
    await amplifier.hold("mute")
    await amplifier.hold("unmute")
    async let muted = facade.changeVolume(.toggleMute)
    async let unmuted = facade.changeVolume(.toggleMute)
    await amplifier.waitForHeldCommands(2)
    await amplifier.release()
    _ = try await (muted, unmuted)
    #expect(theater.journal.lines == [#"amp "mute""#, #"amp "unmute""#])
  }

  @Test("E15 · simultaneous relative volume changes add up, and reach the amplifier in order")
  func simultaneousVolume() async throws {
    let theater = Theater()
    let (facade, amplifier) = (theater.facade, theater["amp"])
    for _ in 1...500 {
      try await facade.changeVolume(.to(50))
      theater.journal.clear()
      await amplifier.hold("volume")
      async let first = facade.changeVolume(.by(5))
      async let second = facade.changeVolume(.by(5))
      await amplifier.waitForHeldCommands(2)
      await amplifier.release()
      _ = try await (first, second)
      #expect(theater.journal.lines == [#"amp {"volume":55}"#, #"amp {"volume":60}"#])
      #expect(await amplifier.snapshot().state.volume == 60)
    }
  }

  @Test("E11 · simultaneous relative seeks add up")
  func simultaneousSeeks() async throws {
    try await Theater().live { theater in
      let begun = try await theater.facade.begin("film", item: "f1", fromStart: false, user: "a")
      _ = await begun.run.finished()
      let (facade, player) = (theater.facade, theater["dvd"])
      await player.report(
        .playback, Playback(.playing, item: "f1", position: 20, duration: 90).json)
      await player.hold("seek")
      async let first = facade.seek(10, isRelative: true)
      async let second = facade.seek(10, isRelative: true)
      await player.waitForHeldCommands(2)
      await player.release()
      _ = try await (first, second)
      #expect(
        theater.journal.lines.filter { $0.contains("seek") } == [
          #"dvd {"seek":30}"#, #"dvd {"seek":40}"#,
        ])
    }
  }

  @Test("E11 · while nothing is on, playback commands are refused with a hint")
  func idle() async throws {
    let theater = Theater()
    await #expect(throws: TheaterError.self) { try await theater.facade.pause() }
    let error = await #expect(throws: TheaterError.self) {
      try await theater.facade.seek(10, isRelative: false)
    }
    #expect(error?.code == .notNow)
    #expect(error?.hint != nil)
    await #expect(throws: TheaterError.self) { _ = try await theater.facade.end() }
  }

  @Test("E11 · turns everything off, whichever activity is on")
  func off() async throws {
    try await Theater().live { theater in
      let begun = try await theater.facade.begin("film", item: "f1", fromStart: false, user: "a")
      _ = await begun.run.finished()
      theater.journal.clear()
      let run = try await theater.facade.turnEverythingOff()
      #expect(
        await theater.journal(of: run) == [
          #"dvd "off""#, #"cd "off""#, #"tuner "off""#, #"popper "off""#, #"amp "off""#,
          #"projector "off""#, #"screen "up""#, #"lights "off""#,
        ])
      #expect(await theater.facade.report.status == .idle)
    }
  }
}
