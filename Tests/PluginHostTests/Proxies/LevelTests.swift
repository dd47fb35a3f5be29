import Devices
import JSON
import PluginKit
import PluginProtocol
import Synchronization
import TestSupport
import Testing

@testable import PluginHost

@Suite("F4 · the levels of an amplifier's sound")
struct LevelTests {
  private static let capable = Capabilities(names: ["levels"])

  /// Levels of two channels, the first of which has this peak.
  private static func levels(_ peak: Double) throws -> SoundLevels {
    try #require(SoundLevels(peak: [peak, -120], rms: [-120, -120]))
  }

  /// Collects the levels of a device.
  private final class Receiver: Sendable {
    private let received = Mutex<[SoundLevels]>([])
    var peaks: [Double] { received.withLock { $0.compactMap(\.peak.first) } }

    func listen(to device: any Device) {
      device.facet((any LevelMeter).self)?.setLevelReceiver { levels in
        self.received.withLock { $0.append(levels) }
      }
    }
  }

  @Test("F4 · the plugin is told to report levels only while there is a receiver")
  func onRequest() async throws {
    let script = DeviceScript(capabilities: Self.capable)
    let receiver = Receiver()
    try await HostBench(AmplifierCommand.self, script).run { amp in
      try await amp.perform(AmplifierCommand.on)
      #expect(script.metering == [])
      receiver.listen(to: amp)
      try #require(await eventually { script.metering == [true] })
      let before = await amp.snapshot()
      script.report(try Self.levels(-6))
      try #require(await eventually { receiver.peaks == [-6] })
      #expect(await amp.snapshot() == before, "levels are no state")
      // Another receiver, and none.
      receiver.listen(to: amp)
      let meter = try #require(amp.facet((any LevelMeter).self))
      meter.setLevelReceiver(nil)
      meter.setLevelReceiver(nil)
      try #require(await eventually { script.metering == [true, false] })
      script.report(try Self.levels(-7))
      try await amp.perform(AmplifierCommand.mute)
      #expect(receiver.peaks == [-6], "a late report has no receiver")
    }
  }

  @Test("F4 · a device without the capability is never told, whatever its role")
  func incapable() async throws {
    let (amplifier, lamp) = (DeviceScript(), DeviceScript(capabilities: Self.capable))
    let receiver = Receiver()
    try await HostBench(AmplifierCommand.self, amplifier).run { amp in
      receiver.listen(to: amp)
      amplifier.report(try Self.levels(-6))
      try await amp.perform(AmplifierCommand.on)
      #expect(amplifier.metering == [])
    }
    try await HostBench(LightsCommand.self, lamp).run { lights in
      receiver.listen(to: lights)
      lamp.report(try Self.levels(-6))
      try await lights.perform(LightsCommand.on)
      #expect(lamp.metering == [])
      #expect(await lights.snapshot().capabilities.names == [])
    }
    #expect(receiver.peaks == [])
  }

  @Test("F4 F6 · the wish is repeated after a restart and after swaps to another plugin and back")
  func again() async throws {
    func amplifier(_ plugin: String) -> HostedDevice {
      HostedDevice(id: "amp", role: .amplifier, plugin: plugin)
    }
    let bench = try SwapBench([amplifier("A")])
    let scripts = ["A": bench.scripts["A", "amp"], "B": bench.scripts["B", "amp"]]
    for script in scripts.values { script.state.withLock { $0.capabilities = Self.capable } }
    let receiver = Receiver()
    try await bench.run {
      let amp = try bench.device("amp")
      receiver.listen(to: amp)
      #expect(await eventually { scripts["A"]?.metering == [true] })
      await bench.apply([amplifier("B")])
      #expect(await eventually { scripts["B"]?.metering == [true] })
      scripts["B"]?.report(try Self.levels(-3))
      #expect(await eventually { receiver.peaks == [-3] })
      bench.launcher.crash()
      #expect(await eventually { scripts["B"]?.metering == [true, true] })
      await bench.apply([amplifier("A")])
      #expect(await eventually { scripts["A"]?.metering == [true, true] })
      amp.facet((any LevelMeter).self)?.setLevelReceiver(nil)
      #expect(await eventually { scripts["A"]?.metering == [true, true, false] })
      await bench.apply([amplifier("B")])
      try await amp.perform(AmplifierCommand.on)
      #expect(scripts["B"]?.metering == [true, true])
    }
  }

  @Test("F4 · of a flood no more pass than fifteen a second after thirty, with one warning")
  func flood() async throws {
    var intake = LevelIntake()
    var warnings: [String] = []
    let report = LevelsNotification(device: "amp", levels: try Self.levels(-6))
    var passed = 0
    for millisecond in 0..<10_000 {
      let levels = intake.accept(report, at: .milliseconds(millisecond)) { warnings.append($0) }
      if levels != nil { passed += 1 }
    }
    #expect(abs(passed - 180) <= 1)
    #expect(warnings.count == 1 && warnings.first?.contains("more than 15 times a second") == true)
  }

  @Test("F4 · a flood of levels delays no command, and is the plugin's warning")
  func floodedDevice() async throws {
    let script = DeviceScript(capabilities: Self.capable)
    let receiver = Receiver()
    let bench = try HostBench(AmplifierCommand.self, script)
    try await bench.run { amp in
      receiver.listen(to: amp)
      for _ in 0..<2000 { script.report(try Self.levels(-6)) }
      #expect(try await amp.perform(AmplifierCommand.on) == .observed)
      #expect(receiver.peaks.count <= 30)
      let status = try #require(await bench.host.statuses().first)
      #expect(status.lastMessage?.contains("levels more than 15 times") == true)
    }
  }

  @Test(
    "F4 · levels that are no two equal lists of numbers in range are dropped",
    arguments: [
      [:], ["peak": [-6]], ["peak": [-6], "rms": []], ["peak": [], "rms": []],
      ["peak": [-6], "rms": [-6, -6]], ["peak": [25], "rms": [-6]], ["peak": [-121], "rms": [-6]],
      ["peak": ["-6"], "rms": [-6]], ["peak": [nil], "rms": [-6]], ["peak": -6, "rms": -6],
      ["peak": [1e300], "rms": [-6]],
      [
        "peak": [-1, -1, -1, -1, -1, -1, -1, -1, -1],
        "rms": [-1, -1, -1, -1, -1, -1, -1, -1, -1],
      ],
    ] as [JSON])
  func badValues(_ values: JSON) throws {
    var params = values.object ?? [:]
    params["device"] = "amp"
    let report = try #require(LevelsNotification(params: .object(params)))
    var intake = LevelIntake()
    var warnings: [String] = []
    for _ in 0..<2 { #expect(intake.accept(report, at: .zero) { warnings.append($0) } == nil) }
    #expect(warnings.count == 1)
  }
}
