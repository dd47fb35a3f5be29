import Devices
import Foundation
import JSON
import PluginKit
import PluginProtocol
import TestSupport
import Testing

@testable import ALSAAmplifier

/// The amplifier as the controller sees it, with sound going into a file.
@Suite(.serialized, .realTime, .timeLimit(.minutes(5))) struct PluginTests {
  /// An open amplifier that plays into `out.raw` of the folder folder.
  private func openAmplifier(
    _ folder: TemporaryFolder, _ more: JSONObject = [:]
  ) async throws -> Controller {
    try #require(SoundConfiguration.isReady)
    let controller = Controller()
    var options: JSONObject = [
      "device": .string(SoundConfiguration.capture(to: folder.path(of: "out.raw")))
    ]
    for (key, value) in more { options[key] = value }
    try await controller.open(.object(options))
    return controller
  }

  @Test(
    "E15 F1 · after opening, the amplifier is off, has reported all its state and accepts a pcm cable"
  )
  func opened() async throws {
    let folder = try TemporaryFolder()
    let controller = try await openAmplifier(folder, ["startupVolume": 30])
    await controller.wait { $0.value(.volume) != nil }
    #expect(controller.value(.power) == "off")
    #expect(controller.value(.volume) == 30)
    #expect(controller.value(.mode) == "stereo")
    #expect(controller.value(.muted) == false)
    #expect(controller.value(.input) == .null)
    #expect(!FileManager.default.fileExists(atPath: folder.path(of: "out.raw")))
    await controller.end()
  }

  @Test("E13 E15 F4 · on, input, stereo, volume: a player's sound is heard at that volume")
  func evening() async throws {
    let folder = try TemporaryFolder()
    let controller = try await openAmplifier(folder)
    let player = try await controller.plug("cd", folder: folder)
    for command: JSON in ["on", ["input": "cd"], "stereo", ["volume": 50]] {
      try await controller.perform(command)
    }
    #expect(controller.value(.power) == "on")
    #expect(controller.value(.input) == "cd")
    #expect(controller.value(.volume) == 50)

    let format = try CableFormat.s16()
    #expect(await eventually { player.source.isHeard })
    await player.send(Sine.frames([440, 440], level: 0.8), format)
    #expect(await player.finish())
    try await controller.perform("off")
    #expect(controller.value(.power) == "off")
    // The device closes once the fade has been written.
    await controller.wait { $0.attribute("sink") == "closed" }

    let data = [UInt8](try Data(contentsOf: URL(fileURLWithPath: folder.path(of: "out.raw"))))
    let left = try Sine.part(0..<44100, of: Sine.channel(0, of: 2, in: data))
    #expect(abs(Sine.level(of: 440, in: left, rate: 44100) / 0.1 - 1) < 0.01)
    await controller.end()
  }

  @Test("E15 F4 · an input that is selected before its cable is plugged is heard from then on")
  func selectedBeforeItsCable() async throws {
    let folder = try TemporaryFolder()
    let controller = try await openAmplifier(folder)
    for command: JSON in ["on", ["input": "cd"], ["volume": 50]] {
      try await controller.perform(command)
    }
    #expect(controller.value(.input) == "cd")
    let player = try await controller.plug("cd", folder: folder)
    #expect(await eventually { player.source.isHeard })
    await player.send(Sine.frames([440, 440], level: 0.8), try .s16())
    #expect(await player.finish())
    #expect(controller.value(.input) == "cd")
    try await controller.perform("off")
    await controller.wait { $0.attribute("sink") == "closed" }
    let data = [UInt8](try Data(contentsOf: URL(fileURLWithPath: folder.path(of: "out.raw"))))
    let left = try Sine.part(0..<44100, of: Sine.channel(0, of: 2, in: data))
    #expect(abs(Sine.level(of: 440, in: left, rate: 44100) / 0.1 - 1) < 0.01)
    await controller.end()
  }

  @Test("E15 F4 · a mistyped name of an input uses up none of the 16 inputs")
  func mistypedInput() async throws {
    let folder = try TemporaryFolder()
    let controller = try await openAmplifier(folder)
    for number in 1...20 { try await controller.perform(["input": .string("dvdd\(number)")]) }
    #expect(controller.value(.input) == "dvdd20")
    func open(_ input: String) async throws {
      let token = String(repeating: "0123456789abcdef", count: 4)
      let socket = CableSocket(path: folder.path(of: input), token: token)
      _ = try await controller.ask(
        OpenSocketRequest(device: Controller.device, input: input, socket: socket))
    }
    for number in 1...15 { try await open("in\(number)") }
    let player = try await controller.plug("dvd", folder: folder)
    await #expect(throws: RPCError.self) { try await open("in17") }
    try await controller.perform("on")
    try await controller.perform(["input": "dvd"])
    #expect(await eventually { player.source.isHeard })
    await controller.end()
  }

  @Test("E15 · turns on at no more than its limit, whatever the volume was before")
  func startUpCap() async throws {
    let folder = try TemporaryFolder()
    let controller = try await openAmplifier(folder, ["startupVolume": 20])
    try await controller.perform(["volume": 90])
    #expect(controller.value(.volume) == 90)
    try await controller.perform("on")
    #expect(controller.value(.volume) == 20)
    try await controller.perform(["volume": 10])
    try await controller.perform("off")
    try await controller.perform("on")
    #expect(controller.value(.volume) == 10)
    await controller.end()
  }

  @Test("E15 · mute keeps the volume, unmute brings it back")
  func mute() async throws {
    let folder = try TemporaryFolder()
    let controller = try await openAmplifier(folder)
    try await controller.perform(["volume": 33])
    try await controller.perform("mute")
    #expect(controller.value(.muted) == true)
    #expect(controller.value(.volume) == 33)
    try await controller.perform("unmute")
    #expect(controller.value(.muted) == false)
    await controller.end()
  }

  @Test("E15 · is never muted after it is turned on")
  func muteEndsWithTheEvening() async throws {
    let folder = try TemporaryFolder()
    let controller = try await openAmplifier(folder)
    for command: JSON in ["on", "mute", "on"] { try await controller.perform(command) }
    #expect(controller.value(.muted) == true, "turning on what is on changes nothing")
    try await controller.perform("off")
    try await controller.perform("on")
    #expect(controller.value(.muted) == false)
    await controller.end()
  }

  @Test("F4 · without its sound device it refuses to turn on, with the reason and a remedy")
  func refused() async throws {
    try #require(SoundConfiguration.isReady)
    let controller = Controller()
    try await controller.open(["device": "no-such-pcm", "whenMissing": "fail"])
    await #expect {
      try await controller.perform("on")
    } throws: { error in
      guard let error = error as? RPCError else { return false }
      return error.message == "there is no sound device no-such-pcm"
        && error.data?["kind"] == "unavailable"
        && error.data?["hint"]?.string?.contains("theater audio devices") == true
    }
    #expect(controller.value(.power) == "off")
    await controller.end()
  }

  @Test("F4 · stops reporting a problem that is solved")
  func problemOver() async throws {
    try #require(SoundConfiguration.isReady)
    let card = try VirtualCard()
    try card.control("busy")
    let controller = Controller()
    try await controller.open(["device": .string(card.pcm())])
    await #expect(throws: RPCError.self) { try await controller.perform("on") }
    await controller.wait { $0.attribute("problem")?.string?.contains("in use") == true }
    try card.control("")
    try await controller.perform("on")
    await controller.wait { $0.attribute("sink") == "device" && $0.attribute("problem") == .null }
    await controller.end()
  }

  @Test("F4 · with `whenMissing: silent` it plays unheard in real time, with a warning")
  func silent() async throws {
    try #require(SoundConfiguration.isReady)
    let folder = try TemporaryFolder()
    let controller = Controller()
    try await controller.open(["device": "no-such-pcm", "whenMissing": "silent"])
    let player = try await controller.plug("dvd", folder: folder)
    try await controller.perform("on")
    try await controller.perform(["input": "dvd"])
    await controller.wait { $0.attribute("sink") == "silent" && !$0.log.isEmpty }
    #expect(controller.value(.power) == "on")
    #expect(controller.log.contains { $0.hasPrefix("NO SOUND: there is no sound device") })

    let clock = ContinuousClock()
    let start = clock.now
    #expect(await eventually { player.source.isHeard })
    await player.send(Sine.frames([440, 440]), try CableFormat.s16())
    #expect(await player.finish())
    let elapsed = clock.now - start
    #expect(elapsed > .milliseconds(900) && elapsed < .milliseconds(2500))
    await controller.end()
  }

  @Test("F4 · reports levels on request while sound runs, at most fifteen times a second")
  func meter() async throws {
    let folder = try TemporaryFolder()
    let controller = try await openAmplifier(folder, ["meter": true, "startupVolume": 100])
    let player = try await controller.plug("cd", folder: folder)
    try await controller.perform(["volume": 100])
    try await controller.perform("on")
    try await controller.perform(["input": "cd"])
    #expect(await eventually { player.source.isHeard })
    await player.send(Sine.frames([440, 0], level: 0.5, seconds: 1), try .s16())
    #expect(await player.finish())
    // Half of full scale is −6 dB, and a sine's level 3 dB below its peak.
    #expect(controller.attribute("peak") == [-6, -120])
    #expect(controller.attribute("rms") == [-9, -120])
    #expect(controller.notifications(of: "peak") <= 20)
    #expect(controller.levels == [], "levels were not requested")
    await controller.end()
  }

  @Test("F4 · reports levels to a controller that asks, fifteen times a second, and no attributes")
  func levels() async throws {
    let folder = try TemporaryFolder()
    let controller = try await openAmplifier(folder, ["startupVolume": 100])
    let player = try await controller.plug("cd", folder: folder)
    try await controller.perform(["volume": 100])
    try await controller.perform("on")
    try await controller.perform(["input": "cd"])
    #expect(await eventually { player.source.isHeard })
    try controller.setMetering(true)
    await player.send(Sine.frames([440, 0], level: 0.5, seconds: 1), try .s16())
    #expect(await player.finish())
    let levels = controller.levels
    // A second of sound and the rest of the device's buffer.
    #expect(levels.count <= 20 && levels.count >= 5, "\(levels.count)")
    #expect(levels.map { $0.peak[0] }.max() == -6 && levels.map { $0.rms[0] }.max() == -9)
    #expect(levels.allSatisfy { $0.peak[1] == -120 && $0.peak.count == 2 })
    #expect(controller.attribute("peak") == nil)
    try controller.setMetering(false)
    try await controller.perform("mute")
    let count = controller.levels.count
    await player.send(Sine.frames([440, 0], level: 0.5, seconds: 0.3), try .s16())
    #expect(await player.finish())
    #expect(controller.levels.count == count)
    await controller.end()
  }
}
