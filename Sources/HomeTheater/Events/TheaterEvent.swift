import Devices
import JSON
import Scenes

/// A change in the theater, as subscribers get it.
package enum TheaterEvent: Sendable {
  /// A device's state, availability or capabilities changed.
  case device(DeviceDescription, DeviceSnapshot)
  /// The activity of a room began, changed or ended.
  case activity(ActivityReport, RoomID)
  /// A run of a scene began or ended, or one of its nodes changed.
  case run(RunChange)
  /// An event of another part of the program, as JSON.
  case other(EventName, JSON)

  /// The event's name on the stream.
  package var name: EventName {
    switch self {
    case .device: .device
    case .activity: .activity
    case .run: .run
    case .other(let name, _): name
    }
  }

  /// The subject of the event: a later event of the same subject replaces it. `nil` for events that
  /// no later one replaces.
  var subject: Subject? {
    switch self {
    case .device(let device, _): .device(device.id)
    case .activity(_, let room): .activity(room)
    case .run(let change): .run(change.run, node: change.node?.id)
    case .other: nil
    }
  }

  /// The approximate size in bytes; most of it are texts that plugins choose.
  var byteCount: Int {
    switch self {
    case .device(let device, let snapshot): device.byteCount + snapshot.state.byteCount
    case .activity, .run: 1024
    case .other(_, let json): json.byteCount
    }
  }

  enum Subject: Hashable {
    case device(DeviceID), activity(RoomID), run(String, node: String?)
  }

  /// The event's data. Ages are computed at `now`, so they are right even if it is sent late.
  package func json(now: Duration) -> JSON {
    switch self {
    case .device(let device, let snapshot): snapshot.json(of: device, now: now)
    case .activity(let report, let room): report.json(in: room)
    case .run(let change): change.json
    case .other(_, let json): json
    }
  }
}

extension DeviceSnapshot {
  /// The device for the API.
  package func json(of device: DeviceDescription, now: Duration) -> JSON {
    var object = JSONObject()
    device.add(to: &object)
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
  /// A run that publishes each of its changes to `events`.
  convenience init(id: String, plan: ScenePlan, events: EventLog) {
    self.init(id: id, plan: plan) { events.publish(.run($0)) }
  }
}

extension DeviceState {
  /// The approximate size in bytes.
  fileprivate var byteCount: Int {
    var size = 512
    for reading in readings.values { size += reading.value.byteCount }
    for (name, attribute) in attributes {
      size += 128 + name.utf8.count + attribute.value.byteCount
      size += (attribute.unit?.utf8.count ?? 0) + (attribute.label?.utf8.count ?? 0)
    }
    return size
  }
}

extension JSON {
  /// The approximate size in bytes.
  fileprivate var byteCount: Int {
    switch self {
    case .null, .bool, .integer, .number: 16
    case .string(let text): 16 + text.utf8.count
    case .array(let values): values.reduce(16) { $0 + $1.byteCount }
    case .object(let members): members.reduce(16) { $0 + $1.key.utf8.count + $1.value.byteCount }
    }
  }
}
