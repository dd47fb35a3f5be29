import JSON

/// What the tuner can be told.
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

  public enum Name: String, CaseIterable, Sendable { case on, off, am, fm, frequency, station }
  public static let role = Role.tuner
  public static let table = CommandTable<Self>()

  public static func row(_ name: Name) -> CommandRow<Self> {
    switch name {
    case .on:
      .plain(.on, settled: .value(.power, "on"), help: "Turns the tuner on.")
    case .off:
      .plain(.off, settled: .value(.power, "off"), manner: .urgent, help: "Turns the tuner off.")
    case .am:
      .number(
        .optional(.number(amRange, unit: "kHz")), settled: .value(.band, "am"),
        manner: .setting(.frequency), help: "Receives AM; with a number, tunes to it in kHz."
      ) { .am($0) }
    case .fm:
      .number(
        .optional(.number(fmRange, unit: "MHz")), settled: .value(.band, "fm"),
        manner: .setting(.frequency), help: "Receives FM; with a number, tunes to it in MHz."
      ) { .fm($0) }
    case .frequency:
      .number(
        .required(.number(fmRange.lowerBound...amRange.upperBound, unit: "MHz on FM, kHz on AM")),
        settled: .argument(.frequency), manner: .setting(.frequency),
        help: "Tunes the present band: 76 to 108 MHz on FM, 520 to 1710 kHz on AM."
      ) { $0.map { .frequency($0) } }
    case .station:
      .text(
        "a station", settled: .argument(.station), manner: .setting(.frequency),
        help: "Tunes to a station by its name."
      ) { .station($0) }
    }
  }

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
