import Foundation
import PluginKit
import TestSupport
import Testing

@testable import ALSAAmplifier

/// Changes while sound is running: none may click.
@Suite(.serialized, .realTime, .timeLimit(.minutes(5))) struct SwitchingTests {
  /// The largest step from one frame to the next, within and around the sound.
  private func largestStep(_ samples: [Double]) -> Double {
    zip(samples, samples.dropFirst()).map { abs($1 - $0) }.max() ?? 0
  }

  /// The largest step between two frames of a 440 Hz tone at half scale and 44,100 Hz, with a
  /// margin of 50 % for fades and dither.
  private let smooth = 0.5 * 2 * Double.pi * 440 / 44100 * 1.5

  @Test(
    "E15 · a change of input fades the old input out and the new one in, without a click")
  func input() async throws {
    let card = try VirtualCard()
    let rig = try await Rig(device: card.pcm())
    let dvd = try TestCable(rig.engine, index: 1, folder: rig.folder)
    async let cdSent = rig.cable.send(Sine.frames([440, 440], seconds: 4), try .s16())
    async let dvdSent = dvd.send(Sine.frames([0, 220], seconds: 4), try .s16())
    #expect(await card.waitForEvent("sound"))
    #expect(await card.waitForSound(more: 44100))
    rig.engine.select(1)
    #expect(await eventually { dvd.source.isHeard && !rig.cable.source.isHeard })
    #expect(await card.waitForSound(more: 4 * 44100))
    rig.engine.stop()
    rig.cable.source.close()
    dvd.source.close()
    _ = try await (cdSent, dvdSent)

    let data = try card.heard
    let left = Sine.channel(0, of: 2, in: data)
    let right = Sine.channel(1, of: 2, in: data)
    #expect(largestStep(left) < smooth)
    #expect(largestStep(right) < smooth)
    // The DVD is silent on the left: any sound there after the change, except for the dither of the
    // last fade, would be the CD.
    #expect(left.suffix(22050).allSatisfy { abs($0) < 0.0001 })
    #expect(Sine.level(of: 220, in: Array(right.suffix(22050)), rate: 44100) > 0.49)
  }

  @Test(
    "E15 F4 · on a card and in a file, pause, resume, seek and off do not click",
    arguments: ["card", "card without rewind", "file"])
  func breaks(_ output: String) async throws {
    let card = try VirtualCard()
    let rig = try await Rig(
      device: output == "file" ? nil : card.pcm(),
      rewind: output == "card" ? .always : .never)
    let source = rig.cable.source
    for _ in 0..<3 {
      // Begins as in the middle of a song.
      async let sent = rig.cable.send(
        Sine.frames([440, 440], seconds: 3), try .s16(), startsRecording: false)
      #expect(await eventually { rig.engine.status.isSounding && source.position.frames > 8000 })
      source.pause()
      source.resume()
      let place = source.position.frames
      #expect(await eventually { source.position.frames > place + 8000 })
      _ = source.flush()
      _ = try await sent
    }
    async let sent = rig.cable.send(
      Sine.frames([440, 440], seconds: 1), try .s16(), startsRecording: false)
    #expect(await eventually { rig.engine.status.isSounding && source.position.frames > 8000 })
    #expect(await rig.engine.setPower(false).state == .closed)
    source.close()
    _ = try await sent
    let data = output == "file" ? try rig.captured() : try card.heard
    rig.engine.stop()
    #expect(Sine.click(in: Sine.channel(0, of: 2, in: data)) < 0.001)
    #expect(card.count("underrun") == 0)
  }

  @Test("E15 · volume, mute and unmute ramp without a click")
  func volume() async throws {
    let card = try VirtualCard()
    let rig = try await Rig(device: card.pcm())
    async let sent = rig.cable.send(Sine.frames([440, 440], seconds: 4), try .s16())
    #expect(await card.waitForEvent("sound"))
    for gain: Float in [0.1, 1, 0, 0.5] {
      rig.engine.setGain(gain)
      #expect(await card.waitForSound(more: 44100))
    }
    rig.engine.stop()
    rig.cable.source.close()
    _ = try await sent
    let left = Sine.channel(0, of: 2, in: try card.heard)
    #expect(largestStep(left) < smooth)
    #expect(left.max() ?? 0 > 0.49)
  }

  @Test("E15 · surround on and off during a film switches to six channels and back to two")
  func mode() async throws {
    let card = try VirtualCard()
    let rig = try await Rig(device: card.pcm())
    let film = Sine.frames([300, 500, 700, 60, 1100, 1300], rate: 48000, seconds: 4)
    async let sent = rig.cable.send(film, try .s16(rate: 48000, channels: 6))
    #expect(await card.waitForEvent("sound"))
    rig.engine.setSurround(true)
    #expect(await card.waitForEvent("format 48000 S16_LE 6"))
    #expect(await eventually(within: 10) { rig.engine.status.settings?.channels == 6 })
    rig.engine.setSurround(false)
    #expect(await card.waitForEvent("format 48000 S16_LE 2", times: 2))
    rig.engine.stop()
    rig.cable.source.close()
    _ = try await sent
  }

  @Test("E15 · off releases the card at once; the source continues unheard")
  func off() async throws {
    let card = try VirtualCard()
    let rig = try await Rig(device: card.pcm())
    async let sent = rig.cable.send(Sine.frames([440, 440], seconds: 1.5), try .s16())
    #expect(await card.waitForEvent("sound"))
    #expect(await rig.engine.setPower(false).state == .closed)
    #expect(card.count("close") == 1)
    let cable = rig.cable
    #expect(await eventually { !cable.source.isHeard })
    #expect(try await sent == 66150)
    rig.engine.stop()
  }

  @Test("E15 · a source without sound lets the card stop, and wakes no thread")
  func idle() async throws {
    let card = try VirtualCard()
    let rig = try await Rig(device: card.pcm())
    await rig.cable.send(Sine.frames([440, 440], seconds: 0.3), try .s16())
    #expect(await card.waitForEvent("stop"))
    #expect(rig.engine.status.state == .open)
    #expect(await eventually { !rig.engine.status.isSounding })
    #expect(await eventually { await rig.engine.rounds(in: .milliseconds(1500)) == 0 })
    rig.engine.stop()
  }
}
