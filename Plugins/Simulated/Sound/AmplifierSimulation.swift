import Devices
import JSON
import PluginKit
import Synchronization

/// An amplifier without speakers: it hears what its cables bring and shows how loud it is.
final class AmplifierSimulation: AmplifierDevice {
  private let simulation: Simulation
  private let volumeCap: Int
  private let state: Mutex<State>

  private struct State {
    var power = Power.off
    var inputs: [String]
    var input: String
    var mode = "stereo"
    var volume: Int
    var isMuted = false
  }

  init(_ simulation: Simulation) throws(DeviceError) {
    self.simulation = simulation
    let options = simulation.options
    let inputs = try options.texts("inputs", or: ["dvd", "cd", "tuner"])
    guard let first = inputs.first else {
      throw DeviceError(.invalid, "the option \"inputs\" is empty", hint: "Name one at least.")
    }
    volumeCap = Int(try options.number("volumeCap", in: 0...100, or: 100))
    let volume = Int(try options.number("startVolume", in: 0...100, or: 30))
    state = Mutex(State(inputs: inputs, input: first, volume: min(volume, volumeCap)))
  }

  func open() async throws(DeviceError) -> Capabilities {
    let state = state.withLock { $0 }
    simulation.report([
      .power: "off", .input: .string(state.input), .mode: .string(state.mode),
      .volume: .integer(state.volume), .muted: false,
    ])
    return simulation.capabilities(cables: [.pcm])
  }

  func perform(_ command: AmplifierCommand) async throws(DeviceError) {
    switch command {
    case .on: set(.power, "on") { $0.power = .on }
    case .off: set(.power, "off") { $0.power = .off }
    case .input(let name): try select(name)
    case .stereo: try setWhenOn(.mode, "stereo") { $0.mode = "stereo" }
    case .surround: try setWhenOn(.mode, "surround") { $0.mode = "surround" }
    case .volume(let volume): try turn(to: volume)
    case .mute: try setWhenOn(.muted, true) { $0.isMuted = true }
    case .unmute: try setWhenOn(.muted, false) { $0.isMuted = false }
    }
  }

  func openSocket(_ socket: CableSocket, input: String) async throws(DeviceError) {
    throw DeviceError(.unsupported, "this amplifier takes no cable yet")
  }

  private func set(_ key: StateKey, _ value: JSON, _ change: (inout State) -> Void) {
    state.withLock { change(&$0) }
    simulation.report([key: value])
  }

  private func setWhenOn(_ key: StateKey, _ value: JSON, _ change: (inout State) -> Void)
    throws(DeviceError)
  {
    guard try simulation.isOn(state.withLock(\.power), "amplifier") else { return }
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

  private func turn(to volume: Int) throws(DeviceError) {
    guard volume <= volumeCap else {
      throw DeviceError(
        .refused, "the volume is limited to \(volumeCap) %",
        hint: "Its option \"volumeCap\" is the limit.")
    }
    try setWhenOn(.volume, .integer(volume)) { $0.volume = volume }
  }
}
