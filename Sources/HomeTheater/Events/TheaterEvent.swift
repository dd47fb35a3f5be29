import Devices
import JSON
import Scenes

/// Something that happened, as everyone who listens is told.
package enum TheaterEvent: Sendable {
  /// A device's state, availability or capabilities changed.
  case device(DeviceID, Role, DeviceSnapshot)
  /// The activity began, went on or ended.
  case activity(ActivityReport)
  /// A run of a scene began, took a step or ended.
  case run(RunReport)
  /// Something that other parts of the program tell, already as JSON.
  case other(name: String, JSON)

  /// The event's name on the stream.
  package var name: String {
    switch self {
    case .device: "device"
    case .activity: "activity"
    case .run: "run"
    case .other(let name, _): name
    }
  }

  /// What it tells the newest of: a later event of the same subject says all that this one does.
  /// `nil` where nothing later can stand for it.
  var subject: Subject? {
    switch self {
    case .device(let id, _, _): .device(id)
    case .activity: .activity
    case .run(let report): .run(report.id)
    case .other: nil
    }
  }

  enum Subject: Hashable {
    case device(DeviceID), activity, run(String)
  }

  /// The event's data. Ages are counted from `now`, so they are right when it is sent late.
  package func json(now: Duration) -> JSON {
    switch self {
    case .device(let id, let role, let snapshot): snapshot.json(id: id, role: role, now: now)
    case .activity(let report): report.json
    case .run(let report): report.json
    case .other(_, let json): json
    }
  }
}

extension DeviceSnapshot {
  /// The device for the API.
  package func json(id: DeviceID, role: Role, now: Duration) -> JSON {
    var object: JSONObject = [
      "id": .string(id.name), "role": .string(role.rawValue), "title": .string(role.title),
    ]
    switch availability {
    case .starting: object["availability"] = "starting"
    case .available: object["availability"] = "available"
    case .unavailable(let reason):
      object["availability"] = "unavailable"
      object["reason"] = .string(reason)
    }
    object["state"] = state.json(now: now)
    object["attributes"] = state.attributesJSON
    object["capabilities"] = .array(capabilities.names.sorted().map { .string($0) })
    return .object(object)
  }
}

extension Run {
  /// A run whose every change is told to `events`.
  convenience init(id: String, scene: String, steps: [PlannedStep], events: EventLog) {
    self.init(id: id, scene: scene, steps: steps) { events.publish(.run($0)) }
  }
}
