import Devices
import JSON

/// The tree of nodes that a run carries out. A dry run shows the same value.
public struct ScenePlan: Sendable, Hashable {
  /// The name of the scene.
  public let scene: String
  /// The outermost nodes, one after the other.
  public let nodes: [PlanNode]
  /// The devices that the scene leaves as they are.
  public var kept: [KeptDevice] = []
  /// The saved position in seconds at which the run resumes its item; `nil` if it begins at its start or where a step
  /// says.
  public internal(set) var resumedAt: Double?
  /// The number of nodes, groups included.
  let count: Int

  /// - Parameter nodes: Gets new ids and indices, in the order of the tree.
  init(scene: String, nodes: [PlanNode]) {
    self.scene = scene
    var numbered = nodes
    count = Self.number(&numbered, prefix: "", from: 0)
    self.nodes = numbered
  }

  /// A plan of one command, which is always sent.
  public init(scene: String, sending command: Command, to device: DeviceID) {
    let command = PlannedCommand(device: device, command: command, until: .settled, always: true)
    self.init(scene: scene, nodes: [PlanNode(.command(command, .send))])
  }

  /// Every node, each group before its members.
  public var allNodes: [PlanNode] { nodes.flatMap(\.withDescendants) }

  /// The commands, in the order of the tree.
  public var commands: [PlannedCommand] { allNodes.compactMap(\.command) }

  /// The plan for the API: `{"scene": "watch-film", "steps": [node, …]}`. `steps` is a flat list in
  /// which each group precedes its members; see `PlanNode.json`. `kept` where the scene leaves devices as they are,
  /// `resumedAt` where it resumes its item.
  public var json: JSON {
    var object: JSONObject = ["scene": .string(scene), "steps": .array(allNodes.map(\.json))]
    if !kept.isEmpty { object["kept"] = .array(kept.map(\.json)) }
    if let resumedAt { object["resumedAt"] = .number(resumedAt) }
    return .object(object)
  }

  private static func number(_ nodes: inout [PlanNode], prefix: String, from first: Int) -> Int {
    var next = first
    for position in nodes.indices {
      let id = "\(prefix)\(position + 1)"
      nodes[position].id = id
      nodes[position].index = next
      next += 1
      switch nodes[position].work {
      case .sequence(var members):
        next = number(&members, prefix: "\(id).", from: next)
        nodes[position].work = .sequence(members)
      case .parallel(var members):
        next = number(&members, prefix: "\(id).", from: next)
        nodes[position].work = .parallel(members)
      case .command, .wait: break
      }
    }
    return next
  }
}

/// A device that the end of an activity leaves as it is, because the activity of another room uses it.
public struct KeptDevice: Sendable, Hashable {
  public let device: DeviceID
  /// The name of the other room.
  public let room: String
  /// What is on there, for people.
  public let title: String

  public init(device: DeviceID, room: String, title: String) {
    self.device = device
    self.room = room
    self.title = title
  }

  /// `{"device": "amp", "room": "kitchen", "title": "Radio"}`.
  public var json: JSON {
    ["device": .string(device.name), "room": .string(room), "title": .string(title)]
  }
}

/// One node of a plan.
public struct PlanNode: Sendable, Hashable, Identifiable {
  /// The action of a node.
  public indirect enum Work: Sendable, Hashable {
    /// Sends a command to a device.
    case command(PlannedCommand, Decision)
    /// One after the other.
    case sequence([PlanNode])
    /// At the same time.
    case parallel([PlanNode])
    /// Waits for this time, counted from when the run comes to the node.
    case wait(Duration)
  }

  /// The kind of a node, for the API.
  package enum Kind: String, Sendable, Hashable, CaseIterable {
    case command, sequence, parallel, wait
  }

  /// What a plan says about a command, for the API.
  package enum Action: String, Sendable, Hashable, CaseIterable {
    case send, skip, decideLater
  }

  /// Whether a command is sent.
  public enum Decision: Sendable, Hashable {
    /// Sends the command.
    case send
    /// Sends nothing, because the device reports this value of the key already, or carries out such a command. The run
    /// reads the state again, and sends the command if the value has changed meanwhile.
    case skip(StateKey, JSON)
    /// Decides when the run comes to the node: the device does not report the value, or an earlier
    /// or simultaneous node may change it.
    case decideLater
  }

  /// The place in the tree, counted from 1: `2.1` is the first member of the second node.
  public internal(set) var id = ""
  /// The place in the flat list of all nodes, counted from 0.
  var index = 0
  /// The command, wait or group of the node.
  public internal(set) var work: Work
  /// The effect of a failure on the surrounding nodes.
  public let onFailure: OnFailure

  init(_ work: Work, onFailure: OnFailure = .stop) {
    self.work = work
    self.onFailure = onFailure
  }

  /// The members of a group; none for a command or a wait.
  public var members: [PlanNode] {
    switch work {
    case .sequence(let nodes), .parallel(let nodes): nodes
    case .command, .wait: []
    }
  }

  /// The command; `nil` for a group or a wait.
  public var command: PlannedCommand? {
    if case .command(let command, _) = work { command } else { nil }
  }

  var withDescendants: [PlanNode] { [self] + members.flatMap(\.withDescendants) }

  /// The node for the API, without its members: `id`, `kind` (`command`, `sequence`, `parallel`,
  /// `wait`); for a command also `device`, `command`, `action` (`send`, `skip`, `decideLater`), and
  /// with `skip` the `reported` state that makes it needless; for a wait `duration` in seconds.
  public var json: JSON {
    var object = identityJSON
    if case .command(_, let decision) = work {
      switch decision {
      case .send: object["action"] = .string(Action.send.rawValue)
      case .skip(let key, let value):
        object["action"] = .string(Action.skip.rawValue)
        object["reported"] = .object([key.rawValue: value])
      case .decideLater: object["action"] = .string(Action.decideLater.rawValue)
      }
    }
    return .object(object)
  }

  private var kind: Kind {
    switch work {
    case .command: .command
    case .sequence: .sequence
    case .parallel: .parallel
    case .wait: .wait
    }
  }

  /// The JSON members that plans and reports have in common.
  var identityJSON: JSONObject {
    var object: JSONObject = ["id": .string(id), "kind": .string(kind.rawValue)]
    switch work {
    case .command(let command, _):
      object["device"] = .string(command.device.name)
      object["command"] = command.command.json
    case .sequence, .parallel: break
    case .wait(let duration):
      object["duration"] = .number(duration.seconds)
    }
    return object
  }
}

/// A checked command for one device, with the scene's arguments filled in.
public struct PlannedCommand: Sendable, Hashable {
  /// The device that gets the command.
  public let device: DeviceID
  /// The command with the scene's arguments, limited to the policy's volume.
  public let command: Command
  /// When the next node may begin.
  public let until: Completion
  /// Whether the command is sent even when the device already reports its effect.
  public let always: Bool
  /// Whether the reports of the device may be older than a command on its way to it. The command is
  /// sent even when the device reports its effect.
  public let isUncertain: Bool

  init(
    device: DeviceID, command: Command, until: Completion, always: Bool,
    isUncertain: Bool = false
  ) {
    self.device = device
    self.command = command
    self.until = until
    self.always = always
    self.isUncertain = isUncertain
  }

  /// The role of the device.
  public var role: Role { command.role }
}

extension PlannedCommand {
  /// Decides whether the command is sent, by the state in the snapshot.
  func decision(seeing snapshot: DeviceSnapshot?) -> PlanNode.Decision {
    isUncertain ? .send : reportedDecision(seeing: snapshot)
  }

  /// Decides as if no other command were on its way to the device.
  func reportedDecision(seeing snapshot: DeviceSnapshot?) -> PlanNode.Decision {
    if let state = snapshot?.state, let (key, reading) = command.progress(in: state),
      reading.provenance == .reported
    {
      return .skip(key, reading.value)
    }
    guard hasNeedlessState else { return .send }
    guard let snapshot, snapshot.availability == .available else { return .decideLater }
    if isNeedlessWhenOff, let power = snapshot.state.readings[.power],
      power.provenance == .reported, power.value == "off"
    {
      return .skip(.power, power.value)
    }
    guard let key = skippableKey else { return .send }
    guard let reading = snapshot.state.readings[key], reading.provenance == .reported else {
      return .decideLater
    }
    let isMet = command.spec.settled.isMet(by: snapshot.state, argument: command.argument)
    return isMet ? .skip(key, reading.value) : .send
  }

  /// Whether a report of the device can make the command needless.
  var canBeNeedless: Bool { !isUncertain && hasNeedlessState }

  /// Whether there is a state of the device in which the command has no effect.
  private var hasNeedlessState: Bool { skippableKey != nil || isNeedlessWhenOff }

  private var isNeedlessWhenOff: Bool { !always && command.spec.isNeedlessWhenOff }

  /// The reported value that can make the command needless; `nil` where none can.
  private var skippableKey: StateKey? {
    let spec = command.spec
    guard !always, spec.manner != .momentary else { return nil }
    switch spec.settled {
    case .accepted, .anyValue, .playback: return nil
    // `{"fm": 98.5}` settles on the band but sets the frequency as well.
    case .value(let key, _): return command.argument == nil ? key : nil
    case .argument(let key): return command.argument == nil ? nil : key
    }
  }
}
