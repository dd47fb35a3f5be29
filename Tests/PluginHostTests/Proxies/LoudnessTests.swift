import Devices
import JSON
import PluginKit
import PluginProtocol
import Synchronization
import TestSupport
import Testing

@testable import PluginHost

/// An amplifier that starts at 90 %, whatever it was told before, and writes down what is heard.
private struct LoudAmplifier: PluginDevice {
  /// The faults of an amplifier.
  struct Faults: OptionSet, Sendable {
    let rawValue: Int
    static let refusesWhileOff = Faults(rawValue: 1)
    static let reportsLate = Faults(rawValue: 2)
    static let refusesVolume = Faults(rawValue: 4)
    static let staysLoud = Faults(rawValue: 8)
  }

  /// What outlives the plugin's process, as gear does.
  final class Gear: Sendable {
    struct State {
      var isOn = false
      var volume = 90
      var isMuted = false
      var lines: [String] = []
    }
    let state = Mutex(State())
    let faults: Faults
    let startVolume: Int

    init(_ faults: Faults = [], startVolume: Int = 90) {
      self.faults = faults
      self.startVolume = startVolume
    }

    var lines: [String] { state.withLock { $0.lines } }

    /// The volume that is heard, in %.
    var loudness: Int { state.withLock { $0.isOn && !$0.isMuted ? $0.volume : 0 } }
  }

  let context: DeviceContext
  let gear: Gear

  func open() async throws(DeviceError) -> Capabilities {
    report()
    return Capabilities()
  }

  func perform(_ command: AmplifierCommand) async throws(DeviceError) {
    let refusal = gear.state.withLock { state -> DeviceError? in
      defer {
        let heard = state.isOn && !state.isMuted ? state.volume : 0
        state.lines.append("\((try? command.checked())?.json ?? .null) \(heard)")
      }
      let isOff = !state.isOn
      switch command {
      case .on:
        if isOff { state.volume = gear.startVolume }
        state.isOn = true
      case .off: state.isOn = false
      case .volume where gear.faults.contains(.refusesVolume):
        return DeviceError(.refused, "its knob is locked")
      case .volume where isOff && gear.faults.contains(.refusesWhileOff):
        return DeviceError(.notNow, "it is off")
      case .volume(let volume):
        if !gear.faults.contains(.staysLoud) { state.volume = volume }
      case .mute: state.isMuted = true
      case .unmute: state.isMuted = false
      default: break
      }
      return nil
    }
    if let refusal { throw refusal }
    if gear.faults.contains(.reportsLate), case .on = command { return }
    report()
  }

  /// Turns the knob.
  static func turn(_ gear: Gear, to volume: Int) { gear.state.withLock { $0.volume = volume } }

  private func report() {
    let state = gear.state.withLock { $0 }
    context.report([
      .power: state.isOn ? "on" : "off", .volume: .integer(state.volume),
      .muted: .bool(state.isMuted),
    ])
  }
}

@Suite("The cap of a plugin's amplifier") struct LoudnessTests {
  /// Runs a host of one loud amplifier around `body`, with a cap of 30 %.
  private static func run(
    _ gear: LoudAmplifier.Gear, _ body: (HostBench, any Device) async throws -> Void
  ) async throws {
    let bench = try HostBench(AmplifierCommand.self) { context in
      LoudAmplifier(context: context, gear: gear)
    }
    try await bench.run { amplifier in
      amplifier.facet((any LoudnessLimited).self)?.setLoudnessLimit(30)
      try await body(bench, amplifier)
      await bench.waitForCommands { $0.underWay == nil && $0.waiting.isEmpty }
    }
  }

  /// Whether each command after which the amplifier is heard above 30 % is followed by one after which it is not.
  private static func staysWithinOneCommand(_ gear: LoudAmplifier.Gear) -> Bool {
    let heard = gear.lines.compactMap { $0.split(separator: " ").last.flatMap { Int($0) } }
    return !zip(heard, heard.dropFirst()).contains { $0 > 30 && $1 > 30 } && gear.loudness <= 30
  }

  @Test(
    "an amplifier that starts at 90 % is above a limit of 30 % for one command at most",
    arguments: [[], .refusesWhileOff, .reportsLate, [.refusesWhileOff, .reportsLate]]
      as [LoudAmplifier.Faults])
  fileprivate func start(_ faults: LoudAmplifier.Faults) async throws {
    let gear = LoudAmplifier.Gear(faults)
    try await Self.run(gear) { _, amplifier in
      try await amplifier.perform(AmplifierCommand.on, until: .accepted)
      try await amplifier.perform(AmplifierCommand.input("dvd"), until: .accepted)
    }
    #expect(Self.staysWithinOneCommand(gear), "\(gear.lines)")
    #expect(gear.lines.contains { $0.hasPrefix(#""on""#) })
  }

  @Test("an amplifier that refuses its volume is muted, and one that stays loud as well")
  func refusal() async throws {
    for faults in [LoudAmplifier.Faults.refusesVolume, .staysLoud] {
      let gear = LoudAmplifier.Gear(faults)
      try await Self.run(gear) { _, amplifier in
        try await amplifier.perform(AmplifierCommand.on, until: .accepted)
        #expect(await eventually { gear.loudness == 0 })
      }
      #expect(gear.lines.last == #""mute" 0"#, "\(gear.lines)")
    }
  }

  @Test("an amplifier whose plugin dies after \"on\" is turned down by the next process")
  func death() async throws {
    let gear = LoudAmplifier.Gear([.refusesWhileOff])
    try await Self.run(gear) { bench, amplifier in
      try await amplifier.perform(AmplifierCommand.on, until: .accepted)
      await bench.waitForCommands { $0.underWay == nil && $0.waiting.isEmpty }
      let before = await amplifier.snapshot().generation
      // The gear falls back to its own volume while nobody watches it.
      LoudAmplifier.turn(gear, to: 90)
      bench.launcher.crash()
      #expect(await eventually { await amplifier.snapshot().availability != .available })
      bench.clock.advance(by: .seconds(2))
      for await snapshot in await amplifier.snapshots() where snapshot.generation > before { break }
      #expect(await eventually { gear.loudness == 30 })
    }
  }

  @Test("a volume that someone sets at the amplifier is reported, not undone")
  func knob() async throws {
    let gear = LoudAmplifier.Gear(startVolume: 20)
    try await Self.run(gear) { bench, amplifier in
      try await amplifier.perform(AmplifierCommand.on, until: .settled)
      bench.clock.advance(by: LoudnessCap.startTime + .seconds(1))
      LoudAmplifier.turn(gear, to: 60)
      try await amplifier.perform(AmplifierCommand.stereo, until: .accepted)
      #expect(await eventually { await amplifier.snapshot().state.volume == 60 })
    }
    #expect(gear.loudness == 60)
  }

  @Test("no command sets a volume above the limit that is in force when it is sent")
  func laterLimit() async throws {
    let script = DeviceScript([.power: "on", .volume: 20])
    let bench = try HostBench(AmplifierCommand.self, script)
    try await bench.run { amplifier in
      script.holdCommands()
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await amplifier.perform(AmplifierCommand.stereo) }
        await script.waitForCommands(1)
        await bench.submit(to: &group, leaving: [["volume": 80]]) {
          try await amplifier.perform(AmplifierCommand.volume(80), until: .settled)
        }
        amplifier.facet((any LoudnessLimited).self)?.setLoudnessLimit(30)
        script.release()
        try await group.waitForAll()
      }
      #expect(script.commands == ["stereo", ["volume": 30]])
    }
  }
}
