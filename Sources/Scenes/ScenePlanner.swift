import Devices
import JSON

/// Makes steps that can be carried out from a scene and its arguments. Pure: nothing is sent.
package struct ScenePlanner: Sendable {
  package let devices: [DeviceID: any Device]

  package init(devices: [DeviceID: any Device]) { self.devices = devices }

  /// The steps of `scene` with its parameters filled in.
  ///
  /// - Throws: Which step cannot be made and why, before anything is done.
  package func plan(_ scene: Scene, arguments: [String: SceneArgument]) throws(TheaterError)
    -> [PlannedStep]
  {
    for name in scene.parameters.keys.sorted() where arguments[name] == nil {
      throw TheaterError(
        .invalid, "the scene \"\(scene.name)\" needs a \(name)",
        hint: "Say which, for example: theater scene run \(scene.name) --\(name) NAME")
    }
    var steps: [PlannedStep] = []
    for (index, step) in scene.steps.enumerated() {
      guard let device = devices[step.device] else {
        throw TheaterError(
          .notFound, "there is no device \"\(step.device)\"",
          hint: "Check the scene \"\(scene.name)\" in devices.json.", device: step.device,
          step: index + 1)
      }
      do {
        let command = try Self.command(step.command, role: device.role, arguments: arguments)
        steps.append(
          PlannedStep(
            device: device, command: command, until: step.until, onFailure: step.onFailure,
            always: step.always))
      } catch {
        throw TheaterError(
          .invalid, error.message, hint: error.hint, device: step.device, step: index + 1)
      }
    }
    return steps
  }

  private static func command(
    _ command: StepCommand, role: Role, arguments: [String: SceneArgument]
  ) throws(CommandError) -> Command {
    switch command {
    case .fixed(let command): return command
    case .template(let name, let argument, _):
      // A station that is given by its frequency is tuned to, not looked up by name.
      if role.has(.tuning), let key = argument.string, key.hasPrefix("$"),
        case .frequency(let frequency)? = arguments[String(key.dropFirst())]
      {
        return try tuning(to: frequency)
      }
      return try Command(name, argument: fill(argument, with: arguments), role: role)
    }
  }

  private static func tuning(to frequency: StationFrequency) throws(CommandError) -> Command {
    switch frequency {
    case .am(let kilohertz): try TunerCommand.am(kilohertz).checked()
    case .fm(let megahertz): try TunerCommand.fm(megahertz).checked()
    }
  }

  private static func fill(_ json: JSON, with arguments: [String: SceneArgument]) -> JSON {
    switch json {
    case .string(let text) where text.hasPrefix("$"):
      arguments[String(text.dropFirst())]?.json ?? json
    case .array(let values): .array(values.map { fill($0, with: arguments) })
    case .object(let object):
      .object(JSONObject(object.map { ($0.key, fill($0.value, with: arguments)) }))
    default: json
    }
  }
}

extension PlannedStep {
  /// This step, playing from `seconds` on; other commands than `play` stay as they are.
  package func resuming(at seconds: Double) -> PlannedStep {
    guard command.spec.effect == .plays,
      var request = command.argument?.object, request["position"] == nil
    else { return self }
    request["position"] = .number(seconds)
    guard
      let resumed = try? Command(
        command.spec.name, argument: .object(request), role: device.role)
    else { return self }
    return PlannedStep(
      device: device, command: resumed, until: until, onFailure: onFailure, always: always)
  }

  /// This step, whose failure does not stop the run.
  package var continuing: PlannedStep {
    PlannedStep(
      device: device, command: command, until: until, onFailure: .continue, always: always)
  }
}
