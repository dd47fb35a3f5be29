import Devices
import JSON
import PluginKit
import PluginProtocol
import Synchronization
import TestSupport
import Testing

@testable import PluginHost

@Suite("Settings that outlive a restart of the controller")
struct StoredSettingsTests {
  private func cache(_ role: Role, _ values: [StateKey: JSON]) -> DeviceSettingsCache {
    DeviceSettingsCache(["it": DeviceSettings(role: role, values: values)])
  }

  private static let offAmplifier: [StateKey: JSON] = [
    .power: "off", .volume: 40, .muted: false, .mode: "stereo",
  ]

  @Test("An amplifier gets its volume before it is turned on, then its mute and sound mode")
  func amplifier() async throws {
    let script = DeviceScript(Self.offAmplifier)
    let stored = cache(.amplifier, [.volume: 20, .muted: true, .mode: "surround"])
    let bench = try HostBench(AmplifierCommand.self, script, settings: stored)
    try await bench.run { amp in
      #expect(script.commands.isEmpty)
      try await amp.perform(AmplifierCommand.on)
      await bench.waitForCommands { $0 == .none }
      #expect(script.commands == [["volume": 20], "on", "mute", "surround"])
    }
  }

  @Test(
    "An amplifier that refuses a volume while it is off gets it when it is on, before later commands"
  )
  func refusesWhileOff() async throws {
    let script = DeviceScript(Self.offAmplifier)
    script.refuse([DeviceError(.notNow, "the amplifier is off")])
    let bench = try HostBench(
      AmplifierCommand.self, script, settings: cache(.amplifier, [.volume: 20]))
    try await bench.run { amp in
      try await amp.perform(AmplifierCommand.on)
      try await amp.perform(AmplifierCommand.input("dvd"))
      #expect(script.commands == [["volume": 20], "on", ["volume": 20], ["input": "dvd"]])
      #expect(bench.launcher.launches.count == 1)
    }
  }

  @Test("A start never makes an amplifier louder than it comes up, and never ends a mute")
  func neverLouder() async throws {
    let script = DeviceScript([.power: "on", .volume: 10, .muted: true])
    let stored = cache(.amplifier, [.volume: 60, .muted: false])
    let bench = try HostBench(AmplifierCommand.self, script, settings: stored)
    try await bench.run { amp in
      await bench.waitForCommands { $0 == .none }
      try await amp.perform(AmplifierCommand.stereo)
      #expect(script.commands == ["stereo"])
    }
  }

  @Test("A stored volume is never above the option startupVolume")
  func startupVolume() async throws {
    let script = DeviceScript(Self.offAmplifier)
    let bench = try HostBench(
      AmplifierCommand.self, script, options: ["startupVolume": 15],
      settings: cache(.amplifier, [.volume: 20]))
    try await bench.run { amp in
      try await amp.perform(AmplifierCommand.on)
      await bench.waitForCommands { $0 == .none }
      #expect(script.commands == [["volume": 15], "on"])
    }
  }

  @Test("What a person chooses before the next on counts, and nothing older follows it")
  func chosenMeanwhile() async throws {
    let script = DeviceScript(Self.offAmplifier)
    let stored = cache(.amplifier, [.volume: 20, .mode: "surround"])
    let bench = try HostBench(AmplifierCommand.self, script, settings: stored)
    try await bench.run { amp in
      try await amp.perform(AmplifierCommand.volume(30))
      try await amp.perform(AmplifierCommand.on)
      await bench.waitForCommands { $0 == .none }
      #expect(script.commands == [["volume": 30], "on", "surround"])
      #expect(stored["it"]?.values == [.volume: 30, .mode: "surround"])
    }
  }

  @Test("The volume that a command gives while the device is turned on is the last one")
  func chosenDuringOn() async throws {
    let script = DeviceScript(Self.offAmplifier)
    script.refuse([DeviceError(.notNow, "the amplifier is off")])
    script.holdCommands()
    let bench = try HostBench(
      AmplifierCommand.self, script, settings: cache(.amplifier, [.volume: 20]))
    try await bench.run { amp in
      async let on = outcome(of: AmplifierCommand.on, on: amp)
      await script.waitForCommands(1)
      async let louder = outcome(of: AmplifierCommand.volume(35), on: amp)
      await bench.waitForCommands { $0.waiting.count == 2 }
      script.release()
      _ = await (on, louder)
      #expect(script.commands.last == ["volume": 35])
      #expect(await amp.snapshot().state.volume == 35)
    }
  }

  @Test("A tuner gets its station when it is turned on; nothing turns it on")
  func tuner() async throws {
    let script = DeviceScript([.power: "off", .band: "am", .frequency: 999, .station: .null])
    let stored = cache(.tuner, [.band: "fm", .frequency: 98.5, .station: "Lantern"])
    let bench = try HostBench(TunerCommand.self, script, settings: stored)
    try await bench.run { tuner in
      await bench.waitForCommands { $0 == .none }
      #expect(script.commands.isEmpty)
      try await tuner.perform(TunerCommand.on)
      await bench.waitForCommands { $0 == .none }
      #expect(script.commands == ["on", ["fm": 98.5]])
    }
  }

  @Test(
    "Lights that are on are dimmed as before; lights that are off stay off, and on means fully on")
  func lights() async throws {
    let stored: [StateKey: JSON] = [.brightness: 30]
    let shining = DeviceScript([.power: "on", .brightness: 100])
    let bench = try HostBench(
      LightsCommand.self, shining, settings: cache(.lights, stored))
    try await bench.run { _ in
      await shining.waitForCommands(1)
      #expect(shining.commands == [["dim": 30]])
    }
    let dark = DeviceScript([.power: "off", .brightness: 0])
    let other = try HostBench(LightsCommand.self, dark, settings: cache(.lights, stored))
    try await other.run { lights in
      try await lights.perform(LightsCommand.on)
      dark.report([.power: "on", .brightness: 100])
      #expect(await eventually { await lights.snapshot().state.power == .on })
      await other.waitForCommands { $0 == .none }
      #expect(dark.commands == ["on"])
    }
  }

  @Test("Settings that the device itself keeps are not sent at a start")
  func remembered() async throws {
    let script = DeviceScript([.power: "on", .brightness: 70])
    let bench = try HostBench(
      LightsCommand.self, script, offer: .init(remembers: [.power, .brightness]),
      settings: cache(.lights, [.brightness: 30]))
    try await bench.run { lights in
      await bench.waitForCommands { $0 == .none }
      #expect(script.commands.isEmpty)
      #expect(await lights.snapshot().state.brightness == 70)
    }
  }

  @Test("Settings of another role are not applied")
  func otherRole() async throws {
    let script = DeviceScript([.power: "on", .brightness: 70])
    let bench = try HostBench(
      LightsCommand.self, script, settings: cache(.amplifier, [.volume: 20]))
    try await bench.run { _ in
      await bench.waitForCommands { $0 == .none }
      #expect(script.commands.isEmpty)
    }
  }

  @Test(
    "Values out of range, unknown keys, power, playback, inputs and dark lights are no settings")
  func validation() {
    let amplifier = DeviceSettings(
      role: .amplifier,
      values: [
        .volume: 101, .muted: "yes", .mode: "quadro", .power: "on", .input: "dvd", .brightness: 3,
      ])
    #expect(amplifier.values.isEmpty)
    #expect(DeviceSettings(role: .lights, values: [.brightness: 0]).values.isEmpty)
    #expect(
      DeviceSettings(role: .tuner, values: [.station: .null, .band: "fm"]).values == [.band: "fm"])
    #expect(DeviceSettings(role: .screen, values: [.position: "down"]).values.isEmpty)
  }

  @Test("Chosen values are stored, also those chosen at the device; what it comes up with is not")
  func recorded() async throws {
    let script = DeviceScript(Self.offAmplifier)
    let stored = DeviceSettingsCache([:])
    let bench = try HostBench(AmplifierCommand.self, script, settings: stored)
    try await bench.run { amp in
      try await amp.perform(AmplifierCommand.on)
      script.report([.power: "on", .volume: 40, .muted: false, .mode: "stereo"])
      try await amp.perform(AmplifierCommand.input("dvd"))
      #expect(stored["it"]?.values ?? [:] == [:])
      try await amp.perform(AmplifierCommand.volume(20))
      try await amp.perform(AmplifierCommand.mute)
      #expect(stored["it"]?.values == [.volume: 20, .muted: true])
      script.report([.volume: 12])
      #expect(await eventually { stored["it"]?.values[.volume] == 12 })
      #expect(stored.takeChanges()["it"]?.values == [.volume: 12, .muted: true])
      #expect(stored.takeChanges().isEmpty)
    }
  }

  @Test(
    "After a crash of its plugin an amplifier that was off gets its volume and mute at the next on")
  func crashWhileOff() async throws {
    let script = DeviceScript(Self.offAmplifier)
    let bench = try HostBench(AmplifierCommand.self, script)
    try await bench.run { amp in
      for command in [AmplifierCommand.on, .volume(20), .off] { try await amp.perform(command) }
      bench.launcher.crash()
      #expect(
        await eventually {
          guard case .unavailable(let reason) = await amp.snapshot().availability else {
            return false
          }
          return reason.contains("started again in")
        })
      bench.clock.advance(by: .seconds(2))
      for await snapshot in await amp.snapshots() where snapshot.generation > 1 { break }
      try await amp.perform(AmplifierCommand.on)
      await bench.waitForCommands { $0 == .none }
      #expect(script.commands.dropFirst(3) == [["volume": 20], "on"])
    }
  }

  private static func amplifier(_ plugin: String, startupVolume: Int) -> HostedDevice {
    HostedDevice(
      id: "amp", role: .amplifier, plugin: plugin,
      options: ["startupVolume": .integer(startupVolume)])
  }

  @Test(
    "A swap to a quieter plugin and back keeps the chosen volume; a restart there would not be louder"
  )
  func swap() async throws {
    let stored = DeviceSettingsCache([:])
    let loud = Self.amplifier("A", startupVolume: 100)
    let quiet = Self.amplifier("B", startupVolume: 40)
    let bench = try SwapBench([loud], settings: stored)
    for (plugin, volume) in [("A", 100), ("B", 40)] as [(String, JSON)] {
      bench.scripts[plugin, "amp"].state.withLock {
        $0.state = [.power: "off", .volume: volume, .muted: false]
      }
    }
    try await bench.run {
      let amp = try bench.device("amp")
      try await amp.perform(AmplifierCommand.on)
      try await amp.perform(AmplifierCommand.volume(71))
      #expect(stored["amp"]?.values == [.volume: 71])
      await bench.apply([quiet])
      #expect(await eventually { await amp.snapshot().state.power == .on })
      #expect(await eventually { amp.commandsInHand == .none })
      // As amplifiers do that report all values at each change.
      bench.scripts["B", "amp"].report([.power: "on", .volume: 40, .muted: false])
      try await amp.perform(AmplifierCommand.surround)
      #expect(await amp.snapshot().state.volume == 40)
      #expect(await eventually { stored["amp"]?.values[.volume] == 40 })
      await bench.apply([loud])
      #expect(await eventually { await amp.snapshot().state.volume == 71 })
      #expect(await eventually { stored["amp"]?.values[.volume] == 71 })
    }
  }

  @Test(
    "The settings of a device that is removed are removed, and not applied when it is added again")
  func removed() async throws {
    let stored = DeviceSettingsCache([
      "lamp": DeviceSettings(role: .lights, values: [.brightness: 30])
    ])
    let bench = try SwapBench([.lights("lamp", "A"), .screen("screen", "B")], settings: stored)
    try await bench.run {
      await bench.scripts["A", "lamp"].waitForCommands(1)
      await bench.apply([.screen("screen", "B")])
      #expect(stored.takeChanges()["lamp"]?.values == [:])
      await bench.apply([.lights("lamp", "B"), .screen("screen", "B")])
      #expect(bench.scripts["B", "lamp"].commands.isEmpty)
    }
  }

  @Test("Devices are opened only when the stored settings are known")
  func loadedLater() async throws {
    let script = DeviceScript(Self.offAmplifier)
    let stored = DeviceSettingsCache()
    let bench = try HostBench(AmplifierCommand.self, script, settings: stored)
    try await withThrowingDiscardingTaskGroup { group in
      group.addTask { await bench.host.run() }
      defer { bench.host.stop() }
      #expect(await eventually { bench.launcher.launches.count == 1 })
      #expect(await bench.device.snapshot().availability == .starting)
      stored.load(["it": DeviceSettings(role: .amplifier, values: [.volume: 20])])
      await bench.host.waitUntilSettled()
      try await bench.device.perform(AmplifierCommand.on)
      #expect(script.commands.first == ["volume": 20])
    }
  }
}
