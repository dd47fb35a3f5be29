/// What happened, as far as it is kept: the newest events as they were, and of older ones the newest
/// of each subject. So a listener that was away or is slow costs nothing: it is told the newest of
/// everything, however much happened, from what is kept once for all.
struct EventHistory {
  /// An event with its place in the stream.
  typealias Entry = EventLog.Entry

  /// The place of the newest event.
  private(set) var sequence = 0
  /// The newest events, without a gap.
  private var recent: [Entry] = []
  /// Of what came before, the newest of each subject.
  private var older: [TheaterEvent.Subject: Entry] = [:]
  /// The newest event that is gone, and that none of those that are kept stands for.
  private var lost = 0
  private let capacity: Int

  /// - Parameter capacity: How many events are kept as they were, at least, and how many subjects at
  ///   most.
  init(capacity: Int) { self.capacity = capacity }

  /// How many events are kept.
  var count: Int { recent.count + older.count }

  mutating func append(_ event: TheaterEvent) {
    sequence += 1
    recent.append(Entry(sequence: sequence, event: event))
    if recent.count >= 2 * capacity { settle() }
  }

  /// What happened after `place`, in order, at most `most` of it; `nil` where something of it is
  /// lost, or was never.
  func entries(after place: Int, most: Int) -> [Entry]? {
    guard (lost...sequence).contains(place) else { return nil }
    if sequence - place <= recent.count {
      return Array(recent.suffix(sequence - place).prefix(most))
    }
    let settled = older.values.filter { $0.sequence > place }.sorted { $0.sequence < $1.sequence }
    return Array((settled + recent).prefix(most))
  }

  /// Makes room: the oldest of what is kept as it was settles into the newest of each subject.
  private mutating func settle() {
    for entry in recent.prefix(capacity) {
      if let subject = entry.event.subject {
        older[subject] = entry
      } else {
        lost = entry.sequence
      }
    }
    recent.removeFirst(capacity)
    guard older.count > capacity else { return }
    // One look for all that go: each run is a subject of its own, so many go at once.
    let newestToGo = older.values.map(\.sequence).sorted()[older.count - capacity - 1]
    lost = max(lost, newestToGo)
    for subject in older.filter({ $0.value.sequence <= newestToGo }).keys { older[subject] = nil }
  }
}
