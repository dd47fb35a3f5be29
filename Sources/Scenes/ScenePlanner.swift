import Devices
import JSON

/// The position at which a user left an item.
public struct ItemPosition: Sendable, Hashable {
  /// The id of the item.
  public let item: String
  public let seconds: Double

  public init(item: String, seconds: Double) {
    self.item = item
    self.seconds = seconds
  }
}

/// The volume limit, the saved positions and the uncertain devices of one run, which its scene does not
/// contain.
public struct PlanPolicy: Sendable, Hashable {
  /// The loudest volume that the run may set, 0 to 100 %; `nil` for no limit. Louder steps are
  /// lowered to it.
  public var volumeLimit: Int?
  /// The positions at which players begin an item that a step plays without naming a position.
  public var resumePositions: [DeviceID: ItemPosition]
  /// The devices that may still carry out a command of an earlier run. Their reports may be older than
  /// that command, so their commands are always sent.
  public var uncertainDevices: Set<DeviceID>

  public init(
    volumeLimit: Int?, resumePositions: [DeviceID: ItemPosition] = [:],
    uncertainDevices: Set<DeviceID> = []
  ) {
    self.volumeLimit = volumeLimit
    self.resumePositions = resumePositions
    self.uncertainDevices = uncertainDevices
  }
}

/// A pure planner of runs: the same scene, arguments, snapshots and policy make the same plan, and
/// nothing is sent.
public struct ScenePlanner: Sendable {
  private let roles: [DeviceID: Role]

  /// - Parameter roles: The role of each device of the theater.
  public init(roles: [DeviceID: Role]) { self.roles = roles }

  /// Fills the arguments into the steps of a scene, and checks every command.
  ///
  /// - Throws: The error of the first step that cannot be carried out: a device that does not exist, a
  ///   missing or invalid argument.
  public func resolve(
    _ scene: Scene, arguments: [String: SceneArgument]
  ) throws(TheaterError) -> Scene {
    for name in scene.parameters.keys.sorted() where arguments[name] == nil {
      throw TheaterError(
        .invalid, "the scene \"\(scene.name)\" needs the parameter \"\(name)\"",
        hint: "Give a value for it.")
    }
    var resolved = scene
    resolved.parameters = [:]
    resolved.steps = try resolve(scene.steps, below: "", of: scene.name, arguments: arguments)
    return resolved
  }

  /// Makes the plan of a run of `scene`.
  ///
  /// - Parameters:
  ///   - snapshots: The present state of the devices. Commands for a device without one are decided
  ///     when the run comes to them.
  /// - Throws: The error of the first step that cannot be planned: a device that does not exist, a
  ///   missing or invalid argument.
  public func plan(
    _ scene: Scene, arguments: [String: SceneArgument] = [:],
    snapshots: [DeviceID: DeviceSnapshot], policy: PlanPolicy
  ) throws(TheaterError) -> ScenePlan {
    let resolved = try resolve(scene, arguments: arguments).steps
    var nodes = resolved.compactMap { node($0, policy) }
    var touched: Set<DeviceID> = []
    for index in nodes.indices { decide(&nodes[index], seeing: snapshots, touched: &touched) }
    var plan = ScenePlan(scene: scene.name, nodes: nodes)
    plan.resumedAt =
      resolved.commands.lazy.compactMap { planned in
        policy.resumePositions[planned.device].flatMap {
          planned.command.resumes(at: $0) ? $0.seconds : nil
        }
      }.first
    return plan
  }

  /// - Parameter group: The id of the group around the steps, with a dot.
  private func resolve(
    _ steps: [Step], below group: String, of scene: String, arguments: [String: SceneArgument]
  ) throws(TheaterError) -> [Step] {
    var resolved: [Step] = []
    for (index, step) in steps.enumerated() {
      let id = "\(group)\(index + 1)"
      switch step {
      case .wait: resolved.append(step)
      case .sequence(let members, let onFailure):
        let members = try resolve(members, below: "\(id).", of: scene, arguments: arguments)
        resolved.append(.sequence(members, onFailure: onFailure))
      case .parallel(let members, let onFailure):
        let members = try resolve(members, below: "\(id).", of: scene, arguments: arguments)
        resolved.append(.parallel(members, onFailure: onFailure))
      case .command(var command):
        command.command = .fixed(
          try self.command(of: command, id: id, of: scene, arguments: arguments))
        resolved.append(.command(command))
      }
    }
    return resolved
  }

  private func command(
    of step: CommandStep, id: String, of scene: String, arguments: [String: SceneArgument]
  ) throws(TheaterError) -> Command {
    guard let role = roles[step.device] else {
      throw TheaterError(
        .notFound, "there is no device \"\(step.device)\"",
        hint: "Check the scene \"\(scene)\" in devices.json.", device: step.device, step: id)
    }
    do {
      return try command(step.command, role: role, arguments: arguments)
    } catch {
      throw TheaterError(.invalid, error.message, hint: error.hint, device: step.device, step: id)
    }
  }

  /// The node of a step whose arguments are filled in.
  private func node(_ step: Step, _ policy: PlanPolicy) -> PlanNode? {
    switch step {
    case .wait(let duration): PlanNode(.wait(duration))
    case .sequence(let steps, let onFailure):
      PlanNode(.sequence(steps.compactMap { node($0, policy) }), onFailure: onFailure)
    case .parallel(let steps, let onFailure):
      PlanNode(.parallel(steps.compactMap { node($0, policy) }), onFailure: onFailure)
    case .command(let step): step.command.fixed.map { node(step, $0, policy) }
    }
  }

  /// The node of a step, with the policy applied to its command.
  private func node(_ step: CommandStep, _ command: Command, _ policy: PlanPolicy) -> PlanNode {
    var command = command
    if let position = policy.resumePositions[step.device] {
      command = command.resumed(at: position)
    }
    if let limit = policy.volumeLimit { command = command.withVolume(atMost: limit) }
    let planned = PlannedCommand(
      device: step.device, command: command, until: step.until, always: step.always,
      isUncertain: policy.uncertainDevices.contains(step.device))
    return PlanNode(.command(planned, .decideLater), onFailure: step.onFailure)
  }

  // MARK: Arguments

  private func command(
    _ command: StepCommand, role: Role, arguments: [String: SceneArgument]
  ) throws(CommandError) -> Command {
    switch command {
    case .fixed(let command): return command
    case .template(let name, let argument, _):
      // A station given by its frequency needs the command `am` or `fm` instead of `station`.
      if role.has(.tuning), let key = argument.string, key.hasPrefix("$"),
        case .frequency(let frequency)? = arguments[String(key.dropFirst())]
      {
        return switch frequency {
        case .am(let kilohertz): try TunerCommand.am(kilohertz).checked()
        case .fm(let megahertz): try TunerCommand.fm(megahertz).checked()
        }
      }
      return try Command(name, argument: fill(argument, with: arguments), role: role)
    }
  }

  private func fill(_ json: JSON, with arguments: [String: SceneArgument]) -> JSON {
    switch json {
    case .string(let text) where text.hasPrefix("$"):
      arguments[String(text.dropFirst())]?.json ?? json
    case .array(let values): .array(values.map { fill($0, with: arguments) })
    case .object(let object):
      .object(JSONObject(object.map { ($0.key, fill($0.value, with: arguments)) }))
    default: json
    }
  }

  // MARK: Decisions

  /// Decides each command of the node, in the order of the run.
  ///
  /// - Parameter touched: The devices that earlier or simultaneous nodes may change.
  private func decide(
    _ node: inout PlanNode, seeing snapshots: [DeviceID: DeviceSnapshot],
    touched: inout Set<DeviceID>
  ) {
    switch node.work {
    case .wait: break
    case .command(let command, _):
      let mayChange = command.canBeNeedless && touched.contains(command.device)
      let decision =
        mayChange ? .decideLater : command.decision(seeing: snapshots[command.device])
      node.work = .command(command, decision)
      if case .skip = decision { return }
      touched.insert(command.device)
    case .sequence(var members):
      for index in members.indices {
        decide(&members[index], seeing: snapshots, touched: &touched)
      }
      node.work = .sequence(members)
    case .parallel(var members):
      let devices = members.map { Set($0.withDescendants.compactMap(\.command?.device)) }
      for index in members.indices {
        var others = touched
        for (other, devices) in devices.enumerated() where other != index {
          others.formUnion(devices)
        }
        decide(&members[index], seeing: snapshots, touched: &others)
      }
      for devices in devices { touched.formUnion(devices) }
      node.work = .parallel(members)
    }
  }
}

extension Command {
  /// Whether the command plays this item and names no position.
  fileprivate func resumes(at position: ItemPosition) -> Bool {
    guard spec.effect == .plays, let request = argument?.object, request["position"] == nil,
      let item = request["item"]?.string
    else { return false }
    return item.hasSameBytes(as: position.item)
  }

  /// Returns a `play` of the item with the position. Any other command stays as it is.
  fileprivate func resumed(at position: ItemPosition) -> Command {
    guard resumes(at: position), var request = argument?.object else { return self }
    request["position"] = .number(position.seconds)
    return (try? Command(spec.name, argument: .object(request), role: role)) ?? self
  }
}
