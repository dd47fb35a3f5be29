import Devices
import JSON
import PluginKit
import Synchronization

/// An amplifier without speakers: it reads its cables and reports the levels of the selected one.
final class AmplifierSimulation: AmplifierDevice {
  private let simulation: Simulation
  private let volumeCap: Int
  private let startupVolume: Int
  private let monitor: CableMonitor
  private let state: Mutex<State>

  private struct State {
    var power = Power.off
    var inputs: [String]
    var input: String
    var mode = "stereo"
    var volume: Int
    var isMuted = false
    /// The cables by input.
    var sinks: [String: (path: String, sink: CableSink)] = [:]
  }

  init(_ simulation: Simulation) throws(DeviceError) {
    self.simulation = simulation
    let options = simulation.options
    let inputs = try options.texts("inputs", or: ["dvd", "cd", "tuner"])
    guard let first = inputs.first else {
      throw DeviceError(.invalid, "the option \"inputs\" is empty", hint: "Name one at least.")
    }
    volumeCap = Int(try options.number("volumeCap", in: 0...100, or: 100))
    startupVolume = min(
      volumeCap, Int(try options.number("startupVolume", in: 0...100, or: 40)))
    state = Mutex(State(inputs: inputs, input: first, volume: startupVolume))
    let isMetering = try options.flag("meter", or: true)
    do {
      monitor = try CableMonitor { report in
        switch report {
        case .levels(let levels):
          let sound = SoundLevels(peakAmplitudes: levels.peak, rmsAmplitudes: levels.rms)
          if let sound { simulation.report(sound) }
        case .second(let levels):
          if isMetering { simulation.report([:], attributes: Self.attributes(levels)) }
        }
      }
    } catch {
      throw DeviceError(.failed, "the amplifier cannot read its cables: \(error)")
    }
  }

  func open() async throws(DeviceError) -> Capabilities {
    let state = state.withLock { $0 }
    simulation.report([
      .power: "off", .input: .string(state.input), .mode: .string(state.mode),
      .volume: .integer(state.volume), .muted: false,
    ])
    return simulation.capabilities(["levels"], cables: [.pcm])
  }

  func setMetering(_ isOn: Bool) { monitor.setMetering(isOn) }

  func close() async {
    monitor.stop()
    let sinks = state.withLock { state in
      defer { state.sinks = [:] }
      return state.sinks.values.map(\.sink)
    }
    for sink in sinks { sink.close() }
  }

  func perform(_ command: AmplifierCommand) async throws(DeviceError) {
    switch command {
    case .on: turnOn()
    case .off:
      set(.power, "off") { $0.power = .off }
      connectSelectedInput()
    case .input(let name):
      try select(name)
      connectSelectedInput()
    case .stereo: try setWhenOn(.mode, "stereo") { $0.mode = "stereo" }
    case .surround: try setWhenOn(.mode, "surround") { $0.mode = "surround" }
    case .volume(let volume): try setVolume(volume)
    case .mute: try setWhenOn(.muted, true) { $0.isMuted = true }
    case .unmute: try setWhenOn(.muted, false) { $0.isMuted = false }
    }
  }

  // MARK: Cables

  func openSocket(_ socket: CableSocket, input: String) async throws(DeviceError) {
    do throws(CableError) {
      let known = state.withLock { $0.sinks[input] }
      // The same path: the present source stays until another one presents the new token.
      if let known, known.path == socket.path { return try known.sink.expect(token: socket.token) }
      let sink = try CableSink(path: socket.path, token: socket.token)
      state.withLock { state in
        state.sinks[input] = (socket.path, sink)
        if !state.inputs.contains(input) { state.inputs.append(input) }
      }
      known?.sink.close()
    } catch {
      throw DeviceError(.failed, error.message)
    }
    connectSelectedInput()
  }

  /// Reads the selected input while the amplifier is on, and tells the others that they are not heard.
  private func connectSelectedInput() {
    let state = state.withLock { $0 }
    let heard = state.power == .on ? state.sinks[state.input]?.sink : nil
    for (_, sink) in state.sinks.values where sink !== heard { sink.setHeard(false) }
    monitor.select(heard)
    heard?.setHeard(true)
  }

  private static func attributes(_ levels: CableLevelMeter.Levels?) -> [String: Attribute] {
    func list(_ values: [Double]?) -> JSON {
      .array((values ?? []).map { .number(CableLevelMeter.Levels.decibels($0)) })
    }
    let format = levels.map { "\($0.format.rate) Hz, \($0.format.channels) channels" }
    return [
      "hears": Attribute(format.map { .string($0) } ?? .null, label: "Hears"),
      "peak": Attribute(list(levels?.peak), unit: "dBFS", label: "Peak"),
      "rms": Attribute(list(levels?.rms), unit: "dBFS", label: "Level"),
    ]
  }

  // MARK: Settings

  /// Turns on, unmuted and at most as loud as the start-up volume.
  private func turnOn() {
    let changes: [StateKey: JSON] = state.withLock { state in
      guard state.power != .on else { return [:] }
      state.power = .on
      state.volume = min(state.volume, startupVolume)
      state.isMuted = false
      return [.volume: .integer(state.volume), .muted: false]
    }
    simulation.report([.power: "on"].merging(changes) { $1 })
    connectSelectedInput()
  }

  private func set(_ key: StateKey, _ value: JSON, _ change: (inout State) -> Void) {
    state.withLock { change(&$0) }
    simulation.report([key: value])
  }

  private func setWhenOn(_ key: StateKey, _ value: JSON, _ change: (inout State) -> Void)
    throws(DeviceError)
  {
    guard try simulation.acceptsCommand(at: state.withLock(\.power), of: "amplifier") else {
      return
    }
    set(key, value, change)
  }

  private func select(_ name: String) throws(DeviceError) {
    let inputs = state.withLock(\.inputs)
    guard inputs.contains(name) else {
      throw DeviceError(
        .invalid, "it has no input \"\(name)\"",
        hint: nearest(to: name, in: inputs).map { "Did you mean \"\($0)\"?" }
          ?? "Its inputs are \(inputs.joined(separator: ", ")).")
    }
    try setWhenOn(.input, .string(name)) { $0.input = name }
  }

  private func setVolume(_ volume: Int) throws(DeviceError) {
    guard volume <= volumeCap else {
      throw DeviceError(
        .refused, "the volume is limited to \(volumeCap) %",
        hint: "Its option \"volumeCap\" is the limit.")
    }
    try setWhenOn(.volume, .integer(volume)) { $0.volume = volume }
  }
}
