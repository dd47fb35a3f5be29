import Devices
import JSON

/// A step of a scene: a command, a pause, or a group of steps.
public indirect enum Step: Sendable, Hashable {
  /// Sends one command to one device.
  case command(CommandStep)
  /// Runs the steps one after the other. In `devices.json`: an array, or `{"sequence": […]}`.
  case sequence([Step], onFailure: OnFailure = .stop)
  /// Runs the steps at the same time, and ends with the last of them. When one fails and stops the
  /// group, the others are cancelled. In `devices.json`: `{"parallel": […]}`.
  case parallel([Step], onFailure: OnFailure = .stop)
  /// Waits. In `devices.json`: `{"wait": "2 s"}`.
  case wait(Duration)

  /// The keywords of a step, which cannot be names of devices.
  public static let words = ["until", "onFailure", "always", "sequence", "parallel", "wait"]
  /// The keywords that are reserved for later versions, which cannot be names of devices either.
  public static let reservedWords = laterWords + subjects
  /// Keywords of steps in later versions.
  public static let laterWords = [
    "waitUntil", "waitFor", "timeout", "if", "then", "else", "repeat", "times", "while", "run",
    "with", "say", "ask", "of", "answers", "otherwise", "stop", "fail", "putBack", "over", "retry",
    "only", "room", "note",
  ]
  /// What conditions of later versions can be about, beside devices, groups and parameters.
  public static let subjects = [
    "player", "amplifier", "activity", "person", "it", "film", "song", "station", "not", "nothing",
  ]
}

/// A step that sends one command to one device.
public struct CommandStep: Sendable, Hashable {
  /// The device that gets the command.
  public var device: DeviceID
  /// The command; its argument may contain parameters of the scene.
  public var command: StepCommand
  /// When the next step may begin.
  public var until: Completion
  /// The effect of a failure on the steps around this one.
  public var onFailure: OnFailure
  /// Whether the command is sent even when the device already reports its effect.
  public var always: Bool

  public init(
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

/// The command of a step, with or without parameters of the scene in it.
public enum StepCommand: Sendable, Hashable {
  /// The same in every run.
  case fixed(Command)
  /// `argument` holds texts such as `"$film"`, which the planner replaces by the scene's arguments
  /// before it checks the command.
  case template(name: String, argument: JSON, role: Role)

  /// The command, if nothing has to be filled in.
  public var fixed: Command? { if case .fixed(let command) = self { command } else { nil } }
}

/// A command of a scene whose arguments are filled in.
public struct SceneCommand: Sendable, Hashable {
  /// The device that gets the command.
  public let device: DeviceID
  public let command: Command

  public init(device: DeviceID, command: Command) {
    self.device = device
    self.command = command
  }

  /// The role of the device.
  public var role: Role { command.role }
}

/// The effect of a failed step on the surrounding steps.
public enum OnFailure: String, Sendable, Hashable, CaseIterable {
  /// The failure ends the group around the step; the scene fails unless a group around it continues.
  case stop
  /// The failure is reported and the scene goes on.
  case `continue`
}

extension [Step] {
  /// The devices that these steps command.
  public var devices: Set<DeviceID> { Set(commandSteps.map(\.device)) }

  /// The commands in these steps, in the order of the tree.
  public var commandSteps: [CommandStep] {
    flatMap { step -> [CommandStep] in
      switch step {
      case .command(let command): [command]
      case .sequence(let steps, _), .parallel(let steps, _): steps.commandSteps
      case .wait: []
      }
    }
  }

  /// The commands without parameters, in the order of the tree.
  public var commands: [SceneCommand] {
    commandSteps.compactMap { step in
      step.command.fixed.map { SceneCommand(device: step.device, command: $0) }
    }
  }

  /// Returns the steps with each command replaced. `nil` removes a command, and its group when no
  /// command is left in it: waits belong to the commands around them.
  public func mapCommands(_ change: (CommandStep) -> CommandStep?) -> [Step] {
    mapSteps { change($0).map(Step.command) }
  }

  /// Returns the steps with each command replaced by another step, in the order of `commandSteps`; as `mapCommands`.
  public func mapSteps(_ change: (CommandStep) -> Step?) -> [Step] {
    compactMap { step in
      switch step {
      case .command(let command): return change(command)
      case .sequence(let steps, let onFailure):
        return steps.mapMembers(change).map { Step.sequence($0, onFailure: onFailure) }
      case .parallel(let steps, let onFailure):
        return steps.mapMembers(change).map { Step.parallel($0, onFailure: onFailure) }
      case .wait: return step
      }
    }
  }

  /// Returns the members of a group with each command replaced; `nil` if all commands are removed.
  private func mapMembers(_ change: (CommandStep) -> Step?) -> [Step]? {
    let members = mapSteps(change)
    let hasLostAll = members.commandSteps.isEmpty && !commandSteps.isEmpty
    return members.isEmpty || hasLostAll ? nil : members
  }

  /// The same steps, but the failure of a command does not stop the scene.
  public var continuingPastFailures: [Step] {
    mapCommands { step in
      var step = step
      step.onFailure = .continue
      return step
    }
  }
}

extension Scene {
  /// The scene for the API: name, label, parameters and the tree of its steps.
  public var json: JSON {
    var object: JSONObject = ["name": .string(name)]
    label.add(to: &object)
    object["parameters"] = .object(
      JSONObject(
        parameters.sorted { $0.key < $1.key }.map { ($0.key, .string($0.value.rawValue)) }))
    object["steps"] = .array(steps.map(\.json))
    return .object(object)
  }
}

extension Step {
  /// The step for the API: `{"device": "lights", "command": {"dim": 10}}`, `{"sequence": […]}`,
  /// `{"parallel": […]}` or `{"wait": 2}` in seconds.
  public var json: JSON {
    switch self {
    case .command(let step): ["device": .string(step.device.name), "command": step.command.json]
    case .sequence(let steps, _): ["sequence": .array(steps.map(\.json))]
    case .parallel(let steps, _): ["parallel": .array(steps.map(\.json))]
    case .wait(let duration): ["wait": .number(duration.seconds)]
    }
  }
}

extension StepCommand {
  /// The command as `devices.json` writes it: `"on"`, `{"play": {"item": "$film"}}`.
  public var json: JSON {
    switch self {
    case .fixed(let command): command.json
    case .template(let name, let argument, _): .object([name: argument])
    }
  }
}
