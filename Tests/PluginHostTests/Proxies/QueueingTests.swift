import Devices
import JSON
@testable import PluginHost
import PluginKit
import PluginProtocol
import TestSupport
import Testing

@Suite("Device proxy: the queue")
struct QueueingTests {
  @Test(
    "Sends only the newest queued value of a setting, and its result also serves the older callers")
  func collapse() async throws {
    let script = DeviceScript([.volume: 0])
    script.holdCommands()
    let bench = try HostBench(AmplifierCommand.self, script)
    try await bench.run { amp in
      async let on = outcome(of: AmplifierCommand.on, on: amp)
      await script.waitForCommands(1)
      try await withThrowingTaskGroup(of: Void.self) { group in
        for volume in [10, 20, 30] {
          await bench.submit(to: &group, leaving: [["volume": .number(Double(volume))]]) {
            let end = await outcome(of: AmplifierCommand.volume(volume), on: amp)
            #expect(end.success == .observed)
          }
        }
        script.release()
        try await group.waitForAll()
      }
      #expect(await on.success == .observed)
      #expect(script.commands == ["on", ["volume": 30]])
    }
  }

  @Test("An urgent command cancels a cancellable one under way and waits for its answer")
  func urgentCancels() async throws {
    let script = DeviceScript()
    script.holdCommands()
    try await HostBench(CDPlayerCommand.self, script).run { cd in
      async let play = outcome(of: CDPlayerCommand.play(PlayRequest(item: "x")), on: cd)
      await script.waitForCommands(1)
      async let stop = outcome(of: CDPlayerCommand.stop, on: cd)
      #expect(await play.failure?.code == .cancelled)
      await script.waitForCommands(2)
      script.release()
      #expect(await stop.success == .observed)
      #expect(script.commands == [["play": ["item": "x"]], "stop"])
    }
  }

  @Test("An urgent command overtakes the queue and removes commands that it contradicts")
  func urgentPasses() async throws {
    let script = DeviceScript()
    script.holdCommands()
    let bench = try HostBench(AmplifierCommand.self, script)
    try await bench.run { amp in
      async let on = outcome(of: AmplifierCommand.on, on: amp)
      await script.waitForCommands(1)
      try await withThrowingTaskGroup(of: Void.self) { group in
        await bench.submit(to: &group, leaving: ["unmute"]) {
          #expect(await outcome(of: AmplifierCommand.unmute, on: amp).failure?.code == .cancelled)
        }
        await bench.submit(to: &group, leaving: ["unmute", "stereo"]) {
          #expect(await outcome(of: AmplifierCommand.stereo, on: amp).success == .observed)
        }
        await bench.submit(to: &group, leaving: ["mute", "stereo"]) {
          #expect(await outcome(of: AmplifierCommand.mute, on: amp).success == .observed)
        }
        script.release()
        try await group.waitForAll()
      }
      #expect(await on.success == .observed)
      #expect(script.commands == ["on", "mute", "stereo"])
    }
  }

  @Test("Off cancels all waiting commands")
  func offEndsAll() async throws {
    let script = DeviceScript()
    script.holdCommands()
    let bench = try HostBench(AmplifierCommand.self, script)
    try await bench.run { amp in
      async let on = outcome(of: AmplifierCommand.on, on: amp)
      await script.waitForCommands(1)
      try await withThrowingTaskGroup(of: Void.self) { group in
        let queue: [JSON] = ["surround", ["volume": 70]]
        for (count, command) in [AmplifierCommand.surround, .volume(70)].enumerated() {
          await bench.submit(to: &group, leaving: Array(queue.prefix(count + 1))) {
            #expect(await outcome(of: command, on: amp).failure?.code == .cancelled)
          }
        }
        await bench.submit(to: &group, leaving: ["off"]) {
          #expect(await outcome(of: AmplifierCommand.off, on: amp).success == .observed)
        }
        script.release()
        try await group.waitForAll()
      }
      _ = await on
      #expect(script.commands == ["on", "off"])
    }
  }

  @Test("A command fails when a newer one makes its awaited state impossible")
  func superseded() async throws {
    let script = DeviceScript([.position: "up"])
    script.reportNothing()
    try await HostBench(ScreenCommand.self, script).run { screen in
      async let down = outcome(of: ScreenCommand.down, on: screen)
      await script.waitForCommands(1)
      #expect(
        await outcome(of: ScreenCommand.up, on: screen, until: .accepted).success == .accepted)
      #expect(await down.failure?.code == .cancelled)
    }
  }

  @Test("A command refused with notNow during a transition is sent again when the state changes")
  func notNowThenChange() async throws {
    let script = DeviceScript([.power: "cooling"])
    script.refuse([DeviceError(.notNow, "the lamp cools")])
    try await HostBench(ProjectorCommand.self, script).run { projector in
      async let on = outcome(of: ProjectorCommand.on, on: projector)
      await script.waitForCommands(1)
      script.report([.power: "off"])
      #expect(await on.success == .observed)
      #expect(script.commands == ["on", "on"])
    }
  }

  @Test("A command refused with notNow and a time is sent again at that time")
  func notNowThenTime() async throws {
    let script = DeviceScript([.power: "off"])
    script.refuse([DeviceError(.notNow, "busy", retryAfter: .seconds(3))])
    let bench = try HostBench(ProjectorCommand.self, script)
    try await bench.run { projector in
      async let on = outcome(of: ProjectorCommand.on, on: projector)
      await bench.waitForCommands { $0.waiting.map(\.json) == ["on"] }
      #expect(bench.commandsInHand.due == .seconds(3))
      bench.clock.advance(by: .milliseconds(2999))
      #expect(script.commands == ["on"])
      bench.clock.advance(by: .milliseconds(1))
      #expect(await on.success == .observed)
      #expect(script.commands == ["on", "on"])
    }
  }

  @Test("A command refused with notNow in a steady state and without a time fails at once")
  func notNowForGood() async throws {
    let script = DeviceScript([.power: "on", .tray: "closed"])
    script.refuse([DeviceError(.notNow, "there is no disc")])
    try await HostBench(CDPlayerCommand.self, script).run { cd in
      let error = await outcome(of: CDPlayerCommand.play(PlayRequest()), on: cd).failure
      #expect(error?.code == .notNow && error?.message == "there is no disc")
    }
  }

  @Test(
    "A command that is refused with notNow until its longest time is over fails, with the reason")
  func notNowTooLong() async throws {
    let script = DeviceScript([.power: "warming"])
    script.refuse(Array(repeating: DeviceError(.notNow, "warming"), count: 10))
    let bench = try HostBench(ProjectorCommand.self, script)
    try await bench.run { projector in
      async let tv = outcome(of: ProjectorCommand.tvMode, on: projector)
      await bench.waitForCommands { $0.waiting.map(\.json) == ["tvMode"] }
      bench.clock.advance(by: .seconds(10))
      let error = try #require(await tv.failure)
      #expect(error.code == .notNow && error.hint?.contains("warming") == true)
    }
  }

  @Test("Cancelling a caller removes its waiting command")
  func abandoned() async throws {
    let script = DeviceScript()
    script.holdCommands()
    let bench = try HostBench(AmplifierCommand.self, script)
    try await bench.run { amp in
      async let on = outcome(of: AmplifierCommand.on, on: amp)
      await script.waitForCommands(1)
      let error = await withTaskGroup(of: DeviceError?.self) { group in
        group.addTask { await outcome(of: AmplifierCommand.surround, on: amp).failure }
        group.cancelAll()
        return await group.next() ?? nil
      }
      #expect(error?.code == .cancelled)
      script.release()
      _ = await on
      #expect(await outcome(of: AmplifierCommand.stereo, on: amp).success == .observed)
      #expect(script.commands == ["on", "stereo"])
    }
  }
}

/// The queue in a device that is open, without a plugin.
@Suite("Device core: commands that are refused for now")
struct RefusedForNowTests {
  private static func core(_ role: Role, _ report: [StateKey: JSON] = [:]) -> DeviceCore {
    var core = DeviceCore(id: "it", role: role)
    core.prepareToOpen()
    if !report.isEmpty {
      _ = core.receive(StateNotification(device: "it", values: report), at: .zero)
    }
    _ = core.markOpen(Capabilities(), memory: DeviceMemory(), nextRequest: { 7 }, at: .zero)
    return core
  }

  private static func caller(_ number: Int) -> CommandCaller {
    CommandCaller(number: number, until: .accepted) { _ in }
  }

  private static func busy(_ seconds: Int) -> Result<Void, DeviceError> {
    .failure(DeviceError(.notNow, "busy", retryAfter: .seconds(seconds)))
  }

  @Test("F2 · an urgent command that is also refused for now does not displace the one that waits")
  func twice() throws {
    var core = Self.core(.amplifier)
    let stereo = try Command("stereo", argument: nil, role: .amplifier)
    let mute = try Command("mute", argument: nil, role: .amplifier)
    _ = core.submit(stereo, Self.caller(1), at: .zero)
    _ = core.receiveReply(to: 7, Self.busy(1), at: .zero)
    _ = core.submit(mute, Self.caller(2), at: .zero)
    _ = core.receiveReply(to: 7, Self.busy(1), at: .zero)
    #expect(core.commandsInHand.waiting == [mute, stereo])
    #expect(core.tick(at: .seconds(1)).send?.command == mute)
    let muted = core.receiveReply(to: 7, .success(()), at: .seconds(1))
    #expect(muted.finished.map { $0.0.number } == [2])
    #expect(muted.send?.command == stereo)
    #expect(
      core.receiveReply(to: 7, .success(()), at: .seconds(1)).finished.map { $0.0.number } == [1])
  }

  @Test(
    "F2 · a command in flight that is refused is not sent again after off or without a caller",
    arguments: [true, false])
  func obsolete(isAbandoned: Bool) throws {
    var core = Self.core(.popcornPopper)
    let pop = try Command("pop", argument: nil, role: .popcornPopper)
    let off = try Command("off", argument: nil, role: .popcornPopper)
    _ = core.submit(pop, Self.caller(1), at: .zero)
    if isAbandoned {
      _ = core.abandon(1, at: .zero)
    } else {
      _ = core.submit(off, Self.caller(2), at: .zero)
    }
    let refused = core.receiveReply(to: 7, Self.busy(3), at: .zero)
    if !isAbandoned {
      #expect(refused.finished.first?.1.failure?.code == .cancelled)
      #expect(refused.send?.command == off)
      _ = core.receiveReply(to: 7, .success(()), at: .zero)
    }
    #expect(core.tick(at: .seconds(3)).send == nil)
  }

  @Test(
    "F2 · a report of the same values before the refusal is no change, and causes no early retry")
  func unchanged() throws {
    var core = Self.core(.projector, [.power: "warming"])
    let command = try Command("tvMode", argument: nil, role: .projector)
    _ = core.submit(command, Self.caller(1), at: .zero)
    _ = core.receive(StateNotification(device: "it", values: [.power: "warming"]), at: .zero)
    #expect(core.receiveReply(to: 7, Self.busy(5), at: .zero).send == nil)
    #expect(core.commandsInHand.due == .seconds(5))
    _ = core.receive(StateNotification(device: "it", values: [.power: "on"]), at: .seconds(1))
    #expect(core.commandsInHand.underWay == command)
  }
}
