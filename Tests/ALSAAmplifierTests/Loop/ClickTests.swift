import Foundation
import Synchronization
import Testing

@testable import ALSAAmplifier
@testable import PluginKit

/// Sound that breaks off and begins: nothing beyond the tone may be heard.
@Suite struct ClickTests {
  /// Something that is done while a tone plays.
  enum Action: String, CaseIterable, Sendable {
    case pause, seek, stop, off, input, mute, volume, mode, unplug, stall
  }

  /// A sine of −6 dBFS and 440 Hz in each channel.
  private func tone(_ format: CableFormat, seconds: Double) -> [UInt8] {
    Sine.frames(
      Array(repeating: 440, count: format.channels), rate: format.rate, seconds: seconds)
  }

  private func play(_ action: Action, seed: Int, givesBack: Bool) throws -> ModelRig {
    let rig = try ModelRig(seed: seed, givesBack: givesBack)
    let format = try CableFormat.s16(channels: action == .mode ? 6 : 2)
    let (first, second) = (try ModelInput(format), try ModelInput(.s16()))
    rig.plug(first)
    rig.plug(second, at: 1)
    rig.select(0)
    let sound = tone(format, seconds: 0.4)
    first.send(sound)
    rig.run(milliseconds: Double(rig.random(1000...2500)) / 10)
    // Send as many frames as went to the card, behind those in the ring.
    let more = min(first.writableFrames, sound.count / format.frameBytes)
    let phase = sound.count / format.frameBytes
    let rest = tone(format, seconds: 1)
    if action != .stall {
      first.send(rest[phase * format.frameBytes..<(phase + more) * format.frameBytes])
    }
    switch action {
    case .pause, .seek:
      first.flush()
      rig.run(milliseconds: action == .pause ? Double(rig.random(0...300)) : 0.5)
      // From somewhere within the tone.
      let start = rig.random(1...4000) * format.frameBytes
      first.send(rest[start..<start + 15000 * format.frameBytes])
    case .stop: first.flush()
    case .off: rig.turnOff()
    case .input:
      rig.select(1)
      rig.run(milliseconds: 1)
      // A player that is heard from now on begins with a flush.
      second.flush()
      second.send(rest[400..<400 + 4 * 15000])
    case .mute:
      rig.setGain(0)
      rig.run(milliseconds: Double(rig.random(0...200)))
      rig.setGain(1)
    case .volume:
      rig.setGain(0.001)
      rig.run(milliseconds: Double(rig.random(0...100)))
      rig.setGain(0.7)
    case .mode: rig.shared.pointee.surround.store(true, ordering: .relaxed)
    case .unplug: first.append(.silence)
    case .stall: break
    }
    rig.run(milliseconds: 900)
    #expect(action != .off || rig.isOff)
    #expect(rig.card.underruns == 0)
    return rig
  }

  @Test(
    "E15 F4 · keeps noise other than the tone below −60 dBFS, so nothing clicks",
    arguments: Action.allCases, [true, false])
  func silentBreaks(_ action: Action, givesBack: Bool) throws {
    var worst = 0.0
    for seed in 1...10 {
      let rig = try play(action, seed: seed, givesBack: givesBack)
      defer { rig.end() }
      for (settings, bytes) in rig.card.runs {
        let left = Sine.channel(0, of: settings.channels, in: bytes)
        worst = max(worst, Sine.click(in: left))
      }
    }
    #expect(worst < 0.001)
  }

  @Test("E15 F4 · a pause is silent after 12 ms on a card that can rewind its buffer")
  func promptPause() throws {
    for seed in 1...10 {
      let rig = try ModelRig(seed: seed)
      defer { rig.end() }
      let input = try ModelInput(.s16())
      rig.plug(input)
      rig.select(0)
      input.send(tone(input.format, seconds: 0.4))
      rig.run(milliseconds: Double(rig.random(800...1500)) / 10)
      let before = rig.card.heard.count / 4
      input.flush()
      rig.run(milliseconds: 100)
      let left = Sine.channel(0, of: 2, in: Array(rig.card.heard.dropFirst(before * 4)))
      let last = left.lastIndex { $0 != 0 } ?? 0
      #expect(last * 1000 / 44100 < 12)
    }
  }
}
