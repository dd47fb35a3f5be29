import Devices
import JSON
import PluginHost
import PluginKit
import PluginProtocol
import Synchronization
import TestSupport
import Testing

@Suite("Applying another configuration")
struct SwapTests {
  @Test("F6 · a device that is swapped to another plugin and back keeps its object and its state")
  func thereAndBack() async throws {
    let bench = try SwapBench([.lights("lamp", "A")])
    try await bench.run {
      let lamp = try bench.device("lamp")
      try await lamp.perform(LightsCommand.dim(40))
      for (round, plugin) in ["B", "A", "B"].enumerated() {
        await bench.apply([.lights("lamp", plugin)])
        #expect(bench.has(lamp))
        await waitForBrightness(40, of: lamp)
        #expect(await lamp.snapshot().generation == round + 2)
        #expect(bench.launcher.running == [plugin])
        #expect(bench.scripts[plugin, "lamp"].isOpen)
        #expect(bench.scripts[plugin, "lamp"].commands.last == ["dim": 40])
        let used = await bench.host.statuses().filter { !$0.devices.isEmpty }
        #expect(used.map(\.plugin) == [plugin])
      }
      try await lamp.perform(LightsCommand.dim(7))
      #expect(bench.scripts["B", "lamp"].commands.last == ["dim": 7])
    }
  }

  @Test(
    "F6 N-E7 · an unchanged device keeps process and state while one of the same process is swapped"
  )
  func neighbour() async throws {
    let bench = try SwapBench([.lights("lamp", "A"), .lights("spot", "A")])
    try await bench.run {
      let (lamp, spot) = (try bench.device("lamp"), try bench.device("spot"))
      try await lamp.perform(LightsCommand.dim(10))
      try await spot.perform(LightsCommand.dim(20))
      await bench.apply([.lights("spot", "B"), .lights("lamp", "A")])
      #expect(bench.devices.map(\.id) == ["spot", "lamp"])
      await waitForBrightness(20, of: spot)
      await bench.apply([.lights("spot", "A"), .lights("lamp", "A")])
      await waitForBrightness(20, of: spot)
      #expect(bench.has(lamp), "the same object")
      #expect(await lamp.snapshot().generation == 1)
      #expect(await lamp.snapshot().state.brightness == 10)
      #expect(bench.scripts["A", "lamp"].commands == [["dim": 10]])
      #expect(bench.launcher.launches == ["A", "B"] && bench.launcher.running == ["A"])
      #expect(await bench.host.statuses().first?.devices == ["spot", "lamp"])
    }
  }

  @Test("F6 · the status of every plugin, used or not, has the roles of its manifest")
  func roles() async throws {
    let bench = try SwapBench([.lights("lamp", "A"), .lights("spot", "Missing")])
    try await bench.run {
      let statuses = await bench.host.statuses()
      let roles = Dictionary(uniqueKeysWithValues: statuses.map { ($0.plugin, $0.roles) })
      #expect(
        roles == [
          "A": [.amplifier, .cdPlayer, .lights, .screen],
          "B": [.amplifier, .cdPlayer, .lights, .screen], "Screens": [.screen], "Missing": [],
        ])
    }
  }

  @Test("An equal configuration changes nothing")
  func same() async throws {
    let devices: [HostedDevice] = [
      .lights("lamp", "A"), .lights("spot", "Missing"), .screen("screen", "Screens"),
    ]
    let bench = try SwapBench(devices)
    try await bench.run {
      let before = bench.devices
      let lamp = try bench.device("lamp")
      await bench.apply(devices)
      #expect(zip(before, bench.devices).allSatisfy { $0 === $1 })
      #expect(bench.launcher.launches.count == 2)
      #expect(await lamp.snapshot().generation == 1)
      #expect(await bench.outage(of: "spot")?.contains("there is no plugin Missing") == true)
    }
  }

  @Test("A device with other options is opened again with them; its neighbour is left alone")
  func options() async throws {
    let bench = try SwapBench([.lights("lamp", "A"), .lights("spot", "A")])
    try await bench.run {
      let lamp = try bench.device("lamp")
      try await lamp.perform(LightsCommand.dim(30))
      await bench.apply([.lights("lamp", "A", options: ["port": 2]), .lights("spot", "A")])
      #expect(bench.has(lamp))
      await waitForBrightness(30, of: lamp)
      let context = bench.scripts["A", "lamp"].state.withLock { $0.context }
      #expect(context?.options == ["port": 2])
      #expect(bench.scripts["A", "lamp"].openings == 2)
      #expect(bench.scripts["A", "spot"].openings == 1)
      #expect(bench.launcher.launches == ["A"])
    }
  }

  @Test("A device with another process label moves to a process of its own, and back")
  func label() async throws {
    let bench = try SwapBench([.lights("lamp", "A"), .lights("spot", "A")])
    try await bench.run {
      let lamp = try bench.device("lamp")
      try await lamp.perform(LightsCommand.dim(30))
      await bench.apply([.lights("lamp", "A", process: "apart"), .lights("spot", "A")])
      await waitForBrightness(30, of: lamp)
      #expect(bench.launcher.running == ["A", "A"])
      #expect(await bench.host.statuses().prefix(2).map(\.process) == ["apart", nil])
      await bench.apply([.lights("lamp", "A"), .lights("spot", "A")])
      await waitForBrightness(30, of: lamp)
      #expect(bench.launcher.running == ["A"] && bench.launcher.launches.count == 2)
    }
  }

  @Test("A device with another role is another object; the old one says what has replaced it")
  func role() async throws {
    let bench = try SwapBench([.lights("it", "A")])
    try await bench.run {
      let lights = try bench.device("it")
      await bench.apply([.screen("it", "A")])
      let screen = try bench.device("it")
      #expect(screen !== lights && screen.role == .screen)
      try await screen.perform(ScreenCommand.down)
      let error = try #require(await outcome(of: LightsCommand.on, on: lights).failure)
      #expect(error.code == .unavailable && error.message.contains("replaced by a screen"))
    }
  }

  @Test("A removed device is closed and its empty process ended; added again, it begins anew")
  func removed() async throws {
    let bench = try SwapBench([.lights("lamp", "A"), .lights("spot", "B")])
    try await bench.run {
      let lamp = try bench.device("lamp")
      try await lamp.perform(LightsCommand.dim(30))
      await bench.apply([.lights("spot", "B")])
      #expect(bench.devices.map(\.id) == ["spot"])
      #expect(bench.launcher.running == ["B"])
      let error = try #require(await outcome(of: LightsCommand.on, on: lamp).failure)
      #expect(error.message.contains("removed from the configuration"))
      await bench.apply([.lights("spot", "B"), .lights("lamp", "A")])
      let new = try bench.device("lamp")
      #expect(new !== lamp)
      #expect(await new.snapshot().generation == 1)
      #expect(await new.snapshot().state.brightness == 0)
      #expect(try await bench.device("spot").snapshot().generation == 1)
    }
  }

  @Test("A device without a plugin for it says so, and serves once there is one")
  func unserved() async throws {
    let bench = try SwapBench([.lights("lamp", "A")])
    try await bench.run {
      let lamp = try bench.device("lamp")
      try await lamp.perform(LightsCommand.dim(30))
      await bench.apply([.lights("lamp", "Screens")])
      #expect(await bench.outage(of: "lamp")?.contains("Screens has no lights") == true)
      await bench.apply([.lights("lamp", "Missing")])
      #expect(await bench.outage(of: "lamp")?.contains("there is no plugin Missing") == true)
      #expect(bench.launcher.running.isEmpty)
      let status = try #require(await bench.host.statuses().first)
      #expect(status.plugin == "Missing" && status.condition == .stopped(by: .load))
      await bench.apply([.lights("lamp", "B")])
      #expect(bench.has(lamp))
      await waitForBrightness(30, of: lamp)
    }
  }

  @Test("An unchanged device whose plugin is gone from the catalogue says so, until it is back")
  func plugInGone() async throws {
    let bench = try SwapBench([.lights("lamp", "A")])
    try await bench.run {
      let lamp = try bench.device("lamp")
      try await lamp.perform(LightsCommand.dim(30))
      await bench.apply([.lights("lamp", "A")], catalogue: PluginCatalogue(plugins: []))
      #expect(await bench.outage(of: "lamp")?.contains("no plugin was found") == true)
      #expect(bench.launcher.running.isEmpty)
      await bench.apply([.lights("lamp", "A")])
      await waitForBrightness(30, of: lamp)
    }
  }

  @Test("A new plugin that ends at its start: the device says so, and others are unharmed")
  func broken() async throws {
    let bench = try SwapBench([.lights("lamp", "A"), .lights("spot", "A")], clock: ManualClock())
    bench.launcher.breakAtStart("B")
    try await bench.run {
      let lamp = try bench.device("lamp")
      try await lamp.perform(LightsCommand.dim(30))
      await bench.apply([.lights("lamp", "B"), .lights("spot", "A")])
      let why = try #require(await bench.outage(of: "lamp"))
      #expect(why.contains("the plugin B") && why.contains("exit status 1"), "\(why)")
      let error = await outcome(of: LightsCommand.on, on: lamp).failure
      #expect(error?.code == .unavailable)
      try await bench.device("spot").perform(LightsCommand.dim(5))
      #expect(try await bench.device("spot").snapshot().generation == 1)
      await bench.apply([.lights("lamp", "A"), .lights("spot", "A")])
      await waitForBrightness(30, of: lamp)
    }
  }

  @Test(
    "Options refused by the new plugin make the device unavailable with the reason; the old ones restore it"
  )
  func refused() async throws {
    let bench = try SwapBench([.lights("lamp", "A"), .lights("spot", "B")])
    try await bench.run {
      bench.scripts["B", "lamp"].refuseOpening(DeviceError(.invalid, "no such port"))
      await bench.apply([.lights("lamp", "B"), .lights("spot", "B")])
      #expect(await bench.outage(of: "lamp")?.contains("no such port") == true)
      #expect(await bench.host.statuses().first?.lastMessage?.contains("no such port") == true)
      await bench.apply([.lights("spot", "B"), .lights("lamp", "A")])
      #expect(await bench.outage(of: "lamp") == nil)
      #expect(await bench.host.statuses().first?.lastMessage == nil)
      #expect(bench.launcher.running == ["B", "A"])
    }
  }

  @Test("What the new device remembers itself is restored at the swap, not after a restart")
  func remembered() async throws {
    let clock = ManualClock()
    let bench = try SwapBench([.lights("lamp", "A")], clock: clock)
    let offer = Manifest.RoleOffer(remembers: [.power, .brightness])
    let manifest = Manifest(id: "B", version: "1", command: ["./B"], roles: [.lights: offer])
    let catalogue = PluginCatalogue(plugins: [.init(manifest: manifest, folder: "/nowhere/B")])
    try await bench.run {
      let lamp = try bench.device("lamp")
      try await lamp.perform(LightsCommand.dim(40))
      await bench.apply([.lights("lamp", "B")], catalogue: catalogue)
      await waitForBrightness(40, of: lamp)
      bench.launcher.crash()
      #expect(await eventually { await bench.outage(of: "lamp")?.contains("again in") == true })
      clock.advance(by: .seconds(1))
      #expect(await eventually { await lamp.snapshot().generation == 3 })
      try await lamp.perform(LightsCommand.off)
      #expect(bench.scripts["B", "lamp"].commands == [["dim": 40], "off"])
    }
  }

  @Test("A swapped player plays on where it was heard last, once its new plugin has the cable")
  func player() async throws {
    let clock = ManualClock()
    func cd(_ plugin: String) -> HostedDevice {
      HostedDevice(id: "cd", role: .cdPlayer, plugin: plugin)
    }
    let bench = try SwapBench([cd("A")], clock: clock)
    for plugin in ["A", "B"] {
      bench.scripts[plugin, "cd"].state.withLock {
        $0.state = [.power: "on"]
        $0.capabilities = Capabilities(cables: [.pcm])
      }
    }
    try await bench.run {
      let player = try bench.device("cd")
      let socket = CableSocket(path: "/run/a", token: "t")
      let source = try #require(player.facet((any SoundSource).self))
      try await source.plug(into: socket)
      try await player.perform(CDPlayerCommand.play(PlayRequest(item: "x", position: 60)))
      clock.advance(by: .seconds(4))
      await bench.apply([cd("B")])
      let script = bench.scripts["B", "cd"]
      #expect(script.commands.isEmpty)
      try await source.plug(into: socket)
      await script.waitForCommands(2)
      #expect(script.commands.last == ["play": ["item": "x", "position": 64]])
    }
  }

  @Test("A command under way when its device is swapped fails with the reason")
  func underWay() async throws {
    let bench = try SwapBench([.lights("lamp", "A"), .lights("spot", "A")])
    try await bench.run {
      let lamp = try bench.device("lamp")
      let script = bench.scripts["A", "lamp"]
      script.holdCommands()
      async let dim = outcome(of: LightsCommand.dim(10), on: lamp)
      await script.waitForCommands(1)
      async let swap: Void = bench.apply([.lights("lamp", "B"), .lights("spot", "A")])
      let error = try #require(await dim.failure)
      #expect(error.code == .unavailable)
      #expect(error.message.contains("it is being swapped to the plugin B"))
      script.release()
      await swap
      try await lamp.perform(LightsCommand.dim(10))
    }
  }

  @Test(
    "A plugin that hangs at a close is ended after 5 s; the swap goes on, its neighbour returns")
  func hangs() async throws {
    let clock = ManualClock()
    let bench = try SwapBench([.lights("lamp", "A"), .lights("spot", "A")], clock: clock)
    let script = bench.scripts["A", "lamp"]
    try await bench.run {
      defer { script.release() }
      let (lamp, spot) = (try bench.device("lamp"), try bench.device("spot"))
      try await lamp.perform(LightsCommand.dim(10))
      try await spot.perform(LightsCommand.dim(20))
      script.hangOnClose()
      async let swap: Void = bench.host.apply(
        [.lights("lamp", "B"), .lights("spot", "A")], catalogue: SwapBench.catalogue)
      try #require(await eventually { script.isHeld })
      clock.advance(by: .milliseconds(4999))
      #expect(bench.launcher.launches == ["A"])
      clock.advance(by: .milliseconds(1))
      await swap
      await waitForBrightness(10, of: lamp)
      let why = try #require(await bench.outage(of: "spot"))
      #expect(why.contains("it did not close lamp within 5 s"), "\(why)")
      clock.advance(by: .seconds(1))
      await waitForBrightness(20, of: spot)
      #expect(bench.launcher.running == ["B", "A"])
    }
  }

  @Test("An empty process that hangs at its end is ended; the swap goes on")
  func hangsAtEnd() async throws {
    let clock = ManualClock()
    let bench = try SwapBench([.lights("lamp", "A")], clock: clock)
    let script = bench.scripts["A", "lamp"]
    try await bench.run {
      defer { script.release() }
      let lamp = try bench.device("lamp")
      try await lamp.perform(LightsCommand.dim(10))
      script.hangOnClose()
      async let swap: Void = bench.apply([.lights("lamp", "B")])
      try #require(await eventually { script.isHeld })
      #expect(bench.launcher.launches == ["A"])
      clock.advance(by: .seconds(2))
      await swap
      await waitForBrightness(10, of: lamp)
      #expect(bench.launcher.running == ["B"])
    }
  }

  @Test("Stopping while a configuration is applied ends everything, and starts nothing more")
  func stopped() async throws {
    let clock = ManualClock()
    let bench = try SwapBench([.lights("lamp", "A"), .lights("spot", "A")], clock: clock)
    let script = bench.scripts["A", "lamp"]
    defer { script.release() }
    script.hangOnClose()
    try await withThrowingDiscardingTaskGroup { group in
      group.addTask { await bench.host.run() }
      await bench.host.waitUntilSettled()
      group.addTask {
        await bench.host.apply(
          [.lights("lamp", "B"), .screen("screen", "A"), .lights("spot", "A")],
          catalogue: SwapBench.catalogue)
      }
      try #require(await eventually { script.isHeld })
      bench.host.stop()
      let isAsked = await eventually {
        await bench.host.statuses().first?.condition == .ended
      }
      #expect(isAsked)
      clock.advance(by: .seconds(2))
    }
    #expect(bench.launcher.running.isEmpty && bench.launcher.launches == ["A"])
    #expect(bench.devices.map(\.id) == ["lamp", "screen", "spot"])
    for device in bench.devices {
      #expect(await bench.outage(of: device.id) == "it is shut down")
    }
    // After the end it changes the list, and starts nothing.
    await bench.apply([.lights("spot", "B")])
    #expect(bench.devices.map(\.id) == ["spot"])
    #expect(await bench.outage(of: "spot") == "it is shut down")
    #expect(bench.launcher.launches == ["A"])
  }

  @Test("Cancelling the host while a configuration is applied leaves no process")
  func cancelled() async throws {
    let bench = try SwapBench([.lights("lamp", "A"), .lights("spot", "A")], clock: ManualClock())
    let script = bench.scripts["A", "lamp"]
    defer { script.release() }
    script.hangOnClose()
    await withDiscardingTaskGroup { group in
      let running = Task { await bench.host.run() }
      await bench.host.waitUntilSettled()
      group.addTask { await bench.apply([.lights("lamp", "B"), .lights("spot", "A")]) }
      #expect(await eventually { script.isHeld })
      running.cancel()
      await running.value
    }
    #expect(bench.launcher.running.isEmpty && bench.launcher.launches == ["A"])
  }

  @Test("A configuration applied before the host runs starts only what it needs")
  func beforeRunning() async throws {
    let bench = try SwapBench([.lights("lamp", "A"), .lights("spot", "B"), .screen("screen", "A")])
    let lamp = try bench.device("lamp")
    await bench.host.apply(
      [.lights("lamp", "A"), .lights("spot", "A")], catalogue: SwapBench.catalogue)
    #expect(bench.devices.map(\.id) == ["lamp", "spot"])
    #expect(bench.has(lamp))
    try await bench.run {
      #expect(bench.launcher.launches == ["A"])
      for id in ["lamp", "spot"] as [DeviceID] {
        try await bench.device(id).perform(LightsCommand.dim(5))
      }
      #expect(bench.scripts["A", "screen"].openings == 0)
    }
  }

  @Test("Three devices of two plugins change places at once")
  func three() async throws {
    let bench = try SwapBench([.lights("a", "A"), .lights("b", "B"), .lights("c", "A")])
    try await bench.run {
      let devices = bench.devices
      for (device, level) in zip(devices, [11, 22, 33]) {
        try await device.perform(LightsCommand.dim(level))
      }
      await bench.apply([.lights("c", "B"), .lights("a", "B"), .lights("b", "A")])
      #expect(bench.devices.map(\.id) == ["c", "a", "b"])
      for (device, level) in zip(devices, [11, 22, 33]) {
        await waitForBrightness(level, of: device)
        #expect(bench.has(device))
      }
      #expect(bench.launcher.running.sorted() == ["A", "B"])
    }
  }

  @Test("Configurations that are applied at once take effect one after the other, each as a whole")
  func atOnce() async throws {
    let bench = try SwapBench([.lights("a", "A"), .lights("b", "A")])
    let script = bench.scripts["A", "a"]
    try await bench.run {
      defer { script.release() }
      script.hangOnClose()
      async let first: Void = bench.apply([.lights("a", "B"), .lights("b", "B")])
      try #require(await eventually { script.isHeld })
      async let second: Void = bench.apply([.lights("a", "A"), .lights("b", "B")])
      // Enough for the second to begin; if it begins later, it waits for nothing.
      for _ in 0..<1000 { await Task.yield() }
      script.release()
      _ = await (first, second)
      #expect(bench.launcher.launches == ["A", "B", "A"])
      #expect(bench.launcher.running == ["B", "A"])
      for device in bench.devices { try await device.perform(LightsCommand.dim(5)) }
      #expect(bench.scripts["A", "a"].commands == [["dim": 5]])
      #expect(bench.scripts["B", "b"].commands == [["dim": 5]])
      #expect(!bench.scripts["B", "a"].isOpen && !bench.scripts["A", "b"].isOpen)
    }
  }

  @Test("A plugin that failed for good is started again with its next device")
  func failed() async throws {
    let clock = ManualClock()
    let bench = try SwapBench([.lights("lamp", "A")], clock: clock)
    try await bench.run {
      bench.launcher.crash()
      try #require(await eventually { await bench.outage(of: "lamp") != nil })
      // Without a step of the clock: the wait for the next try is over.
      await bench.apply([.lights("lamp", "A"), .lights("spot", "A")])
      for device in bench.devices { try await device.perform(LightsCommand.dim(5)) }
      #expect(bench.launcher.launches == ["A", "A"])
    }
  }
}
