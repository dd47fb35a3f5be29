import Devices
import JSON
import PluginKit
import PluginProtocol
import TestSupport
import Testing

@testable import Simulated

@Suite("E15 F4 · simulated players send real sound", .realTime, .timeLimit(.minutes(5)))
struct SoundTests {
  @Test("E15 · each of the six channels of a film has its own tone")
  func surround() async throws {
    try await Self.run(.dvdPlayer, play: ["play": ["item": "paper-moons"]]) { _, speaker in
      let heard = try await speaker.wait("six channels") { $0.frames >= 9600 }
      #expect(heard.format?.rate == 48_000)
      #expect(heard.format?.layout == 0x3F)
      let tones = [440, 550, 660, 55, 770, 880.0]
      for (channel, tone) in tones.enumerated() {
        for (other, foreign) in tones.enumerated() {
          let amplitude = heard.amplitude(of: foreign, in: channel)
          let expected = channel == other ? Signal.amplitude : 0
          #expect(abs(amplitude - expected) < 0.01, "\(foreign) Hz in channel \(channel), \(tone)")
        }
      }
    }
  }

  @Test("E15 · two-channel audio mixes a playing film down, and surround audio undoes that")
  func twoChannels() async throws {
    let films: JSON = [["id": "long", "title": "Long", "duration": 86_400, "tone": 440]]
    try await Self.run(.dvdPlayer, ["films": films], play: "play") { bench, speaker in
      _ = try await speaker.wait("six channels") { $0.channels.count == 6 && $0.frames > 4800 }
      try await bench.perform("twoChannelAudio")
      let heard = try await speaker.wait("two channels") {
        $0.channels.count == 2 && $0.frames >= 9600
      }
      #expect(heard.amplitude(of: 440, in: 0) > 0.09)
      #expect(heard.amplitude(of: 660, in: 0) > 0.06)
      #expect(heard.amplitude(of: 770, in: 0) > 0.06)
      #expect(heard.amplitude(of: 550, in: 0) < 0.01, "the front right goes to the right only")
      #expect(heard.amplitude(of: 550, in: 1) > 0.09)
      #expect(heard.amplitude(of: 55, in: 0) < 0.01, "the low channel is left out")
      try await bench.perform("surroundAudio")
      _ = try await speaker.wait("six channels again") { $0.channels.count == 6 && $0.frames > 0 }
      #expect(await bench.playback?.status == .playing)
    }
  }

  @Test("E15 · the film is heard after each of 40 channel changes")
  func changesOften() async throws {
    let films: JSON = [["id": "long", "title": "Long", "duration": 86_400, "tone": 440]]
    try await Self.run(.dvdPlayer, ["films": films], play: "play") { bench, speaker in
      for _ in 1...20 {
        for (command, channels) in [("twoChannelAudio", 2), ("surroundAudio", 6)] {
          try await bench.perform(.string(command))
          _ = try await speaker.wait("\(channels) channels") {
            $0.channels.count == channels && $0.frames > 0
          }
        }
      }
    }
  }

  @Test("E15 · each song has its own tones, left and right")
  func songs() async throws {
    try await Self.run(.cdPlayer, play: ["play": ["item": "stairwell"]]) { bench, speaker in
      let heard = try await speaker.wait("a song") { $0.frames >= 9600 }
      #expect(heard.format == .compactDisc)
      #expect(abs(heard.amplitude(of: 340, in: 0, last: 4410) - Signal.amplitude) < 0.01)
      #expect(abs(heard.amplitude(of: 510, in: 1, last: 4410) - Signal.amplitude) < 0.01)
      try await bench.perform("next")
      let next = try await speaker.wait("the next song") {
        $0.flushes > 0 && $0.amplitude(of: 380, in: 0, last: 4410) > 0.2
      }
      #expect(next.amplitude(of: 340, in: 0, last: 4410) < 0.01)
    }
  }

  @Test("E15 · a film ends only when the last frame was heard, at its full length")
  func ends() async throws {
    let films: JSON = [["id": "short", "title": "Short", "duration": 1, "tone": 500]]
    try await Self.run(.dvdPlayer, ["films": films], play: ["play": ["item": "short"]]) {
      bench, speaker in
      let playback = try await bench.wait(until: .ended)
      #expect(playback.position == 1)
      #expect(playback.item == "short")
      let heard = speaker.now
      #expect(heard.ends == 1)
      #expect(heard.total == 48_000, "every frame, and none twice")
    }
  }

  @Test("E15 · a song is followed by the next, and the disc ends after the last")
  func goesOn() async throws {
    let songs: JSON = [
      ["id": "one", "title": "One", "duration": 1], ["id": "two", "title": "Two", "duration": 1],
    ]
    try await Self.run(.cdPlayer, ["songs": songs], play: "play") { bench, speaker in
      try await bench.wait(until: .ended)
      let items = await bench.reports.filter { $0.key == .playback }.compactMap {
        $0.value["item"]?.string
      }
      #expect(items.first == "one")
      #expect(items.last == "two")
      #expect(speaker.now.ends == 2)
    }
  }

  @Test("E15 · pause stops the sound at the heard position; play resumes there")
  func pauses() async throws {
    try await Self.run(.cdPlayer, play: ["play": ["item": "first-bus"]]) { bench, speaker in
      _ = try await speaker.wait("a second") { $0.frames >= 20_000 }
      try await bench.perform("pause")
      let paused = try #require(await bench.playback)
      #expect(paused.status == .paused)
      #expect(paused.rate == 0)
      #expect(paused.position > 0)
      let flushes = try await speaker.wait("silence") { $0.flushes == 1 }.flushes
      #expect(flushes == 1)
      #expect(speaker.now.frames == 0, "nothing comes while it is paused")
      try await bench.perform("play")
      _ = try await speaker.wait("sound again") { $0.frames > 4800 }
      let playing = try #require(await bench.playback)
      #expect(playing.status == .playing)
      #expect(abs(playing.position - paused.position) < 0.1)
    }
  }

  @Test("E15 · a seek is heard at once and the position follows")
  func seeks() async throws {
    try await Self.run(.dvdPlayer, play: ["play": ["item": "night-ferry"]]) { bench, speaker in
      _ = try await speaker.wait("sound") { $0.frames >= 4800 }
      try await bench.perform(["seek": 60])
      let playback = try #require(await bench.playback)
      #expect((60..<61).contains(playback.position))
      _ = try await speaker.wait("sound from there") { $0.flushes > 0 && $0.frames >= 4800 }
    }
  }

  @Test("E15 · a cable plugged in during a film carries it from the current position")
  func pluggedLate() async throws {
    try await TheaterBench.run(.dvdPlayer, ["speed": 0]) { bench in
      try await bench.perform("on")
      try await bench.perform(["play": ["item": "night-ferry", "position": 30]])
      await bench.advance(by: .seconds(2))
      let speaker = try Speaker()
      defer { speaker.close() }
      _ = try await bench.call(PlugRequest(device: "a", socket: speaker.socket)).get()
      _ = try await speaker.wait("sound") { $0.frames >= 4800 }
      try await bench.perform("pause")
      let position = try #require(await bench.playback?.position)
      #expect((32..<34).contains(position))
    }
  }

  @Test("F4 · a film continues when its cable closes, and is heard again on another cable")
  func replugged() async throws {
    let films: JSON = [["id": "long", "title": "Long", "duration": 86_400, "tone": 440]]
    try await Self.run(.dvdPlayer, ["films": films], play: "play") { bench, speaker in
      _ = try await speaker.wait("the first amplifier") { $0.frames >= 9600 }
      try await bench.perform("pause")
      let before = try #require(await bench.playback?.position)
      try await bench.perform("play")
      speaker.close()
      let other = try Speaker()
      defer { other.close() }
      _ = try await bench.call(PlugRequest(device: "a", socket: other.socket)).get()
      let heard = try await other.wait("the other amplifier") { $0.frames >= 4800 }
      #expect(abs(heard.amplitude(of: 440, in: 0) - Signal.amplitude) < 0.01)
      try await bench.perform("pause")
      #expect(try #require(await bench.playback?.position) >= before)
      #expect(await bench.playback?.status == .paused)
    }
  }

  @Test("F4 · plugging into a missing socket fails with a hint, and the film plays on")
  func unpluggable() async throws {
    try await TheaterBench.run(.dvdPlayer, ["speed": 0]) { bench in
      try await bench.perform("on")
      try await bench.perform("play")
      let socket = CableSocket(path: "/nowhere/s", token: String(repeating: "a", count: 64))
      guard
        case .failure(let error) = try await bench.call(PlugRequest(device: "a", socket: socket))
      else { throw Unexpected(what: "plugged into nothing") }
      #expect(error.deviceError(device: "a").code == .failed)
      #expect(error.deviceError(device: "a").hint?.isEmpty == false)
      try await bench.perform("pause")
      #expect(await bench.playback?.status == .paused)
    }
  }

  @Test("E14 E15 · the tuner sends the sound of a station, and noise between stations")
  func tuner() async throws {
    try await Self.run(.tuner, play: ["fm": 98.5]) { bench, speaker in
      let station = try await speaker.wait("Lantern Radio") { $0.frames >= 4410 }
      #expect(abs(station.amplitude(of: 520, in: 0, last: 4410) - Signal.amplitude) < 0.01)
      try await bench.perform(["fm": 100])
      let noise = try await speaker.wait("noise") {
        $0.frames >= 4410 && $0.amplitude(of: 520, in: 0, last: 4410) < 0.02
      }
      #expect((0.04...0.07).contains(noise.level(in: 0, last: 4410)))
      #expect(noise.channels[0].suffix(100) != noise.channels[1].suffix(100))
      try await bench.perform("am")
      let am = try await speaker.wait("Old Valley") {
        $0.frames >= 4410 && $0.amplitude(of: 640, in: 0, last: 4410) > 0.2
      }
      #expect(abs(am.amplitude(of: 640, in: 1, last: 4410) - Signal.amplitude) < 0.01)
    }
  }

  @Test("E13 E15 · the amplifier meters the selected input only")
  func amplifierMeters() async throws {
    try await TheaterBench.run(.amplifier) { bench in
      let folder = try TemporaryFolder()
      defer { withExtendedLifetime(folder) {} }
      try await bench.open("dvd", .dvdPlayer, ["speed": 0])
      try await bench.open("cd", .cdPlayer, ["speed": 0])
      for name in ["dvd", "cd"] {
        let socket = CableSocket(
          path: folder.path(of: name), token: String(repeating: "6", count: 64))
        _ = try await bench.call(OpenSocketRequest(device: "a", input: name, socket: socket)).get()
        _ = try await bench.call(PlugRequest(device: DeviceID(name), socket: socket)).get()
        try await bench.perform("on", on: DeviceID(name))
        try await bench.perform("play", on: DeviceID(name))
      }
      try await bench.perform("on")
      try await bench.perform(["input": "dvd"])
      let film = try await bench.attribute("rms") { $0.array?.count == 6 }
      let expected = -15.1
      for level in film.array ?? [] { #expect(abs((level.number ?? 0) - expected) < 0.5) }
      try await bench.perform(["input": "cd"])
      let song = try await bench.attribute("peak") { $0.array?.count == 2 }
      for level in song.array ?? [] { #expect(abs((level.number ?? 0) - -12) < 0.3) }
      try await bench.perform("off")
      _ = try await bench.attribute("hears") { $0.isNull }
    }
  }

  @Test("F4 · the amplifier keeps a plugged cable when its socket gets another token")
  func anotherToken() async throws {
    try await TheaterBench.run(.amplifier) { bench in
      let folder = try TemporaryFolder()
      defer { withExtendedLifetime(folder) {} }
      let path = folder.path(of: "s")
      try await bench.open("dvd", .dvdPlayer, ["speed": 0])
      let socket = CableSocket(path: path, token: String(repeating: "6", count: 64))
      _ = try await bench.call(OpenSocketRequest(device: "a", input: "dvd", socket: socket)).get()
      _ = try await bench.call(PlugRequest(device: "dvd", socket: socket)).get()
      try await bench.perform("on", on: "dvd")
      try await bench.perform("play", on: "dvd")
      try await bench.perform("on")
      try await bench.perform(["input": "dvd"])
      _ = try await bench.attribute("rms") { $0.array?.count == 6 }
      let next = CableSocket(path: path, token: String(repeating: "7", count: 64))
      _ = try await bench.call(OpenSocketRequest(device: "a", input: "dvd", socket: next)).get()
      try await bench.perform("twoChannelAudio", on: "dvd")
      _ = try await bench.attribute("rms") { $0.array?.count == 2 }
    }
  }

  /// Runs `body` with a player that is on and plugged into a speaker, after the command `play`.
  static func run(
    _ role: Role, _ options: JSON = [:], play: JSON,
    _ body: (TheaterBench, Speaker) async throws -> Void
  ) async throws {
    var options = options.object ?? [:]
    options["speed"] = 0
    try await TheaterBench.run(role, .object(options)) { bench in
      let speaker = try Speaker()
      defer { speaker.close() }
      _ = try await bench.call(PlugRequest(device: "a", socket: speaker.socket)).get()
      try await bench.perform("on")
      try await bench.perform(play)
      try await body(bench, speaker)
    }
  }
}
