import Devices
import Foundation
import JSON
import PluginKit
import PluginProtocol
import TestSupport
import Testing

@testable import ALSAAmplifier

@Suite struct MixerNameTests {
  @Test(
    "E15 · finds the mixer's card from the sound device's name; none for digital outputs",
    arguments: [
      ("default", "default"), ("hw:0", "hw:0"), ("plughw:CARD=PCH,DEV=3", "hw:PCH"),
      ("surround51:CARD=PCH,DEV=0", "hw:PCH"), ("sysdefault:PCH", "hw:PCH"),
      ("hdmi:CARD=HDMI,DEV=0", nil), ("iec958:0", nil), ("capture", nil), ("hw:,", nil),
    ] as [(String, String?)])
  func card(_ device: String, _ card: String?) throws {
    #expect(MixerName.card(of: try #require(SoundDeviceName(device)))?.text == card)
  }

  @Test("E15 · the option names no mixer, a control, or a card and a control")
  func option() throws {
    func read(_ option: String, device: String) throws -> MixerName? {
      MixerName(option: option, device: try #require(SoundDeviceName(device)))
    }
    func control(_ name: String?, of card: String) throws -> MixerName {
      .hardware(card: try #require(SoundDeviceName(card)), control: name)
    }
    #expect(try read("software", device: "hw:0") == .software)
    #expect(try read("auto", device: "hw:1") == control(nil, of: "hw:1"))
    #expect(try read("auto", device: "hdmi:0") == .software)
    #expect(try read("Speaker", device: "hw:1") == control("Speaker", of: "hw:1"))
    #expect(try read("hw:2/PCM", device: "hw:1") == control("PCM", of: "hw:2"))
    #expect(try read("pulse/Line Out", device: "hw:1") == control("Line Out", of: "pulse"))
    #expect(try read("hw:0/HDMI/DP", device: "hw:1") == control("HDMI/DP", of: "hw:0"))
    #expect(try read("Speaker+LO", device: "x") == control("Speaker+LO", of: "default"))
  }

  @Test(
    "E15 · a control in dB follows the curve, clamped to its range; 100 % is never above 0 dB")
  func decibels() {
    let scale = MixerScale.decibels(lowest: -5000, highest: 600)
    #expect(scale.level(for: 100) == 0)
    #expect(scale.level(for: 50) == -1806)
    #expect(scale.level(for: 1) == -5000)
    #expect(scale.level(for: 0) == -5000)
    #expect(scale.volume(for: -1806) == 50)
    #expect(scale.volume(for: 600) == 100)
  }

  @Test("E15 · a control without dB maps the volume linearly to its range")
  func raw() {
    let scale = MixerScale.raw(lowest: 0, highest: 65536)
    #expect(scale.level(for: 50) == 32768)
    #expect(scale.volume(for: 32768) == 50)
    #expect(MixerScale.raw(lowest: 3, highest: 3).volume(for: 3) == 100)
  }
}

/// The amplifier with the virtual card's mixer.
@Suite(.serialized, .realTime, .timeLimit(.minutes(5))) struct HardwareMixerTests {
  /// The content of the card's mixer file: volume in half dBs up from −50 dB, and the switch.
  private func controls(_ card: VirtualCard) -> [Int] {
    let text = (try? String(contentsOfFile: card.folder.path(of: "mixer"), encoding: .utf8)) ?? ""
    return text.split(whereSeparator: \.isWhitespace).compactMap { Int($0) }
  }

  private func openAmplifier(
    _ card: VirtualCard, decibels: Bool = true
  ) async throws -> Controller {
    try #require(SoundConfiguration.isReady)
    let controller = Controller()
    let mixer = "\(card.pcm("decibels \(decibels ? 1 : 0)"))/Master"
    try await controller.open([
      "device": .string(card.pcm()), "mixer": .string(mixer), "startupVolume": 60,
    ])
    return controller
  }

  @Test("E15 · a hardware mixer sets the volume by the curve, and mutes")
  func sets() async throws {
    let card = try VirtualCard()
    let controller = try await openAmplifier(card)
    #expect(controller.value(.volume) == 100)
    try await controller.perform("on")
    #expect(controller.value(.volume) == 60)
    try await controller.perform(["volume": 50])
    // −18.06 dB lies between two half-dB steps.
    #expect((63...64).contains(controls(card).first ?? 0))
    #expect(controller.value(.volume) == 50)
    try await controller.perform("mute")
    #expect(controls(card).last == 0)
    try await controller.perform("unmute")
    #expect(controls(card).last == 1)
    #expect(
      controller.attribute("mixer")?.string?.hasSuffix("-50.0 to 0.0 dB") == true)
    await controller.end()
  }

  @Test("E15 · a volume set by a hardware mixer leaves the samples unchanged")
  func leavesSamples() async throws {
    let card = try VirtualCard()
    let controller = try await openAmplifier(card)
    try await controller.perform("on")
    try await controller.perform(["input": "cd"])
    try await controller.perform(["volume": 25])
    let player = try await controller.plug("cd", folder: card.folder)
    let sent = Sine.frames([440, 440], seconds: 0.5)
    #expect(await eventually { player.source.isHeard })
    await player.send(sent, try .s16())
    #expect(await player.finish())
    #expect(Array(try card.heard.prefix(sent.count)) == sent)
    await controller.end()
  }

  @Test("E15 · a volume that another program sets is reported and kept")
  func follows() async throws {
    let card = try VirtualCard()
    let controller = try await openAmplifier(card)
    try await controller.perform("on")
    try "64 1\n".write(toFile: card.folder.path(of: "mixer"), atomically: false, encoding: .utf8)
    await controller.wait { $0.value(.volume) == 50 }
    try "64 0\n".write(toFile: card.folder.path(of: "mixer"), atomically: false, encoding: .utf8)
    await controller.wait { $0.value(.muted) == true }
    try await controller.perform("surround")
    #expect(controller.value(.volume) == 50)
    #expect(controls(card) == [64, 0])
    await controller.end()
  }

  @Test(
    "E15 · a refused `on` leaves the mixer of a busy card exactly as another program has set it",
    arguments: [[60, 0], [100, 0], [100, 1]])
  func busyCard(setting: [Int]) async throws {
    let card = try VirtualCard()
    try card.folder.write("mixer", Array("\(setting[0]) \(setting[1])\n".utf8))
    try card.control("busy")
    let controller = try await openAmplifier(card)
    let volume = controller.value(.volume)
    await #expect(throws: RPCError.self) { try await controller.perform("on") }
    #expect(controls(card) == setting)
    #expect(controller.value(.power) == "off")
    #expect(controller.value(.volume) == volume)
    #expect(controller.value(.muted) == .bool(setting[1] == 0))
    try card.control("")
    try await controller.perform("on")
    #expect((controller.value(.volume)?.integer ?? 100) <= 60)
    #expect(controls(card).last == 1)
    await controller.end()
  }

  @Test("E15 · a refused `on` keeps a volume that a person sets at the mixer meanwhile")
  func changeWhileTurningOn() async throws {
    let card = try VirtualCard()
    try card.folder.write("mixer", Array("100 0\n".utf8))
    try card.control("held")
    let controller = try await openAmplifier(card)
    let on = Task { try await controller.perform("on") }
    #expect(
      await eventually {
        (try? String(contentsOfFile: card.folder.path(of: "control"), encoding: .utf8)) == "waits"
      })
    #expect(controls(card).last == 1)
    try "64 1\n".write(toFile: card.folder.path(of: "mixer"), atomically: false, encoding: .utf8)
    try card.control("busy")
    await #expect(throws: RPCError.self) { try await on.value }
    // The person has not changed the switch, so it is off as before.
    #expect(controls(card) == [64, 0])
    #expect(controller.value(.power) == "off")
    #expect(controller.value(.volume) == 50)
    #expect(controller.value(.muted) == true)
    await controller.end()
  }

  @Test("E15 · a mixer without dB is used over its raw range, and status says so")
  func withoutDecibels() async throws {
    let card = try VirtualCard()
    let controller = try await openAmplifier(card, decibels: false)
    try await controller.perform(["volume": 30])
    #expect(controls(card).first == 30)
    #expect(controller.attribute("mixer")?.string?.contains("without a dB scale") == true)
    await controller.end()
  }

  @Test("E15 · computes the volume in software, with a warning, when the mixer is missing")
  func missing() async throws {
    try #require(SoundConfiguration.isReady)
    let card = try VirtualCard()
    let controller = Controller()
    try await controller.open(["device": .string(card.pcm()), "mixer": "hw:7/Master"])
    #expect(controller.attribute("mixer") == "software")
    await controller.wait { $0.log.contains { $0.hasPrefix("the mixer \"hw:7/Master\"") } }
    await controller.end()
  }
}
