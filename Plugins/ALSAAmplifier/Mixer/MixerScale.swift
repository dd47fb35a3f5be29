import Devices
import Glibc

/// The relation between volume and a hardware control's levels.
enum MixerScale: Sendable, Equatable {
  /// Hundredths of a dB, from the control's quietest level to its loudest.
  case decibels(lowest: Int, highest: Int)
  /// The control's bare numbers, which say nothing about loudness.
  case raw(lowest: Int, highest: Int)

  /// Returns the control's level for a volume of 0–100 %: by the volume curve, clamped to the
  /// control's range, or linear on a raw control.
  func level(for volume: Int) -> Int {
    switch self {
    case .decibels(let lowest, let highest):
      // 100 % is 0 dB, where the control reaches it: a higher level would distort.
      guard let wanted = VolumeCurve.millibels(volume) else { return lowest }
      return min(max(wanted, lowest), highest)
    case .raw(let lowest, let highest):
      return lowest + (highest - lowest) * min(max(volume, 0), 100) / 100
    }
  }

  /// Returns the volume, 0–100 %, of a level.
  func volume(for level: Int) -> Int {
    switch self {
    case .decibels(let lowest, _):
      return level <= lowest && lowest < -6000 ? 0 : VolumeCurve.volume(millibels: level)
    case .raw(let lowest, let highest):
      guard highest > lowest else { return 100 }
      let part = Double(level - lowest) / Double(highest - lowest)
      return Int((part * 100).rounded())
    }
  }

  /// The description of the scale in the attribute `mixer`.
  var note: String {
    switch self {
    case .decibels(let lowest, let highest):
      "\(Double(lowest) / 100) to \(Double(highest) / 100) dB"
    case .raw: "without a dB scale: its volume follows the control's own steps"
    }
  }
}

/// The same curve for hardware with a dB scale: 60·log10(v/100) dB.
extension VolumeCurve {
  /// Returns ALSA's hundredths of a dB for a volume of 1–100 %; `nil` for 0, which is silence.
  static func millibels(_ volume: Int) -> Int? {
    guard volume > 0 else { return nil }
    return Int((6000 * log10(Double(min(volume, 100)) / 100)).rounded())
  }

  /// Returns the volume, 0–100 %, of a level in hundredths of a dB.
  static func volume(millibels: Int) -> Int {
    Int(min(100, 100 * pow(10, Double(millibels) / 6000)).rounded())
  }
}
