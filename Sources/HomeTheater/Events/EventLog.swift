import Synchronization

/// A bounded, resumable log of theater events.
///
/// Nothing is queued for a subscriber. It is signalled when there are new events, and reads those after
/// the last one that it knows.
package final class EventLog: Sendable {
  /// An event with its number.
  package struct Entry: Sendable {
    /// 1 for the first event after the start; rises by one.
    package let sequence: Int
    package let event: TheaterEvent
  }

  /// The number of newest events that are kept, unless they take more than 2 MiB. A subscriber that is further
  /// behind gets the newest event of each device, activity and run.
  package static let capacity = 512

  private struct State {
    var history = EventHistory(capacity: EventLog.capacity)
    var subscribers: [Int: AsyncStream<Void>.Continuation] = [:]
    var nextKey = 0
  }

  /// The id of this start of the controller. Event ids of an earlier start are not valid.
  package let boot: String
  private let state = Mutex(State())

  /// - Parameter boot: The id of this start; random, so that ids of an earlier start do not match.
  package init(boot: String = String(UInt64.random(in: .min ... .max), radix: 36)) {
    self.boot = boot
  }

  /// The id of an entry, `boot-sequence`.
  package func id(of entry: Entry) -> String { id(of: entry.sequence) }
  /// The id of the entry at `sequence`.
  package func id(of sequence: Int) -> String { "\(boot)-\(sequence)" }

  /// The number of the event with this id; `nil` for ids of another start.
  package func sequence(of id: String?) -> Int? {
    guard let id, id.hasPrefix(boot + "-") else { return nil }
    return Int(id.dropFirst(boot.count + 1))
  }

  /// The number of the newest event. A snapshot taken now includes it.
  package var sequence: Int { state.withLock { $0.history.sequence } }
  /// The id of the newest event.
  package var currentID: String { "\(boot)-\(sequence)" }
  /// The number of events kept.
  package var count: Int { state.withLock { $0.history.count } }

  /// Appends an event and signals all subscribers.
  package func publish(_ event: TheaterEvent) {
    let subscribers = state.withLock { state in
      state.history.append(event)
      return Array(state.subscribers.values)
    }
    // Outside the lock, against a deadlock: when a subscriber is cancelled, the runtime holds its task's lock and calls
    // `onTermination`, which takes this lock. The order of the signals does not matter.
    for subscriber in subscribers { subscriber.yield() }
  }

  /// Returns the events after number `place`, in order.
  ///
  /// - Parameter most: The maximum number of events.
  /// - Returns: `nil` if the subscriber needs a snapshot: an event after `place` was dropped whose subject has no later
  ///   one, or `place` is out of range.
  package func entries(after place: Int, most: Int = .max) -> [Entry]? {
    state.withLock { $0.history.entries(after: place, most: most) }
  }

  /// Returns a subscription that is signalled at each event from now on, and ends with the log.
  package func subscribe() -> EventSubscription {
    let (signals, continuation) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let key = state.withLock { state in
      state.nextKey += 1
      state.subscribers[state.nextKey] = continuation
      return state.nextKey
    }
    continuation.onTermination = { [weak self] _ in
      self?.state.withLock { _ = $0.subscribers.removeValue(forKey: key) }
    }
    return EventSubscription(signals: signals, continuation: continuation)
  }

  /// Ends all subscriptions.
  package func close() {
    let subscribers = state.withLock { state in
      defer { state.subscribers = [:] }
      return Array(state.subscribers.values)
    }
    for subscriber in subscribers { subscriber.finish() }
  }
}

/// The signals of one subscriber of the event log. Signals that arrive while it is busy become one.
package struct EventSubscription: Sendable {
  /// Ends with the event log, with `end()`, and when the subscriber's task is cancelled.
  package let signals: AsyncStream<Void>
  fileprivate let continuation: AsyncStream<Void>.Continuation

  /// Wakes the subscriber.
  package func signal() { continuation.yield() }

  /// Ends the subscription.
  package func end() { continuation.finish() }
}
