import Devices
import JSON
@testable import PluginHost
import PluginKit
import PluginProtocol
import Synchronization
import TestSupport
import Testing

@Suite("Device proxy: commands")
struct DeviceProxyTests {
  @Test("E15 · a command is done when the device reports its settled state")
  func settled() async throws {
    let script = DeviceScript([.power: "off", .brightness: 0])
    try await HostBench(LightsCommand.self, script).run { lights in
      let confirmation = try await lights.perform(LightsCommand.dim(10))
      #expect(confirmation == .observed)
      #expect(await lights.snapshot().state.brightness == 10)
      #expect(script.commands == [["dim": 10]])
    }
  }

  @Test("a watcher that ends during a change blocks no other watcher", .timeLimit(.minutes(5)))
  func endingDuringNotification() async throws {
    let script = DeviceScript([.power: "off", .brightness: 0])
    try await HostBench(LightsCommand.self, script).run { lights in
      let brightness = Mutex(0)
      let passes = await PausedNotification.permitsCancellation { onNotification in
        for await _ in await lights.snapshots() { onNotification() }
      } notify: {
        let value = brightness.withLock { value in
          value = (value + 1) % 100
          return value
        }
        script.report([.brightness: .integer(value)])
      }
      #expect(passes)
    }
  }

  @Test("E9 · a catalogue that is longer than a line comes whole")
  func longCatalogue() async throws {
    let script = DeviceScript([.power: "off"])
    let songs = (0..<20_000).map {
      CatalogueItem(id: "Music/Artist/Album/\($0).flac", title: "Song \($0)", artist: "An Artist")
    }
    script.state.withLock { $0.items = songs }
    try await HostBench(CDPlayerCommand.self, script).run { player in
      let media = try #require(player.facet((any MediaSource).self))
      for folder in [nil, "/x"] {
        let found = try await media.listCatalogue(folder: folder).items
        #expect(found == songs)
      }
    }
  }

  @Test("Commands given one after the other reach the device in that order")
  func order() async throws {
    let script = DeviceScript()
    try await HostBench(AmplifierCommand.self, script).run { amp in
      for command in [AmplifierCommand.on, .input("dvd"), .surround, .volume(50)] {
        try await amp.perform(command)
      }
      #expect(script.commands == ["on", ["input": "dvd"], "surround", ["volume": 50]])
    }
  }

  @Test("A state that is reported later ends the waiting, and the queue goes on meanwhile")
  func settledLater() async throws {
    let script = DeviceScript([.power: "off"])
    script.reportNothing()
    let bench = try HostBench(ProjectorCommand.self, script)
    try await bench.run { projector in
      async let on = outcome(of: ProjectorCommand.on, on: projector)
      await script.waitForCommands(1)
      script.report([.power: "warming"])
      // The lamp still warms; the next command goes through all the same.
      let wide = await outcome(of: ProjectorCommand.wideScreenMode, on: projector, until: .accepted)
      #expect(wide.success == .accepted)
      script.report([.power: "on"])
      #expect(await on.success == .observed)
      #expect(script.commands == ["on", "wideScreenMode"])
    }
  }

  @Test(
    "E10 · a song that is over before its play is answered has played")
  func overBeforeItsAnswer() async throws {
    let script = DeviceScript([.power: "on"])
    script.reportNothing()
    script.holdCommands()
    let bench = try HostBench(CDPlayerCommand.self, script)
    try await bench.run { cd in
      async let play = outcome(of: CDPlayerCommand.play(PlayRequest(item: "x")), on: cd)
      await script.waitForCommands(1)
      for item in ["x", "y"] {
        script.report([.playback: Playback(.playing, item: item, duration: 60).json])
        try #require(await eventually { await cd.snapshot().state.playback?.item == item })
      }
      script.release()
      #expect(await play.success == .observed)
      #expect(bench.commandsInHand == .none)
      bench.clock.advance(by: .seconds(5))
      bench.launcher.crash()
      try #require(await eventually { await cd.snapshot().state.playback == nil })
      bench.clock.advance(by: .seconds(2))
      await script.waitForCommands(2)
      #expect(script.commands.last == ["play": ["item": "y", "position": 5]])
    }
  }

  @Test("A state that does not come in time is an error that says what was awaited and what is")
  func timeout() async throws {
    let script = DeviceScript([.volume: 20])
    script.reportNothing()
    let bench = try HostBench(AmplifierCommand.self, script)
    try await bench.run { amp in
      async let end = outcome(of: AmplifierCommand.volume(50), on: amp)
      await bench.waitForCommands { $0.settling.map(\.json) == [["volume": 50]] }
      bench.clock.advance(by: .seconds(10))
      let error = try #require(await end.failure)
      #expect(error.code == .timeout)
      #expect(error.message.contains("volume 50") && error.message.contains("it reports 20"))
      #expect(error.device == "it")
    }
  }

  @Test("A plugin that does not answer a command is an error after the command's longest time")
  func noReply() async throws {
    let script = DeviceScript()
    script.holdCommands()
    let bench = try HostBench(AmplifierCommand.self, script)
    try await bench.run { amp in
      async let end = outcome(of: AmplifierCommand.surround, on: amp)
      await script.waitForCommands(1)
      bench.clock.advance(by: .seconds(10))
      let error = try #require(await end.failure)
      #expect(error.code == .timeout && error.message.contains("surround"))
      // The queue goes on, and the late answer of the first is taken for what it is.
      script.release()
      #expect(await outcome(of: AmplifierCommand.stereo, on: amp).success == .observed)
      let status = try #require(await bench.host.statuses().first)
      #expect(
        status.lastMessage == "it: its plugin did not answer \"surround\" within 10 s")
    }
  }

  @Test("E15 · the report in an answer that comes too late counts")
  func lateReport() async throws {
    let script = DeviceScript([.mode: "stereo"])
    script.holdCommands()
    let bench = try HostBench(AmplifierCommand.self, script)
    try await bench.run { amp in
      async let end = outcome(of: AmplifierCommand.surround, on: amp)
      await script.waitForCommands(1)
      bench.clock.advance(by: .seconds(10))
      #expect(await end.failure?.code == .timeout)
      script.release()
      try #require(await eventually { await amp.snapshot().state[.mode] == "surround" })
    }
  }

  @Test("A command until accepted is over with the reply")
  func accepted() async throws {
    let script = DeviceScript()
    script.reportNothing()
    try await HostBench(ScreenCommand.self, script).run { screen in
      #expect(
        await outcome(of: ScreenCommand.down, on: screen, until: .accepted).success == .accepted)
    }
  }

  @Test("Values of a device that tells nothing are assumed, and its commands never confirmed")
  func assumed() async throws {
    let script = DeviceScript([:], capabilities: Capabilities(reportsState: false))
    try await HostBench(LightsCommand.self, script).run { lights in
      #expect(await outcome(of: LightsCommand.dim(30), on: lights).success == .accepted)
      let reading = await lights.snapshot().state.readings[.brightness]
      #expect(reading?.value == 30 && reading?.provenance == .assumed)
    }
  }

  @Test("A command that the device did not declare is refused without asking it")
  func capability() async throws {
    let script = DeviceScript()
    try await HostBench(ScreenCommand.self, script).run { screen in
      let error = try #require(await outcome(of: ScreenCommand.stop, on: screen).failure)
      #expect(error.code == .unsupported && error.message.contains("stop"))
      #expect(script.commands.isEmpty)
    }
    let able = DeviceScript([:], capabilities: Capabilities(names: ["stop"]))
    try await HostBench(ScreenCommand.self, able).run { screen in
      #expect(await outcome(of: ScreenCommand.stop, on: screen).success == .accepted)
    }
  }

  @Test("A refusal reaches the caller with its reason")
  func refusal() async throws {
    let script = DeviceScript()
    script.refuse([DeviceError(.refused, "the fuse is out", hint: "Mend it.")])
    try await HostBench(PopcornPopperCommand.self, script).run { popper in
      let error = try #require(await outcome(of: PopcornPopperCommand.pop, on: popper).failure)
      #expect(error == DeviceError(.refused, "the fuse is out", hint: "Mend it.", device: "it"))
    }
  }

  @Test("Every watcher gets the present snapshot first and each change after it")
  func watching() async throws {
    let script = DeviceScript([.brightness: 0])
    try await HostBench(LightsCommand.self, script).run { lights in
      var watcher = await lights.snapshots().makeAsyncIterator()
      #expect(await watcher.next()?.state.brightness == 0)
      try await lights.perform(LightsCommand.dim(10))
      try await lights.perform(LightsCommand.dim(20))
      #expect(await watcher.next()?.state.brightness == 10)
      #expect(await watcher.next()?.state.brightness == 20)
    }
  }

  @Test(
    "A cable's socket keeps its path and gets 256 new bits of token; scans and plugs reach the plugin"
  )
  func cables() async throws {
    try await HostBench(AmplifierCommand.self, DeviceScript()).run { amp in
      let sink = try #require(amp.facet((any SoundSink).self))
      let one = try await sink.openSocket(input: "cd")
      let two = try await sink.openSocket(input: "cd")
      #expect(one.path == two.path && one.token != two.token)
      #expect(try await sink.openSocket(input: "dvd").path != one.path)
      #expect(one.token.count == 64 && one.token.allSatisfy(\.isHexDigit))
    }
    let script = DeviceScript()
    try await HostBench(CDPlayerCommand.self, script).run { cd in
      let source = try #require(cd.facet((any SoundSource).self))
      try await source.plug(into: CableSocket(path: "/run/a", token: "t"))
      #expect(script.commands.last == ["plug": "/run/a"])
      let media = try #require(cd.facet((any MediaSource).self))
      let items = try await media.listCatalogue(folder: "/music").items
      #expect(items.map(\.title) == ["/music"])
    }
  }

  @Test(
    "a device of a plugin has the facets of its role, and no others", arguments: Role.allCases)
  func facets(of role: Role) throws {
    func device<Command: RoleCommand>(_ type: Command.Type) throws -> any Device {
      try HostBench(type, DeviceScript()).device
    }
    let device = try device(role.commandType)
    let isPlayer = role.category != nil
    #expect((device.facet((any MediaSource).self) != nil) == isPlayer)
    #expect((device.facet((any SoundSource).self) != nil) == isPlayer)
    #expect((device.facet((any SoundSink).self) != nil) == (role == .amplifier))
    #expect((device.facet((any LevelMeter).self) != nil) == (role == .amplifier))
    #expect(device.facet((any Device).self) === device)
  }

  @Test("F4 · each request of a player for a new cable counts, up to the limit; of others none")
  func plugRequests() async throws {
    let (player, lamp) = (DeviceScript(), DeviceScript())
    try await HostBench(CDPlayerCommand.self, player).run { cd in
      player.requestPlug()
      try #require(await eventually { await cd.snapshot().plugRequests == 1 })
      for _ in 1...100 { player.requestPlug() }
      try #require(
        await eventually {
          (cd as? DeviceProxy)?.warning?.contains("asks for a new cable") == true
        })
      let burst = Int(ProtocolLimits.plugRequestBurst)
      #expect((burst...burst + 5).contains(await cd.snapshot().plugRequests))
    }
    try await HostBench(LightsCommand.self, lamp).run { lights in
      lamp.requestPlug()
      try await lights.perform(LightsCommand.on)
      #expect(await lights.snapshot().plugRequests == 0)
    }
  }
}
