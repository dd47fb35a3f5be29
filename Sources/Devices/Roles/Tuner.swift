import JSON

/// A radio tuner.
public protocol Tuner: Switchable {}

extension Tuner {
  public var role: Role { .tuner }

  /// Tunes to an AM frequency, 520 to 1710 kHz.
  public func tune(am kilohertz: Double) async throws(DeviceError) {
    try await perform("am", .number(kilohertz))
  }
  /// Tunes to an FM frequency, 76 to 108 MHz.
  public func tune(fm megahertz: Double) async throws(DeviceError) {
    try await perform("fm", .number(megahertz))
  }
  /// Receives AM, at the frequency at which it was received last.
  public func receiveAM() async throws(DeviceError) { try await perform("am") }
  /// Receives FM, at the frequency at which it was received last.
  public func receiveFM() async throws(DeviceError) { try await perform("fm") }
  /// Tunes the present band: 76 to 108 MHz on FM, 520 to 1710 kHz on AM.
  public func tune(frequency: Double) async throws(DeviceError) {
    try await perform("frequency", .number(frequency))
  }
  /// Tunes to a station by its name.
  public func tune(station name: String) async throws(DeviceError) {
    try await perform("station", .string(name))
  }
}

/// A tuner that passes its calls on to a device of the role `tuner`.
package final class TunerConnection: Tuner, DeviceConnection {
  package let device: any Device

  package init(_ device: any Device) { self.device = device }
}

extension RoleDefinition {
  static let tuner = RoleDefinition(
    "tuner", TunerCommand.self, offOrder: 3, [.power(of: "tuner"), .tuning])
}

extension DeviceTrait {
  /// The band, and a frequency or a station; choosing one of these makes the other obsolete.
  static let tuning = DeviceTrait(
    .tuning,
    commands: [
      CommandSpec(
        "am", .optional(.amFrequency), settled: .value(.band, "am"),
        manner: .setting(.frequency), replaces: [.station],
        help: "Receives AM; with a number, tunes to it in kHz."),
      CommandSpec(
        "fm", .optional(.fmFrequency), settled: .value(.band, "fm"),
        manner: .setting(.frequency), replaces: [.station],
        help: "Receives FM; with a number, tunes to it in MHz."),
      CommandSpec(
        "frequency",
        .required(
          .number(
            TunerCommand.fmRange.lowerBound...TunerCommand.amRange.upperBound,
            unit: "MHz on FM, kHz on AM")),
        settled: .argument(.frequency), manner: .setting(.frequency), replaces: [.station],
        help: "Tunes the present band: 76 to 108 MHz on FM, 520 to 1710 kHz on AM."),
      CommandSpec(
        "station", .required(.text(longest: ArgumentShape.longestName, what: "a station")),
        settled: .argument(.station), manner: .setting(.frequency), replaces: [.frequency],
        help: "Tunes to a station by its name."),
    ],
    states: [
      StateSpec(.band, .words(["am", "fm"])),
      StateSpec(
        .frequency, .either([.argument(.fmFrequency), .argument(.amFrequency), .null])),
      StateSpec(.station, .name(of: "a station")),
      StateSpec(.playback, .playback, retention: .whileRunning),
    ],
    category: .stations
  ) { restoration in
    let frequency = restoration.wanted[.frequency]
    if frequency == nil, let station = restoration.missing(.station) {
      return [.init(.source, "station", station)]
    }
    let isFrequencyMissing = restoration.missing(.frequency) != nil
    if let band = restoration.wanted[.band]?.string,
      restoration.missing(.band) != nil || isFrequencyMissing
    {
      return [.init(.source, band, frequency)]
    }
    return isFrequencyMissing ? [.init(.source, "frequency", frequency)] : []
  }
}

extension ArgumentShape {
  fileprivate static let amFrequency = ArgumentShape.number(TunerCommand.amRange, unit: "kHz")
  fileprivate static let fmFrequency = ArgumentShape.number(TunerCommand.fmRange, unit: "MHz")
}

/// The commands of the tuner.
public enum TunerCommand: RoleCommand {
  case on
  case off
  /// Receives AM; with a frequency in kHz, tunes there.
  case am(Double?)
  /// Receives FM; with a frequency in MHz, tunes there.
  case fm(Double?)
  /// Tunes the present band: MHz on FM, kHz on AM.
  case frequency(Double)
  /// Tunes to a station by its name.
  case station(String)

  /// Medium wave in kHz, wide enough for both 9 and 10 kHz plans (ITU regions 1 to 3).
  public static let amRange = 520.0...1710.0
  /// VHF broadcasting in MHz, from Japan's band to the common upper edge.
  public static let fmRange = 76.0...108.0

  /// The names in `devices.json` and the API.
  public enum Name: String, CaseIterable, Sendable { case on, off, am, fm, frequency, station }
  public static let role = Role.tuner

  public init?(_ name: Name, _ argument: JSON?) {
    switch name {
    case .on: self = .on
    case .off: self = .off
    case .am: self = .am(argument?.number)
    case .fm: self = .fm(argument?.number)
    case .frequency:
      guard let frequency = argument?.number else { return nil }
      self = .frequency(frequency)
    case .station:
      guard let name = argument?.string else { return nil }
      self = .station(name)
    }
  }

  /// The command as name and argument; frequencies are in kHz on AM and in MHz on FM.
  public var invocation: Invocation<Name> {
    switch self {
    case .on: .init(.on)
    case .off: .init(.off)
    case .am(let frequency): .init(.am, frequency.map { .number($0) })
    case .fm(let frequency): .init(.fm, frequency.map { .number($0) })
    case .frequency(let frequency): .init(.frequency, .number(frequency))
    case .station(let name): .init(.station, .string(name))
    }
  }
}
