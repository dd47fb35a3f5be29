import JSON

/// The valid values of a reported key. Checks and documentation derive from it, as they derive from
/// `ArgumentShape` for commands.
public indirect enum StateShape: Sendable, Hashable {
  /// One of these words.
  case words([String])
  /// `true` or `false`.
  case truth
  /// No value: no input is selected, or the tuner is between stations.
  case null
  /// A value that is also an argument of a command.
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

  /// The shape for people: "a whole number from 0 to 100 (%)".
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
        + "\(JSON.number(Playback.rateRange.upperBound))), \"title\" and \"reason\""
    case .either(let shapes): shapes.map(\.expectation).joined(separator: ", or ")
    }
  }
}

extension StateShape {
  /// A name of at most 200 code points, or `null`.
  static func name(of what: String) -> StateShape {
    .either([.argument(.text(longest: ArgumentShape.longestName, what: what)), .null])
  }
}

extension StateKey {
  /// The values that this key may have: the same in every role that reports it.
  public var shape: StateShape { Self.shapes[self] ?? .null }

  private static let shapes = Dictionary(
    Role.allCases.flatMap(\.states).map { ($0.key, $0.shape) },
    uniquingKeysWith: { first, _ in first })
}
