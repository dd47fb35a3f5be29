import Glibc

/// The one relation between the volume that people see (0–100 %) and gain.
///
/// gain = (v/100)³, so that equal steps sound about equal; 0 is silence. Hardware that speaks dB
/// gets the same curve, 60·log10(v/100) dB, clamped to what it can do.
enum VolumeCurve {
  /// Linear gain, 0…1, for a volume of 0…100 %; values outside are clamped.
  static func gain(volume: Double) -> Float {
    let part = min(max(volume, 0), 100) / 100
    return Float(part * part * part)
  }

  /// Hundredths of a dB, as ALSA counts, for a volume above 0; `nil` for 0, which is silence.
  static func millibels(volume: Double) -> Int? {
    guard volume > 0 else { return nil }
    return Int((6000 * log10(min(volume, 100) / 100)).rounded())
  }

  /// The volume, 0…100 %, that a hardware level in hundredths of a dB stands for.
  static func volume(millibels: Int) -> Double {
    min(100, 100 * pow(10, Double(millibels) / 6000))
  }
}
