import Devices
import JSON
import Scenes

/// The state of the whole theater at one moment.
struct TheaterStatus: Sendable {
  /// The id of the newest event that the status includes.
  let event: String
  /// What is on in the room of the request.
  let room: RoomStatus
  /// The rooms that the user may see.
  let rooms: [RoomStatus]
  /// The runs that are under way.
  let running: [RunReport]
  /// Each device with its description, in the order of the file.
  let devices: [(snapshot: DeviceSnapshot, description: DeviceDescription)]
  /// The time of the status, from which ages and positions are computed.
  let now: Duration

  /// `{"event": …, "activity": …, "playback": …, "rooms": […], "running": […], "devices": […]}`; without `playback`
  /// while no player belongs to the activity.
  var json: JSON {
    var object: JSONObject = [
      "event": .string(event), "activity": room.report.json(in: room.room.id),
    ]
    object["playback"] = room.playback
    object["rooms"] = .array(rooms.map(\.json))
    object["running"] = .array(
      running.map { ["id": .string($0.id), "scene": .string($0.scene)] })
    object["devices"] = .array(devices.map { $0.snapshot.json(of: $0.description, now: now) })
    return .object(object)
  }
}

extension DeviceSnapshot {
  /// The playback at this time, for the API; `nil` for a device that has none.
  func playbackJSON(at now: Duration) -> JSON? {
    guard let reading = state.readings[.playback], var playback = state.playback else { return nil }
    playback.position = playback.position(after: now - reading.time)
    return playback.json
  }
}
