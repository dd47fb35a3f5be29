import Devices
import Foundation
import JSON
import MediaFolders
import Platform
import PluginKit
import PluginProtocol
import Synchronization
import PluginTestSupport
import TestSupport
import Testing

@testable import LibavPlayer

/// A CD player with a disc of its own and a sink at its cable.
struct PlayerBench {
  let folder: TemporaryFolder
  let controller: TestController
  let sink: CapturingSink
  let media: String
  /// The player itself, for a test that cancels a call at a moment that no command can reach.
  let player: FolderCDPlayer

  /// Returns the id of the item at `path`; it begins with the name of the media folder.
  func item(_ path: String) -> String { "\(media)/\(path)" }

  init(
    _ folder: TemporaryFolder, limit: Int = .max, plugged: Bool = true, ownsFolder: Bool = true,
    clock: any TheaterClock = SystemClock()
  ) async throws {
    self.folder = folder
    media = try MediaFolder(folder.path).name
    let made = Mutex<FolderCDPlayer?>(nil)
    let plugin = Plugin(
      id: "Test", version: "1",
      devices: [
        DeviceMaker { (context) throws(DeviceError) in
          let player = try FolderCDPlayer(
            context: context, library: .inProcess, clock: clock,
            // The player stops waiting for a sink that takes nothing for too long, as a limited
            // sink does; by this clock no time passes.
            cableClock: limit < .max ? ManualCableClock() : MonotonicClock())
          made.withLock { $0 = player }
          return player
        }
      ])
    controller = try await TestController(
      plugin, role: .cdPlayer, options: ["folders": ownsFolder ? [.string(folder.path)] : []])
    player = try #require(made.withLock { $0 })
    sink = try CapturingSink(limit: limit)
    if plugged { try await controller.plug(into: sink) }
    try await controller.perform("on")
  }
}

extension MediaLibrary {
  /// A library that scans in the test's own process.
  static var inProcess: MediaLibrary {
    MediaLibrary { (folder, known) throws(MediaFailure) in try FolderScan(folder, known: known) }
  }
}

@Suite("The CD player", .realTime)
struct CDPlayerTests {
  @Test("E15 F4 · a song arrives at the cable bit for bit, and ends when it was heard to the end")
  func song() async throws {
    let folder = try TemporaryFolder()
    let tone = Tone(frames: 50_003)
    _ = try await tone.encoded("disc/song.flac", [], in: folder)
    let bench = try await PlayerBench(folder)
    try await bench.controller.play(bench.item("disc/song.flac"))
    #expect(bench.controller.playbacks.map(\.status).contains(.opening))
    try await bench.controller.wait("ended") { $0.playback?.status == .ended }
    let heard = try #require(bench.sink.stretches.first)
    #expect(heard.format == .compactDisc)
    #expect(heard.frames == tone.frames)
    let expected = (0..<tone.frames).map { Float((tone.value(0, $0) * 32767).rounded() / 32768) }
    #expect(heard.channel(0) == expected)
    let end = try #require(bench.controller.playback)
    #expect(abs(end.position - 50_003.0 / 44_100) < 0.001)
    #expect(end.item == bench.item("disc/song.flac"))
    #expect(end.rate == 0)
  }

  @Test(
    "Tracks of a disc follow each other without a gap, in their order",
    arguments: ["flac", "mp3", "ogg"])
  func gapless(kind: String) async throws {
    let folder = try TemporaryFolder()
    // One long tone, cut into tracks at an odd place: a gap would break the wave.
    let whole = Tone(frames: 132_300, frequencies: [440])
    let source = try folder.write("whole.wav", whole.wav())
    for (number, range) in [(1, "0:50011"), (2, "50011:132300")] {
      let ends = range.split(separator: ":")
      try await run(
        "ffmpeg",
        [
          "-v", "error", "-i", source, "-af",
          "atrim=start_sample=\(ends[0]):end_sample=\(ends[1]),asetpts=N/SR/TB",
          "-metadata", "track=\(number)", "-q:a", "2",
          "\(folder.file("disc/\(9 - number).\(kind)"))",
        ])
    }
    try await run("rm", [source])
    let bench = try await PlayerBench(folder)
    try await bench.controller.play(bench.item("disc/8.\(kind)"))
    try await bench.controller.wait("ended") { $0.playback?.status == .ended }
    #expect(bench.controller.playback?.item == bench.item("disc/7.\(kind)"))
    let heard = bench.sink.stretches
    #expect(heard.count == 1, "one format, one stretch")
    let samples = try #require(heard.first).channel(0)
    try #require(samples.count == 132_300)
    #expect(abs(SoundMeasurement.frequency(samples[4_000..<128_000], rate: 44_100) - 440) < 0.1)
    // Around the cut each sample must follow the uncut wave.
    let worst = (49_800..<50_200).map { abs(Double(samples[$0]) - whole.value(0, $0)) }.max() ?? 1
    #expect(worst < (kind == "flac" ? 0.001 : 0.12))
  }

  @Test("A disc of different formats plays on, each song in its own")
  func formats() async throws {
    let folder = try TemporaryFolder()
    _ = try await Tone(frames: 22_050).encoded("d/1.flac", [], in: folder)
    _ = try await Tone(rate: 48_000, frames: 24_000, frequencies: [440]).encoded(
      "d/2.wav", [], in: folder)
    let bench = try await PlayerBench(folder)
    try await bench.controller.play(bench.item("d/1.flac"))
    try await bench.controller.wait("ended") { $0.playback?.status == .ended }
    #expect(bench.sink.stretches.map(\.format.rate) == [44_100, 48_000])
    #expect(bench.sink.stretches.map(\.frames) == [22_050, 24_000])
  }

  @Test("E10 · play begins at a position, and a seek goes there to the frame")
  func positions() async throws {
    let folder = try TemporaryFolder()
    let tone = Tone(frames: 441_000, frequencies: [300], rise: 100)
    _ = try await tone.encoded("d/long.flac", [], in: folder)
    let bench = try await PlayerBench(folder, limit: 5_000)
    try await bench.controller.play(bench.item("d/long.flac"), from: 7.5)
    try await bench.sink.wait("sound") { $0.frames > 4_000 }
    #expect(abs((bench.controller.playback?.position ?? 0) - 7.5) < 0.2)
    #expect(bench.controller.playback?.duration == 10)
    let first = try #require(bench.sink.stretches.first?.channel(0).prefix(100))
    for (index, sample) in first.enumerated() {
      #expect(abs(Double(sample) - tone.value(0, 330_750 + index)) < 0.0001)
    }
    try await bench.controller.perform("pause")
    bench.sink.discardSound()
    try await bench.controller.perform(["seek": 2])
    #expect(bench.controller.playback?.status == .paused)
    #expect(bench.controller.playback?.position == 2)
    #expect(bench.sink.frames == 0)
    try await bench.controller.perform("play")
    try await bench.sink.wait("sound after the seek") { $0.frames > 100 }
    let after = try #require(bench.sink.stretches.last?.channel(0).prefix(100))
    for (index, sample) in after.enumerated() {
      #expect(abs(Double(sample) - tone.value(0, 88_200 + index)) < 0.0001)
    }
  }

  @Test("E15 · pause holds the place and play goes on with the next frame")
  func pause() async throws {
    let folder = try TemporaryFolder()
    let tone = Tone(frames: 441_000, frequencies: [300], rise: 100)
    _ = try await tone.encoded("d/a.flac", [], in: folder)
    let bench = try await PlayerBench(folder, limit: 20_000)
    try await bench.controller.play(bench.item("d/a.flac"))
    try await bench.sink.wait("sound") { $0.frames > 20_000 }
    try await bench.controller.perform("pause")
    let paused = try #require(bench.controller.playback)
    #expect(paused.status == .paused)
    let heard = bench.sink.frames
    #expect(abs(paused.position - Double(heard) / 44_100) < 0.05)
    try await bench.controller.perform("play")
    bench.sink.continueReading()
    try await bench.controller.wait("ended") { $0.playback?.status == .ended }
    let samples = bench.sink.stretches.flatMap { $0.channel(0) }
    #expect(samples.count == tone.frames)
    let worst = samples.indices.map { abs(Double(samples[$0]) - tone.value(0, $0)) }.max()
    #expect((worst ?? 1) < 0.0001)
  }

  @Test("E15 · a cancelled skip leaves the song paused, and resume plays it again")
  func cancelledSkip() async throws {
    let folder = try TemporaryFolder()
    _ = try await Self.disc(2, in: folder)
    let bench = try await PlayerBench(folder, limit: 20_000)
    try await Self.cancelSkip(bench)
    #expect(bench.controller.playback?.item == bench.item("d/1.flac"))
    try await bench.controller.perform("play")
    #expect(bench.controller.playback?.status == .playing)
    #expect(bench.controller.playback?.item == bench.item("d/1.flac"))
    bench.sink.discardSound()
    bench.sink.continueReading()
    try await bench.controller.wait("ended") { $0.playback?.status == .ended }
    #expect(bench.controller.playback?.item == bench.item("d/2.flac"))
    #expect(bench.sink.frames > 441_000)
  }

  @Test("E15 · after a cancelled skip, another skip and a seek are heard only after resume")
  func silentAfterCancelledSkip() async throws {
    let folder = try TemporaryFolder()
    _ = try await Self.disc(2, in: folder)
    let bench = try await PlayerBench(folder, limit: 20_000)
    try await Self.cancelSkip(bench)
    bench.sink.discardSound()
    try await bench.controller.perform("next")
    try await bench.controller.perform(["seek": 2])
    #expect(bench.controller.playback?.status == .paused)
    #expect(bench.controller.playback?.item == bench.item("d/2.flac"))
    #expect(bench.sink.frames == 0)
    try await bench.controller.perform("play")
    #expect(bench.controller.playback?.status == .playing)
    try await bench.sink.wait("sound after resume") { $0.frames > 100 }
  }

  /// Plays the first song of the disc, and cancels a skip to the second one.
  private static func cancelSkip(_ bench: PlayerBench) async throws {
    try await bench.controller.play(bench.item("d/1.flac"))
    try await bench.sink.wait("sound") { $0.frames > 20_000 }
    // A skip that waits for the list of the disc has not dropped the sound yet.
    for command in ["next", "previous"] { try await bench.controller.perform(.string(command)) }
    let player = bench.player
    let skip = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try await player.perform(.next)
    }
    await #expect(throws: DeviceError.self) { try await skip.value }
    // The skip did not come from the controller, so no answer follows its reports.
    try await bench.controller.wait("paused") { $0.playback?.status == .paused }
  }

  @Test("E15 · stop, eject and off silence the player and say so")
  func endings() async throws {
    let folder = try TemporaryFolder()
    _ = try await Tone(frames: 441_000).encoded("d/a.flac", [], in: folder)
    let bench = try await PlayerBench(folder, limit: 20_000)
    let item = bench.item("d/a.flac")
    try await bench.controller.play(item)
    try await bench.controller.perform("stop")
    #expect(bench.controller.playback?.status == .stopped)
    #expect(bench.controller.playback?.position == 0)
    try await bench.controller.perform("play")
    #expect(bench.controller.playback?.item == item)
    try await bench.controller.perform("eject")
    #expect(bench.controller[.tray] == "open")
    #expect(bench.controller.playback?.item == nil)
    try await bench.controller.play(item)
    #expect(bench.controller[.tray] == "closed")
    try await bench.controller.perform("off")
    #expect(bench.controller[.power] == "off")
    #expect(bench.controller.playback?.status == .stopped)
    await #expect(throws: RPCError.self) { try await bench.controller.play(item) }
    bench.sink.discardSound()
    let frames = bench.sink.frames
    try await Task.sleep(for: .milliseconds(60))
    #expect(bench.sink.frames == frames)
  }

  @Test("Next and previous walk the disc; previous in the middle of a song begins it again")
  func walking() async throws {
    let folder = try TemporaryFolder()
    for name in ["1", "2", "10"] {
      _ = try await Tone(frames: 441_000).encoded("d/\(name).flac", [], in: folder)
    }
    let bench = try await PlayerBench(folder, limit: 20_000)
    let controller = bench.controller
    try await controller.perform("play")
    #expect(controller.playback?.item == bench.item("d/1.flac"))
    try await controller.perform("next")
    #expect(controller.playback?.item == bench.item("d/2.flac"))
    try await controller.perform("next")
    #expect(controller.playback?.item == bench.item("d/10.flac"))
    await #expect(throws: RPCError.self) { try await controller.perform("next") }
    #expect(controller.playback?.status == .playing)
    try await controller.perform(["seek": 5])
    try await controller.perform("previous")
    #expect(controller.playback?.item == bench.item("d/10.flac"))
    #expect(controller.playback?.position == 0)
    try await controller.perform("previous")
    #expect(controller.playback?.item == bench.item("d/2.flac"))
    try await controller.perform("pause")
    try await controller.perform("previous")
    #expect(controller.playback?.item == bench.item("d/1.flac"))
    #expect(controller.playback?.status == .paused)
  }

  /// Writes a disc with `count` songs of ten seconds each, and returns their paths.
  private static func disc(_ count: Int, in folder: TemporaryFolder) async throws -> [String] {
    let names = (1...count).map { "d/\($0).flac" }
    for name in names { _ = try await Tone(frames: 441_000).encoded(name, [], in: folder) }
    return names
  }

  @Test("E9 E10 · reports each of five songs when it is heard, and the song before at its end")
  func goesOn() async throws {
    let folder = try TemporaryFolder()
    let names = try await Self.disc(5, in: folder)
    let bench = try await PlayerBench(folder, limit: 100_000)
    let items = names.map(bench.item)
    try await bench.controller.play(items[0])
    for (index, item) in items.enumerated() {
      bench.sink.continueReading(to: index * 441_000 + 100_000)
      try await bench.controller.wait("\(item)") { $0.playback?.item == item }
      #expect(bench.controller.playback?.status == .playing)
    }
    bench.sink.continueReading()
    try await bench.controller.wait("ended") { $0.playback?.status == .ended }
    var reports = bench.controller.playbacks.filter { $0.status != .stopped }
    #expect(reports.removeLast() == Playback(.ended, item: items[4], position: 10, duration: 10))
    for (index, item) in items.enumerated() {
      let own = reports.filter { $0.item == item }
      #expect(own.contains { $0.position < 3 && $0.rate == 1 })
      #expect((own.last?.position == 10) == (index < 4), "\(item) at its end: \(own)")
    }
    // Each song's reports stand together, in the order of the disc.
    #expect(reports.compactMap(\.item) == reports.compactMap(\.item).sorted())
  }

  @Test("E10 · a song left by a skip or seek does not count as played; a damaged song is skipped")
  func skipping() async throws {
    let folder = try TemporaryFolder()
    let names = try await Self.disc(5, in: folder)
    try folder.write("d/3.flac", Array("this is no music".utf8))
    let bench = try await PlayerBench(folder, limit: 60_000)
    let items = names.map(bench.item)
    let controller = bench.controller
    try await controller.play(items[0])
    for (command, index) in [("next", 1), ("next", 3), ("previous", 1), ("next", 3), ("next", 4)] {
      try await controller.perform(.string(command))
      #expect(controller.playback?.item == items[index])
      #expect(controller.playback?.status == .playing)
    }
    try await controller.perform(["seek": 9])
    #expect(controller.playback?.item == items[4])
    #expect(!controller.playbacks.contains { $0.position == 10 })
  }

  @Test("E10 · a song that is begun at its end is reported as playing before the next")
  func begunAtItsEnd() async throws {
    let folder = try TemporaryFolder()
    let items = try await Self.disc(2, in: folder).map {
      "\(try MediaFolder(folder.path).name)/\($0)"
    }
    for position in [9.99, 10] {
      let bench = try await PlayerBench(folder, limit: 60_000)
      try await bench.controller.play(items[0], from: position)
      try await bench.controller.wait("the next song") { $0.playback?.item == items[1] }
      let reports = bench.controller.playbacks.filter { $0.status == .playing }
      #expect(reports.first?.item == items[0])
      #expect(
        reports.dropLast().last
          == Playback(
            .playing, item: items[0], position: 10, duration: 10, rate: 0))
    }
  }

  @Test("A damaged song between two good ones is left out with a message")
  func damaged() async throws {
    let folder = try TemporaryFolder()
    _ = try await Tone(frames: 22_050).encoded("d/1.flac", [], in: folder)
    try folder.write("d/2.flac", Array("this is no music".utf8))
    _ = try await Tone(frames: 22_050).encoded("d/3.flac", [], in: folder)
    let bench = try await PlayerBench(folder)
    await #expect(throws: RPCError.self) { try await bench.controller.play(bench.item("d/2.flac")) }
    #expect(bench.controller.playback?.status == .failed)
    #expect(bench.controller.playback?.reason?.contains("2.flac") == true)
    try await bench.controller.play(bench.item("d/1.flac"))
    try await bench.controller.wait("ended") { $0.playback?.status == .ended }
    #expect(bench.sink.frames == 44_100)
  }

  @Test("Songs outside the media folders are refused, missing ones are named")
  func outside() async throws {
    let folder = try TemporaryFolder()
    let bench = try await PlayerBench(folder)
    for item in ["/etc/passwd", bench.item("../../etc/passwd"), "elsewhere/x.flac", ""] {
      await #expect(throws: RPCError.self) { try await bench.controller.play(item) }
    }
    let error = await #expect(throws: RPCError.self) {
      try await bench.controller.play(bench.item("gone.flac"))
    }
    #expect(error?.message.contains("gone.flac") == true)
    #expect(bench.sink.frames == 0)
  }

  @Test("Without a cable a song advances by the clock and ends after its length")
  func unheard() async throws {
    let folder = try TemporaryFolder()
    _ = try await Tone(frames: 26_460).encoded("d/a.flac", [], in: folder)
    let bench = try await PlayerBench(folder, plugged: false)
    let start = ContinuousClock.now
    try await bench.controller.play(bench.item("d/a.flac"))
    try await bench.controller.wait("ended") { $0.playback?.status == .ended }
    let taken = ContinuousClock.now - start
    #expect(taken > .milliseconds(550))
    #expect(bench.controller.playback?.position == 0.6)
  }

  @Test("E9 · the catalogue lists its own and other folders; a rescan follows changed files")
  func catalogue() async throws {
    let folder = try TemporaryFolder()
    let other = try TemporaryFolder()
    _ = try await Tone(frames: 22_050).encoded(
      "d/1.flac", ["-metadata", "title=One", "-metadata", "artist=Us"], in: folder)
    _ = try await Tone(frames: 22_050).encoded("e/2.mp3", [], in: other)
    let bench = try await PlayerBench(folder)
    let own = try await bench.controller.scan(nil)
    #expect(own.map(\.id) == [bench.item("d/1.flac")])
    #expect(own.first?.title == "One")
    let more = try await bench.controller.scan(other.path)
    #expect(more.map(\.title) == ["2"])
    try await bench.controller.play(try #require(more.first).id)
    _ = try await Tone(frames: 22_050).encoded("e/3.ogg", [], in: other)
    try await run("rm", [other.path + "/e/2.mp3"])
    #expect(try await bench.controller.scan(other.path).map(\.title) == ["3"])
    await #expect(throws: RPCError.self) {
      try await bench.controller.scan(other.path + "/no such folder")
    }
  }

  @Test("While a song plays, its heard position is reported every five seconds")
  func pulse() async throws {
    let folder = try TemporaryFolder()
    _ = try await Tone(frames: 441_000).encoded("d/a.flac", [], in: folder)
    let clock = ManualClock()
    let bench = try await PlayerBench(folder, limit: 22_000, clock: clock)
    try await bench.controller.play(bench.item("d/a.flac"))
    try await bench.sink.wait("half a second") { $0.frames >= 22_000 }
    await clock.waitForSleepers()
    let reports = bench.controller.playbacks.count
    clock.advance(by: .seconds(4))
    clock.advance(by: .seconds(1))
    try await bench.controller.wait("the pulse") { $0.playbacks.count > reports }
    let pulse = try #require(bench.controller.playback)
    #expect(pulse.status == .playing)
    // Between two reports of the sink the position is estimated.
    #expect(abs(pulse.position - Double(bench.sink.frames) / 44_100) < 0.3)
  }

  @Test("After a restart, a song is found again as soon as its folder is named")
  func restored() async throws {
    let folder = try TemporaryFolder()
    _ = try await Tone(frames: 22_050).encoded("d/a.flac", [], in: folder)
    let clock = ManualClock()
    let bench = try await PlayerBench(folder, ownsFolder: false, clock: clock)
    async let playing: Void = bench.controller.play(bench.item("d/a.flac"))
    await clock.waitForSleepers()
    _ = try await bench.controller.scan(folder.path)
    clock.advance(by: .milliseconds(100))
    try await playing
    try await bench.controller.wait("ended") { $0.playback?.status == .ended }
    #expect(bench.sink.frames == 22_050)
  }

  @Test("A song of a few milliseconds ends, plugged and unplugged, as often as it is played")
  func veryShort() async throws {
    let folder = try TemporaryFolder()
    _ = try await Tone(frames: 200).encoded("d/1.wav", [], in: folder)
    _ = try await Tone(frames: 570).encoded("e/2.flac", [], in: folder)
    for plugged in [true, false] {
      let bench = try await PlayerBench(folder, plugged: plugged)
      for round in 0..<20 {
        let count = bench.controller.playbacks.count
        let path = round.isMultiple(of: 2) ? "d/1.wav" : "e/2.flac"
        try await bench.controller.play(bench.item(path))
        try await bench.controller.wait("ended") {
          $0.playbacks.dropFirst(count).contains { $0.status == .ended }
        }
        #expect(bench.controller.playback?.status == .ended)
      }
    }
  }

  @Test("Of two media folders with the same name, the second plays its own disc to the end")
  func sameNames() async throws {
    let folder = try TemporaryFolder()
    for (place, frames) in [("a", 4_410), ("b", 8_820)] {
      for number in 1...2 {
        let name = "\(place)/Music/d/\(number).flac"
        _ = try await Tone(frames: frames).encoded(name, [], in: folder)
      }
    }
    let bench = try await PlayerBench(folder, ownsFolder: false)
    var items: [String] = []
    for place in ["a", "b"] {
      items += try await bench.controller.scan("\(folder.path)/\(place)/Music").map(\.id)
    }
    #expect(
      items == ["Music/d/1.flac", "Music/d/2.flac", "Music (b)/d/1.flac", "Music (b)/d/2.flac"])
    try await bench.controller.play(items[2])
    try await bench.controller.wait("ended") { $0.playback?.status == .ended }
    #expect(bench.controller.playback?.item == items[3])
    #expect(bench.sink.frames == 2 * 8_820)
  }

  @Test("The log names the first files that a scan leaves out and counts the rest")
  func skippedInLog() async throws {
    let folder = try TemporaryFolder()
    for number in 1...27 { try folder.write("\(number).mp3", [1, 2, 3]) }
    let bench = try await PlayerBench(folder)
    _ = try await bench.controller.scan(nil)
    try await bench.controller.wait("the count") { $0.log.contains { $0.contains("7 more") } }
    #expect(bench.controller.log.filter { $0.contains(".mp3") }.count == 20)
  }

  @Test("E9 E10 · a chained Ogg file plays through its links, and its position goes on across them")
  func chainedOgg() async throws {
    let folder = try TemporaryFolder()
    var whole: [UInt8] = []
    for number in 1...3 {
      let path = try await Tone(frames: 88_200).encoded("\(number).ogg", [], in: folder)
      whole += [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    }
    try await run("rm", (1...3).map { "\(folder.path)/\($0).ogg" })
    try folder.write("d/chain.ogg", whole)
    let bench = try await PlayerBench(folder, limit: 10_000)
    try await bench.controller.play(bench.item("d/chain.ogg"), from: 3)
    #expect(abs((bench.controller.playback?.position ?? 0) - 3) < 0.3)
    #expect(bench.controller.playback?.duration == 6)
    bench.sink.continueReading()
    try await bench.controller.wait("ended") { $0.playback?.status == .ended }
    #expect(bench.controller.playback?.position == 6)
    #expect(bench.sink.frames == 3 * 44_100)
    #expect(bench.sink.stretches.count == 1, "no gap between the links")
  }
}
