import Devices
import JSON
import Scenes

extension StationFrequency: CustomStringConvertible {
  /// Reads "98.5 FM", "fm 98,5", "98.5" and "720 AM"; a bare number is FM when it can be, else AM.
  package init?(_ text: String) {
    guard let (number, bands) = Self.parts(of: text) else { return nil }
    let saysFM = bands.contains("fm") || bands.contains("mhz")
    let saysAM = bands.contains("am") || bands.contains("khz")
    if TunerCommand.fmRange.contains(number), !saysAM {
      self = .fm(number)
    } else if TunerCommand.amRange.contains(number), !saysFM {
      self = .am(number)
    } else {
      return nil
    }
  }

  /// Splits a text that is written like a frequency into its number and its bands. The number may be
  /// outside every band.
  static func parts(of text: String) -> (number: Double, bands: [Substring])? {
    guard text.utf8.count <= 64 else { return nil }
    let words = text.lowercased().replacing(",", with: ".").split(separator: " ")
    let numbers = words.compactMap { Double($0) }
    let bands = words.filter { ["fm", "am", "mhz", "khz"].contains($0) }
    guard let number = numbers.first, number.isFinite, numbers.count == 1,
      words.count == 1 + bands.count, bands.count <= 2
    else { return nil }
    return (number, bands)
  }

  /// "98.5 MHz FM" or "720 kHz AM".
  public var description: String {
    switch self {
    case .am(let kilohertz): "\(Self.text(kilohertz)) kHz AM"
    case .fm(let megahertz): "\(Self.text(megahertz)) MHz FM"
    }
  }

  private static func text(_ number: Double) -> String {
    Int(exactly: number).map { String($0) } ?? number.description
  }
}
