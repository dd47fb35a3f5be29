import Devices
import InMemoryDevices
import JSON
import PluginProtocol
import TestSupport
import Testing

@testable import Simulated

@Suite("E15 · simulated players, tuner and amplifier", .timeLimit(.minutes(5)))
struct PlayerTests {
  @Test("E15 · a disc is loaded, plays, reports its position every 5 s, and ends")
  func plays() async throws {
    try await TheaterBench.run(.dvdPlayer, ["loadTime": 2]) { bench in
      try await bench.perform("on")
      try await bench.perform(["play": ["item": "the-long-hall", "position": 48]])
      #expect(await bench.playback?.status == .opening)
      await bench.advance(by: .seconds(2))
      let start = try await bench.playback { $0.status == .playing }
      #expect(start.position == 48)
      #expect(start.duration == 60)
      #expect(start.rate == 1)
      for position in [53.0, 58] {
        await bench.advance(by: .seconds(5))
        let anchor = try await bench.playback { _ in true }
        #expect(anchor.position == position)
      }
      await bench.advance(by: .seconds(2))
      let end = try await bench.playback { $0.status == .ended }
      #expect(end.position == 60)
      #expect(end.rate == 0)
    }
  }

  @Test("E15 · a song whose end is heard while it is paused ends at the next play")
  func endsAfterPause() throws {
    let song = DiscItem(CatalogueItem(id: "a", title: "A", duration: 0.01))
    var player = DiscPlayerModel<CDPlayerCommand>([song], whenOff: .refuse)
    let play = CDPlayerCommand.play(PlayRequest())
    _ = try player.perform(.on, at: .zero)
    player.followCable(at: .zero)
    _ = try player.perform(play, at: .zero)
    _ = try player.perform(.pause, at: .milliseconds(5))
    #expect(player.finish(epoch: player.epoch, at: .milliseconds(10)).values.isEmpty)
    #expect(player.status == .paused)
    _ = try player.perform(play, at: .seconds(1))
    #expect(player.status == .ended)
    // A seek begins another epoch, whose end was not heard.
    _ = try player.perform(play, at: .seconds(2))
    _ = try player.perform(.pause, at: .seconds(2))
    _ = player.finish(epoch: player.epoch, at: .seconds(2))
    _ = try player.perform(.seek(0), at: .seconds(3))
    _ = try player.perform(play, at: .seconds(3))
    #expect(player.status == .playing)
  }

  @Test("E15 · pause keeps the position, play resumes there, stop discards it")
  func pauses() async throws {
    try await TheaterBench.run(.cdPlayer, ["speed": 0]) { bench in
      try await bench.perform("on")
      try await bench.perform(["play": ["item": "last-light"]])
      await bench.advance(by: .seconds(3))
      try await bench.perform("pause")
      #expect(
        await bench.playback == Playback(.paused, item: "last-light", position: 3, duration: 50))
      bench.clock.advance(by: .seconds(100))
      try await bench.perform("play")
      #expect(
        await bench.playback == Playback(.playing, item: "last-light", position: 3, duration: 50))
      try await bench.perform("stop")
      #expect(await bench.playback == Playback(.stopped))
      try await bench.perform("pause")
      #expect(await bench.playback?.status == .stopped, "nothing to hold")
    }
  }

  @Test("E15 · eject stops and opens the tray, play closes it first")
  func ejects() async throws {
    try await TheaterBench.run(.cdPlayer, ["trayTime": 2, "loadTime": 0]) { bench in
      try await bench.perform("on")
      try await bench.perform("play")
      #expect(await bench.playback?.status == .playing)
      try await bench.perform("eject")
      #expect(await bench.playback?.status == .stopped)
      #expect(await bench.state(.tray) == "moving")
      await bench.advance(by: .seconds(2))
      #expect(try await bench.nextReport(of: .tray) == "open")
      try await bench.perform("play")
      #expect(await bench.state(.tray) == "moving")
      #expect(await bench.playback?.status == .opening)
      await bench.advance(by: .seconds(2))
      try await bench.playback { $0.status == .playing }
      #expect(await bench.state(.tray) == "closed")
    }
  }

  @Test("E15 · next and previous skip chapters of a film and songs of a CD")
  func skips() async throws {
    try await TheaterBench.run(.dvdPlayer, ["speed": 0]) { bench in
      try await bench.perform("on")
      #expect(try await bench.refusal(of: "next").code == .notNow, "nothing plays")
      try await bench.perform(["play": ["item": "night-ferry"]])
      for position in [30.0, 60, 90] {
        try await bench.perform("next")
        #expect(await bench.playback?.position == position)
      }
      #expect(try await bench.refusal(of: "next").message == "this is the last chapter")
      await bench.advance(by: .seconds(4))
      for position in [90.0, 60] {
        try await bench.perform("previous")
        #expect(await bench.playback?.position == position, "first to the chapter's own beginning")
      }
    }
    try await TheaterBench.run(.cdPlayer, ["speed": 0]) { bench in
      try await bench.perform("on")
      try await bench.perform("play")
      try await bench.perform("next")
      #expect(await bench.playback?.item == "stairwell")
      try await bench.perform("previous")
      #expect(await bench.playback?.item == "first-bus")
      try await bench.perform("previous")
      #expect(await bench.playback?.item == "first-bus")
    }
  }

  @Test("E15 · without a cable the player goes on to the next song by the clock")
  func goesOn() async throws {
    try await TheaterBench.run(.cdPlayer, ["speed": 0]) { bench in
      try await bench.perform("on")
      try await bench.perform(["play": ["item": "first-bus", "position": 38]])
      await bench.advance(by: .seconds(3))
      let playback = try await bench.playback { $0.item == "stairwell" }
      #expect(playback.position == 1)
    }
  }

  @Test("E9 E10 · five songs follow each other, each reported at its end, then the disc ends")
  func disc() async throws {
    let songs = JSON.array(
      (1...5).map { ["id": .string("s\($0)"), "title": "S", "duration": 30] })
    try await TheaterBench.run(.cdPlayer, ["speed": 0, "songs": songs]) { bench in
      try await bench.perform("on")
      try await bench.perform(["play": ["item": "s1", "position": 28]])
      for number in 1...4 {
        let reports = await bench.reports.count
        await bench.advance(by: .seconds(3))
        try await bench.playback { $0.item == "s\(number + 1)" }
        let news = await bench.reports.dropFirst(reports).compactMap { Playback($0.value) }
        #expect(
          news.first
            == Playback(.playing, item: "s\(number)", position: 30, duration: 30, rate: 0))
        #expect(news.last?.status == .playing && news.last?.duration == 30)
        if number == 1 {
          let before = await bench.reports.count
          for command: JSON in ["next", "next", "previous", "previous", ["seek": 28]] {
            try await bench.perform(command)
          }
          let items = await bench.reports.dropFirst(before).compactMap { Playback($0.value) }
          #expect(items.map(\.item) == ["s3", "s4", "s3", "s2", "s2"])
          #expect(items.allSatisfy { $0.position < 30 })
        } else {
          try await bench.perform(["seek": 28])
        }
      }
      await bench.advance(by: .seconds(3))
      let end = try await bench.playback { $0.status == .ended }
      #expect(end == Playback(.ended, item: "s5", position: 30, duration: 30))
    }
  }

  @Test("E9 E15 · refuses an unknown item with a hint, and a position beyond the end")
  func refusesWrongItems() async throws {
    try await TheaterBench.run(.dvdPlayer, ["speed": 0]) { bench in
      try await bench.perform("on")
      let unknown = try await bench.refusal(of: ["play": ["item": "night-fery"]])
      #expect(unknown.code == .invalid)
      #expect(unknown.hint == "Did you mean \"night-ferry\"?")
      let beyond = try await bench.refusal(
        of: ["play": ["item": "night-ferry", "position": 120]])
      #expect(beyond.code == .invalid)
      #expect(beyond.message.contains("120"))
      #expect(try await bench.refusal(of: ["seek": 5]).code == .notNow)
      try await bench.perform("play")
      #expect(try await bench.refusal(of: ["seek": 120]).code == .invalid)
      try await bench.perform(["seek": 119.5])
      #expect(await bench.playback?.position == 119.5)
    }
    try await TheaterBench.run(.dvdPlayer, ["films": []]) { bench in
      try await bench.perform("on")
      #expect(try await bench.refusal(of: "play").code == .notNow)
    }
  }

  @Test("E9 · a player lists its items; configured films replace those of the demo")
  func scans() async throws {
    try await TheaterBench.run(.dvdPlayer) { bench in
      let films = try await bench.scan("a")
      #expect(films.map(\.id) == ["night-ferry", "paper-moons", "the-long-hall"])
      #expect(films.allSatisfy { $0.channels == 6 && ($0.duration ?? 0) > 0 })
      let own: JSON = [["id": "x", "title": "X", "duration": 5]]
      try await bench.open("b", .dvdPlayer, ["films": own])
      #expect(try await bench.scan("b").map(\.title) == ["X"])
      try await bench.open("c", .cdPlayer)
      #expect(
        try await bench.scan("c").map(\.artist) == Array(repeating: "The Sine Waves", count: 3))
      try await bench.open("d", .lights)
      #expect(try await bench.scan("d") == [])
    }
  }

  @Test("E14 E15 · the tuner checks its bands, keeps a frequency for each, and names stations")
  func tunes() async throws {
    try await TheaterBench.run(.tuner) { bench in
      try await bench.perform("on")
      #expect(await bench.state(.station) == "Lantern Radio")
      try await bench.perform(["fm": 91.2])
      #expect(await bench.state(.station) == "Harbour Jazz")
      #expect(await bench.playback?.title == "The Quay Trio – Night Tide")
      try await bench.perform(["am": 900])
      #expect(await bench.state(.station) == .null)
      #expect(await bench.playback?.reason == "noise")
      #expect(await bench.playback?.title == nil)
      try await bench.perform(["frequency": 809])
      #expect(await bench.state(.station) == "Old Valley", "1 kHz off is near enough")
      #expect(await bench.state(.frequency) == 809)
      try await bench.perform("fm")
      #expect(await bench.state(.frequency) == 91.2)
      let error = try await bench.refusal(of: ["frequency": 810])
      #expect(error.code == .invalid)
      #expect(error.message.contains("FM"))
      let typo = try await bench.refusal(of: ["station": "Lantern Rado"])
      #expect(typo.hint == "Did you mean \"Lantern Radio\"?")
      try await bench.perform(["station": "Old Valley"])
      #expect(await bench.state(.band) == "am")
      try await bench.perform("off")
      #expect(await bench.playback?.status == .stopped)
    }
  }

  @Test("E15 · the amplifier takes the inputs of its wires and refuses volumes above its cap")
  func amplifier() async throws {
    try await TheaterBench.run(.amplifier, ["volumeCap": 80, "inputs": ["dvd", "aux"]]) { bench in
      try await bench.perform("on")
      for input in ["aux", "pc"] {
        try await bench.perform(["input": .string(input)])
        #expect(await bench.state(.input) == .string(input))
      }
      try await bench.perform(["volume": 80])
      let loud = try await bench.refusal(of: ["volume": 81])
      #expect(loud.code == .refused)
      #expect(loud.message == "the volume is limited to 80 %")
      #expect(await bench.state(.volume) == 80)
      try await bench.perform("off")
      try await bench.perform("on")
      #expect(await bench.state(.volume) == 40, "never turns on louder than the start-up volume")
      for command: JSON in ["mute", "off", "on"] { try await bench.perform(command) }
      #expect(await bench.state(.muted) == false, "never turns on muted")
    }
  }
}

extension TheaterBench {
  func scan(_ device: DeviceID) async throws -> [CatalogueItem] {
    let result = try await call(ScanRequest(device: device, folder: nil)).get()
    return try #require(ScanRequest.decodeAnswer(result)).items
  }
}
