import Devices
import JSON
import Synchronization

/// Something that happened, as everyone who listens is told.
package enum TheaterEvent: Sendable {
  /// A device's state, availability or capabilities changed.
  case device(DeviceID, Role, DeviceSnapshot)
  /// The activity began, went on or ended.
  case activity(ActivityReport)
  /// A run of a scene began, took a step or ended.
  case run(RunReport)
  /// Something that other parts of the program tell, already as JSON.
  case other(name: String, JSON)

  /// The event's name on the stream.
  package var name: String {
    switch self {
    case .device: "device"
    case .activity: "activity"
    case .run: "run"
    case .other(let name, _): name
    }
  }

  /// The event's data. Ages are counted from `now`, so they are right when it is sent late.
  package func json(now: Duration) -> JSON {
    switch self {
    case .device(let id, let role, let snapshot): snapshot.json(id: id, role: role, now: now)
    case .activity(let report): report.json
    case .run(let report): report.json
    case .other(_, let json): json
    }
  }
}

/// The one stream of events: kept for a while, so that a listener who was away can go on.
package final class EventLog: Sendable {
  /// An event with its place in the stream.
  package struct Entry: Sendable {
    package let sequence: Int
    package let event: TheaterEvent
  }

  /// What a new listener gets.
  package struct Subscription: Sendable {
    /// What was missed; `nil` when that is not known any more and a snapshot is due.
    package let missed: [Entry]?
    /// Everything from now on. A listener who is slower than `capacity` events loses the oldest,
    /// which shows as a gap in the sequence: a snapshot is due then too.
    package let events: AsyncStream<Entry>
  }

  /// How many events are kept, and how many may wait for a slow listener.
  package static let capacity = 512

  private struct State {
    var sequence = 0
    var recent: [Entry] = []
    var listeners: [Int: AsyncStream<Entry>.Continuation] = [:]
    var nextListener = 0
  }

  /// Names this run of the controller, so that ids of an earlier one are not taken for ours.
  package let boot: String
  private let state = Mutex(State())
  private let telling = Mutex(())

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
  package var sequence: Int { state.withLock { $0.sequence } }
  /// The id of the newest event.
  package var currentID: String { "\(boot)-\(sequence)" }

  /// Tells everyone.
  package func publish(_ event: TheaterEvent) {
    // Listeners are told under a lock of its own, which keeps the order. `state` must be free then:
    // a listener that is cancelled meanwhile takes itself off the list while its task is locked.
    telling.withLock { _ in
      let (entry, listeners) = state.withLock { state in
        state.sequence += 1
        let entry = Entry(sequence: state.sequence, event: event)
        state.recent.append(entry)
        if state.recent.count >= 2 * Self.capacity { state.recent.removeFirst(Self.capacity) }
        return (entry, Array(state.listeners.values))
      }
      for listener in listeners { listener.yield(entry) }
    }
  }

  /// Listens, from the event after `lastID` if that is still known.
  package func subscribe(after lastID: String? = nil) -> Subscription {
    let (stream, continuation) = AsyncStream.makeStream(
      of: Entry.self, bufferingPolicy: .bufferingNewest(Self.capacity))
    let (key, missed) = state.withLock { state in
      let key = state.nextListener
      state.nextListener += 1
      state.listeners[key] = continuation
      return (key, missedEntries(after: lastID, in: state))
    }
    continuation.onTermination = { [weak self] _ in
      self?.state.withLock { _ = $0.listeners.removeValue(forKey: key) }
    }
    return Subscription(missed: missed, events: stream)
  }

  /// Ends every listener's stream.
  package func close() {
    let listeners = state.withLock { state in
      defer { state.listeners = [:] }
      return Array(state.listeners.values)
    }
    for listener in listeners { listener.finish() }
  }

  private func missedEntries(after id: String?, in state: State) -> [Entry]? {
    guard let sequence = sequence(of: id), sequence <= state.sequence else { return nil }
    if sequence == state.sequence { return [] }
    guard let first = state.recent.first, first.sequence <= sequence + 1 else { return nil }
    return state.recent.filter { $0.sequence > sequence }
  }
}

extension DeviceSnapshot {
  /// The device for the API.
  package func json(id: DeviceID, role: Role, now: Duration) -> JSON {
    var object: JSONObject = [
      "id": .string(id.name), "role": .string(role.rawValue), "title": .string(role.title),
    ]
    switch availability {
    case .starting: object["availability"] = "starting"
    case .available: object["availability"] = "available"
    case .unavailable(let reason):
      object["availability"] = "unavailable"
      object["reason"] = .string(reason)
    }
    object["state"] = state.json(now: now)
    object["attributes"] = state.attributesJSON
    object["capabilities"] = .array(capabilities.names.sorted().map { .string($0) })
    return .object(object)
  }
}
