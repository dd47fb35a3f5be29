import Devices

/// A named tree of steps from `devices.json`, such as "watch-film".
public struct Scene: Sendable, Hashable {
  /// The key in `devices.json`, which activities and people use.
  public var name: String
  /// What people read and see instead of the name.
  public var label: Label
  /// The parameters that a run must be given, with their kinds: `film: .film`.
  public var parameters: [String: ParameterKind]
  /// The steps, one after the other.
  public var steps: [Step]

  public init(
    name: String, label: Label = Label(), parameters: [String: ParameterKind] = [:],
    steps: [Step] = []
  ) {
    self.name = name
    self.label = label
    self.parameters = parameters
    self.steps = steps
  }

  public init(
    name: String, title: String?, parameters: [String: ParameterKind] = [:], steps: [Step] = []
  ) {
    self.init(name: name, label: Label(title: title), parameters: parameters, steps: steps)
  }

  /// The text that people read instead of the name.
  public var title: String? { label.title }

  /// The deepest nesting of `sequence` and `parallel`; a command in the scene's own list has
  /// depth 1.
  public static let maximumDepth = 8
  /// The largest number of steps in a scene, groups included.
  public static let maximumSteps = 200
  /// The durations that a `wait` may have.
  public static let waitRange = Duration.milliseconds(1)...Duration.seconds(3600)
}

/// The kind of a scene's parameter: how a front end asks for it and checks it.
public enum ParameterKind: String, Sendable, Hashable, CaseIterable {
  /// The id of an item of the library.
  case film, song, station
  /// A text or a number that a command takes as it is.
  case text, number
}
