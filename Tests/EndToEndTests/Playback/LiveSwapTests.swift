import Foundation
import Glibc
import JSON
import Synchronization
import TestSupport
import Testing

/// Plugins are swapped and `devices.json` is edited while a song plays.
@Suite(.serialized, .realTime) struct LiveSwapTests {
  /// The longest silence at the sound device.
  private static let longestGap = 1.0

  /// Runs `body` while a song of a minute plays on the ALSA amplifier.
  private static func song(_ body: (LiveController) async throws -> Void) async throws {
    try await withLiveController { room in
      try await room.makeTone("tone.flac", seconds: 60, left: 440, right: 660)
      try await room.registerOwner()
      #expect(await eventually { await room.titles("songs").contains("tone") })
      try await room.expect("listen", "tone", "--from-start")
      #expect(await eventually { (room.newestRecording?.seconds ?? 0) > 1 }, "\(room.log)")
      try await body(room)
    }
  }

  @Test(
    "F6 E13 · an amplifier moves to another process in the middle of a song: at most 1 s of silence"
  )
  func process() async throws {
    try await Self.song { room in
      let before = try await Playing(room)
      let amplifier = try #require(try await room.pid(of: "ALSAAmplifier"))
      let events = try await DeviceEvents(room)
      let sound = SoundClock(room)
      let answer = try await room.expect(
        "device", "swap", "amp", "--plugin", "ALSAAmplifier", "--process", "second")
      #expect(answer.contains("~ devices.amp: process"))
      let gap = await sound.gap()
      #expect(gap < Self.longestGap, "silent for \(gap) s: \(room.log)")
      #expect(await eventually { kill(amplifier, 0) != 0 })
      try await before.expectToGoOn(room)
      let amp = try #require(try await room.device("amp"))
      #expect(amp["state"]?["power"]?["value"] == "on")
      #expect(amp["state"]?["input"]?["value"] == "cd")
      // The same pitch on both channels, after the swap too.
      #expect(
        await eventually { (room.newestRecording?.sounding(0).count ?? 0) > 44_100 },
        "\(room.log)")
      let heard = try #require(room.newestRecording)
      #expect(abs(heard.frequency(0) - 440) <= 1)
      #expect(abs(heard.frequency(1) - 660) <= 1)
      #expect(await events.end(excluding: ["amp"]) == [])
      try await room.expect("stop")
    }
  }

  @Test("F6 E13 · an amplifier becomes a simulated one in the middle of a song, and itself again")
  func plugin() async throws {
    try await Self.song { room in
      let before = try await Playing(room)
      let events = try await DeviceEvents(room)
      let volume = try await room.device("amp")?["state"]?["volume"]?["value"]
      let real = SoundClock(room)
      try await room.expect(
        "device", "swap", "amp", "--plugin", "Simulated", "--option", "speed=0")
      #expect(
        await eventually {
          let amp = try? await room.device("amp")
          return amp?["availability"] == "available"
            && amp?["state"]?["power"]?["value"] == "on"
            && amp?["state"]?["input"]?["value"] == "cd"
            && amp?["state"]?["volume"]?["value"] == volume
        }, "the state is not carried over: \(room.log)")
      let ready = try #require(events.amplifierIsReady)
      let away = (ready - real.end()) / .seconds(1)
      #expect(away < Self.longestGap, "silent for \(away) s on the way to Simulated: \(room.log)")
      try await before.expectToGoOn(room)
      // The simulated amplifier hears the song until it is swapped, which begins later than this clock.
      let simulated = SoundClock(room)
      // Its own options are those of the file again.
      try await room.expect("device", "swap", "amp", "--plugin", "ALSAAmplifier")
      let back = await simulated.gap()
      #expect(back < Self.longestGap, "silent for \(back) s on the way back: \(room.log)")
      try await before.expectToGoOn(room)
      let amp = try #require(try await room.device("amp"))
      #expect(amp["state"]?["volume"]?["value"] == volume)
      #expect(await events.end(excluding: ["amp"]) == [])
      let again = try await room.expect("device", "swap", "amp", "--plugin", "ALSAAmplifier")
      #expect(again.contains("already"))
      try await room.expect("stop")
    }
  }

  @Test("F6 · a swap that does not fit is refused with its place, and the song goes on")
  func refused() async throws {
    try await Self.song { room in
      let recordings = room.recordings.count
      for (words, part) in [
        (["amp", "--plugin", "Simulated", "--option", "speed=-1"], "$.devices.amp.options.speed"),
        (["amp", "--plugin", "Simulatd"], "$.devices.amp.plugin"),
        (["ampp", "--plugin", "Simulated"], "amp"),
      ] {
        let outcome = try await Program.run(
          Program.products.appendingPathComponent("theater"), ["device", "swap"] + words,
          environment: room.environment, folder: room.folder)
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains(part), "\(outcome.errors)")
      }
      #expect(room.recordings.count == recordings)
      try await room.expect("stop")
    }
  }

  @Test("F6 · an edit by rename changes its device alone; a bad edit keeps everything and is shown")
  func edits() async throws {
    try await Self.song { room in
      let before = try await Playing(room)
      let pids = try await room.pids()
      let recordings = room.recordings.count
      let good = room.text("devices.json")
      let projector = #""projector","plugin":"Simulated","options":{"speed":"#
      let edited = good.replacing(projector + "0", with: projector + "7")
      try room.replaceConfiguration(edited)
      #expect(await eventually { room.log.contains("~ devices.projector: options.speed") })
      #expect(try await room.expect("config", "diff").contains("Nothing differs."))

      try room.replaceConfiguration(edited.replacing("\"lights\"", with: "\"lihgts\""))
      #expect(await eventually { room.log.contains("the edit is refused") })
      let status = try await room.expect("status")
      #expect(status.contains("devices.json was edited and has mistakes"))
      #expect(status.contains("\(room.folder.path)/devices.json:1:"))
      #expect(try await room.state("/status")["configuration"]?["errors"]?.integer ?? 0 > 0)
      let diff = try await room.theater("config", "diff")
      #expect(diff.status == 1 && diff.output.contains("lihgts"))
      try await room.expect("device", "lights", "on")

      try room.replaceConfiguration(good)
      #expect(await eventually { room.log.contains("the file is valid again") })
      #expect(try await !room.expect("status").contains("mistakes"))
      // The song went on in the same processes, into the same recording.
      #expect(try await room.pids() == pids)
      #expect(room.recordings.count == recordings)
      try await before.expectToGoOn(room)
      try await room.expect("stop")
    }
  }

  @Test("F6 · a saved swap changes one entry of the file, and is not applied a second time")
  func saved() async throws {
    try await withLiveController { room in
      try await room.registerOwner()
      let place = room.folder.appendingPathComponent("devices.json").path
      chmod(place, 0o640)
      let before = room.text("devices.json")
      try await room.expect(
        "device", "swap", "lights", "--plugin", "Simulated", "--option", "speed=3", "--save")
      let options = #""plugin": "Simulated", "options": {"speed": 3}}"#
      let entry = try #require(try JSON(parsing: before)["devices"]?["lights"])
      #expect(
        room.text("devices.json")
          == before.replacing(
            entry.text(), with: "{\"role\": \"lights\", " + options, maxReplacements: 1))
      let attributes = try FileManager.default.attributesOfItem(atPath: place)
      #expect(attributes[.posixPermissions] as? Int == 0o640)
      // The watcher has seen the save before it sees this edit.
      try room.replaceConfiguration(
        room.text("devices.json").replacing(options, with: options.replacing("3", with: "4")))
      #expect(
        await eventually {
          room.log.split(separator: "\n").count { $0 == "~ devices.lights: options.speed" } == 2
        }, "\(room.log)")
      #expect(!room.log.contains("refused"))
    }
  }
}

/// Measures from now on how long the sound device is silent between two recordings.
private final class SoundClock: Sendable {
  private let lastGrowth = Mutex(ContinuousClock.now)
  private let task = Mutex<Task<ContinuousClock.Instant?, Never>?>(nil)

  init(_ room: LiveController) {
    let count = room.recordings.count
    let measuring = Task { [weak self] () -> ContinuousClock.Instant? in
      let deadline = ContinuousClock.now + .seconds(30)
      var size = room.recordings[count - 1].size
      while ContinuousClock.now < deadline, let self {
        let recordings = room.recordings
        if recordings.count > count, let newest = recordings.last.flatMap(Recording.init),
          newest.channels.first?.contains(where: { abs($0) > 0.001 }) == true
        {
          return .now
        }
        let grown = recordings[count - 1].size
        if grown > size {
          size = grown
          lastGrowth.withLock { $0 = .now }
        }
        try? await Task.sleep(for: .milliseconds(2))
      }
      return nil
    }
    task.withLock { $0 = measuring }
  }

  /// When the last sample of the old recording was written, or the beginning of the measurement.
  func end() -> ContinuousClock.Instant { lastGrowth.withLock { $0 } }

  /// The seconds from the last sample of the old recording to the first sound in the new one; infinite
  /// if there is none.
  func gap() async -> Double {
    guard let begin = await task.withLock({ $0 })?.value else { return .infinity }
    return (begin - end()) / .seconds(1)
  }
}

extension URL {
  /// The bytes of the file.
  fileprivate var size: Int {
    let attributes = try? FileManager.default.attributesOfItem(atPath: path)
    return attributes?[.size] as? Int ?? 0
  }
}

extension LiveController {
  /// Writes `devices.json` as an editor does: into another file, which is renamed.
  fileprivate func replaceConfiguration(_ text: String) throws {
    let place = folder.appendingPathComponent("devices.json").path
    try Data(text.utf8).write(to: URL(fileURLWithPath: place + "~"))
    #expect(rename(place + "~", place) == 0)
  }

  /// The processes of all plugins.
  fileprivate func pids() async throws -> [String: Int] {
    let plugins = try #require(try await json("plugins")["plugins"]?.array)
    return Dictionary(
      plugins.compactMap { plugin in
        plugin["pid"]?.integer.map { (plugin["id"]?.string ?? "?", $0) }
      }, uniquingKeysWith: { first, _ in first })
  }
}
