import Foundation

/// Measurements of sound.
public enum SoundMeasurement {
  /// The frequency of a clean tone in Hz, from its rising zero crossings; 0 if there are fewer than two.
  public static func frequency<Sample: BinaryFloatingPoint>(
    _ samples: some Collection<Sample>, rate: Int
  ) -> Double {
    var crossings: [Double] = []
    var previous: Sample?
    for (index, sample) in samples.enumerated() {
      if let before = previous, before < 0, sample >= 0 {
        crossings.append(Double(index) - Double(sample / (sample - before)))
      }
      previous = sample
    }
    guard let first = crossings.first, let last = crossings.last, last > first else { return 0 }
    return Double(crossings.count - 1) * Double(rate) / (last - first)
  }

  /// The root mean square of samples; 0 if there are none.
  public static func level(_ samples: some Collection<some BinaryFloatingPoint>) -> Double {
    guard !samples.isEmpty else { return 0 }
    return sqrt(samples.reduce(0.0) { $0 + Double($1) * Double($1) } / Double(samples.count))
  }
}
