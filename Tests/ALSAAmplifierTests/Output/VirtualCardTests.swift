import Foundation
import PluginKit
import TestSupport
import Testing

@testable import ALSAAmplifier

/// Sound in real time on the virtual card: what is heard, and when.
@Suite(.serialized, .realTime, .timeLimit(.minutes(5))) struct VirtualCardTests {
  @Test("F4 · in real time every frame is heard, exactly and without a gap")
  func exact() async throws {
    let card = try VirtualCard()
    let rig = try await Rig(device: card.pcm())
    let sent = Sine.frames([440, 1000], seconds: 2)
    await rig.cable.send(sent, try .s16())
    #expect(await rig.cable.finish())
    rig.engine.stop()
    #expect(Array(try card.heard.prefix(sent.count)) == sent)
    #expect(card.count("underrun") == 0)
    #expect(card.events.last?.name == "close")
  }

  @Test("F4 · from the first frame sent to the first one heard it takes less than 60 ms")
  func starts() async throws {
    let card = try VirtualCard()
    let rig = try await Rig(device: card.pcm())
    let start = VirtualCard.now
    await rig.cable.send(Sine.frames([440, 440], seconds: 0.5), try .s16())
    #expect(await card.waitForEvent("sound"))
    let sound = try #require(card.events.first { $0.name == "sound" })
    #expect(sound.time - start < 60_000_000)
    rig.engine.stop()
  }

  @Test("F4 · a pause is silence within 100 ms, and going on loses no frame")
  func pause() async throws {
    let card = try VirtualCard()
    let rig = try await Rig(device: card.pcm())
    async let sending = rig.cable.send(Sine.frames([440, 440], seconds: 2), try .s16())
    #expect(await card.waitForEvent("sound"))
    let asked = VirtualCard.now
    rig.cable.source.pause()
    #expect(await card.waitForEvent("silence"))
    let silence = try #require(card.events.last { $0.name == "silence" })
    #expect(silence.time - asked < 100_000_000)
    rig.cable.source.resume()
    #expect(await card.waitForEvent("sound", times: 2))
    #expect(try await sending == 88200)
    #expect(await rig.cable.finish())
    rig.engine.stop()
    // All of it, within the fades of 5 ms where it went on.
    let left = Sine.channel(0, of: 2, in: try card.heard)
    #expect(abs(left.filter { $0 != 0 }.count - 88200) < 500)
  }

  @Test("E15 · a flush empties the card at once")
  func flush() async throws {
    let card = try VirtualCard()
    let rig = try await Rig(device: card.pcm(), buffer: 500)
    async let sending = rig.cable.send(Sine.frames([440, 440], seconds: 3), try .s16())
    #expect(await card.waitForEvent("sound"))
    let asked = VirtualCard.now
    _ = rig.cable.source.flush()
    #expect(await card.waitForEvent("silence"))
    let silence = try #require(card.events.last { $0.name == "silence" })
    #expect(silence.time - asked < 100_000_000)
    _ = try await sending
    rig.engine.stop()
  }

  @Test("F4 · a card with one rate gets it, and the tone keeps its pitch and level")
  func resampled() async throws {
    let card = try VirtualCard()
    let rig = try await Rig(device: card.pcm("rate 48000"))
    await rig.cable.send(Sine.frames([440, 440]), try .s16())
    #expect(await rig.cable.finish())
    rig.engine.stop()
    let left = Sine.channel(0, of: 2, in: try card.heard)
    let middle = try Sine.part(2400..<45600, of: left)
    #expect(abs(SoundMeasurement.frequency(middle, rate: 48000) - 440) < 1)
    #expect(abs(Sine.level(of: 440, in: middle, rate: 48000) - 0.5) < 0.005)
    #expect(abs(left.filter { $0 != 0 }.count - 48000) < 600)
  }

  @Test("F4 · a card of 32 bits and six channels plays stereo in front")
  func wideCard() async throws {
    let card = try VirtualCard()
    let rig = try await Rig(device: card.pcm("channels 6", "format S32_LE"), volume: 50)
    await rig.cable.send(Sine.frames([440, 1000], level: 0.8), try .s16())
    #expect(await rig.cable.finish())
    rig.engine.stop()
    let data = try card.heard
    let frames = data.count / 24
    func channel(_ index: Int) -> [Double] {
      (0..<min(frames, 44100)).map { frame in
        data.withUnsafeBytes {
          Double($0.loadUnaligned(fromByteOffset: frame * 24 + index * 4, as: Int32.self))
            / 2_147_483_648
        }
      }
    }
    #expect(abs(Sine.level(of: 440, in: channel(0), rate: 44100) - 0.1) < 0.001)
    #expect(abs(Sine.level(of: 1000, in: channel(1), rate: 44100) - 0.1) < 0.001)
    for silent in 2..<6 { #expect(channel(silent).allSatisfy { $0 == 0 }) }
  }

  @Test("E15 F4 · a card that says which speaker each channel is gets each in its place")
  func channelMap() async throws {
    let card = try VirtualCard()
    let rig = try await Rig(device: card.pcm("maps 1"), surround: true)
    let six = [300.0, 500, 700, 60, 1100, 1300]
    await rig.cable.send(Sine.frames(six, rate: 48000), try .s16(rate: 48000, channels: 6))
    #expect(await rig.cable.finish())
    rig.engine.stop()
    let data = try card.heard
    for (channel, frequency) in six.enumerated() {
      let samples = try Sine.part(0..<48000, of: Sine.channel(channel, of: 6, in: data))
      #expect(Sine.level(of: frequency, in: samples, rate: 48000) > 0.49)
    }
  }

  @Test("F4 · a change of format plays out the old one and loses no frame")
  func formatChange() async throws {
    let card = try VirtualCard()
    let rig = try await Rig(device: card.pcm())
    await rig.cable.send(Sine.frames([440, 440], seconds: 0.5), try .s16())
    await rig.cable.send(
      Sine.frames([440, 440], rate: 48000, seconds: 0.5), try .s16(rate: 48000))
    #expect(await rig.cable.finish())
    rig.engine.stop()
    let names = card.events.map(\.name).filter { $0.hasPrefix("format") }
    #expect(names.suffix(2) == ["format 44100 S16_LE 2", "format 48000 S16_LE 2"])
    let left = Sine.channel(0, of: 2, in: try card.heard)
    #expect(abs(left.filter { $0 != 0 }.count - (22050 + 24000)) < 600)
  }
}
