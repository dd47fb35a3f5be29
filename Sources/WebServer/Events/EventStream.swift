import Accounts
import Devices
import HomeTheater
import HTTPTypes
import Hummingbird
import JSON
import NIOCore
import Platform

/// The stream of server-sent events for one client (WHATWG HTML, section 9.2).
///
/// Ids are `boot-sequence`. A client that sends its last id gets the events since then, and a slow client gets the
/// events that it missed; if the log no longer has them, a `snapshot` comes first. The stream ends at once when its
/// session ends, the client disconnects or the controller stops. Its connection ends with it: a client that reused the
/// connection could lose the answer to its next request (see ``EventFeed/end()``).
struct EventStream: Sendable {
  /// The size of one write. An event that is larger is written alone.
  private static let batch = (bytes: 32 * 1024, events: 32)

  let theater: HomeTheaterFacade
  let configuration: any ConfigurationService
  let accountService: AccountService
  let limiter: EventStreamLimiter
  let keepAlives: KeepAliveTimer

  /// Returns the answer whose body is the stream. HEAD gets the header fields and opens no stream.
  func response(to context: RequestContext) throws(APIError) -> Response {
    let caller = try context.caller()
    let hasLevels = try context.query("levels", "true or false") { Bool($0) } ?? false
    var headers: HTTPFields = [.contentType: "text/event-stream", .xAccelBuffering: "no"]
    guard context.request.method != .head else {
      return Response(
        status: .ok, headers: headers, body: ResponseBody { try await $0.finish(nil) })
    }
    headers[.connection] = "close"
    let slot = try limiter.acquire(caller.principal.session, of: caller.principal.account)
    let lastID = context.request.headers[.lastEventID]
    let channel = context.context.channel
    return Response(
      status: .ok,
      headers: headers,
      body: ResponseBody { writer in
        let feed = EventFeed(theater.events.subscribe(), on: channel)
        let levels = hasLevels ? theater.levels.subscribe { feed.wake() } : nil
        // Many streams write at each event: not on the event loops, which have requests to answer.
        try await withTaskExecutorPreference(globalConcurrentExecutor) {
          try await send(to: &writer, feed, levels, caller: caller, after: lastID)
        }
        withExtendedLifetime(slot) {}
      })
  }

  private func send(
    to writer: inout any ResponseBodyWriter, _ feed: EventFeed, _ levels: LevelSubscription?,
    caller: Caller, after lastID: String?
  ) async throws {
    let watch = await accountService.sessions.watch(caller.token, for: caller.principal) {
      feed.end()
    }
    let registration = keepAlives.add { await keepAlive(caller, feed) }
    defer { withExtendedLifetime((watch, registration)) {} }
    try await write(
      to: &writer, feed, levels, for: caller.principal.theaterPrincipal,
      after: theater.events.sequence(of: lastID))
    try await writer.finish(nil)
  }

  /// Requests a keep-alive, or ends a stream whose session has ended.
  private func keepAlive(_ caller: Caller, _ feed: EventFeed) async {
    // `watch` misses the end of a session if the clock was set back.
    guard await accountService.sessions.isOpen(caller.token, for: caller.principal) else {
      return feed.end()
    }
    // It shows the room for weeks without any other request.
    if caller.principal.isWallTablet {
      _ = try? await accountService.sessions.resolve(caller.token)
    }
    feed.requestKeepAlive()
  }

  /// - Parameter sequence: The last event that the client knows; `nil` if it sent none.
  private func write(
    to writer: inout any ResponseBodyWriter, _ feed: EventFeed, _ levels: LevelSubscription?,
    for principal: Principal, after sequence: Int?
  ) async throws {
    var text = EventText()
    text.appendComment("connected")
    var sequence = sequence ?? -1
    var hasMore = true
    var signals = feed.signals.makeAsyncIterator()
    while !feed.isOver {
      if hasMore {
        if let entries = theater.events.entries(after: sequence, most: Self.batch.events) {
          append(entries, to: &text, after: &sequence)
          hasMore = !entries.isEmpty
        } else {
          try await appendSnapshot(to: &text, after: &sequence, for: principal)
        }
      }
      // Only the newest levels: a slow client skips the others.
      for entry in levels?.drain() ?? [] { text.appendEvent("levels", data: entry.json) }
      if feed.consumeKeepAlive(), text.count == 0 { text.appendComment("keep-alive") }
      if text.count > 0 {
        try await writer.write(text.drain())
      } else if !hasMore {
        guard await signals.next() != nil else { return }
        hasMore = true
      }
    }
  }

  /// Appends events until the text is as long as a write may be.
  private func append(
    _ entries: [EventLog.Entry], to text: inout EventText, after sequence: inout Int
  ) {
    let now = theater.clock.now()
    for entry in entries where text.count < Self.batch.bytes {
      text.appendEvent(
        entry.event.name, id: theater.events.id(of: entry), data: entry.event.json(now: now))
      sequence = entry.sequence
    }
  }

  /// Appends the status, for a client whose next events the log no longer has.
  private func appendSnapshot(
    to text: inout EventText, after sequence: inout Int, for principal: Principal
  ) async throws {
    let log = theater.events
    let earlier = log.sequence
    // In a task of its own: a task keeps the memory of its deepest calls until its end, and this one lasts for hours.
    let status = try await Task { try await configuration.status(of: theater, for: principal) }
      .value
    // The status names its last event, which may be newer than `earlier`.
    sequence = status["event"]?.string.flatMap(log.sequence(of:)) ?? earlier
    text.appendEvent("snapshot", id: log.id(of: sequence), data: status)
  }
}

/// A buffer of server-sent events.
struct EventText {
  private var bytes: [UInt8] = []

  /// The number of buffered bytes.
  var count: Int { bytes.count }

  /// Appends a comment, which clients ignore.
  mutating func appendComment(_ text: String) {
    bytes.append(contentsOf: ": \(text)\n\n".utf8)
  }

  /// Appends an event. JSON text has no line breaks, so its data is one line.
  ///
  /// - Parameter id: `nil` for an event after which a stream cannot be resumed.
  mutating func appendEvent(_ name: String, id: String? = nil, data: JSON) {
    if let id { bytes.append(contentsOf: "id: \(id)\n".utf8) }
    bytes.append(contentsOf: "event: \(name)\ndata: ".utf8)
    data.append(to: &bytes)
    bytes.append(contentsOf: "\n\n".utf8)
  }

  /// Returns and removes the buffered bytes.
  mutating func drain() -> ByteBuffer {
    // A stream mostly waits: a buffer that it kept would have the size of its largest event.
    defer { bytes = [] }
    return ByteBuffer(bytes: bytes)
  }
}
