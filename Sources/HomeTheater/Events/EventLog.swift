import Synchronization

/// The one stream of events: kept for a while, so that a listener who was away or is slow can go on.
///
/// Nothing is queued for a listener. It has a bell, which is rung when something happens, and asks
/// then for what came after the last event that it knows.
package final class EventLog: Sendable {
  /// An event with its place in the stream.
  package struct Entry: Sendable {
    package let sequence: Int
    package let event: TheaterEvent
  }

  /// How many events are kept as they were, at least; a listener that is further behind is told the
  /// newest of each device, activity and run.
  package static let capacity = 512

  private struct State {
    var history = EventHistory(capacity: EventLog.capacity)
    /// The bells without what is heard of them: a listener that is dropped takes its own away.
    var bells: [Int: AsyncStream<Void>.Continuation] = [:]
    var nextBell = 0
  }

  /// Names this run of the controller, so that ids of an earlier one are not taken for ours.
  package let boot: String
  private let state = Mutex(State())

  package init(boot: String = String(UInt64.random(in: .min ... .max), radix: 36)) {
    self.boot = boot
  }

  /// The id of an entry, `boot-sequence`.
  package func id(of entry: Entry) -> String { id(of: entry.sequence) }
  /// The id of the entry at `sequence`.
  package func id(of sequence: Int) -> String { "\(boot)-\(sequence)" }

  /// The place that an id of this run of the controller names.
  package func sequence(of id: String?) -> Int? {
    guard let id, id.hasPrefix(boot + "-") else { return nil }
    return Int(id.dropFirst(boot.count + 1))
  }

  /// The place of the newest event: a snapshot taken now stands there.
  package var sequence: Int { state.withLock { $0.history.sequence } }
  /// The id of the newest event.
  package var currentID: String { "\(boot)-\(sequence)" }
  /// How many events are kept.
  package var count: Int { state.withLock { $0.history.count } }

  /// Tells everyone.
  package func publish(_ event: TheaterEvent) {
    let bells = state.withLock { state in
      state.history.append(event)
      return Array(state.bells.values)
    }
    // Outside the lock: a listener that is cancelled meanwhile takes its bell off the list while its
    // task is locked. Nor does the order matter, since what happened is asked for.
    for bell in bells { bell.yield() }
  }

  /// What happened after the event at `place`, in order.
  ///
  /// - Parameter most: How many events are wanted at once.
  /// - Returns: `nil` where something of it is not known any more, or `place` is none: then a
  ///   snapshot is due.
  package func entries(after place: Int, most: Int = .max) -> [Entry]? {
    state.withLock { $0.history.entries(after: place, most: most) }
  }

  /// A bell that is rung at each event from now on, and ended with the stream.
  package func bell() -> EventSubscription {
    let (rings, continuation) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let key = state.withLock { state in
      state.nextBell += 1
      state.bells[state.nextBell] = continuation
      return state.nextBell
    }
    continuation.onTermination = { [weak self] _ in
      self?.state.withLock { _ = $0.bells.removeValue(forKey: key) }
    }
    return EventSubscription(rings: rings, continuation: continuation)
  }

  /// Ends every listener's stream.
  package func close() {
    let bells = state.withLock { state in
      defer { state.bells = [:] }
      return Array(state.bells.values)
    }
    for bell in bells { bell.finish() }
  }
}

/// What wakes one listener. Rung several times while nobody waits it rings once.
package struct EventSubscription: Sendable {
  /// Ends with the stream of events, and with the listening task.
  package let rings: AsyncStream<Void>
  fileprivate let continuation: AsyncStream<Void>.Continuation

  /// Wakes the listener.
  package func ring() { continuation.yield() }

  /// Nothing more will happen.
  package func end() { continuation.finish() }
}
