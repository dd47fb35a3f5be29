import Devices
import InMemoryDevices
import JSON
import PluginKit
import Synchronization

/// An amplifier without speakers: it reads its cables and reports the levels of the selected one.
final class AmplifierSimulation: AmplifierDevice {
  private let simulation: Simulation
  private let monitor: CableMonitor
  private let state: Mutex<State>

  private struct State {
    var model: AmplifierModel
    /// The cables by input.
    var sinks: [String: (path: String, sink: CableSink)] = [:]
  }

  init(_ simulation: Simulation) throws(DeviceError) {
    self.simulation = simulation
    let options = simulation.options
    let inputs = try options.texts("inputs", or: ["dvd", "cd", "tuner"])
    guard !inputs.isEmpty else {
      throw DeviceError(.invalid, "the option \"inputs\" is empty", hint: "Name one at least.")
    }
    let volumeCap = Int(try options.number("volumeCap", in: 0...100, or: 100))
    let startupVolume = Int(try options.number("startupVolume", in: 0...100, or: 40))
    state = Mutex(
      State(
        model: AmplifierModel(
          inputs: inputs, volumeCap: volumeCap, startupVolume: min(volumeCap, startupVolume),
          whenOff: simulation.whenOff)))
    let isMetering = try options.flag("meter", or: true)
    do {
      monitor = try CableMonitor { report in
        switch report {
        case .levels(let levels):
          let sound = SoundLevels(peakAmplitudes: levels.peak, rmsAmplitudes: levels.rms)
          if let sound { simulation.report(sound) }
        case .second(let levels):
          guard isMetering else { return }
          simulation.report(ModelReport([:], attributes: Self.attributes(levels)))
        }
      }
    } catch {
      throw DeviceError(.failed, "the amplifier cannot read its cables: \(error)")
    }
  }

  func open() async throws(DeviceError) -> Capabilities {
    simulation.report(ModelReport(state.withLock(\.model).values(at: .zero)))
    return simulation.capabilities(["levels"], cables: CableKind.allCases)
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
    try await simulation.faults.apply(to: command)
    try state.withLock { (state) throws(DeviceError) in
      // Only the cables of the kind pcm tell their inputs.
      if case .input(let input) = command { state.model.addInput(input) }
      simulation.report(try state.model.perform(command, at: .zero))
    }
    connectSelectedInput()
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
        state.model.addInput(input)
      }
      known?.sink.close()
    } catch {
      throw DeviceError(.failed, error.message)
    }
    connectSelectedInput()
  }

  /// A PCM that swallows what is played: the amplifier has no speakers.
  func lend(input: String) async throws(DeviceError) -> String {
    state.withLock { $0.model.addInput(input) }
    return "null"
  }

  /// Reads the selected input while the amplifier is on, and tells the others that they are not heard.
  private func connectSelectedInput() {
    let state = state.withLock { $0 }
    let selected = state.model.power == .on ? state.model.input : nil
    let heard = selected.flatMap { state.sinks[$0]?.sink }
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
}
