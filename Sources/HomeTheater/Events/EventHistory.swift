/// The kept events: the newest ones without a gap, and of the older ones the newest of each
/// subject.
///
/// All subscribers read the same events, so a slow or absent subscriber needs no memory of its own.
/// It skips intermediate states and gets the latest one.
struct EventHistory {
  typealias Entry = EventLog.Entry

  /// The number of the newest event.
  private(set) var sequence = 0
  /// The newest events, without a gap.
  private var recent: [Entry] = []
  /// The newest older event of each subject.
  private var older: [TheaterEvent.Subject: Entry] = [:]
  /// The number of the newest event that was dropped without a later event of its subject.
  private var lost = 0
  private let capacity: Int
  private let maximumBytes: Int
  /// The bytes of the recent events.
  private var recentBytes = 0

  /// - Parameters:
  ///   - capacity: The minimum number of newest events that are kept without a gap, and the maximum
  ///     number of subjects.
  ///   - maximumBytes: The most bytes of the events that are kept without a gap, as
  ///     `TheaterEvent.byteCount` counts them; the newest one is kept in any case. Above this
  ///     limit, fewer than `capacity` are kept without a gap.
  init(capacity: Int, maximumBytes: Int = 2 << 20) {
    self.capacity = capacity
    self.maximumBytes = maximumBytes
  }

  /// The number of events kept.
  var count: Int { recent.count + older.count }

  mutating func append(_ event: TheaterEvent) {
    sequence += 1
    recent.append(Entry(sequence: sequence, event: event))
    recentBytes += event.byteCount
    if recent.count >= 2 * capacity { compact(capacity) }
    while recentBytes > maximumBytes, recent.count > 1 { compact((recent.count + 1) / 2) }
  }

  /// Returns at most `most` events after number `place`, in order; `nil` if an event after it was
  /// dropped, or if there is no event `place`.
  func entries(after place: Int, most: Int) -> [Entry]? {
    guard (lost...sequence).contains(place) else { return nil }
    if sequence - place <= recent.count {
      return Array(recent.suffix(sequence - place).prefix(most))
    }
    let compacted = older.values.filter { $0.sequence > place }.sorted { $0.sequence < $1.sequence }
    return Array((compacted + recent).prefix(most))
  }

  /// Makes room: reduces the oldest `count` events to the newest of each subject.
  private mutating func compact(_ count: Int) {
    for entry in recent.prefix(count) {
      recentBytes -= entry.event.byteCount
      if let subject = entry.event.subject {
        older[subject] = entry
      } else {
        lost = entry.sequence
      }
    }
    recent.removeFirst(count)
    guard older.count > capacity else { return }
    // Each run has subjects of its own, so many are dropped at a time: sorting once finds them all.
    let newestDropped = older.values.map(\.sequence).sorted()[older.count - capacity - 1]
    lost = max(lost, newestDropped)
    for subject in older.filter({ $0.value.sequence <= newestDropped }).keys {
      older[subject] = nil
    }
  }
}
