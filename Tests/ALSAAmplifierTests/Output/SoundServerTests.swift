import Devices
import Foundation
import JSON
import Platform
import PluginKit
import TestSupport
import Testing

@testable import ALSAAmplifier

/// Sound through libasound's plugin for PulseAudio, into a real server without hardware.
@Suite(
  .serialized, .realTime, .timeLimit(.minutes(5)),
  .enabled(if: SoundServer.isInstalled, "needs the packages pulseaudio and pulseaudio-utils"))
struct SoundServerTests {
  @Test("F4 · through a sound server a tone arrives in real time, at its pitch")
  func tone() async throws {
    let server = try await SoundServer()
    let file = server.folder.path(of: "heard.raw")
    let recorder = try server.record(to: file)
    let size: @Sendable () -> Int = {
      (try? FileManager.default.attributesOfItem(atPath: file)[.size] as? Int) ?? 0
    }
    #expect(await eventually { size() > 0 })
    let rig = try await Rig(device: server.pcm)
    let clock = ContinuousClock()
    let start = clock.now
    await rig.cable.send(Sine.frames([440, 1000], seconds: 3), try .s16())
    #expect(await rig.cable.finish())
    let elapsed = clock.now - start
    #expect(elapsed > .milliseconds(2700) && elapsed < .milliseconds(5000))
    let end = size()
    #expect(await eventually { size() > end + 48000 })
    rig.engine.stop()
    recorder.signal(SIGTERM)
    recorder.wait(killingAfter: 10)

    let data = [UInt8](try Data(contentsOf: URL(fileURLWithPath: file)))
    let left = Sine.channel(0, of: 2, in: data)
    let first = try #require(left.firstIndex { abs($0) > 0.1 })
    let tone = try Sine.part((first + 24000)..<(first + 96000), of: left)
    #expect(abs(SoundMeasurement.frequency(tone, rate: 48000) - 440) < 1)
    #expect(abs(Sine.level(of: 440, in: tone, rate: 48000) - 0.5) < 0.02)
  }

  @Test("F4 · a sound server that dies (EIO) is waited for; the music goes on unheard, then heard")
  func dies() async throws {
    let server = try await SoundServer()
    let rig = try await Rig(device: server.pcm)
    async let sent = rig.cable.send(Sine.frames([440, 440], seconds: 6), try .s16())
    #expect(await eventually { rig.engine.status.isSounding })
    server.stop()
    #expect(await eventually { rig.engine.status.state == .silent })
    try await server.start()
    #expect(await eventually(within: 3) { rig.engine.status.state == .open })
    #expect(rig.engine.status.reopenings == 1)
    #expect(try await sent == 264_600)
    #expect(await rig.cable.finish())
    rig.engine.stop()
  }

  @Test("E15 · the server's volume is the mixer: without dB, and turned by others, too")
  func mixer() async throws {
    let server = try await SoundServer()
    try #require(SoundConfiguration.isReady)
    let controller = Controller()
    try await controller.open([
      "device": .string(server.pcm), "mixer": .string("\(server.pcm)/Master"),
      "startupVolume": 40,
    ])
    try await controller.perform("on")
    #expect(controller.value(.volume) == 40)
    #expect(controller.attribute("mixer")?.string?.contains("without a dB scale") == true)
    try server.setVolume(to: 65)
    await controller.wait { $0.value(.volume) == 65 }
    await controller.end()
  }
}
