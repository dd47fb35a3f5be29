import Foundation
import TestSupport
import Testing

@testable import ALSAAmplifier
@testable import PluginKit

/// A stream, and how it is played.
struct StreamCase: Sendable, CustomTestStringConvertible {
  var rate: Int
  var channels: Int
  var sample: CableSampleFormat
  var buffer: Int
  var testDescription: String { "\(rate) Hz, \(channels) channels, buffer \(buffer) ms" }

  static let all: [StreamCase] = [200, 500].flatMap { buffer in
    [
      StreamCase(rate: 44100, channels: 2, sample: .s16, buffer: buffer),
      StreamCase(rate: 96000, channels: 2, sample: .s24in32, buffer: buffer),
      StreamCase(rate: 192_000, channels: 2, sample: .s24in32, buffer: buffer),
      StreamCase(rate: 48000, channels: 6, sample: .s16, buffer: buffer),
      StreamCase(rate: 22050, channels: 1, sample: .s16, buffer: buffer),
    ]
  }
}

/// Frame-by-frame output of sources that send at varying speed.
@Suite struct ContinuityTests {
  /// Returns frames of noise, no two stretches of which are alike.
  private func noise(_ frames: Int, _ format: CableFormat) -> [UInt8] {
    var numbers = SeededNumbers(frames)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(frames * format.frameBytes)
    for _ in 0..<frames * format.channels {
      let value = Int32(truncatingIfNeeded: numbers.next() >> 50) - 8192
      let word = UInt32(bitPattern: value == 0 ? 1 : value)
      for byte in 0..<format.sample.bytes {
        bytes.append(UInt8(truncatingIfNeeded: word >> (8 * byte)))
      }
    }
    return bytes
  }

  @Test(
    "F4 · a buffer that is empty for a moment neither adds silence nor loses a frame",
    arguments: StreamCase.all)
  func momentarilyEmpty(_ stream: StreamCase) throws {
    let format = try #require(
      CableFormat(rate: stream.rate, channels: stream.channels, sample: stream.sample))
    let sent = noise(stream.rate * 6 / 10, format)
    for seed in 1...8 {
      let rig = try ModelRig(seed: seed, buffer: stream.buffer, surround: true)
      defer { rig.end() }
      let input = try ModelInput(format)
      rig.plug(input)
      rig.select(0)
      input.append(.start)
      var position = 0
      while position < sent.count {
        // A piece of 5–60 ms comes after nine tenths of the time that it lasts, at most.
        let length = rig.random(5...60)
        rig.run(milliseconds: Double(length * rig.random(0...90)) / 100)
        let frames = min(length * stream.rate / 1000, (sent.count - position) / format.frameBytes)
        guard frames <= input.writableFrames else { continue }
        let next = position + frames * format.frameBytes
        input.send(sent[position..<next])
        position = next
      }
      input.append(.end)
      for _ in 0..<100 where !input.isDrained { rig.run(milliseconds: 20) }
      #expect(input.isDrained)
      let heard = rig.card.heard
      #expect(heard.count >= sent.count, "seed \(seed)")
      #expect(memcmp(heard, sent, min(heard.count, sent.count)) == 0, "seed \(seed)")
      #expect(heard.dropFirst(sent.count).allSatisfy { $0 == 0 }, "seed \(seed)")
      #expect(rig.gaps == 0 && rig.card.underruns == 0, "seed \(seed)")
    }
  }

  @Test("F4 · a source that stalls fades out, is counted, and continues with its next frame")
  func stall() throws {
    let format = try CableFormat.s16()
    let sent = noise(44100, format)
    for seed in 1...10 {
      let rig = try ModelRig(seed: seed)
      defer { rig.end() }
      let input = try ModelInput(format)
      rig.plug(input)
      rig.select(0)
      input.append(.start)
      let first = 4 * (8000 + rig.random(0...6000))
      input.send(sent[..<first])
      rig.run(milliseconds: 900)
      #expect(rig.gaps == 2, "one gap, of which the source is the cause")
      #expect(rig.card.underruns == 0)
      input.send(sent[first..<first + 40000])
      input.append(.end)
      rig.run(milliseconds: 600)
      let check = HeardFrames(rig.card.heard, fade: 264)
      try check.expect(
        [0..<first / 4, first / 4..<first / 4 + 10000], of: sent, playsOut: true, "seed \(seed)")
    }
  }

  @Test(
    "F4 · pause and resume neither lose nor repeat a frame; a seek starts at its target",
    arguments: [true, false])
  func breaks(_ givesBack: Bool) throws {
    let format = try CableFormat.s16()
    let sent = noise(3 * 44100, format)
    for seed in 1...10 {
      let rig = try ModelRig(seed: seed, givesBack: givesBack)
      defer { rig.end() }
      let input = try ModelInput(format)
      rig.plug(input)
      rig.select(0)
      input.append(.start)
      var expected: [Range<Int>] = []
      var start = 0
      for step in 0..<4 {
        // All that the ring takes, for a while.
        var position = start
        func fill() {
          let frames = min(input.writableFrames, sent.count / 4 - position)
          input.send(sent[position * 4..<(position + frames) * 4])
          position += frames
        }
        fill()
        for _ in 0..<rig.random(4...12) {
          rig.run(milliseconds: Double(rig.random(200...600)) / 10)
          fill()
        }
        input.flush()
        rig.run(milliseconds: 0.1)
        let heard = start + input.flushed
        expected.append(start..<heard)
        // A pause goes on with the first frame that was not heard; a seek goes anywhere.
        start = step % 2 == 0 ? heard : rig.random(0...40000)
        rig.run(milliseconds: step % 2 == 0 ? Double(rig.random(0...400)) : 1)
      }
      rig.run(milliseconds: 500)
      #expect(rig.gaps == 0 && rig.card.underruns == 0, "seed \(seed)")
      let check = HeardFrames(rig.card.heard, fade: 264)
      try check.expect(expected, of: sent, "seed \(seed)")
    }
  }
}

/// The frames heard from a card (16 bits, two channels), each by its first sample.
private struct HeardFrames {
  private let samples: [Int16]
  private let fade: Int

  init(_ bytes: [UInt8], fade: Int) {
    samples = Self.samples(bytes)
    self.fade = fade
  }

  private static func samples(_ bytes: [UInt8]) -> [Int16] {
    stride(from: 0, to: bytes.count - 3, by: 4).map {
      Int16(bitPattern: UInt16(bytes[$0]) | UInt16(bytes[$0 + 1]) << 8)
    }
  }

  /// Checks that the `ranges` of `sent` were heard one after another: the first from its first frame
  /// on as it is, each of the others faded in, all faded out but, if `playsOut`, the last, and
  /// silence between them.
  func expect(
    _ ranges: [Range<Int>], of sent: [UInt8], playsOut: Bool = false, _ comment: Comment
  ) throws {
    let source = Self.samples(sent)
    var position = 0
    for (index, range) in ranges.enumerated() {
      try #require(range.count > 3 * fade, comment)
      // The first frame behind the fade in.
      let exact = index == 0 ? range.lowerBound : range.lowerBound + fade
      let mark = source[exact..<exact + 8]
      let end = samples.count - mark.count
      let found = try #require(
        (position..<max(position, end)).first { samples[$0..<$0 + 8] == mark }, comment)
      let last = playsOut && index == ranges.count - 1
      let length = range.upperBound - (last ? 0 : fade) - exact
      try #require(found + length + (last ? 0 : fade) <= samples.count, comment)
      #expect(samples[found..<found + length] == source[exact..<exact + length], comment)
      // The fades hold the frames before and behind, quieter.
      try #require(index == 0 || found >= fade, comment)
      for frame in 0..<fade {
        let part = Double(frame + 1) / Double(fade)
        let gain = part * part * (3 - 2 * part)
        if index > 0 {
          let faded = Double(source[range.lowerBound + frame]) * gain
          #expect(abs(faded - Double(samples[found - fade + frame])) < 3, comment)
        }
        let behind = Double(source[exact + length + frame]) * (1 - gain)
        #expect(last || abs(behind - Double(samples[found + length + frame])) < 3, comment)
      }
      let before = found - (index == 0 ? 0 : fade)
      try #require(position <= before, comment)
      #expect(samples[position..<before].allSatisfy { $0 == 0 }, comment)
      position = found + length + fade
    }
  }
}
