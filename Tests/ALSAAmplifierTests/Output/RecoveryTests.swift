import Foundation
import PluginKit
import TestSupport
import Testing

@testable import ALSAAmplifier

/// A card that fails, and comes back.
@Suite(.serialized, .realTime, .timeLimit(.minutes(5))) struct RecoveryTests {
  /// Plays two seconds, fails after the first sound, and plays to the end.
  private func playThroughFailure(
    _ card: VirtualCard, fail: @Sendable (Rig) async throws -> Void
  ) async throws -> Rig {
    let rig = try await Rig(device: card.pcm())
    async let sending = rig.cable.send(Sine.frames([440, 440], seconds: 2), try .s16())
    #expect(await card.waitForEvent("sound"))
    try await fail(rig)
    #expect(try await sending == 88200)
    #expect(await rig.cable.finish())
    return rig
  }

  @Test("F4 · after an underrun (EPIPE) it plays on, and counts it")
  func underrun() async throws {
    let card = try VirtualCard()
    let rig = try await playThroughFailure(card) { _ in
      try card.control("xrun")
      #expect(await card.waitForEvent("start", times: 2))
    }
    #expect(rig.engine.status.underruns == 1)
    #expect(card.count("underrun") == 1)
    rig.engine.stop()
  }

  @Test("F4 · a suspended card (ESTRPIPE) is waited for and plays on when it wakes")
  func suspend() async throws {
    let card = try VirtualCard()
    let rig = try await playThroughFailure(card) { rig in
      try card.control("suspend")
      #expect(await card.waitForEvent("suspend"))
      // While it sleeps, no thread spins: the loop backs off to a second.
      #expect(await eventually { await rig.engine.rounds(in: .milliseconds(300)) <= 2 })
      try card.control("")
      #expect(await card.waitForEvent("start", times: 2))
    }
    rig.engine.stop()
  }

  @Test(
    "F4 · a card that is unplugged (ENODEV) is used again within 2 s of its return; the film continues"
  )
  func unplug() async throws {
    let card = try VirtualCard()
    let rig = try await playThroughFailure(card) { rig in
      try card.control("gone")
      #expect(await card.waitForEvent("gone"))
      #expect(await eventually { rig.engine.status.state == .silent })
      #expect(rig.engine.status.failure?.code == ENODEV)
      let returned = VirtualCard.now
      try card.control("")
      #expect(await card.waitForEvent("start", times: 2))
      let start = try #require(card.events.last { $0.name == "start" })
      #expect(start.time - returned < 2_000_000_000)
      #expect(rig.engine.status.state == .open)
      #expect(rig.engine.status.reopenings == 1)
    }
    rig.engine.stop()
  }

  @Test("F4 · reports a busy card (EBUSY), and opens it once it is free")
  func busy() async throws {
    try #require(SoundConfiguration.isReady)
    let card = try VirtualCard()
    try card.control("busy")
    let name = try #require(SoundDeviceName(card.pcm()))
    let engine = SoundEngine(.init(device: name), onChange: { _ in })
    guard let engine else { throw ALSAFailure(step: .open, code: EMFILE) }
    let refused = await engine.setPower(true)
    #expect(refused.state == .refused)
    #expect(refused.failure == ALSAFailure(step: .open, code: EBUSY))
    try card.control("")
    let taken = await engine.setPower(true)
    #expect(taken.state == .open)
    #expect(taken.failure == nil, "the problem is over")
    #expect(await engine.setPower(false).state == .closed)
    #expect(card.count("close") == 1)
    engine.stop()
  }

  @Test("F4 · the holder of a busy card is named, from the card's status or from open files")
  func holder() throws {
    let root = try TemporaryFolder()
    let sub = root.path(of: "asound/card0/pcm0p/sub0")
    try FileManager.default.createDirectory(atPath: sub, withIntermediateDirectories: true)
    try "state: RUNNING\nowner_pid   : 4711\n".write(
      toFile: sub + "/status", atomically: true, encoding: .utf8)
    for (process, name) in [("4711", "mpv"), ("4712", "aplay")] {
      let fd = root.path(of: "\(process)/fd")
      try FileManager.default.createDirectory(atPath: fd, withIntermediateDirectories: true)
      try "\(name)\n".write(
        toFile: root.path(of: "\(process)/comm"), atomically: true, encoding: .utf8)
      try FileManager.default.createSymbolicLink(
        atPath: fd + "/3",
        withDestinationPath: process == "4712" ? "/dev/snd/pcmC0D0p" : "/dev/null")
    }
    #expect(PCMHolder.all(root: root.path) == [PCMHolder(process: 4711, name: "mpv")])
    // Another card that this process itself plays on.
    try "state: RUNNING\nowner_pid   : \(getpid())\n".write(
      toFile: sub + "/status", atomically: true, encoding: .utf8)
    #expect(PCMHolder.all(root: root.path) == [PCMHolder(process: 4712, name: "aplay")])
    try "closed\n".write(toFile: sub + "/status", atomically: true, encoding: .utf8)
    let openers = PCMHolder.all(root: root.path)
    #expect(openers == [PCMHolder(process: 4712, name: "aplay")])
    let why = FailureExplanation(
      ALSAFailure(step: .open, code: EBUSY), device: "hw:0", holders: { openers })
    #expect(why.message == "the sound device hw:0 is in use by aplay (process 4712)")
  }

  @Test("The hint does not propose silent playback where it is on already")
  func silentHint() {
    let missing = ALSAFailure(step: .open, code: ENOENT)
    #expect(FailureExplanation(missing, device: "hw:9").hint.contains("silent"))
    let hint = FailureExplanation(missing, device: "hw:9", isSilent: true).hint
    #expect(!hint.contains("silent") && hint.contains("theater audio devices"))
  }
}
