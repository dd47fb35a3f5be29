import Devices
import JSON

/// A named list of steps, as `devices.json` scripts it: "watch-film".
package struct Scene: Sendable, Hashable {
  /// The key in `devices.json`, by which activities and people call it.
  package var name: String
  /// What a person reads instead of the name.
  package var title: String?
  /// What must be given to run it, and of what kind: `film: .film`.
  package var parameters: [String: ParameterKind]
  /// What it does, in order.
  package var steps: [Step]

  package init(
    name: String, title: String? = nil, parameters: [String: ParameterKind] = [:],
    steps: [Step] = []
  ) {
    self.name = name
    self.title = title
    self.parameters = parameters
    self.steps = steps
  }
}

/// What a scene's parameter stands for; decides how a front end asks for it and checks it.
package enum ParameterKind: String, Sendable, Hashable, CaseIterable {
  /// The id of something in the library.
  case film, song, station
  /// A text or a number that a command takes as it is.
  case text, number
}

/// One command of a scene, to one device.
package struct Step: Sendable, Hashable {
  /// Who is told.
  package var device: DeviceID
  /// What it is told.
  package var command: StepCommand
  /// When the next step may begin.
  package var until: Completion
  /// What happens to the scene when this step fails.
  package var onFailure: OnFailure
  /// Whether the command is given even when the device already reports what it would bring about.
  package var always: Bool

  package init(
    device: DeviceID, command: StepCommand, until: Completion = .settled,
    onFailure: OnFailure = .stop, always: Bool = false
  ) {
    self.device = device
    self.command = command
    self.until = until
    self.onFailure = onFailure
    self.always = always
  }
}

/// What a step tells its device.
package enum StepCommand: Sendable, Hashable {
  /// The same every time.
  case fixed(Command)
  /// `argument` holds texts such as `"$film"`, to be filled in with the scene's parameters and
  /// checked when it runs.
  case template(name: String, argument: JSON, role: Role)
}

/// What happens to a scene when a step fails.
package enum OnFailure: String, Sendable, Hashable, CaseIterable {
  /// The steps after it are not begun.
  case stop
  /// The failure is reported and the scene goes on.
  case `continue`
}
