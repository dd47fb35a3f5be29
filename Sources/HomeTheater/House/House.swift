import Devices

/// Owns what is on in the rooms. Each change is published, and stored for the next start of the controller.
@TheaterActor
final class House {
  var state = HouseState()
  let stored: ActivityRecorder
  private let events: EventLog

  nonisolated init(events: EventLog, stored: ActivityRecorder) {
    self.events = events
    self.stored = stored
  }

  subscript(room: RoomID) -> RoomState {
    get { state[room] }
    set { state[room] = newValue }
  }

  /// Publishes what is on in a room.
  func publish(_ room: RoomID) {
    events.publish(.activity(self[room].session.report, room))
    stored.record(StoredActivity(self[room].session, in: room), in: room)
  }

  /// Changes what is on in a room, and publishes it if its report is another one.
  func update(_ room: RoomID, _ change: (inout RoomState) -> Void) {
    let before = self[room].session.report
    change(&self[room])
    if self[room].session.report != before { publish(room) }
  }
}
