import Devices
import JSON
@testable import PluginHost
import PluginKit
import PluginProtocol
import Synchronization
import TestSupport
import Testing

@Suite("Restoration after a crash")
struct RestorationTests {
  /// Ends the plugin as a crash would. Waits until the next process has opened the device, and no
  /// command waits or is under way any more.
  private func crash(_ bench: HostBench, _ device: any Device) async throws {
    let before = await device.snapshot().generation
    bench.launcher.crash()
    try await #require(isExplained(device))
    bench.clock.advance(by: .seconds(2))
    for await snapshot in await device.snapshots() where snapshot.generation > before { break }
    await bench.waitForCommands { $0.underWay == nil && $0.waiting.isEmpty }
  }

  /// Waits until the device reports the signal that ended its plugin, and the time of the next
  /// start. Returns false if it does not.
  private func isExplained(_ device: any Device) async -> Bool {
    await eventually {
      guard case .unavailable(let reason) = await device.snapshot().availability else {
        return false
      }
      return reason.contains("signal 9") && reason.contains("started again in")
    }
  }

  @Test("An amplifier gets power, mode, volume and, last, its input back; nothing else")
  func amplifier() async throws {
    let script = DeviceScript([.power: "off", .mode: "stereo", .volume: 20, .muted: false])
    let bench = try HostBench(AmplifierCommand.self, script)
    try await bench.run { amp in
      for command in [AmplifierCommand.on, .surround, .volume(50), .input("dvd")] {
        try await amp.perform(command)
      }
      try await crash(bench, amp)
      #expect(
        script.commands.dropFirst(4) == ["on", "surround", ["volume": 50], ["input": "dvd"]])
      #expect(await amp.snapshot().state.input == "dvd")
    }
  }

  @Test("If contact is lost between two restored settings, both are restored again")
  func lostWhileRestoring() throws {
    var core = DeviceCore(id: "lamp", role: .lights)
    func values(_ power: JSON, _ brightness: JSON) -> StateNotification {
      StateNotification(device: "lamp", values: [.power: power, .brightness: brightness])
    }
    var now = Duration.zero
    func open(_ state: StateNotification) -> DeviceCore.Effects {
      now += .seconds(1)
      core.prepareToOpen()
      _ = core.receive(state, at: now)
      return core.markOpen(
        Capabilities(names: [], reportsState: true), memory: DeviceMemory(), nextRequest: { 7 },
        at: now)
    }
    #expect(open(values("on", 20)).send == nil)
    for _ in 1...2 {
      now += .seconds(1)
      _ = core.markUnavailable("the plugin has crashed", at: now)
      #expect(open(values("off", 0)).send?.command.spec.name == "on")
      now += .seconds(1)
      _ = core.receive(values("on", 100), at: now)
      let next = core.receiveReply(to: 7, .success(()), at: now).send?.command
      #expect(next?.spec.name == "dim")
      #expect(next?.argument == 20)
    }
  }

  @Test("Attributes that the crashed process had reported, such as its problem, are removed")
  func problem() async throws {
    let script = DeviceScript([.power: "off", .brightness: 0])
    let bench = try HostBench(LightsCommand.self, script)
    try await bench.run { lights in
      let context = try #require(script.state.withLock { $0.context })
      context.report(attributes: ["problem": Attribute("the sound device is in use")])
      try #require(await eventually { await lights.snapshot().state.attributes["problem"] != nil })
      // A running plugin reports the end of a problem with null.
      context.report(attributes: ["problem": Attribute(.null)])
      try #require(
        await eventually { await lights.snapshot().state.attributes["problem"]?.value == .null })
      context.report(attributes: ["problem": Attribute("again"), "a": Attribute(1)])
      try #require(await eventually { await lights.snapshot().state.attributes["a"] != nil })
      try await crash(bench, lights)
      #expect(await lights.snapshot().state.attributes.isEmpty)
    }
  }

  @Test("The restored volume is never above the last reported one")
  func volume() async throws {
    let script = DeviceScript([.power: "on", .volume: 30])
    let bench = try HostBench(AmplifierCommand.self, script)
    try await bench.run { amp in
      script.report([.volume: 25])
      try #require(await eventually { await amp.snapshot().state.volume == 25 })
      script.reportNothing()
      try await amp.perform(AmplifierCommand.volume(90), until: .accepted)
      try await crash(bench, amp)
      #expect(script.commands.last == ["volume": 25])
    }
  }

  @Test("The restored volume is never above the option startupVolume")
  func loudestStart() async throws {
    let script = DeviceScript([.power: "on", .volume: 10])
    let bench = try HostBench(AmplifierCommand.self, script, options: ["startupVolume": 40])
    try await bench.run { amp in
      try await amp.perform(AmplifierCommand.volume(70))
      try await crash(bench, amp)
      #expect(script.commands.last == ["volume": 40])
    }
  }

  @Test("Settings that the device keeps itself are not sent; its reports become the wanted state")
  func remembered() async throws {
    let script = DeviceScript([.power: "on", .brightness: 100])
    let bench = try HostBench(
      LightsCommand.self, script, offer: .init(remembers: [.power, .brightness]))
    try await bench.run { lights in
      try await lights.perform(LightsCommand.dim(10))
      try await crash(bench, lights)
      #expect(script.commands == [["dim": 10]])
      #expect(await lights.snapshot().state.brightness == 100)
    }
  }

  @Test("A change from outside becomes the wanted state")
  func outside() async throws {
    let script = DeviceScript([.power: "on", .brightness: 0])
    let bench = try HostBench(LightsCommand.self, script)
    try await bench.run { lights in
      try await lights.perform(LightsCommand.dim(10))
      script.report([.brightness: 70])
      try #require(await eventually { await lights.snapshot().state.brightness == 70 })
      try await crash(bench, lights)
      #expect(script.commands == [["dim": 10], ["dim": 70]])
    }
  }

  @Test("Momentary commands are not repeated")
  func momentary() async throws {
    let script = DeviceScript([.power: "on", .popping: "idle"])
    let bench = try HostBench(PopcornPopperCommand.self, script)
    try await bench.run { popper in
      try await popper.perform(PopcornPopperCommand.pop)
      try await crash(bench, popper)
      #expect(script.commands == ["pop"])
    }
  }

  @Test("E15 · a screen that was stopped on its way stays where it is")
  func stoppedScreen() async throws {
    let script = DeviceScript([.position: "up"], capabilities: Capabilities(names: ["stop"]))
    let bench = try HostBench(ScreenCommand.self, script)
    try await bench.run { screen in
      script.reportNothing()
      try await screen.perform(ScreenCommand.down, until: .accepted)
      script.report([.position: "moving"])
      try await screen.perform(ScreenCommand.stop)
      script.report([.position: "stopped"])
      try #require(await eventually { await screen.snapshot().state[.position] == "stopped" })
      try await crash(bench, screen)
      #expect(script.commands == ["down", "stop"])
    }
  }

  @Test("E15 · a screen that was stopped with its own button stays where it is")
  func stoppedByButton() async throws {
    let script = DeviceScript([.position: "up"])
    let bench = try HostBench(ScreenCommand.self, script)
    try await bench.run { screen in
      script.reportNothing()
      try await screen.perform(ScreenCommand.down, until: .accepted)
      script.report([.position: "stopped"])
      try #require(await eventually { await screen.snapshot().state[.position] == "stopped" })
      try await crash(bench, screen)
      #expect(script.commands == ["down"])
    }
  }

  @Test("E15 · a stopped screen that reports no state stays where it is, one that was not is moved")
  func stoppedSilentScreen() async throws {
    let script = DeviceScript(
      capabilities: Capabilities(names: ["stop"], reportsState: false))
    let bench = try HostBench(ScreenCommand.self, script)
    try await bench.run { screen in
      try await screen.perform(ScreenCommand.down)
      try await screen.perform(ScreenCommand.stop)
      try await crash(bench, screen)
      #expect(script.commands == ["down", "stop"])
      try await screen.perform(ScreenCommand.up)
      try await crash(bench, screen)
      #expect(script.commands == ["down", "stop", "up", "up"])
    }
  }

  @Test("E15 · lights that report no state are dimmed again, not turned off")
  func dimmedSilentLights() async throws {
    let script = DeviceScript(capabilities: Capabilities(reportsState: false))
    let bench = try HostBench(LightsCommand.self, script)
    try await bench.run { lights in
      try await lights.perform(LightsCommand.off)
      #expect(await lights.snapshot().state.power == .off)
      try await lights.perform(LightsCommand.dim(40))
      #expect(await lights.snapshot().state.power == .on)
      try await crash(bench, lights)
      #expect(script.commands == ["off", ["dim": 40], ["dim": 40]])
      try await lights.perform(LightsCommand.off)
      try await crash(bench, lights)
      #expect(script.commands.dropFirst(3) == ["off", "off"])
    }
  }

  @Test("E15 · lights that report their power before the answer to a dim are turned on again")
  func dimmedLights() async throws {
    let script = DeviceScript([.power: "off", .brightness: 40])
    let bench = try HostBench(LightsCommand.self, script)
    try await bench.run { lights in
      script.report([.power: "on"])
      try #require(await eventually { await lights.snapshot().state.power == .on })
      try await lights.perform(LightsCommand.dim(40))
      try await crash(bench, lights)
      #expect(script.commands == [["dim": 40], "on", ["dim": 40]])
    }
  }

  @Test("A player goes on where it was heard last, once its cable is plugged again")
  func player() async throws {
    let script = DeviceScript([.power: "off"], capabilities: Capabilities(cables: [.pcm]))
    let bench = try HostBench(CDPlayerCommand.self, script)
    try await bench.run { cd in
      let source = try #require(cd.facet((any SoundSource).self))
      let socket = CableSocket(path: "/run/a", token: "t")
      try await source.plug(into: socket)
      try await cd.perform(CDPlayerCommand.on)
      try await cd.perform(CDPlayerCommand.play(PlayRequest(item: "x", position: 60)))
      bench.clock.advance(by: .seconds(4))
      try await crash(bench, cd)
      #expect(script.commands.dropFirst(3) == ["on"])
      try await source.plug(into: socket)
      await script.waitForCommands(6)
      #expect(script.commands.last == ["play": ["item": "x", "position": 64]])
    }
  }

  @Test("A song that was at its end resumes one second before it, so that the next song can follow")
  func atTheEnd() async throws {
    let script = DeviceScript([.power: "on"])
    let bench = try HostBench(CDPlayerCommand.self, script)
    try await bench.run { cd in
      try await cd.perform(CDPlayerCommand.play(PlayRequest(item: "x")))
      script.report([.playback: Playback(.playing, item: "x", position: 39, duration: 40).json])
      try #require(await eventually { await cd.snapshot().state.playback?.position == 39 })
      bench.clock.advance(by: .seconds(4))
      try await crash(bench, cd)
      #expect(script.commands.last == ["play": ["item": "x", "position": 39]])
    }
  }

  @Test("A player resumes after 3 s even without its cable")
  func playerWithoutCable() async throws {
    let script = DeviceScript([.power: "on"], capabilities: Capabilities(cables: [.pcm]))
    let bench = try HostBench(CDPlayerCommand.self, script)
    try await bench.run { cd in
      let source = try #require(cd.facet((any SoundSource).self))
      try await source.plug(into: CableSocket(path: "/run/a", token: "t"))
      try await cd.perform(CDPlayerCommand.play(PlayRequest(item: "x")))
      try await crash(bench, cd)
      #expect(script.commands.count == 2)
      bench.clock.advance(by: .seconds(3))
      await script.waitForCommands(3)
      #expect(script.commands.last?["play"]?["item"] == "x")
    }
  }

  /// Opens a CD player that reports `playback`, and returns what the controller then does.
  private func open(
    _ core: inout DeviceCore, _ playback: Playback, cables: [CableKind] = [], at now: Duration
  ) -> DeviceCore.Effects {
    core.prepareToOpen()
    let values: [StateKey: JSON] = [.power: "on", .playback: playback.json]
    _ = core.receive(StateNotification(device: "cd", values: values), at: now)
    return core.markOpen(
      Capabilities(cables: cables), memory: DeviceMemory(), nextRequest: { 7 }, at: now)
  }

  @Test("A player waits for its cable also after a second crash before the cable was plugged")
  func playerAfterTwoCrashes() {
    var core = DeviceCore(id: "cd", role: .cdPlayer)
    let playing = Playback(.playing, item: "x", position: 10, duration: 100)
    _ = open(&core, playing, cables: [.pcm], at: .zero)
    _ = core.markPlugged(at: .zero)
    for seconds in [1, 3] {
      _ = core.markUnavailable("the plugin has crashed", at: .seconds(seconds))
      let effects = open(&core, Playback(.stopped), cables: [.pcm], at: .seconds(seconds + 1))
      #expect(effects.send == nil)
    }
    #expect(core.markPlugged(at: .seconds(5)).send?.command.spec.name == "play")
  }

  @Test("A command after the crash takes precedence over the restored state")
  func decided() async throws {
    let script = DeviceScript([.power: "on"], capabilities: Capabilities(cables: [.pcm]))
    let bench = try HostBench(CDPlayerCommand.self, script)
    try await bench.run { cd in
      let source = try #require(cd.facet((any SoundSource).self))
      try await source.plug(into: CableSocket(path: "/run/a", token: "t"))
      try await cd.perform(CDPlayerCommand.play(PlayRequest(item: "x")))
      try await crash(bench, cd)
      try await cd.perform(CDPlayerCommand.stop)
      #expect(bench.commandsInHand == .none)
      bench.clock.advance(by: .seconds(5))
      try await cd.perform(CDPlayerCommand.on)
      #expect(script.commands.dropFirst(2) == ["stop", "on"])
    }
  }

  @Test("A player that cannot resume its item reports that it failed, with the reason")
  func itemGone() async throws {
    let script = DeviceScript([.power: "on", .playback: Playback(.stopped).json])
    let bench = try HostBench(CDPlayerCommand.self, script)
    try await bench.run { cd in
      try await cd.perform(CDPlayerCommand.play(PlayRequest(item: "x", position: 60)))
      script.refuse([DeviceError(.invalid, "there is no song \"x\" in it")])
      try await crash(bench, cd)
      try #require(
        await eventually {
          let playback = await cd.snapshot().state.playback
          return playback?.status == .failed && playback?.item == "x"
            && playback?.reason == "there is no song \"x\" in it"
        })
    }
  }

  @Test("F1 · a player that cannot resume its item in time reports that it failed, with a warning")
  func expired() {
    var core = DeviceCore(id: "cd", role: .cdPlayer)
    _ = open(&core, Playback(.playing, item: "x", position: 10, duration: 100), at: .zero)
    _ = core.markUnavailable("the plugin has crashed", at: .zero)
    #expect(open(&core, Playback(.stopped), at: .zero).send?.command.spec.name == "play")
    _ = core.receive(StateNotification(device: "cd", values: [.tray: "moving"]), at: .zero)
    // After the first answer it is sent again at once, because the tray has moved meanwhile.
    for _ in 1...2 {
      let busy = DeviceError(.notNow, "the tray is moving")
      _ = core.receiveReply(to: 7, .failure(busy), at: .zero)
    }
    #expect(core.nextDeadline == .seconds(30))
    let effects = core.tick(at: .seconds(30))
    #expect(effects.warnings.contains { $0.contains("could not be restored") })
    let playback = core.snapshot.state.playback
    #expect(playback?.status == .failed && playback?.item == "x" && playback?.position == 10)
    #expect(playback?.reason?.contains("was not possible within 30 s") == true)
  }

  @Test("A paused player is paused again at its place")
  func paused() async throws {
    let script = DeviceScript([.power: "on"])
    let bench = try HostBench(CDPlayerCommand.self, script)
    try await bench.run { cd in
      try await cd.perform(CDPlayerCommand.play(PlayRequest(item: "x", position: 5)))
      script.report([.playback: Playback(.paused, item: "x", position: 9).json])
      try #require(await eventually { await cd.snapshot().state.playback?.position == 9 })
      try await crash(bench, cd)
      #expect(
        script.commands.dropFirst() == [["play": ["item": "x", "position": 9]], "pause"])
    }
  }

  @Test("A tuner gets its band and frequency back")
  func tuner() async throws {
    let script = DeviceScript([.power: "on", .band: "am", .frequency: 999])
    let bench = try HostBench(TunerCommand.self, script)
    try await bench.run { tuner in
      try await tuner.perform(TunerCommand.fm(98.5))
      script.report([.frequency: 98.5])
      try #require(await eventually { await tuner.snapshot().state[.frequency] == 98.5 })
      try await crash(bench, tuner)
      #expect(script.commands == [["fm": 98.5], ["fm": 98.5]])
    }
  }

  @Test("A tuner on a station without a frequency gets its station back")
  func station() async throws {
    let script = DeviceScript([.power: "on", .band: "fm", .frequency: 98.5])
    let bench = try HostBench(TunerCommand.self, script)
    try await bench.run { tuner in
      try await tuner.perform(TunerCommand.station("Web One"))
      script.report([.frequency: .null, .station: "Web One"])
      try #require(await eventually { await tuner.snapshot().state[.frequency]?.isNull != false })
      try await crash(bench, tuner)
      #expect(script.commands == [["station": "Web One"], ["station": "Web One"]])
    }
  }

  @Test("While the plugin is down, commands are refused at once with the reason and the next start")
  func down() async throws {
    let script = DeviceScript([.power: "on"])
    let bench = try HostBench(LightsCommand.self, script)
    try await bench.run { lights in
      script.holdCommands()
      async let dim = outcome(of: LightsCommand.dim(10), on: lights)
      await script.waitForCommands(1)
      bench.launcher.crash()
      #expect(await dim.failure?.code == .unavailable)
      #expect(await isExplained(lights))
      let error = await outcome(of: LightsCommand.on, on: lights).failure
      #expect(error?.code == .unavailable)
      #expect(error?.message.contains("it is started again in") == true)
      #expect(await lights.snapshot().state.brightness == nil)
    }
  }

  @Test("F1 · a disc that was ejected after the crash is not played, nor after the next crash")
  func ejected() async throws {
    let script = DeviceScript([.power: "on"], capabilities: Capabilities(cables: [.pcm]))
    let bench = try HostBench(CDPlayerCommand.self, script)
    try await bench.run { cd in
      let source = try #require(cd.facet((any SoundSource).self))
      let socket = CableSocket(path: "/run/a", token: "t")
      try await source.plug(into: socket)
      try await cd.perform(CDPlayerCommand.play(PlayRequest(item: "x")))
      try await crash(bench, cd)
      try await cd.perform(CDPlayerCommand.eject)
      try await source.plug(into: socket)
      try await cd.perform(CDPlayerCommand.on)
      #expect(script.commands.dropFirst(2) == ["eject", ["plug": "/run/a"], "on"])
      try await crash(bench, cd)
      try await source.plug(into: socket)
      try await cd.perform(CDPlayerCommand.on)
      #expect(script.commands.count { $0["play"] != nil } == 1)
    }
  }

  @Test("F1 · the position at which a player resumes does not advance while nothing plays")
  func placeAfterLosses() {
    var core = DeviceCore(id: "cd", role: .cdPlayer)
    _ = open(&core, Playback(.playing, item: "x", position: 10, duration: 100), at: .zero)
    for seconds in [20, 60, 3600] {
      _ = core.markUnavailable("the plugin has crashed", at: .seconds(seconds))
      let effects = open(&core, Playback(.stopped), at: .seconds(seconds + 1))
      #expect(effects.send?.command.argument?["position"] == 30)
      _ = core.receiveReply(
        to: 7, .failure(DeviceError(.failed, "there is no disc")), at: .seconds(seconds + 1))
    }
  }
}
