import APIClient
import JSON

/// The theater's status, kept up to date by events. All texts are printable.
struct LiveTheaterStatus: Sendable {
  private(set) var activity: JSON
  /// The refused edit of `devices.json`, without details if an event reported it; `nil` if the file
  /// is in force.
  private(set) var refusedEdit: JSON?
  /// The devices in the order of the snapshot, followed by those that were added later.
  private(set) var devices: [JSON]
  /// The playback of the activity's player, valid at `playbackTime`.
  private(set) var playback: JSON?
  private var playbackTime = 0.0

  /// - Parameter time: The arrival of the snapshot, in monotonic seconds.
  init(snapshot: JSON, at time: Double) {
    let snapshot = snapshot.printable
    activity = snapshot["activity"] ?? [:]
    devices = snapshot["devices"]?.array ?? []
    playback = snapshot["playback"]
    refusedEdit = snapshot["configuration"]
    playbackTime = time
  }

  /// Applies an event.
  mutating func apply(_ event: ServerSentEvent, at time: Double) {
    let json = event.json.printable
    switch event.name {
    case "activity":
      activity = json
      readPlayback(at: time)
    case "device":
      if let index = devices.firstIndex(where: { $0["id"] == json["id"] }) {
        devices[index] = json
      } else {
        devices.append(json)
      }
      if json["id"] == activity["player"] { readPlayback(at: time) }
    case "configuration":
      refusedEdit = json["status"] == "refused" ? [:] : nil
      let removed = json["removed"]?.array ?? []
      devices.removeAll { device in removed.contains { $0 == device["id"] } }
      if removed.contains(where: { $0 == activity["player"] }) { readPlayback(at: time) }
    default: break
    }
  }

  /// Returns the position at `time`, in seconds; `nil` if it is unknown.
  func position(at time: Double) -> Double? {
    guard let playback, let position = playback["position"]?.number else { return nil }
    let moved = position + max(0, time - playbackTime) * (playback["rate"]?.number ?? 0)
    return playback["duration"]?.number.map { min($0, moved) } ?? moved
  }

  /// Reads the playback anchor from the player's state and subtracts its age.
  private mutating func readPlayback(at time: Double) {
    let player = devices.first { $0["id"] == activity["player"] && activity["player"] != nil }
    guard let reading = player?["state"]?["playback"] else {
      playback = nil
      return
    }
    playback = reading["value"]
    playbackTime = time - (reading["age"]?.number ?? 0)
  }
}
