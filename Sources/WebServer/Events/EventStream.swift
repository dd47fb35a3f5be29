import Accounts
import Devices
import HomeTheater
import HTTPTypes
import Hummingbird
import JSON
import NIOCore
import ServiceLifecycle

/// Everything that happens, as server-sent events (WHATWG HTML, section 9.2).
///
/// Ids are `boot-sequence`. A listener that names the last one it saw gets what it missed, and so
/// does one that was slow; where that is not known any more it gets a `snapshot` first. The stream
/// ends at once when its session does, when the listener goes, and when the controller stops.
struct EventStream: Sendable {
  /// How often a silent stream shows that it lives.
  static let keepAlive = Duration.seconds(15)
  /// How many bytes are written at once, and how many events are looked at for it: one that is
  /// larger alone is written alone.
  private static let portion = (bytes: 32 * 1024, events: 32)

  let theater: HomeTheaterFacade
  let accountService: AccountService
  let places: EventStreamLimiter

  /// The answer that goes on until something ends it. HEAD gets its header fields, and opens none.
  func response(to call: RequestContext) throws(APIError) -> Response {
    guard let caller = call.caller else { throw APIError(AccountError.notLoggedIn) }
    let headers: HTTPFields = [.contentType: "text/event-stream", .xAccelBuffering: "no"]
    guard call.request.method != .head else {
      return Response(
        status: .ok, headers: headers, body: ResponseBody { try await $0.finish(nil) })
    }
    let place = try places.take(caller.principal.session, of: caller.principal.account)
    let lastID = call.request.headers[.lastEventID]
    let request = call.request
    let channel = call.context.channel
    return Response(
      status: .ok,
      headers: headers,
      body: ResponseBody { writer in
        let feed = EventFeed(theater.events.subscribe(), on: channel)
        try await request.body.consumeWithInboundCloseHandler { _ in
          try await withGracefulShutdownHandler {
            try await send(to: &writer, feed, caller: caller, after: lastID)
          } onGracefulShutdown: {
            feed.end()
          }
        } onInboundClosed: {
          feed.end()
        }
        withExtendedLifetime(place) {}
      })
  }

  private func send(
    to writer: inout any ResponseBodyWriter, _ feed: EventFeed, caller: Caller,
    after lastID: String?
  ) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        await accountService.sessions.waitForEnd(of: caller.token, for: caller.principal)
        feed.end()
      }
      group.addTask { await watch(caller, feed) }
      defer { group.cancelAll() }
      try await write(
        to: &writer, feed, for: caller.principal.theaterPrincipal,
        after: theater.events.sequence(of: lastID))
      try await writer.finish(nil)
    }
  }

  /// Asks for a sign of life in intervals, as long as the session lives.
  private func watch(_ caller: Caller, _ feed: EventFeed) async {
    let clock = theater.clock
    while (try? await clock.sleep(until: clock.now() + Self.keepAlive)) != nil {
      // A clock that was set back wakes nobody; a session whose age is not known then is seen here.
      guard await accountService.sessions.isOpen(caller.token, for: caller.principal) else {
        return feed.end()
      }
      feed.remind()
    }
  }

  /// - Parameter place: The last event that the listener knows; `nil` where it names none.
  private func write(
    to writer: inout any ResponseBodyWriter, _ feed: EventFeed, for principal: Principal,
    after place: Int?
  ) async throws {
    var text = EventText()
    text.comment("here you are")
    var place = place ?? -1
    var hasMore = true
    var rings = feed.rings.makeAsyncIterator()
    while !feed.isOver {
      if hasMore {
        hasMore = try await append(to: &text, after: &place, for: principal)
      }
      if feed.takeReminder(), text.count == 0 { text.comment("still here") }
      if text.count > 0 {
        try await writer.write(text.take())
      } else if !hasMore {
        guard await rings.next() != nil else { return }
        hasMore = true
      }
    }
  }

  /// Adds the next portion of what happened after `place`, or how things stand where that is not
  /// known any more.
  /// - Returns: whether there may be more.
  private func append(
    to text: inout EventText, after place: inout Int, for principal: Principal
  ) async throws -> Bool {
    let log = theater.events
    guard let entries = log.entries(after: place, most: Self.portion.events) else {
      place = log.sequence
      text.event("snapshot", id: log.id(of: place), data: try await theater.status(for: principal))
      return true
    }
    let now = theater.clock.now()
    for entry in entries {
      if text.count >= Self.portion.bytes { return true }
      text.event(entry.event.name, id: log.id(of: entry), data: entry.event.json(now: now))
      place = entry.sequence
    }
    return !entries.isEmpty
  }
}
