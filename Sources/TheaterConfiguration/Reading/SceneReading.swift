import Devices
import HomeTheater
import JSON
import Scenes

extension ConfigurationReader {
  /// Reads the scenes; those with an error are left out.
  mutating func readScenes() -> [String: Scene] {
    var scenes: [String: Scene] = [:]
    for (name, scene) in member("scenes").object ?? [:] where !isFull {
      let path: JSONPath = [.key("scenes"), .key(name)]
      var parameters: [String: ParameterKind] = [:]
      for (parameter, kind) in scene["parameters"]?.object ?? [:] {
        // A parameter with a wrong kind is declared too, so that its uses are no further errors.
        parameters[parameter] = kind.string.flatMap(ParameterKind.init) ?? .text
      }
      var reading = StepReading(parameters: parameters)
      let steps = readSteps(
        scene["steps"]?.array ?? [], at: path.appending("steps"), depth: 1, &reading)
      for unused in parameters.keys.sorted() where !reading.used.contains(unused) {
        report(
          .reference, .warning, at: path.appending("parameters").appending(unused), key: true,
          "no step uses the parameter \"\(unused)\"",
          hint: "Write \"$\(unused)\" where it belongs, or remove it.")
      }
      guard !hasError(at: path) else { continue }
      scenes[name] = Scene(
        name: name, label: Label(scene), parameters: parameters, steps: steps)
    }
    return scenes
  }

  /// The state shared by the steps of one scene while they are read.
  struct StepReading {
    let parameters: [String: ParameterKind]
    var used: Set<String> = []
    /// The number of steps so far, groups included.
    var count = 0
  }

  /// Reads the steps of a list, without those that have mistakes.
  ///
  /// - Parameter depth: The number of lists around each step; 1 in the scene's own.
  private mutating func readSteps(
    _ steps: [JSON], at path: JSONPath, depth: Int, _ reading: inout StepReading
  ) -> [Step] {
    guard depth <= Scene.maximumDepth else {
      reportDepth(at: path)
      return []
    }
    var read: [Step] = []
    for (index, step) in steps.enumerated() where !isFull {
      guard count(at: path.appending(index), &reading) else { break }
      if let step = readStep(step, at: path.appending(index), depth: depth, &reading) {
        read.append(step)
      }
    }
    return read
  }

  /// Counts a step, or several; false beyond `Scene.maximumSteps`.
  private mutating func count(
    _ steps: Int = 1, at path: JSONPath, _ reading: inout StepReading
  ) -> Bool {
    let before = reading.count
    reading.count += steps
    if before <= Scene.maximumSteps, reading.count > Scene.maximumSteps {
      report(
        .reference, at: path, "the scene has more than \(Scene.maximumSteps) steps",
        hint: "Make two scenes of it.")
    }
    return reading.count <= Scene.maximumSteps
  }

  private mutating func readStep(
    _ step: JSON, at path: JSONPath, depth: Int, _ reading: inout StepReading
  ) -> Step? {
    if let steps = step.array {
      return .sequence(readSteps(steps, at: path, depth: depth + 1, &reading))
    }
    guard let object = step.object else {
      ConfigurationSchemaNodes.commandStep.problems(with: step, at: path).forEach { report($0) }
      return nil
    }
    if object["wait"] != nil { return readWait(object, at: path) }
    for word in ["parallel", "sequence"] where object[word] != nil {
      return readGroup(object, word, at: path, depth: depth, &reading)
    }
    return readCommandStep(object, at: path, depth: depth, &reading)
  }

  private mutating func readGroup(
    _ group: JSONObject, _ word: String, at path: JSONPath, depth: Int,
    _ reading: inout StepReading
  ) -> Step? {
    let isParallel = word == "parallel"
    let shape =
      isParallel ? ConfigurationSchemaNodes.parallel : ConfigurationSchemaNodes.sequence
    shape.problems(with: .object(group), at: path).forEach { report($0) }
    let steps = readSteps(
      group[word]?.array ?? [], at: path.appending(word), depth: depth + 1, &reading)
    let onFailure = group["onFailure"]?.string.flatMap(OnFailure.init) ?? .stop
    return isParallel
      ? .parallel(steps, onFailure: onFailure) : .sequence(steps, onFailure: onFailure)
  }

  private mutating func readWait(_ step: JSONObject, at path: JSONPath) -> Step? {
    ConfigurationSchemaNodes.wait.problems(with: .object(step), at: path).forEach { report($0) }
    guard let duration = step["wait"]?.string.flatMap({ DurationText.duration(of: $0) }) else {
      return nil
    }
    guard Scene.waitRange.contains(duration) else {
      report(
        .reference, at: path.appending("wait"), "a wait takes from 1 ms to 1 h",
        hint: "Write for example {\"wait\": \"2 s\"}.")
      return nil
    }
    return .wait(duration)
  }

  private mutating func readCommandStep(
    _ step: JSONObject, at path: JSONPath, depth: Int, _ reading: inout StepReading
  ) -> Step? {
    if let word = step.keys.first(where: Step.reservedWords.contains) {
      // A device or group of this name is reported once, with this place.
      guard !isDevice(word), member("groups")[word] == nil else {
        reading.used.formUnion(reading.parameters.keys)
        return nil
      }
      report(
        .shape, at: path.appending(word), key: true,
        "\"\(word)\" is a reserved word: steps have it in a later version",
        hint: "A step is a command for a device, a list, \"sequence\", \"parallel\" or \"wait\".")
      return nil
    }
    ConfigurationSchemaNodes.commandStep.problems(with: .object(step), at: path)
      .forEach { report($0) }
    guard let name = deviceName(in: step, at: path), let json = step[name] else { return nil }
    let place = path.appending(name)
    guard isDevice(name) || groups[name] != nil else {
      reportUnknown(name, at: place)
      ConfigurationSchemaNodes.deviceCommands.problems(with: json, at: place)
        .forEach { report($0) }
      return nil
    }
    let devices = groups[name] ?? [name]
    guard let role = devices.first.flatMap({ roles[$0] }) else {
      ConfigurationSchemaNodes.deviceCommands.problems(with: json, at: place)
        .forEach { report($0) }
      return nil
    }
    let commands = readCommands(json, for: devices, role: role, at: place, &reading)
    if groups[name] != nil, depth >= Scene.maximumDepth { reportDepth(at: path) }
    guard !hasError(at: path), reading.count <= Scene.maximumSteps else { return nil }
    let steps = devices.map { device -> Step in
      let steps = commands.map { command in
        Step.command(
          CommandStep(
            device: DeviceID(device), command: command,
            until: step["until"]?.string.flatMap(Completion.init) ?? .settled,
            onFailure: step["onFailure"]?.string.flatMap(OnFailure.init) ?? .stop,
            always: step["always"]?.bool ?? false))
      }
      return json.array == nil && steps.count == 1 ? steps[0] : .sequence(steps)
    }
    return groups[name] == nil ? steps.first : .parallel(steps)
  }

  /// Reads the command of a step, or its commands, for one device or the devices of a group.
  private mutating func readCommands(
    _ json: JSON, for devices: [String], role: Role, at path: JSONPath,
    _ reading: inout StepReading
  ) -> [StepCommand] {
    let list = json.array
    // One command of one device is counted as the step that it is.
    let isCounted = list != nil || devices.count > 1
    var commands: [StepCommand] = []
    for (index, command) in (list ?? [json]).enumerated() where !isFull {
      let place = list == nil ? path : path.appending(index)
      guard !isCounted || count(devices.count, at: place, &reading), let first = devices.first,
        let read = readCommand(command, for: first, role: role, at: place, &reading)
      else { continue }
      // The role is the same, but each amplifier has inputs of its own.
      if case .fixed(let fixed) = read {
        for device in devices.dropFirst() where !isFull {
          checkInput(fixed, of: device, at: place)
        }
      }
      commands.append(read)
    }
    return commands
  }

  private mutating func reportDepth(at path: JSONPath) {
    report(
      .reference, at: path, "these steps stand more than \(Scene.maximumDepth) lists deep",
      hint: "Move them to an outer list.")
  }

  private mutating func reportUnknown(_ name: String, at path: JSONPath) {
    let isKnown = member("groups")[name] != nil
    guard !isKnown, !hasError(at: path), !isExplained(name, in: "devices") else { return }
    let words = nearest(to: name, in: Step.words).map { [$0] } ?? []
    reportMissing(
      "device", name, among: deviceNames + groups.keys.sorted() + words, at: path, key: true)
  }

  /// The one key of a step that names its device.
  private mutating func deviceName(in step: JSONObject, at path: JSONPath) -> String? {
    let names = step.keys.filter { !Step.words.contains($0) }
    if names.count == 1 { return names[0] }
    if names.isEmpty {
      report(
        .shape, at: path, "a step names one device and its command",
        hint: "Write for example {\"lights\": {\"dim\": 10}}.")
      return nil
    }
    let device = names.first { isDevice($0) || groups[$0] != nil }
    for name in names where name != device && !isFull {
      let place = path.appending(name)
      if isDevice(name) || groups[name] != nil {
        report(
          .shape, at: place, key: true,
          "a step commands one device, and this one already commands \"\(device ?? name)\"",
          hint: "Write a step of its own for \"\(name)\".")
      } else {
        reportMissing(
          "device or word", name, among: Step.words + deviceNames,
          at: place,
          key: true, kind: .shape)
      }
    }
    return device
  }
}
