import Devices
import APIClient
import JSON

/// What is on in one room, kept up to date by events. All texts are printable.
struct LiveRoom: Sendable {
  let name: String?
  let title: String?
  fileprivate(set) var activity: JSON
  /// The playback of the activity's player, valid at `playbackTime`.
  fileprivate(set) var playback: JSON?
  fileprivate var playbackTime: Double

  /// - Parameters:
  ///   - room: A member of `rooms` of the status, or the status of a theater that has none.
  ///   - time: The arrival of the status, in monotonic seconds.
  fileprivate init(_ room: JSON, at time: Double) {
    name = room["name"]?.string
    title = room["title"]?.string
    activity = room["activity"] ?? [:]
    playback = room["playback"]
    playbackTime = time
  }

  /// Returns the position at `time`, in seconds; `nil` if it is unknown.
  func position(at time: Double) -> Double? {
    guard let playback, let position = playback["position"]?.number else { return nil }
    let moved = position + max(0, time - playbackTime) * (playback["rate"]?.number ?? 0)
    return playback["duration"]?.number.map { min($0, moved) } ?? moved
  }

  /// Reads the playback anchor from the player's state and subtracts its age.
  fileprivate mutating func readPlayback(from devices: [JSON], at time: Double) {
    let player = devices.first { $0["id"] == activity["player"] && activity["player"] != nil }
    guard let reading = player?["state"]?["playback"] else {
      playback = nil
      return
    }
    playback = reading["value"]
    playbackTime = time - (reading["age"]?.number ?? 0)
  }
}

/// The theater's status, kept up to date by events. All texts are printable.
struct LiveTheaterStatus: Sendable {
  /// The rooms in the order of the file; the room of the request alone where no other is known.
  private(set) var rooms: [LiveRoom]
  /// The runs of scenes that are under way, oldest first: id and scene.
  private(set) var running: [(id: String, scene: String)]
  /// The refused edit of `devices.json`, without details if an event reported it; `nil` if the file
  /// is in force.
  private(set) var refusedEdit: JSON?
  /// The devices in the order of the snapshot, followed by those that were added later.
  private(set) var devices: [JSON]

  /// - Parameter time: The arrival of the snapshot, in monotonic seconds.
  init(snapshot: JSON, at time: Double) {
    let snapshot = snapshot.printable
    let rooms = snapshot["rooms"]?.array ?? []
    self.rooms = (rooms.isEmpty ? [snapshot] : rooms).map { LiveRoom($0, at: time) }
    running = (snapshot["running"]?.array ?? []).compactMap { run in
      guard let id = run["id"]?.string, let scene = run["scene"]?.string else { return nil }
      return (id, scene)
    }
    devices = snapshot["devices"]?.array ?? []
    refusedEdit = snapshot["configuration"]
  }

  /// Applies an event.
  mutating func apply(_ event: ServerSentEvent, at time: Double) {
    let json = event.json.printable
    switch EventName(rawValue: event.name) {
    case .activity:
      guard
        let index = rooms.firstIndex(where: { $0.name == nil || $0.name == json["room"]?.string })
      else { return }
      rooms[index].activity = json
      rooms[index].readPlayback(from: devices, at: time)
    case .device:
      if let index = devices.firstIndex(where: { $0["id"] == json["id"] }) {
        devices[index] = json
      } else {
        devices.append(json)
      }
      readPlayback(of: [json["id"]], at: time)
    case .run: apply(run: json)
    case .configuration:
      refusedEdit = json["status"] == "refused" ? [:] : nil
      let removed = json["removed"]?.array ?? []
      devices.removeAll { device in removed.contains { $0 == device["id"] } }
      readPlayback(of: removed, at: time)
    case .snapshot, .library, .levels, nil: break
    }
  }

  private mutating func apply(run: JSON) {
    guard let id = run["id"]?.string, let scene = run["scene"]?.string else { return }
    guard run["status"] == "running" else { return running.removeAll { $0.id == id } }
    if !running.contains(where: { $0.id == id }) { running.append((id, scene)) }
  }

  private mutating func readPlayback(of players: [JSON?], at time: Double) {
    for index in rooms.indices where players.contains(rooms[index].activity["player"]) {
      rooms[index].readPlayback(from: devices, at: time)
    }
  }
}
