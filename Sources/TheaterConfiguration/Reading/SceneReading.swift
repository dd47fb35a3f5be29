import Devices
import HomeTheater
import JSON
import Scenes

extension ConfigurationReader {
  /// The scenes without a mistake in them, by name.
  mutating func readScenes() -> [String: Scene] {
    var scenes: [String: Scene] = [:]
    for (name, scene) in member("scenes").object ?? [:] where !isFull {
      let path: JSONPath = [.key("scenes"), .key(name)]
      var parameters: [String: ParameterKind] = [:]
      for (parameter, kind) in scene["parameters"]?.object ?? [:] {
        // One with a wrong kind is declared nevertheless: its uses are not wrong.
        parameters[parameter] = kind.string.flatMap(ParameterKind.init) ?? .text
      }
      var reading = StepReading(parameters: parameters)
      let place = path.appending("steps")
      let steps = (scene["steps"]?.array ?? []).enumerated().compactMap {
        readStep($0.element, at: place.appending($0.offset), &reading)
      }
      for unused in parameters.keys.sorted() where !reading.used.contains(unused) {
        report(
          .reference, .warning, at: path.appending("parameters").appending(unused), key: true,
          "no step uses the parameter \"\(unused)\"",
          hint: "Write \"$\(unused)\" where it belongs, or remove it.")
      }
      guard !isFlawed(path) else { continue }
      scenes[name] = Scene(
        name: name, title: scene["title"]?.string, parameters: parameters, steps: steps)
    }
    return scenes
  }

  /// What the steps of one scene share while they are read.
  struct StepReading {
    let parameters: [String: ParameterKind]
    var used: Set<String> = []
  }

  private mutating func readStep(_ step: JSON, at path: JSONPath, _ reading: inout StepReading)
    -> Step?
  {
    guard !isFull, let object = step.object, let name = deviceName(in: object, at: path),
      let json = object[name]
    else { return nil }
    let place = path.appending(name)
    guard isDevice(name) else {
      if !isFlawed(place) {
        reportMissing(
          "device", name, among: deviceNames + ConfigurationSchemaNodes.stepWords, at: place,
          key: true)
      }
      ConfigurationSchemaNodes.anyCommand.problems(with: json, at: place).forEach { report($0) }
      return nil
    }
    guard let role = roles[name] else {
      ConfigurationSchemaNodes.anyCommand.problems(with: json, at: place).forEach { report($0) }
      return nil
    }
    let command = readCommand(json, for: name, role: role, at: place, &reading)
    guard let command, !isFlawed(path) else { return nil }
    return Step(
      device: DeviceID(name), command: command,
      until: object["until"]?.string.flatMap(Completion.init) ?? .settled,
      onFailure: object["onFailure"]?.string.flatMap(OnFailure.init) ?? .stop,
      always: object["always"]?.bool ?? false)
  }

  /// The one key of a step that names its device.
  private mutating func deviceName(in step: JSONObject, at path: JSONPath) -> String? {
    let names = step.keys.filter { !ConfigurationSchemaNodes.stepWords.contains($0) }
    if names.count == 1 { return names[0] }
    if names.isEmpty {
      report(
        .shape, at: path, "a step names one device and its command",
        hint: "Write for example {\"lights\": {\"dim\": 10}}.")
      return nil
    }
    let device = names.first(where: isDevice)
    for name in names where name != device && !isFull {
      let place = path.appending(name)
      if isDevice(name) {
        report(
          .shape, at: place, key: true,
          "a step tells one device, and this one already tells \"\(device ?? name)\"",
          hint: "Write a step of its own for \"\(name)\".")
      } else {
        reportMissing(
          "device or word", name, among: ConfigurationSchemaNodes.stepWords + deviceNames,
          at: place,
          key: true, kind: .shape)
      }
    }
    return device
  }
}
