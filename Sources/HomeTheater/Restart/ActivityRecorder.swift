import Devices

/// Stores what is on in each room whenever that changes.
@TheaterActor
final class ActivityRecorder {
  private let store: any ActivityStore
  private let log: @Sendable (String) -> Void
  private let writes: OrderedWrites
  /// What is stored, or about to be, in each room that was recorded.
  private var recorded: [RoomID: StoredActivity?] = [:]

  nonisolated init(store: any ActivityStore, log: @escaping @Sendable (String) -> Void) {
    self.store = store
    self.log = log
    writes = OrderedWrites(log: log)
  }

  /// Records what is on in a room.
  ///
  /// - Parameter activity: `nil` while nothing is on.
  func record(_ activity: StoredActivity?, in room: RoomID) {
    if let before = recorded[room], before == activity { return }
    recorded[room] = .some(activity)
    let write = writes.write("what is on in \"\(room)\" could not be stored") { [store] in
      if let activity {
        try await store.save(activity)
      } else {
        try await store.removeActivity(in: room)
      }
    }
    Task {
      // The next change is written, even to the same value.
      if await !write.value { recorded[room] = nil }
    }
  }

  /// Returns what was on when the controller ended, in the rooms of which nothing is recorded yet.
  func read() async -> [StoredActivity] {
    do {
      return try await store.activities().filter { recorded[$0.room] == nil }
    } catch {
      log("what was on before the start could not be read: \(error)")
      return []
    }
  }

  /// Waits until everything that was recorded is stored.
  func waitForWrites() async { await writes.wait() }
}
