import Devices
import JSON

/// The volume limit, the saved positions and the uncertain devices of one run, which its scene does not
/// contain.
public struct PlanPolicy: Sendable, Hashable {
  /// The loudest volume that the run may set, 0 to 100 %; `nil` for no limit. Louder steps are
  /// lowered to it, and an amplifier that is louder already is turned down. If it answers but
  /// refuses to be turned down, the run fails, even if the step continues after failures.
  public var volumeLimit: Int?
  /// The positions in seconds at which players begin the item that a step plays.
  public var resumePositions: [DeviceID: Double]
  /// The devices that may still carry out a command of an earlier run. Their reports may be older than
  /// that command, so their commands are always sent, except a volume limit, which a lower reported volume skips.
  public var uncertainDevices: Set<DeviceID>

  public init(
    volumeLimit: Int?, resumePositions: [DeviceID: Double] = [:],
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

  /// Makes the plan of a run of `scene`.
  ///
  /// - Parameters:
  ///   - snapshots: The present state of the devices. Commands for a device without one are decided
  ///     when the run comes to them.
  /// - Throws: The error of the first step that cannot be planned: a device that does not exist, a
  ///   missing or invalid argument.
  public func plan(
    _ scene: Scene, arguments: [String: SceneArgument], snapshots: [DeviceID: DeviceSnapshot],
    policy: PlanPolicy
  ) throws(TheaterError) -> ScenePlan {
    for name in scene.parameters.keys.sorted() where arguments[name] == nil {
      throw TheaterError(
        .invalid, "the scene \"\(scene.name)\" needs the parameter \"\(name)\"",
        hint: "Give a value for it.")
    }
    var nodes: [PlanNode] = []
    for (index, step) in scene.steps.enumerated() {
      nodes.append(
        try node(
          step, id: "\(index + 1)", of: scene.name, arguments: arguments, policy: policy))
    }
    if let limit = policy.volumeLimit {
      nodes.insert(contentsOf: volumeLimitNodes(limit, for: nodes, snapshots), at: 0)
    }
    var touched: Set<DeviceID> = []
    for index in nodes.indices { decide(&nodes[index], seeing: snapshots, touched: &touched) }
    return ScenePlan(scene: scene.name, nodes: nodes)
  }

  /// - Parameter continues: Whether the scene goes on when a group around the step fails.
  private func node(
    _ step: Step, id: String, of scene: String, arguments: [String: SceneArgument],
    policy: PlanPolicy, continues: Bool = false
  ) throws(TheaterError) -> PlanNode {
    switch step {
    case .wait(let duration): return PlanNode(.wait(duration))
    case .sequence(let steps, let onFailure), .parallel(let steps, let onFailure):
      var members: [PlanNode] = []
      for (index, step) in steps.enumerated() {
        members.append(
          try node(
            step, id: "\(id).\(index + 1)", of: scene, arguments: arguments, policy: policy,
            continues: continues || onFailure == .continue))
      }
      let work: PlanNode.Work =
        if case .sequence = step { .sequence(members) } else { .parallel(members) }
      return withLastVolumeLimit(PlanNode(work, onFailure: onFailure), policy)
    case .command(let step):
      guard let role = roles[step.device] else {
        throw TheaterError(
          .notFound, "there is no device \"\(step.device)\"",
          hint: "Check the scene \"\(scene)\" in devices.json.", device: step.device, step: id)
      }
      do {
        let command = try command(step.command, role: role, arguments: arguments)
        return node(
          step, command, policy, continues: continues || step.onFailure == .continue)
      } catch {
        throw TheaterError(
          .invalid, error.message, hint: error.hint, device: step.device, step: id)
      }
    }
  }

  /// The node of a step, with the policy applied to its command.
  ///
  /// - Parameter continues: Whether the scene goes on when the step fails.
  private func node(
    _ step: CommandStep, _ command: Command, _ policy: PlanPolicy, continues: Bool
  ) -> PlanNode {
    var command = command
    if let seconds = policy.resumePositions[step.device] {
      command = command.withPosition(seconds)
    }
    func node(_ command: Command, onFailure: OnFailure = .stop) -> PlanNode {
      PlanNode(
        .command(
          PlannedCommand(
            device: step.device, command: command, until: step.until, always: step.always,
            isUncertain: policy.uncertainDevices.contains(step.device)),
          .decideLater),
        onFailure: onFailure)
    }
    guard let limit = policy.volumeLimit else { return node(command, onFailure: step.onFailure) }
    if let lowering = volumeLimitNode(limit, for: step.device, onFailure: .stop) {
      // An amplifier reports its volume once it is on; before that it may refuse a change.
      if command.turnsOn {
        let turningOn = PlanNode(.sequence([node(command), lowering]), onFailure: step.onFailure)
        return withLastVolumeLimit(turningOn, policy)
      }
      // In a scene that goes on without the amplifier, an earlier volume limit may have failed.
      let mayBeLoud = continues && command.volume == nil && command.spec.manner != .urgent
      if command.unmutes || mayBeLoud {
        return PlanNode(.sequence([lowering, node(command)]), onFailure: step.onFailure)
      }
    }
    return node(command.withVolume(atMost: limit), onFailure: step.onFailure)
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

  // MARK: The volume limit

  /// Makes the node that lowers the volume of an amplifier to the limit; `nil` for a device without a volume.
  private func volumeLimitNode(
    _ limit: Int, for amplifier: DeviceID, onFailure: OnFailure, followsTurningOn: Bool = false
  ) -> PlanNode? {
    guard let softer = roles[amplifier]?.volumeCommand(limit) else { return nil }
    let command = PlannedCommand(
      device: amplifier, command: softer, until: .accepted, always: false, isVolumeLimit: true,
      followsTurningOn: followsTurningOn)
    return PlanNode(.command(command, .decideLater), onFailure: onFailure)
  }

  /// Adds a volume limit after a node that the scene goes on without, for each amplifier that the node turns on:
  /// if `on` failed, the amplifier may turn on after all, later than the node waited. The runner leaves the limit out
  /// if it has not come to `on`.
  private func withLastVolumeLimit(_ node: PlanNode, _ policy: PlanPolicy) -> PlanNode {
    guard node.onFailure == .continue, let limit = policy.volumeLimit else { return node }
    var amplifiers: Set<DeviceID> = []
    for command in node.members.commandsThatStop where command.command.turnsOn {
      amplifiers.insert(command.device)
    }
    let last = amplifiers.sorted().compactMap { amplifier in
      volumeLimitNode(
        limit, for: amplifier, onFailure: .stop,
        // One that turns on late may report "off" until then.
        followsTurningOn: !policy.uncertainDevices.contains(amplifier)
      ).map {
        PlanNode(.sequence([$0]), onFailure: .continue)
      }
    }
    return last.isEmpty ? node : PlanNode(.sequence([node] + last))
  }

  /// Makes the nodes that turn amplifiers down before all other nodes, for amplifiers that may be
  /// louder than the limit. A step that turns an amplifier on or unmutes it also turns it down, but an
  /// amplifier that is on already may be heard before that step runs, or without it.
  private func volumeLimitNodes(
    _ limit: Int, for nodes: [PlanNode], _ snapshots: [DeviceID: DeviceSnapshot]
  ) -> [PlanNode] {
    let commands = nodes.flatMap(\.withDescendants).compactMap(\.command)
    let plays = commands.contains {
      $0.role.category != nil && $0.command.spec.effect != .releases
    }
    return roles.filter { $0.value.has(.volume) }.keys.sorted().compactMap { amplifier in
      let own = commands.filter { $0.device == amplifier }.map(\.command)
      let snapshot = snapshots[amplifier]
      // A scene may play something through an amplifier that it does not command.
      let mayPlay =
        plays && snapshot?.availability == .available && snapshot?.state.power != .off
      let isTurnedDownLater = own.contains { $0.turnsOn || $0.unmutes }
      let isOn = snapshot?.availability == .available && snapshot?.state.power == .on
      guard isOn || !isTurnedDownLater,
        snapshot?.state.volume.map({ $0 > limit }) ?? (mayPlay || !own.isEmpty)
      else { return nil }
      // An amplifier that is off, or that the steps turn off, may refuse the command; it plays no
      // sound then.
      let staysOn = !own.isEmpty && own.last != roles[amplifier]?.off
      guard staysOn, isTurnedDownLater || nodes.canGoOn(without: amplifier) else {
        return volumeLimitNode(limit, for: amplifier, onFailure: staysOn ? .stop : .continue)
      }
      return volumeLimitNode(limit, for: amplifier, onFailure: .stop).map {
        PlanNode(.sequence([$0]), onFailure: .continue)
      }
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

extension [PlanNode] {
  /// The commands whose failure stops the nodes around these.
  fileprivate var commandsThatStop: [PlannedCommand] {
    filter { $0.onFailure == .stop }.flatMap { node in
      node.command.map { [$0] } ?? node.members.commandsThatStop
    }
  }

  /// Whether the scene goes on when every command for `device` fails.
  fileprivate func canGoOn(without device: DeviceID) -> Bool {
    allSatisfy { node in
      if node.onFailure == .continue { return true }
      if let command = node.command { return command.device != device }
      return node.members.canGoOn(without: device)
    }
  }
}

extension Command {
  /// Returns a `play` of an item with the position `seconds`. A command that names a position, and
  /// any other command, stays as it is.
  fileprivate func withPosition(_ seconds: Double) -> Command {
    guard spec.effect == .plays, var request = argument?.object,
      request["position"] == nil
    else { return self }
    request["position"] = .number(seconds)
    return (try? Command(spec.name, argument: .object(request), role: role)) ?? self
  }
}
