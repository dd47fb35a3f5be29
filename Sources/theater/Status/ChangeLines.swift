import APIClient
import Devices
import JSON

/// Converts events to lines for a pipe or a log. An event that changes no line yields none.
struct ChangeLines {
  private var states: [String: String] = [:]
  /// The line about what is on in each room.
  private var activities: [String: String] = [:]
  /// Whether the lines name the rooms: there are several.
  private var namesRooms = false

  /// Returns the lines that an event changes.
  mutating func lines(for event: ServerSentEvent) -> [String] {
    let json = event.json.printable
    switch EventName(rawValue: event.name) {
    case .snapshot:
      let rooms = json["rooms"]?.array ?? []
      namesRooms = rooms.count > 1
      let activities = namesRooms ? rooms.map { $0["activity"] } : [json["activity"]]
      return activities.flatMap { activityLines($0 ?? [:]) }
        + (json["devices"]?.array ?? []).flatMap { deviceLines($0) }
    case .device: return deviceLines(json)
    case .activity: return activityLines(json)
    case .configuration: return ["configuration: \(json["status"]?.string ?? "?")"]
    case .run, .library, .levels, nil: return []
    }
  }

  private mutating func deviceLines(_ device: JSON) -> [String] {
    let id = device["id"]?.string ?? "?"
    let state = DeviceText.state(device)
    guard states.updateValue(state, forKey: id) != state else { return [] }
    return ["\(id): \(state)"]
  }

  private mutating func activityLines(_ json: JSON) -> [String] {
    var line = "nothing is on"
    if let name = json["activity"]?.string ?? json["scene"]?.string {
      line = "\(name) \(json["status"]?.string ?? "?")"
      if let item = json["itemTitle"]?.string { line += ": \(item)" }
    }
    if let error = json["error"]?["message"]?.string {
      line += ": " + (json["error"]?["device"]?.string.map { "\($0): " } ?? "") + error
    }
    let room = json["room"]?.string ?? ""
    if namesRooms { line = "\(room): \(line)" }
    guard activities.updateValue(line, forKey: room) != line else { return [] }
    return [line]
  }
}
