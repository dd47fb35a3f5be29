import Devices
import HomeTheater
import JSON
import NIOCore
import Platform
import Synchronization

/// Sends the events of the theater to all open streams.
///
/// One task serves all streams, so that a text that many clients get is made once, and a quiet stream needs no task
/// of its own: a waiting task keeps several kilobytes.
final class EventBroadcaster: Sendable {
  /// The size at which a text ends. Its last event may exceed it.
  private static let most = (bytes: 32 * 1024, events: 32)

  private struct State {
    var streams: [ObjectIdentifier: OpenEventStream] = [:]
    /// Wakes the task, which runs while there are streams.
    var changes: EventSubscription?
  }

  let theater: HomeTheaterFacade
  let unreadAnswers: UnreadAnswerLimiter
  private let configuration: any ConfigurationService
  private let state = Mutex(State())

  init(
    theater: HomeTheaterFacade, configuration: any ConfigurationService,
    unreadAnswers: UnreadAnswerLimiter = UnreadAnswerLimiter()
  ) {
    self.theater = theater
    self.configuration = configuration
    self.unreadAnswers = unreadAnswers
  }

  /// Adds a stream, which gets a snapshot or the events that it missed.
  func add(_ stream: OpenEventStream) {
    state.withLock { state in
      state.streams[ObjectIdentifier(stream)] = stream
      guard state.changes == nil else { return }
      let changes = theater.events.subscribe()
      state.changes = changes
      // Detached, because it serves later streams too and must outlive this request.
      Task.detached { await self.run(changes) }
    }
    wake()
  }

  /// Whether a principal sees the levels of an amplifier.
  func shows(_ amplifier: DeviceID, to principal: Principal) -> Bool {
    let plan = theater.plan
    return plan.shows(plan.rooms(of: amplifier), to: plan.rooms(openTo: principal))
  }

  /// Removes a stream.
  func remove(_ stream: OpenEventStream) {
    state.withLock { $0.streams[ObjectIdentifier(stream)] = nil }
    wake()
  }

  /// Wakes the task that serves the streams.
  func wake() { state.withLock { $0.changes }?.signal() }

  /// Serves the streams until there are none, or the log is closed because the controller stops.
  private func run(_ changes: EventSubscription) async {
    await withDiscardingTaskGroup { group in
      for await _ in changes.signals {
        let streams = takeStreams(isEnding: false)
        guard !streams.isEmpty else { return changes.end() }
        send(to: streams, &group)
      }
      for stream in takeStreams(isEnding: true) { stream.end() }
    }
  }

  /// Returns the streams. If there are none, or the task is ending, the next stream starts another task.
  private func takeStreams(isEnding: Bool) -> [OpenEventStream] {
    state.withLock { state in
      if isEnding || state.streams.isEmpty { state.changes = nil }
      return Array(state.streams.values)
    }
  }

  private func send(to streams: [OpenEventStream], _ snapshots: inout DiscardingTaskGroup) {
    var texts: [TextKey: Text?] = [:]
    let plan = theater.plan
    for stream in streams {
      guard let place = stream.begin() else { continue }
      let key = TextKey(place: place, rooms: plan.rooms(openTo: stream.principal))
      let text = texts[key] ?? text(key, plan)
      texts[key] = .some(text)
      if let text {
        stream.send(text.bytes, upTo: text.place, hasMore: text.hasMore)
      } else {
        snapshots.addTask { await self.sendSnapshot(to: stream) }
      }
    }
  }

  /// What a text depends on.
  private struct TextKey: Hashable {
    /// The number of the last event that the client has.
    let place: Int
    /// The rooms that it may see; `nil` for all.
    let rooms: Set<RoomID>?
  }

  private struct Text {
    var bytes: ByteBuffer
    /// The number of the last event in it.
    var place: Int
    /// Whether the log has later events.
    var hasMore: Bool
  }

  /// Returns the events after a place, none if there are none yet; `nil` if the client needs a snapshot.
  private func text(_ key: TextKey, _ plan: TheaterPlan) -> Text? {
    let log = theater.events
    guard let entries = log.entries(after: key.place, most: Self.most.events) else { return nil }
    let now = theater.clock.now()
    var text = EventText()
    var place = key.place
    for entry in entries where text.count < Self.most.bytes {
      place = entry.sequence
      guard plan.shows(entry.event, to: key.rooms) else { continue }
      text.appendEvent(entry.event.name, id: log.id(of: entry), data: entry.event.json(now: now))
    }
    return Text(bytes: text.buffer, place: place, hasMore: place < log.sequence)
  }

  /// Sends the status, to a client whose next events the log no longer has.
  private func sendSnapshot(to stream: OpenEventStream) async {
    let log = theater.events
    let earlier = log.sequence
    let status = try? await configuration.status(
      of: theater, in: stream.room, for: stream.principal)
    guard let status else {
      stream.end()
      return stream.finishText()
    }
    // The status names its last event, which may be newer than `earlier`.
    let place = status["event"]?.string.flatMap(log.sequence(of:)) ?? earlier
    var text = EventText()
    text.appendEvent(.snapshot, id: log.id(of: place), data: status)
    stream.send(text.buffer, upTo: place, hasMore: place < log.sequence)
  }
}
