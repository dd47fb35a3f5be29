import APIClient
import Foundation
import JSON
import Synchronization
import TestSupport
import Testing

/// A sound device that writes what it plays to files, one each time it is opened.
private struct FileSpeaker: Sendable {
  private static let rate = 44_100
  private static let bytesOfFrame = 4

  /// The PCM.
  let name: String
  let folder: TemporaryFolder

  /// Its ALSA configuration.
  var definition: String {
    """
    pcm.\(name) {
      type file
      slave.pcm null
      file "\(folder.path)/\(name).wav"
      format wav
      truncate false
    }
    """
  }

  /// The bytes that were played since the device was last opened.
  private var played: Data {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    let last = names.sorted().last { $0.hasPrefix(name) }
    let data = last.flatMap { try? Data(contentsOf: folder.url.appendingPathComponent($0)) }
    return data?.dropFirst(44) ?? Data()
  }

  /// The number of frames that were played since the device was last opened.
  var frames: Int { played.count / Self.bytesOfFrame }

  /// The seconds of sound after a number of frames, without silence before and after it.
  func seconds(after frames: Int) -> Double {
    let sound = recording(of: played.dropFirst(frames * Self.bytesOfFrame))
    return Double(sound.sounding(0).count) / Double(Self.rate)
  }

  /// The amplitude of a tone in the last half second.
  func amplitude(of tone: Double) -> Double {
    let frames = played.count / Self.bytesOfFrame
    let start = max(0, frames - Self.rate / 2) * Self.bytesOfFrame
    return recording(of: played.dropFirst(start)).amplitude(of: tone, in: 0)
  }

  private func recording(of data: Data) -> Recording {
    Recording(stereo: Data(data), rate: Double(Self.rate))
  }
}

/// The rooms that the events `activity` name.
private final class ActivityRooms: Sendable {
  private final class Log: Sendable { let rooms = Mutex<Set<String>>([]) }
  private let log = Log()
  private let task: Task<Void, any Error>

  init(_ room: LiveController) {
    let token = room.text("state/theater/token").trimmingCharacters(in: .whitespacesAndNewlines)
    let socket = room.folder.appendingPathComponent("run/theater/theater.sock").path
    let log = log
    task = Task {
      _ = try await ControllerClient(.socket(socket), token: token).listen { event in
        if event.name == "activity" {
          _ = log.rooms.withLock { $0.insert(event.json["room"]?.string ?? "?") }
        }
        return true
      }
    }
  }

  var names: Set<String> { log.rooms.withLock { $0 } }

  func end() async {
    task.cancel()
    _ = await task.result
  }
}

@Suite(.serialized, .realTime, .timeLimit(.minutes(5))) struct RoomSoundTests {
  /// The amplitude of the songs.
  private static let songLevel = 0.5
  private static let lounge = "low"
  private static let kitchen = "high"

  /// Two amplifiers with sound devices of their own, and a song for each room.
  private static func theater(
    _ body: (LiveController, _ lounge: FileSpeaker, _ kitchen: FileSpeaker) async throws -> Void
  ) async throws {
    let folder = try TemporaryFolder()
    let lounge = FileSpeaker(name: "lounge", folder: folder)
    let kitchen = FileSpeaker(name: "kitchen", folder: folder)
    try await withLiveController(
      alsa: lounge.definition + "\n" + kitchen.definition,
      arrange: { configuration, folder in
        configuration = try Configuration(theater: "house")
        for (amplifier, speaker) in [("lounge-amp", lounge), ("kitchen-amp", kitchen)] {
          // The scenes of the lounge name inputs without a cable.
          let inputs: JSON = speaker.name == "lounge" ? ["hdmi2", "turntable", "chromecast"] : []
          configuration.set("plugin", at: ["devices", amplifier], "ALSAAmplifier")
          configuration.set(
            "options", at: ["devices", amplifier],
            ["device": .string(speaker.name), "whenMissing": "fail", "inputs": inputs])
        }
        let music = folder.appendingPathComponent("music").path
        for player in ["deck", "kitchen-cd"] {
          configuration.set("plugin", at: ["devices", player], "LibavPlayer")
          configuration.set(
            "options", at: ["devices", player], ["folders": .array([.string(music)])])
        }
      }
    ) { room in
      try await room.makeTone("\(Self.lounge).flac", seconds: 300, left: 440, right: 440)
      try await room.makeTone("\(Self.kitchen).flac", seconds: 300, left: 660, right: 660)
      try await room.registerOwner()
      try await room.post("/library/scan")
      try await body(room, lounge, kitchen)
    }
  }

  /// Waits until a tone is heard at a volume, and expects that the other tone is not heard.
  private static func expect(
    _ tone: Double, not other: Double, at volume: Double, on speaker: FileSpeaker,
    in room: LiveController, _ location: SourceLocation = #_sourceLocation
  ) async {
    let amplitude = songLevel * pow(volume / 100, 3)
    let isHeard = await eventually { abs(speaker.amplitude(of: tone) / amplitude - 1) < 0.05 }
    #expect(
      isHeard, "\(speaker.name): \(speaker.amplitude(of: tone)), not \(amplitude)\n\(room.log)",
      sourceLocation: location)
    #expect(speaker.amplitude(of: other) < amplitude / 50, sourceLocation: location)
  }

  /// Waits until a speaker has played another second of sound.
  ///
  /// - Returns: The seconds of sound that the other speaker has played meanwhile.
  private static func awaitSecond(
    of speaker: FileSpeaker, beside other: FileSpeaker, in room: LiveController,
    _ location: SourceLocation = #_sourceLocation
  ) async -> Double {
    let start = speaker.frames
    let otherStart = other.frames
    #expect(
      await eventually { speaker.seconds(after: start) >= 1 }, "\(speaker.name): \(room.log)",
      sourceLocation: location)
    return other.seconds(after: otherStart)
  }

  @Test("E27 · a song in each room at once, each at its own volume, ended apart")
  func bothRooms() async throws {
    try await Self.theater { room, lounge, kitchen in
      let events = ActivityRooms(room)
      try await room.post("/rooms/lounge/listen", ["item": .string(Self.lounge)])
      try await room.post("/rooms/kitchen/listen", ["item": .string(Self.kitchen)])
      for name in ["lounge", "kitchen"] { try await room.waitForActivity("running", in: name) }
      #expect(await room.activity(in: "lounge")?["itemTitle"]?.string == Self.lounge)
      #expect(await room.activity(in: "kitchen")?["itemTitle"]?.string == Self.kitchen)
      #expect(await eventually { events.names == ["lounge", "kitchen"] }, "\(events.names)")
      await events.end()
      try await room.post("/rooms/lounge/volume", ["to": 60])
      try await room.post("/rooms/kitchen/volume", ["to": 30])
      await Self.expect(440, not: 660, at: 60, on: lounge, in: room)
      await Self.expect(660, not: 440, at: 30, on: kitchen, in: room)

      try await room.post("/rooms/lounge/pause")
      #expect(await eventually { await room.playback(in: "lounge") == "paused" })
      // The sound device still plays what it holds.
      let afterPause = await Self.awaitSecond(of: kitchen, beside: lounge, in: room)
      #expect(afterPause < 0.5, "the lounge went on for \(afterPause) s")
      let kitchenStatus = try await room.state("/rooms/kitchen/status")
      #expect(kitchenStatus["playback"]?["state"] == "playing")
      let loungeStatus = try await room.state("/rooms/lounge/status")
      #expect(loungeStatus["playback"]?["state"] == "paused")
      #expect(loungeStatus["activity"]?["status"] == "running")
      try await room.post("/rooms/lounge/resume")
      #expect(await Self.awaitSecond(of: lounge, beside: kitchen, in: room) > 0.5)

      try await room.post("/rooms/lounge/end")
      try await room.waitForActivity("idle", in: "lounge")
      #expect(await room.value("power", of: "lounge-amp") == "off")
      let afterEnd = await Self.awaitSecond(of: kitchen, beside: lounge, in: room)
      #expect(afterEnd == 0, "the lounge went on for \(afterEnd) s")
      await Self.expect(660, not: 440, at: 30, on: kitchen, in: room)
      #expect(await room.activity(in: "kitchen")?["status"] == "running")

      try await room.post("/rooms/kitchen/end")
      try await room.waitForActivity("idle", in: "kitchen")
      #expect(await room.value("power", of: "kitchen-amp") == "off")
      let status = try await room.state("/status")
      #expect(status["rooms"]?.array?.map { $0["activity"]?["status"] } == ["idle", "idle"])
    }
  }
}
