/// The requests of a queue that are not worked on yet: those whose time has not come, and those
/// whose turn has not. A value: `RequestQueue` guards it.
struct WaitingLine {
  typealias ID = UInt64

  struct Place {
    let id: ID
    let priority: RequestPriority
    let request: any QueuedRequest
  }

  /// Not admitted yet, each with the task that waits for its admission.
  private var postponed: [ID: (place: Place, admission: Task<Void, Never>)] = [:]
  /// In the order in which they came.
  private var ready: [Place] = []

  /// How many wait for whatever.
  var count: Int { postponed.count + ready.count }

  /// Adds one whose turn comes when a worker is free.
  mutating func join(_ place: Place) { ready.append(place) }

  /// Adds one that is not admitted yet.
  mutating func postpone(_ place: Place, until admission: Task<Void, Never>) {
    postponed[place.id] = (place, admission)
  }

  /// Takes out the first of the highest priority.
  mutating func next() -> Place? {
    let highest = ready.map(\.priority.rawValue).max()
    return ready.firstIndex { $0.priority.rawValue == highest }.map { ready.remove(at: $0) }
  }

  /// Takes one out, wherever it is.
  /// - Returns: false where it is not here.
  mutating func leave(_ id: ID) -> Bool {
    if let (_, admission) = postponed.removeValue(forKey: id) {
      admission.cancel()
      return true
    }
    guard let index = ready.firstIndex(where: { $0.id == id }) else { return false }
    ready.remove(at: index)
    return true
  }
}
