import Devices
import JSON

/// The state of the whole theater at one moment.
struct TheaterStatus: Sendable {
  /// The id of the newest event that the status includes.
  let event: String
  let activity: ActivityReport
  /// Each device with its description, in the order of the file.
  let devices: [(device: any Device, description: DeviceDescription)]
  /// The time of the status, from which ages and positions are computed.
  let now: Duration

  /// `{"event": …, "activity": …, "playback": …, "devices": […]}`; without `playback` while no player
  /// belongs to the activity.
  func json() async -> JSON {
    var object: JSONObject = ["event": .string(event), "activity": activity.json]
    var list: [JSON] = []
    for (device, description) in devices {
      let snapshot = await device.snapshot()
      list.append(snapshot.json(of: description, now: now))
      if device.id == activity.player, let reading = snapshot.state.readings[.playback],
        var playback = snapshot.state.playback
      {
        playback.position = playback.position(after: now - reading.time)
        object["playback"] = playback.json
      }
    }
    object["devices"] = .array(list)
    return .object(object)
  }
}
