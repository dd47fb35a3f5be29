/// The jobs of a queue that have not begun: the postponed ones, and those that wait for a worker. A
/// value that `JobQueue` guards.
struct PendingJobs {
  typealias ID = UInt64

  struct Entry {
    let id: ID
    let priority: JobPriority
    let job: any QueuedJob
  }

  /// Each with the task that waits for its admission.
  private var postponed: [ID: (entry: Entry, admission: Task<Void, Never>)] = [:]
  /// In order of arrival.
  private var waiting: [Entry] = []

  var count: Int { postponed.count + waiting.count }

  mutating func append(_ entry: Entry) { waiting.append(entry) }

  mutating func postpone(_ entry: Entry, until admission: Task<Void, Never>) {
    postponed[entry.id] = (entry, admission)
  }

  /// Removes the oldest waiting job of the highest priority.
  mutating func popFirst() -> Entry? {
    let highest = waiting.map(\.priority.rawValue).max()
    return waiting.firstIndex { $0.priority.rawValue == highest }.map { waiting.remove(at: $0) }
  }

  /// Removes a job, postponed or waiting.
  /// - Returns: false when it is not pending.
  mutating func remove(_ id: ID) -> Bool {
    if let (_, admission) = postponed.removeValue(forKey: id) {
      admission.cancel()
      return true
    }
    guard let index = waiting.firstIndex(where: { $0.id == id }) else { return false }
    waiting.remove(at: index)
    return true
  }
}
