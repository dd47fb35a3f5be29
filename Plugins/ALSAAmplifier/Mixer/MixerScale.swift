import Devices

/// How volume and a hardware control's own numbers belong together.
enum MixerScale: Sendable, Equatable {
  /// Hundredths of a dB, from the quietest to the loudest that the control can do.
  case decibels(lowest: Int, highest: Int)
  /// The control's bare numbers, which say nothing about loudness.
  case raw(lowest: Int, highest: Int)

  /// What to set for a volume of 0–100 %: the curve, clamped; on a raw control, its even part.
  func level(for volume: Int) -> Int {
    switch self {
    case .decibels(let lowest, let highest):
      // Above 0 dB lies distortion: 100 % is the signal as it is, where the control reaches that.
      guard let wanted = VolumeCurve.millibels(volume) else { return lowest }
      return min(max(wanted, lowest), highest)
    case .raw(let lowest, let highest):
      return lowest + (highest - lowest) * min(max(volume, 0), 100) / 100
    }
  }

  /// The volume, 0–100 %, that a level stands for.
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

  /// What status says of it.
  var note: String {
    switch self {
    case .decibels(let lowest, let highest):
      "\(Double(lowest) / 100) to \(Double(highest) / 100) dB"
    case .raw: "without a dB scale: its volume follows the control's own steps"
    }
  }
}
