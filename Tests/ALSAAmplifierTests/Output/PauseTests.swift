import Foundation
import Platform
import PluginKit
import Synchronization
import TestSupport
import Testing

@testable import ALSAAmplifier

/// Numbered frames through a PulseAudio server, which plays them unchanged: its recording tells which frame was heard
/// when, and the source says which one it believes to be heard.
@Suite(
  .serialized, .realTime, .timeLimit(.minutes(5)),
  .enabled(if: SoundServer.isInstalled, "needs the packages pulseaudio and pulseaudio-utils"))
struct PauseTests {
  /// Frames that are louder than a third of full scale, so that no number looks like silence: 14 bits of the number a
  /// channel.
  private static func frames(_ count: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count * 4)
    for number in 0..<count {
      for part in [number & 0x3FFF, number >> 14] {
        let sample = 0x3000 + UInt16(truncatingIfNeeded: part)
        bytes += [UInt8(truncatingIfNeeded: sample), UInt8(truncatingIfNeeded: sample >> 8)]
      }
    }
    return bytes
  }

  /// A recording of numbered frames.
  private struct Recording {
    /// The index of each sound, from its first unchanged frame to its last, and the numbers of those frames.
    private(set) var runs: [(place: Range<Int>, first: Int)] = []
    private let audible: [Bool]

    init(_ data: [UInt8]) {
      let left = Self.channel(0, data)
      let right = Self.channel(1, data)
      audible = zip(left, right).map { $0 != 0 || $1 != 0 }
      var start: Int?
      for place in 0...left.count {
        let isNext = place < left.count && place > 0 && Self.follows(place, left, right)
        if isNext, start == nil { start = place - 1 }
        guard !isNext, let first = start else { continue }
        start = nil
        // Single frames of a fade may look like two numbers in a row.
        guard place - first > 480 else { continue }
        runs.append((first..<place, left[first] - 0x3000 + (right[first] - 0x3000) << 14))
      }
    }

    private static func channel(_ index: Int, _ data: [UInt8]) -> [Int] {
      stride(from: index * 2, to: data.count / 4 * 4, by: 4).map { at in
        Int(Int16(bitPattern: UInt16(data[at]) | UInt16(data[at + 1]) << 8))
      }
    }

    /// Whether the frame at `place` has the number after that of the frame before.
    private static func follows(_ place: Int, _ left: [Int], _ right: [Int]) -> Bool {
      left[place] == left[place - 1] + 1 && right[place] == right[place - 1]
        || left[place] == 0x3000 && left[place - 1] == 0x6FFF
          && right[place] == right[place - 1] + 1
    }

    /// Returns the time at which a frame was heard, in seconds of the recording.
    func time(of number: Int) -> Double? {
      runs.first { $0.first <= number && number - $0.first < $0.place.count }
        .map { Double($0.place.lowerBound + number - $0.first) / 48000 }
    }

    /// The number of frames that are missing between each run and the next; frames of a fade are not.
    var lost: [Int] {
      zip(runs, runs.dropFirst()).map { before, after in
        let faded = audible[before.place.upperBound..<after.place.lowerBound].count { $0 }
        return after.first - (before.first + before.place.count) - faded
      }
    }
  }

  /// What a source believes to be heard.
  private struct Moment {
    var time: Double
    var frame: Int
  }

  /// Records what the source believes until `seconds` more of its sound have passed.
  private func follow(_ source: CableSource, for seconds: Double) async -> [Moment] {
    let moments = Mutex<[Moment]>([])
    let start = source.position.frames
    #expect(
      await eventually {
        let moment = Moment(
          time: Double(MonotonicClock.now) / 1e9, frame: source.position.frames)
        // A source that waits for a report of the amplifier stands still: only a position that moves is a statement.
        moments.withLock { moments in
          if moment.frame > moments.last?.frame ?? start + 480 { moments.append(moment) }
        }
        return moment.frame > start + Int(seconds * 48000)
      })
    return moments.withLock { $0 }
  }

  @Test(
    "F4 · after a pause the sound is heard when the source says, and no frame is lost",
    arguments: [1.0, 8.0])
  func pauses(_ length: Double) async throws {
    let server = try await SoundServer()
    defer { server.stop() }
    let file = server.folder.path(of: "heard.raw")
    let recorder = try server.record(to: file)
    let size: @Sendable () -> Int = {
      (try? FileManager.default.attributesOfItem(atPath: file)[.size] as? Int) ?? 0
    }
    /// Waits until so much more is recorded, sound or silence.
    func passes(seconds: Double) async {
      let end = size() + Int(seconds * 48000) * 4
      #expect(await eventually { size() >= end })
    }
    #expect(await eventually { size() > 0 })
    let rig = try await Rig(device: server.pcm)
    let source = rig.cable.source
    // The amplifier is on without a sound for a while, too.
    await passes(seconds: length)
    async let sent = rig.cable.send(Self.frames(48000 * 12), try .s16(rate: 48000))
    var moments = await follow(source, for: 1.2)
    // The second pause comes before the first one is as long ago as it lasted.
    for pause in [length, 0.4, length] {
      _ = source.pause()
      await passes(seconds: pause)
      source.resume()
      moments += await follow(source, for: 0.6)
    }
    _ = source.flush()
    _ = try await sent
    await passes(seconds: 1)
    rig.engine.stop()
    recorder.signal(SIGTERM)
    recorder.wait(killingAfter: 10)

    let heard = Recording([UInt8](try Data(contentsOf: URL(fileURLWithPath: file))))
    #expect(heard.runs.count == 4)
    #expect(heard.lost.allSatisfy { abs($0) <= 4 }, "\(heard.lost)")
    // The recording has a zero of its own.
    let offsets = moments.compactMap { moment in
      heard.time(of: moment.frame).map { $0 - moment.time }
    }
    let (first, last) = (try #require(offsets.min()), try #require(offsets.max()))
    #expect(offsets.count > moments.count / 2)
    #expect(last - first < 0.02, "the sound was \(last - first) s off")
  }
}
