import Devices
import JSON

/// An amplifier's settings and their limits. It begins turned off, in stereo.
package struct AmplifierModel: DeviceModel {
  /// The inputs that can be selected; `nil` for any.
  private var inputs: [String]?
  private let volumeCap: Int
  /// The volume that turning on does not exceed, in %; `nil` if turning on keeps the volume.
  private let startupVolume: Int?
  private let whenOff: WhenOff?
  package private(set) var power = Power.off
  private var settings: [StateKey: JSON]

  /// - Parameters:
  ///   - inputs: The first one is selected; with `nil` none is, and any can be.
  ///   - volumeCap: The highest volume, in %.
  ///   - startupVolume: The volume that turning on does not exceed, in %. It also unmutes then.
  package init(
    inputs: [String]? = nil, volumeCap: Int = 100, startupVolume: Int? = nil,
    whenOff: WhenOff? = nil
  ) {
    self.inputs = inputs
    self.volumeCap = volumeCap
    self.startupVolume = startupVolume
    self.whenOff = whenOff
    settings = [
      .input: inputs?.first.map { .string($0) } ?? .null, .mode: "stereo",
      .volume: .integer(startupVolume ?? 40), .muted: false,
    ]
  }

  /// The selected input.
  package var input: String? { settings[.input]?.string }

  /// Makes an input selectable.
  package mutating func addInput(_ name: String) {
    if inputs?.contains(name) == false { inputs?.append(name) }
  }

  package func values(at now: Duration) -> [StateKey: JSON] {
    settings.merging([.power: .string(power.rawValue)]) { $1 }
  }

  package mutating func perform(
    _ command: AmplifierCommand, at now: Duration
  ) throws(DeviceError) -> ModelReport {
    switch command {
    case .on: return turnOn()
    case .off:
      power = .off
      return [.power: "off"]
    case .input(let name):
      try check(input: name)
      return try set(.input, .string(name))
    case .stereo: return try set(.mode, "stereo")
    case .surround: return try set(.mode, "surround")
    case .volume(let volume):
      guard volume <= volumeCap else {
        throw DeviceError(
          .refused, "the volume is limited to \(volumeCap) %",
          hint: "Its option \"volumeCap\" is the limit.")
      }
      return try set(.volume, .integer(volume))
    case .mute: return try set(.muted, true)
    case .unmute: return try set(.muted, false)
    }
  }

  private mutating func turnOn() -> ModelReport {
    defer { power = .on }
    guard power != .on, let startupVolume else { return [.power: "on"] }
    let volume = JSON.integer(min(settings[.volume]?.integer ?? 0, startupVolume))
    settings.merge([.volume: volume, .muted: false]) { $1 }
    return [.power: "on", .volume: volume, .muted: false]
  }

  private mutating func set(
    _ key: StateKey, _ value: JSON
  ) throws(DeviceError) -> ModelReport {
    guard try whenOff.accepts(at: power, of: "amplifier") else { return [:] }
    settings[key] = value
    return [key: value]
  }

  private func check(input name: String) throws(DeviceError) {
    guard let inputs, !inputs.contains(name) else { return }
    throw DeviceError(
      .invalid, "it has no input \"\(name)\"",
      hint: spellingHint(for: name, among: inputs)
        ?? "Its inputs are \(inputs.joined(separator: ", ")).")
  }
}
