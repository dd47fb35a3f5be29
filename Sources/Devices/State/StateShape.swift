import JSON

/// The values that a device may report for a key of its state. Checks and documentation derive from
/// it, as they derive from `ArgumentShape` for commands.
public indirect enum StateShape: Sendable, Hashable {
  /// One of these words.
  case words([String])
  /// `true` or `false`.
  case truth
  /// No value: no input is selected, the tuner stands between stations.
  case null
  /// A value that a command takes too.
  case argument(ArgumentShape)
  /// An object that `Playback` reads.
  case playback
  /// A value of one of these shapes.
  case either([StateShape])

  /// Whether `value` has this shape. Allocates nothing when it does.
  public func admits(_ value: JSON) -> Bool {
    switch self {
    case .words(let words): value.string.map(words.contains) ?? false
    case .truth: value.bool != nil
    case .null: value.isNull
    case .argument(let shape): shape.problem(with: value) == nil
    case .playback: Playback(value) != nil
    case .either(let shapes): shapes.contains { $0.admits(value) }
    }
  }

  /// The shape in a person's words: "a whole number from 0 to 100 (%)".
  public var expectation: String {
    switch self {
    case .words(let words): "one of " + words.joined(separator: ", ")
    case .truth: "true or false"
    case .null: "null"
    case .argument(let shape): shape.expectation
    case .playback:
      "an object with \"state\" (one of "
        + Playback.Status.allCases.map(\.rawValue).joined(separator: ", ")
        + "), \"item\", \"position\" and \"duration\" (seconds, from 0 to "
        + "\(JSON.number(Playback.secondsRange.upperBound))), \"rate\" (from "
        + "\(JSON.number(Playback.rateRange.lowerBound)) to "
        + "\(JSON.number(Playback.rateRange.upperBound))) and \"reason\""
    case .either(let shapes): shapes.map(\.expectation).joined(separator: ", or ")
    }
  }
}

extension StateKey {
  /// The values that this key may have.
  public var shape: StateShape {
    switch self {
    case .power: Self.powerShape
    case .input: Self.inputShape
    case .mode: Self.modeShape
    case .volume, .brightness: Self.percentShape
    case .muted: .truth
    case .playback: .playback
    case .tray: Self.trayShape
    case .audio: Self.audioShape
    case .band: Self.bandShape
    case .frequency: Self.frequencyShape
    case .station: Self.stationShape
    case .picture: Self.pictureShape
    case .position: Self.positionShape
    case .popping: Self.poppingShape
    }
  }

  // Made once: a report is checked against them on its way.
  private static let powerShape = StateShape.words(Power.allCases.map(\.rawValue))
  private static let inputShape = name("an input")
  private static let modeShape = StateShape.words(["stereo", "surround"])
  private static let percentShape = StateShape.argument(.percent)
  private static let trayShape = StateShape.words(["open", "closed", "moving"])
  private static let audioShape = StateShape.words(["surround", "twoChannel"])
  private static let bandShape = StateShape.words(["am", "fm"])
  private static let frequencyShape = StateShape.either([
    .argument(.number(TunerCommand.fmRange, unit: "MHz")),
    .argument(.number(TunerCommand.amRange, unit: "kHz")), .null,
  ])
  private static let stationShape = name("a station")
  private static let pictureShape = StateShape.words(["tv", "wideScreen"])
  private static let positionShape = StateShape.words(["up", "down", "moving", "stopped"])
  private static let poppingShape = StateShape.words(["idle", "popping", "done"])

  private static func name(_ what: String) -> StateShape {
    .either([.argument(.text(longest: ArgumentShape.longestName, what: what)), .null])
  }
}
