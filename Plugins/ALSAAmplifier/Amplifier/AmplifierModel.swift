import Devices
import JSON

/// The settings of the amplifier, and the gain that results from them.
struct AmplifierModel: Sendable, Equatable {
  /// The most inputs.
  static let inputLimit = EngineShared.inputLimit

  var power = Power.off
  private(set) var inputs: [String] = []
  private(set) var input: String?
  var isSurround = false
  var volume: Int
  var isMuted = false

  /// Creates the settings of an amplifier that is off, at a volume of 0–100 %.
  init(volume: Int) { self.volume = volume }

  /// The index of the selected input; `nil` if none is selected, or no sound has come from it yet.
  var selectedIndex: Int? { input.flatMap { inputs.firstIndex(of: $0) } }

  /// Returns the index of an input, which is added if it is new; `nil` if there are too many.
  mutating func index(of name: String) -> Int? {
    if let known = inputs.firstIndex(of: name) { return known }
    guard inputs.count < Self.inputLimit else { return nil }
    inputs.append(name)
    return inputs.count - 1
  }

  /// Selects an input, which need not have a cable yet. A selected name does not count towards the limit of inputs.
  mutating func select(_ name: String) { input = name }

  /// Limits the volume to `startupVolume` (0–100 %) and unmutes, unless the amplifier is on: its
  /// first sound must be neither loud nor missing.
  mutating func limitAtPowerOn(volume startupVolume: Int) {
    guard power != .on else { return }
    volume = min(volume, startupVolume)
    isMuted = false
  }

  /// Returns the gain that the engine applies, 0…1: that of the volume, or with a hardware mixer
  /// only 0 for silence and 1 for everything else.
  func gain(hardware: (hasSwitch: Bool, isPresent: Bool)) -> Float {
    guard hardware.isPresent else { return isMuted ? 0 : Float(VolumeCurve.gain(volume)) }
    return volume == 0 || (isMuted && !hardware.hasSwitch) ? 0 : 1
  }

  /// Adopts the volume and mute of a hardware mixer.
  mutating func adopt(_ reading: HardwareMixer.Reading) {
    volume = reading.volume
    if let muted = reading.isMuted { isMuted = muted }
  }

  /// The state for the controller.
  var values: [StateKey: JSON] {
    [
      .power: .string(power.rawValue), .input: input.map { .string($0) } ?? .null,
      .mode: isSurround ? "surround" : "stereo", .volume: .integer(volume),
      .muted: .bool(isMuted),
    ]
  }
}
