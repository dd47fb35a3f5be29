import APIClient
import JSON

/// What is known of the theater from its snapshot and the events after it, printable.
struct TheaterView: Sendable {
  private(set) var activity: JSON
  /// By id, in the order of the snapshot.
  private(set) var devices: [JSON]
  /// What the activity's player plays, and when that was known.
  private(set) var playback: JSON?
  private var playbackTime = 0.0

  /// - Parameter time: Monotonic seconds, when the snapshot came.
  init(snapshot: JSON, at time: Double) {
    let snapshot = snapshot.printable
    activity = snapshot["activity"] ?? [:]
    devices = snapshot["devices"]?.array ?? []
    playback = snapshot["playback"]
    playbackTime = time
  }

  /// Takes one event.
  mutating func take(_ event: ServerSentEvent, at time: Double) {
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
    default: break
    }
  }

  /// Where the film is at `time`, in seconds.
  func position(at time: Double) -> Double? {
    guard let playback, let position = playback["position"]?.number else { return nil }
    let moved = position + max(0, time - playbackTime) * (playback["rate"]?.number ?? 0)
    return playback["duration"]?.number.map { min($0, moved) } ?? moved
  }

  /// Takes the anchor from the player's state; its age says how old it is.
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
