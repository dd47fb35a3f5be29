import Devices
import JSON

/// The knobs of the amplifier: what they stand at, and what that means for the sound.
struct AmplifierModel: Sendable, Equatable {
  /// How many inputs can have names.
  static let inputLimit = EngineShared.inputLimit

  var power = Power.off
  private(set) var inputs: [String] = []
  private(set) var input: String?
  var isSurround = false
  var volume: Int
  var isMuted = false

  /// Off, at a volume of 0–100 %.
  init(volume: Int) { self.volume = volume }

  /// The place of the selected input; `nil` when none is.
  var selectedIndex: Int? { input.flatMap { inputs.firstIndex(of: $0) } }

  /// The place of an input, made when it is new; `nil` when all are taken.
  mutating func index(of name: String) -> Int? {
    if let known = inputs.firstIndex(of: name) { return known }
    guard inputs.count < Self.inputLimit else { return nil }
    inputs.append(name)
    return inputs.count - 1
  }

  /// Selects an input, by a name that need not have a cable yet; `false` when all places are taken.
  mutating func select(_ name: String) -> Bool {
    guard index(of: name) != nil else { return false }
    input = name
    return true
  }

  /// What turning on does to the knobs, whatever they stood at: nobody is to be startled, and nobody
  /// is to sit before a film without sound because of last evening's mute.
  mutating func wakeUp(atMost startupVolume: Int) {
    guard power != .on else { return }
    volume = min(volume, startupVolume)
    isMuted = false
  }

  /// The gain to compute: all of the volume, or only silence where hardware does the rest.
  func gain(hardware: (hasSwitch: Bool, isPresent: Bool)) -> Float {
    guard hardware.isPresent else { return isMuted ? 0 : Float(VolumeCurve.gain(volume)) }
    return volume == 0 || (isMuted && !hardware.hasSwitch) ? 0 : 1
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
