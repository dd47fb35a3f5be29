import JSON

/// The value of a scene's parameter in one run.
public enum SceneArgument: Sendable, Hashable {
  /// The id of a film or song.
  case item(String)
  /// The name of a station.
  case station(String)
  /// The frequency of a station.
  case frequency(StationFrequency)
  case text(String)
  case number(Double)

  /// The value that replaces `"$name"` in a step.
  var json: JSON {
    switch self {
    case .item(let text), .station(let text), .text(let text): .string(text)
    case .number(let number): .number(number)
    case .frequency(.am(let number)), .frequency(.fm(let number)): .number(number)
    }
  }
}

/// The frequency of a station.
public enum StationFrequency: Sendable, Hashable {
  /// In kHz, within `TunerCommand.amRange`.
  case am(Double)
  /// In MHz, within `TunerCommand.fmRange`.
  case fm(Double)
}
