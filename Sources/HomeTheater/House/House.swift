import Devices

/// Owns what is on in the rooms. Each change is published, and stored for the next start of the controller.
@TheaterActor
final class House {
  var state = HouseState()
  let stored: ActivityRecorder
  private let events: EventLog
  private let ageLimits: AgeLimitMonitor
  private let loudness: LoudnessLimits

  nonisolated init(
    events: EventLog, stored: ActivityRecorder, ageLimits: AgeLimitMonitor,
    loudness: LoudnessLimits
  ) {
    self.events = events
    self.stored = stored
    self.ageLimits = ageLimits
    self.loudness = loudness
  }

  subscript(room: RoomID) -> RoomState {
    get { state[room] }
    set { state[room] = newValue }
  }

  /// Publishes what is on in a room.
  func publish(_ room: RoomID) {
    events.publish(.activity(self[room].session.report, room))
    store(room)
  }

  /// Stores what is on in a room, with the present limits.
  func store(_ room: RoomID) {
    let session = self[room].session
    var activity = StoredActivity(session, in: room)
    if let limit = session.activity.flatMap(loudness.limit) { activity?.volumeLimit = limit }
    if let player = session.activity?.player, let limit = ageLimits.limits[player] {
      activity?.ageLimit = limit.ageLimit
    }
    stored.record(activity, in: room)
  }

  /// Changes what is on in a room, and publishes it if its report is another one.
  func update(_ room: RoomID, _ change: (inout RoomState) -> Void) {
    let before = self[room].session.report
    change(&self[room])
    if self[room].session.report != before { publish(room) }
  }
}
