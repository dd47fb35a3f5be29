import Devices
import Glibc

/// The curve of `Devices.VolumeCurve` in the words of hardware that speaks dB: 60·log10(v/100).
extension VolumeCurve {
  /// Hundredths of a dB, as ALSA counts, for a volume of 1–100 %; `nil` for 0, which is silence.
  static func millibels(_ volume: Int) -> Int? {
    guard volume > 0 else { return nil }
    return Int((6000 * log10(Double(min(volume, 100)) / 100)).rounded())
  }

  /// The volume, 0–100 %, that a hardware level in hundredths of a dB stands for.
  static func volume(millibels: Int) -> Int {
    Int(min(100, 100 * pow(10, Double(millibels) / 6000)).rounded())
  }
}
