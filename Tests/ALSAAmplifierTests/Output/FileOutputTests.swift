import Foundation
import PluginKit
import TestSupport
import Testing

@testable import ALSAAmplifier

/// Sound through real libasound into its `file` PCM, measured there.
@Suite(.serialized, .realTime) struct FileOutputTests {
  @Test("F4 · a 440 Hz tone arrives at 440 Hz ± 1, at its own level, at its own pace")
  func tone() async throws {
    let rig = try await Rig()
    let start = Date()
    let data = try await rig.play(Sine.frames([440, 440]), channels: 2)
    let elapsed = Date().timeIntervalSince(start)
    let left = try Sine.part(0..<44100, of: Sine.channel(0, of: 2, in: data))
    #expect(abs(SoundMeasurement.frequency(left, rate: 44100) - 440) < 1)
    #expect(abs(Sine.level(of: 440, in: left, rate: 44100) - 0.5) < 0.005)
    // `file` swallows everything at once; the engine holds the pace.
    #expect(elapsed > 0.85)
  }

  @Test("F4 · at full volume 16-bit frames pass bit for bit")
  func bitExact() async throws {
    let rig = try await Rig()
    let sent = Sine.frames([440, 1000])
    let data = try await rig.play(sent, channels: 2)
    #expect(Array(data.prefix(sent.count)) == sent)
  }

  @Test("F4 · a recording that starts after another was stopped passes bit for bit from its start")
  func bitExactAfterStop() async throws {
    let rig = try await Rig()
    async let stopped = rig.cable.send(Sine.frames([440, 440], seconds: 2), try .s16())
    #expect(await eventually { rig.engine.status.isSounding })
    _ = rig.cable.source.flush()
    _ = try await stopped
    let sent = Sine.frames([700, 1000])
    let data = try await rig.play(sent, channels: 2)
    #expect(Array(data.suffix(sent.count)) == sent)
  }

  @Test("E15 · the gain is the cube of the volume", arguments: [50, 25])
  func volume(_ volume: Int) async throws {
    let rig = try await Rig(volume: volume)
    let data = try await rig.play(Sine.frames([440, 440], level: 0.9), channels: 2)
    let left = Sine.channel(0, of: 2, in: data)
    let expected = 0.9 * pow(Double(volume) / 100, 3)
    let second = try Sine.part(0..<44100, of: left)
    let level = Sine.level(of: 440, in: second, rate: 44100)
    #expect(abs(level / expected - 1) < 0.01)
  }

  @Test("F4 · left stays left and right stays right")
  func sides() async throws {
    let rig = try await Rig()
    let data = try await rig.play(Sine.frames([440, 1000]), channels: 2)
    let left = try Sine.part(0..<44100, of: Sine.channel(0, of: 2, in: data))
    let right = try Sine.part(0..<44100, of: Sine.channel(1, of: 2, in: data))
    #expect(Sine.level(of: 440, in: left, rate: 44100) > 0.49)
    #expect(Sine.level(of: 1000, in: left, rate: 44100) < 0.001)
    #expect(Sine.level(of: 1000, in: right, rate: 44100) > 0.49)
    #expect(Sine.level(of: 440, in: right, rate: 44100) < 0.001)
  }

  /// A tone of its own in each of FL FR FC LFE RL RR, the order of files.
  private static let six = [300.0, 500, 700, 60, 1100, 1300]

  @Test("E15 F4 · surround: each of six channels arrives in its place")
  func sixChannels() async throws {
    let rig = try await Rig(surround: true)
    let data = try await rig.play(Sine.frames(Self.six, rate: 48000), channels: 6, rate: 48000)
    // A PCM without a channel map has ALSA's order: rears before centre.
    let order = [300.0, 500, 1100, 1300, 700, 60]
    for (channel, frequency) in order.enumerated() {
      let samples = try Sine.part(0..<48000, of: Sine.channel(channel, of: 6, in: data))
      #expect(Sine.level(of: frequency, in: samples, rate: 48000) > 0.49)
      #expect(abs(SoundMeasurement.level(samples) - 0.5 / 2.0.squareRoot()) < 0.005)
    }
  }

  @Test("E15 E13 · stereo: six channels fold into two by the matrix")
  func downMix() async throws {
    let rig = try await Rig(surround: false)
    let data = try await rig.play(Sine.frames(Self.six, rate: 48000), channels: 6, rate: 48000)
    let left = try Sine.part(0..<48000, of: Sine.channel(0, of: 2, in: data))
    let unit = 1 / (1 + 2 * 0.5.squareRoot())
    func level(_ frequency: Double) -> Double {
      Sine.level(of: frequency, in: left, rate: 48000)
    }
    #expect(abs(level(300) - 0.5 * unit) < 0.002)
    #expect(abs(level(700) - 0.5 * unit * 0.5.squareRoot()) < 0.002)
    #expect(abs(level(1100) - 0.5 * unit * 0.5.squareRoot()) < 0.002)
    #expect(level(60) < 0.001)
    #expect(level(500) < 0.001)
    #expect(level(1300) < 0.001)
  }
}
