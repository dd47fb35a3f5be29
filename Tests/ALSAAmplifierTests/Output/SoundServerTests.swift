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

  /// An amplifier on the virtual card, with the server's volume as its mixer.
  private func openAmplifier(_ server: SoundServer, _ card: VirtualCard) async throws -> Controller
  {
    try #require(SoundConfiguration.isReady)
    let controller = Controller()
    try await controller.open([
      "device": .string(card.pcm()), "mixer": .string("\(server.pcm)/Master"),
      "startupVolume": 40,
    ])
    return controller
  }

  @Test("E15 · a mixer that appears while the amplifier is on changes no volume before the next on")
  func lateMixer() async throws {
    let server = try await SoundServer()
    defer { server.stop() }
    server.stop()
    let card = try VirtualCard()
    let controller = try await openAmplifier(server, card)
    try await controller.perform("on")
    try await controller.perform(["volume": 30])
    try await controller.perform("mute")
    // Its volume is 100 %, unmuted.
    try await server.start()
    try await controller.perform("on")
    #expect(controller.attribute("mixer") == "software")
    #expect(controller.value(.volume) == 30)
    #expect(controller.value(.muted) == true)
    try await controller.perform("off")
    try await controller.perform("on")
    #expect(controller.attribute("mixer")?.string?.hasPrefix("Master of") == true)
    #expect(controller.value(.volume) == 40)
    #expect(controller.value(.muted) == false)
    await controller.end()
  }

  /// The number of libpulse's threads in this process; each open mixer of a server has one.
  private static var serverThreads: Int {
    let all = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
    return all.count {
      let name = try? String(contentsOfFile: "/proc/self/task/\($0)/comm", encoding: .utf8)
      return name == "threaded-ml\n"
    }
  }

  @Test("E15 · a mixer that goes away is closed, however often it comes back")
  func mixerComesAndGoes() async throws {
    let before = Self.serverThreads
    let server = try await SoundServer()
    defer { server.stop() }
    let card = try VirtualCard()
    let controller = try await openAmplifier(server, card)
    for _ in 1...20 {
      try await controller.perform("on")
      #expect(controller.attribute("mixer")?.string?.hasPrefix("Master of") == true)
      #expect(Self.serverThreads > before)
      server.stop()
      await controller.wait {
        $0.attribute("mixer") == "software, since the hardware mixer has gone"
      }
      #expect(await eventually { Self.serverThreads <= before })
      try await controller.perform("off")
      try await server.start()
    }
    await controller.end()
  }
}
