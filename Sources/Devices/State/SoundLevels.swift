import Glibc
import JSON

/// The level of each channel of an amplifier's sound, in dBFS: 0 is full scale.
public struct SoundLevels: Sendable, Hashable {
  /// The numbers of channels that are reported.
  public static let channelRange = 1...8
  /// The range of a level. Silence is the lowest value; samples above full scale have values above 0.
  public static let range = -120.0...24.0

  /// The highest sample of each channel since the last report.
  public let peak: [Double]
  /// The root mean square of each channel since the last report.
  public let rms: [Double]

  /// Levels in dBFS; `nil` unless both lists have the same number of channels, and all are in range.
  public init?(peak: [Double], rms: [Double]) {
    guard Self.channelRange.contains(peak.count), rms.count == peak.count,
      (peak + rms).allSatisfy(Self.range.contains)
    else { return nil }
    self.peak = peak
    self.rms = rms
  }

  /// Levels from amplitudes, where full scale is 1, rounded to a tenth of a decibel and limited to the
  /// range. Channels beyond the eighth are left out; `nil` without a channel.
  public init?(peakAmplitudes: [Double], rmsAmplitudes: [Double]) {
    self.init(
      peak: peakAmplitudes.prefix(Self.channelRange.upperBound).map(Self.decibels),
      rms: rmsAmplitudes.prefix(Self.channelRange.upperBound).map(Self.decibels))
  }

  /// Reads `{"peak": […], "rms": […]}`; `nil` for anything else.
  public init?(_ json: JSON) {
    guard let peak = Self.numbers(json["peak"]), let rms = Self.numbers(json["rms"]) else {
      return nil
    }
    self.init(peak: peak, rms: rms)
  }

  /// The levels for the wire and the API.
  public var json: JSONObject {
    ["peak": .array(peak.map { .number($0) }), "rms": .array(rms.map { .number($0) })]
  }

  private static func numbers(_ json: JSON?) -> [Double]? {
    guard let values = json?.array, channelRange.contains(values.count) else { return nil }
    let numbers = values.compactMap(\.number)
    return numbers.count == values.count ? numbers : nil
  }

  private static func decibels(_ amplitude: Double) -> Double {
    // Also for an amplitude that is not a number.
    guard amplitude > 1e-6 else { return range.lowerBound }
    return min((20 * log10(amplitude) * 10).rounded() / 10, range.upperBound)
  }
}
