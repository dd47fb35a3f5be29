import Devices
import JSON

/// The progress of a run, node by node.
public struct RunReport: Sendable, Hashable {
  /// The state of a run; `failed` and `cancelled` runs may have completed some of their nodes.
  public enum Status: String, Sendable, Hashable, CaseIterable {
    case running, done, failed, cancelled
  }

  /// The run's id, such as `run-1`.
  public let id: String
  /// The name of the scene.
  public let scene: String
  /// `running` until the run has ended.
  public internal(set) var status: Status
  /// Every node of the plan, in the order of `ScenePlan.allNodes`.
  public internal(set) var nodes: [NodeReport]
  /// The failure that stopped the run.
  public internal(set) var error: TheaterError?
  /// The devices that the scene leaves as they are.
  public let kept: [KeptDevice]

  init(id: String, plan: ScenePlan) {
    self.id = id
    scene = plan.scene
    kept = plan.kept
    status = .running
    nodes = plan.allNodes.map { NodeReport($0) }
  }

  /// The run for the API: `{"id": "run-1", "scene": "watch-film", "status": "running", "steps":
  /// [node, …]}`, and `error` when it failed. `steps` is a flat list in which each group precedes
  /// its members; see `NodeReport.json`.
  public var json: JSON {
    var object = RunChange(run: id, scene: scene, status: status, error: error).jsonObject
    object["steps"] = .array(nodes.map(\.json))
    if !kept.isEmpty { object["kept"] = .array(kept.map(\.json)) }
    return .object(object)
  }
}

/// The progress of one node of a plan.
public struct NodeReport: Sendable, Hashable, Identifiable {
  /// The state of a node.
  public enum Status: String, Sendable, Hashable, CaseIterable {
    /// Not begun.
    case waiting
    case running
    /// Completed; for a command, the device has reported its effect.
    case done
    /// The device has accepted the command. It reports no effect, or the step did not wait for one.
    case accepted
    /// Not sent: the device reported the effect already, or `omission` says why.
    case skipped
    case failed
    /// Ended early, because the run was cancelled or a simultaneous node failed.
    case cancelled
  }

  /// Why a run leaves a command out.
  public enum Omission: String, Sendable, Hashable, CaseIterable {
    /// A person has changed the setting since the run began.
    case person
    /// The activity of another room has begun to use the device since then.
    case room
  }

  private let node: PlanNode
  /// `waiting` until the run comes to the node.
  public internal(set) var status = Status.waiting
  /// Why the command was skipped although the device did not report its effect; `nil` if it was not.
  public internal(set) var omission: Omission?
  /// The failure of the node; also kept when the scene continues after it.
  public internal(set) var error: TheaterError?
  /// The time that the node took, in seconds; `nil` before its end, and for a skipped node.
  public internal(set) var seconds: Double?

  init(_ node: PlanNode) { self.node = node }

  /// The place in the tree: `2.1`.
  public var id: String { node.id }
  /// The command; `nil` for a group or a wait.
  public var command: PlannedCommand? { node.command }

  /// The node for the API: `id`, `kind` (`command`, `sequence`, `parallel`, `wait`) and `status`;
  /// for a command also `device` and `command`, for a wait `duration` in seconds; `seconds` once it
  /// has ended, unless it was skipped, `error` when it failed, and `reason` (`person`, `room`) for a command
  /// that was left out.
  public var json: JSON {
    var object = node.identityJSON
    object["status"] = .string(status.rawValue)
    if let seconds { object["seconds"] = .number((seconds * 1000).rounded() / 1000) }
    if let error { object["error"] = error.json }
    if let omission { object["reason"] = .string(omission.rawValue) }
    return .object(object)
  }
}

/// A change of a run: its beginning, its end, or a change of one node.
public struct RunChange: Sendable, Hashable {
  /// The run's id.
  public let run: String
  /// The name of the scene.
  public let scene: String
  /// The state of the run after the change.
  public let status: RunReport.Status
  /// The failure that stopped the run.
  public let error: TheaterError?
  /// The node that changed; `nil` when the run itself began or ended.
  public let node: NodeReport?

  public init(
    run: String, scene: String, status: RunReport.Status, error: TheaterError? = nil,
    node: NodeReport? = nil
  ) {
    self.run = run
    self.scene = scene
    self.status = status
    self.error = error
    self.node = node
  }

  init(_ report: RunReport, node: NodeReport? = nil) {
    self.init(
      run: report.id, scene: report.scene, status: report.status, error: report.error, node: node)
  }

  /// The change for the API: `{"id": "run-1", "scene": "watch-film", "status": "running"}`, with
  /// `step`, the changed node, and `error` as in the run's report.
  public var json: JSON {
    var object = jsonObject
    if let node { object["step"] = node.json }
    return .object(object)
  }

  fileprivate var jsonObject: JSONObject {
    var object: JSONObject = [
      "id": .string(run), "scene": .string(scene), "status": .string(status.rawValue),
    ]
    if let error { object["error"] = error.json }
    return object
  }
}
