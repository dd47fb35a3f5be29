import JSON

/// What a scene's parameter was given.
package enum SceneArgument: Sendable, Hashable {
  /// The id of a film or song.
  case item(String)
  /// A station by its name.
  case station(String)
  /// A station by where it sends.
  case frequency(StationFrequency)
  case text(String)
  case number(Double)

  /// What takes the place of `"$name"` in a step.
  var json: JSON {
    switch self {
    case .item(let text), .station(let text), .text(let text): .string(text)
    case .number(let number): .number(number)
    case .frequency(.am(let number)), .frequency(.fm(let number)): .number(number)
    }
  }
}

/// Where a station sends.
package enum StationFrequency: Sendable, Hashable {
  /// In kHz, within `TunerCommand.amRange`.
  case am(Double)
  /// In MHz, within `TunerCommand.fmRange`.
  case fm(Double)
}
