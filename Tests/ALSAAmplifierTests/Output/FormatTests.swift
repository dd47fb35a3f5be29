import Foundation
import PluginKit
import TestSupport
import Testing

@testable import ALSAAmplifier

/// Every rate, sample format and number of channels, on a card that supports it and on one that
/// does not.
@Suite(.serialized, .realTime, .timeLimit(.minutes(5))) struct FormatTests {
  /// A fifth of a second of 1 kHz at half scale in each channel, in this format.
  private func tone(_ format: CableFormat) -> [UInt8] {
    var bytes: [UInt8] = []
    for frame in 0..<format.rate / 5 {
      let value = sin(2 * Double.pi * 1000 * Double(frame) / Double(format.rate)) / 2
      let word: UInt32 =
        switch format.sample {
        case .s16: UInt32(bitPattern: Int32((value * 32768).rounded()))
        case .s24in32: UInt32(bitPattern: Int32((value * 8_388_608).rounded()))
        case .s32: UInt32(bitPattern: Int32((value * 2_147_483_648).rounded()))
        case .f32: Float(value).bitPattern
        }
      for _ in 0..<format.channels {
        for byte in 0..<format.sample.bytes {
          bytes.append(UInt8(truncatingIfNeeded: word >> UInt32(byte * 8)))
        }
      }
    }
    return bytes
  }

  private func play(_ format: CableFormat, on card: VirtualCard, _ pcm: String) async throws {
    let rig = try await Rig(device: pcm, surround: true)
    let bytes = tone(format)
    #expect(await rig.cable.send(bytes, format) == bytes.count / format.frameBytes)
    #expect(await rig.cable.finish())
    rig.engine.stop()
    #expect(card.count("underrun") == 0)
  }

  @Test(
    "F4 · every rate and sample format goes to the card as it is",
    arguments: [44100, 48000, 96000, 192_000], [CableSampleFormat.s16, .s24in32, .s32])
  func asItIs(_ rate: Int, _ sample: CableSampleFormat) async throws {
    let card = try VirtualCard()
    let format = try #require(CableFormat(rate: rate, channels: 2, sample: sample))
    try await play(format, on: card, card.pcm())
    let name = sample == .s16 ? "S16_LE" : sample == .s32 ? "S32_LE" : "S24_LE"
    #expect(card.count("format \(rate) \(name) 2") >= 1)
    let sent = tone(format)
    let heard = try card.heard
    #expect(heard.count >= sent.count)
    let difference = zip(heard, sent).enumerated().first { $1.0 != $1.1 }
    #expect(difference == nil, "heard \(heard.count) of \(sent.count) bytes")
  }

  @Test("F4 · one to eight channels arrive on a card that has them", arguments: 1...8)
  func channels(_ count: Int) async throws {
    let card = try VirtualCard()
    let format = try #require(CableFormat(rate: 48000, channels: count, sample: .s16))
    try await play(format, on: card, card.pcm())
    #expect(card.count("format 48000 S16_LE \(count)") >= 1)
    let data = try card.heard
    try #require(data.count >= 9600 * count * 2)
    let layout = SpeakerLayout.stream(channels: count)
    let places = SpeakerLayout.alsa(channels: count)
    for (channel, place) in places.speakers.enumerated() {
      let samples = try Sine.part(0..<9600, of: Sine.channel(channel, of: count, in: data))
      let level = Sine.level(of: 1000, in: samples, rate: 48000)
      #expect(level > 0.1 || !layout.speakers.contains(place))
    }
  }

  @Test(
    "F4 · converts a format that the card lacks to the nearest that it has",
    arguments: [
      (44100, 2, "S16_LE"), (44100, 2, "S24_3LE"), (96000, 6, "S32_LE"), (48000, 1, "FLOAT_LE"),
    ] as [(Int, Int, String)])
  func nearest(_ rate: Int, _ count: Int, _ name: String) async throws {
    let card = try VirtualCard()
    let format = try #require(CableFormat(rate: 48000, channels: 2, sample: .f32))
    try await play(
      format, on: card, card.pcm("rate \(rate)", "channels \(count)", "format \(name)"))
    #expect(card.count("format \(rate) \(name) \(count)") >= 1)
    #expect(card.count("sound") >= 1)
  }
}
