import Devices
import JSON

/// The behaviour of a device of one role as a value, without I/O and without a clock: a command or
/// the time changes it, and it returns what to report and when it must be asked again.
///
/// The devices in memory and the plugin `Simulated` use the same models with different parameters.
/// With the default parameters a model takes no time and accepts every command.
package protocol DeviceModel: Sendable {
  associatedtype Command: RoleCommand

  /// The abilities beyond the commands common to the role.
  var capabilities: Set<String> { get }

  /// When `advance` must be called next; `nil` if nothing is under way.
  var due: Duration? { get }

  /// Returns the values of all keys of the role.
  func values(at now: Duration) -> [StateKey: JSON]

  /// Carries out a command.
  ///
  /// - Returns: The values that it may have changed; empty if it was ignored.
  mutating func perform(
    _ command: Command, at now: Duration
  ) throws(DeviceError) -> ModelReport

  /// Does what is due, and returns the changed values; empty if nothing is due.
  mutating func advance(to now: Duration) -> ModelReport

  /// Replaces what the next command depends on by values that were changed from outside. They are
  /// those of the time zero.
  mutating func adopt(_ state: DeviceState)
}

extension DeviceModel {
  package var capabilities: Set<String> { [] }
  package var due: Duration? { nil }
  package mutating func advance(to now: Duration) -> ModelReport { [:] }
  package mutating func adopt(_ state: DeviceState) {}
}

/// The model of a device that sends sound. Its position follows from the time, or from the cable.
package protocol SoundSourceModel: DeviceModel {
  /// Rises whenever the sound begins again or jumps.
  var epoch: Int { get }

  /// Uses the heard position of the cable from now on.
  mutating func followCable(at now: Duration)

  /// Sets the position that was heard on the cable, in seconds.
  mutating func setHeardPosition(_ heard: Double, at now: Duration)

  /// Records that the last frame of an epoch was heard, and returns the changed values.
  mutating func finish(epoch number: Int, at now: Duration) -> ModelReport

  /// Removes and returns the items that have ended since the last call, for one report each.
  mutating func removeEnds() -> [Playback]
}

/// The values and attributes that a model reports after a change.
package struct ModelReport: Sendable, Hashable, ExpressibleByDictionaryLiteral {
  package var values: [StateKey: JSON]
  package var attributes: [String: Attribute]

  package init(_ values: [StateKey: JSON], attributes: [String: Attribute] = [:]) {
    self.values = values
    self.attributes = attributes
  }

  package init(dictionaryLiteral elements: (StateKey, JSON)...) {
    self.init(Dictionary(elements) { $1 })
  }

  /// The attributes of a change that takes time, by which a page shows its progress.
  ///
  /// - Parameters:
  ///   - remaining: The time from now to its end.
  ///   - whole: The time from its beginning to its end.
  static func progress(remaining: Duration, of whole: Duration) -> [String: Attribute] {
    [
      "remaining": Attribute(.number(remaining.tenths), unit: "s", label: "Remaining"),
      "takes": Attribute(.number(whole.tenths), unit: "s", label: "Takes"),
    ]
  }
}

/// The answer of a device that is off to a command that needs it on. A model with `nil` in place of
/// it accepts every command, on or off; one that it cannot carry out changes nothing.
package enum WhenOff: String, CaseIterable, Sendable {
  /// Refuses it with an error.
  case refuse
  /// Accepts it and does nothing, as devices without a return channel do.
  case ignore
}

extension WhenOff? {
  /// Returns whether the device `name` carries out a command; false if it is off and ignores commands.
  ///
  /// - Throws: `.notNow` if the device is off and refuses.
  func accepts(at power: Power, of name: String) throws(DeviceError) -> Bool {
    guard let policy = self, power != .on else { return true }
    guard policy == .refuse else { return false }
    throw DeviceError(.notNow, "the \(name) is off", hint: "Turn it on first.")
  }
}

extension Duration {
  /// This time in seconds, rounded to a tenth.
  fileprivate var tenths: Double { (self / .milliseconds(100)).rounded() / 10 }
}
