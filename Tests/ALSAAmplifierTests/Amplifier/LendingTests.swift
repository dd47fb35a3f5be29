import CALSA
import Devices
import Foundation
import JSON
import PluginKit
import PluginProtocol
import TestSupport
import Testing

@testable import ALSAAmplifier

/// The amplifier that lends its PCM: a card that takes one holder at a time says who has it.
@Suite(.serialized, .realTime, .timeLimit(.minutes(5))) struct LendingTests {
  private let card: VirtualCard
  private let pcm: String
  private let controller = Controller()

  init() throws {
    try #require(SoundConfiguration.isReady)
    card = try VirtualCard()
    pcm = card.pcm("exclusive 1")
  }

  /// An amplifier that is on and lends its card to the player at `cd`.
  private func open() async throws {
    try await controller.open(["device": .string(pcm)])
    let answer = try await controller.ask(LendRequest(device: Controller.device, input: "cd"))
    #expect(answer["pcm"]?.string == pcm)
    try await controller.perform("on")
  }

  /// Opens the card as a player does; nil while another program has it.
  private func openCard() -> OpaquePointer? {
    var handle: OpaquePointer?
    return snd_pcm_open(&handle, pcm, SND_PCM_STREAM_PLAYBACK, 0) == 0 ? handle : nil
  }

  @Test("F1 F4 · the card is free as soon as the lent input is reported, and only as long as it is")
  func handsOver() async throws {
    try await open()
    #expect(openCard() == nil)
    try await controller.perform(["input": "cd"])
    #expect(controller.value(.input) == "cd")
    #expect(controller.value(.power) == "on")
    await controller.wait { $0.attribute("lentTo") == "cd" && $0.attribute("sink") == "lent" }
    let player = try #require(openCard())
    snd_pcm_close(player)
    try await controller.perform(["input": "dvd"])
    #expect(openCard() == nil)
    await controller.wait { $0.attribute("lentTo") == .null && $0.attribute("sink") == "device" }
    await controller.end()
  }

  @Test("F1 F4 · a lending that begins while its input is selected closes the card first")
  func lentWhileSelected() async throws {
    try await controller.open(["device": .string(pcm)])
    try await controller.perform("on")
    try await controller.perform(["input": "cd"])
    #expect(openCard() == nil)
    _ = try await controller.ask(LendRequest(device: Controller.device, input: "cd"))
    let borrowed: OpaquePointer = try #require(openCard())
    snd_pcm_close(borrowed)
    await controller.end()
  }

  @Test("F4 · on and off leave the card to the player whose input is selected")
  func power() async throws {
    try await open()
    try await controller.perform(["input": "cd"])
    try await controller.perform("off")
    #expect(controller.value(.power) == "off")
    let player = try #require(openCard())
    try await controller.perform("on")
    #expect(controller.value(.power) == "on")
    #expect(controller.value(.input) == "cd")
    snd_pcm_close(player)
    await controller.end()
  }

  @Test("F4 · waits for a player that still holds the card, then opens it")
  func takesBack() async throws {
    let folder = try TemporaryFolder()
    try await open()
    let dvd = try await controller.plug("dvd", folder: folder)
    try await controller.perform(["input": "cd"])
    let player = try #require(openCard())
    // Longer than the amplifier waits before it answers.
    try await controller.perform(["input": "dvd"])
    #expect(controller.value(.input) == "dvd")
    await controller.wait { $0.attribute("sink") == "silent" }
    snd_pcm_close(player)
    await controller.wait { $0.attribute("sink") == "device" }
    #expect(openCard() == nil)
    await controller.wait { $0.attribute("problem") == .null }
    // And it is heard.
    #expect(await eventually { dvd.source.isHeard })
    await dvd.send(Sine.frames([440, 440], seconds: 0.5), try .s16())
    #expect(await dvd.finish())
    #expect(await card.waitForEvent("sound"))
    await controller.end()
  }

  @Test("F4 · a cable of samples at the same input ends the lending")
  func ends() async throws {
    let folder = try TemporaryFolder()
    try await open()
    try await controller.perform(["input": "cd"])
    _ = try await controller.plug("cd", folder: folder)
    #expect(openCard() == nil)
    await controller.end()
  }

  @Test("E15 F4 · without a hardware mixer the log says that volume does not act on a lent input")
  func volume() async throws {
    try await open()
    try await controller.perform(["input": "cd"])
    await controller.wait { $0.attribute("mixer") == "none: the PCM is lent" }
    _ = try await controller.ask(LendRequest(device: Controller.device, input: "cd"))
    #expect(controller.log.count { $0.contains("volume and mute do not act on it") } == 1)
    await controller.end()
  }
}
