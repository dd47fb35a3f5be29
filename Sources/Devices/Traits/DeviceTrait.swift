import JSON

/// A set of commands, reported state and rules that devices of several roles share.
///
/// A role is a list of traits. Code that depends on the abilities of a device reads its traits, so that
/// a new role, trait or command is added in one file.
public struct DeviceTrait: Sendable {
  /// The name of a trait.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    case power, input, soundMode, volume, mute
    case playback, tray, seeking, audio, tuning
    case picture, brightness, position, popping
  }

  public let kind: Kind
  /// The commands, in the order of the reference page.
  let commands: [CommandSpec]
  /// The reported keys with their values.
  let states: [StateSpec]
  /// The capabilities that a device may declare beside those of its commands.
  let capabilities: Set<String>
  /// The name of the command that turns the device off.
  let off: String?
  /// The name of the command that stops playback.
  let stop: String?
  /// The list of the library that the device plays.
  let category: Category?
  /// Returns the commands that bring back the wanted state after the device's plugin was started
  /// again.
  let restore: @Sendable (RestorationContext) -> [RestorationContext.Step]

  init(
    _ kind: Kind, commands: [CommandSpec], states: [StateSpec], capabilities: Set<String> = [],
    off: String? = nil, stop: String? = nil, category: Category? = nil,
    restore: @escaping @Sendable (RestorationContext) -> [RestorationContext.Step] = { _ in [] }
  ) {
    self.kind = kind
    self.commands = commands
    self.states = states
    self.capabilities = capabilities
    self.off = off
    self.stop = stop
    self.category = category
    self.restore = restore
  }
}

/// The three lists of the library.
public enum Category: String, Sendable, Hashable, CaseIterable {
  case films, songs, stations
}

/// A reported key of a device: its values, and their meaning for the wanted state.
public struct StateSpec: Sendable {
  /// A value that a device reports on its way to another one.
  struct Transition: Sendable {
    let value: String
    /// The value that follows; `nil` if it is not known.
    var target: String?
    /// Whether this value clears the wanted value: the movement was stopped.
    var clearsWanted = false
    /// The activity of the device, for messages: "warming"; `nil` if it does nothing.
    var description: String?
  }

  /// The name of the value in state messages and events.
  public let key: StateKey
  /// The valid values.
  public let shape: StateShape
  /// How long the controller keeps the value for a device that forgets it.
  let retention: Retention
  let transitions: [Transition]

  /// How long a value is kept.
  enum Retention: Sendable {
    /// Not at all: the state passes by itself, or follows from one command.
    case none
    /// While the controller runs: it is restored after a restart of the plugin. What moves, lights up or plays
    /// is never restored by a start of the controller.
    case whileRunning
    /// Also across starts of the controller: a setting that people choose.
    case stored
  }

  init(
    _ key: StateKey, _ shape: StateShape, retention: Retention = .stored,
    transitions: [Transition] = []
  ) {
    self.key = key
    self.shape = shape
    self.retention = retention
    self.transitions = transitions
  }

  /// Whether the value outlives a restart of the controller.
  package var isStored: Bool { retention == .stored }

  /// The effect of a value on the wanted state.
  package enum WantedChange: Sendable, Hashable {
    /// A new wanted value, no wanted value any more, or no change.
    case set(JSON), clear, keep
  }

  /// The effect of a commanded or reported value on the wanted state. A lamp that warms is meant to be
  /// on; a screen that moves keeps its wanted position, and one that was stopped has none.
  package func wantedChange(for value: JSON) -> WantedChange {
    guard retention != .none else { return .keep }
    if !transitions.isEmpty, let text = value.string,
      let transition = transitions.first(where: { $0.value == text })
    {
      if transition.clearsWanted { return .clear }
      return transition.target.map { .set(.string($0)) } ?? .keep
    }
    return value.isNull ? .clear : .set(value)
  }

  /// Whether a device with this value moves, and `goal` may be the end of the movement: a lamp that warms is on its way
  /// to "on".
  package func isMovement(_ value: JSON, towards goal: JSON) -> Bool {
    transitions.contains { transition in
      transition.value == value.string && transition.description != nil
        && (transition.target == nil || transition.target == goal.string)
    }
  }

  /// Whether the end of a movement with this value is known: it is for a lamp that warms, not for a screen.
  package func hasKnownEnd(_ value: JSON) -> Bool {
    transitions.contains { $0.value == value.string && $0.target != nil }
  }

  /// Whether a device with this value rests. It does not while it moves, nor where its value is not known.
  package func isRest(_ value: JSON) -> Bool {
    !value.isNull && !transitions.contains { $0.value == value.string && !$0.clearsWanted }
  }

  /// The activity of the device while it has this value: "warming"; `nil` outside a transition.
  func activity(at value: JSON) -> String? {
    if key == .playback { return Playback(value)?.status == .opening ? "opening" : nil }
    return transitions.first { $0.value == value.string }?.description
  }
}
