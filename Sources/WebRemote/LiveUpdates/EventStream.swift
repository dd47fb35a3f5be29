import Accounts
import Devices
import HomeTheater
import HTTPTypes
import Hummingbird
import JSON
import ServiceLifecycle

/// Everything that happens, as server-sent events (WHATWG HTML, section 9.2).
///
/// Ids are `boot-sequence`. A listener that names the last one it saw gets what it missed; where
/// that is not known any more, or where it was too slow, it gets a `snapshot` first. The stream
/// ends at once when the session does, when the listener goes, and when the controller stops.
struct EventStream: Sendable {
  /// How often a silent stream shows that it lives, and asks whether its session does.
  static let keepAlive = Duration.seconds(15)
  /// How many bytes of what was missed are written at once.
  private static let portion = 64 * 1024

  let theater: HomeTheaterFacade
  let gate: Gate
  let places: StreamPlaces

  /// The answer that goes on until something ends it.
  func response(to call: Call) throws(APIError) -> Response {
    guard let caller = call.caller else { throw APIError(AccountError.notLoggedIn) }
    let place = try places.take(caller.principal.session)
    let lastID = call.request.headers[.lastEventID]
    let request = call.request
    return Response(
      status: .ok,
      headers: [.contentType: "text/event-stream", .xAccelBuffering: "no"],
      body: ResponseBody { writer in
        let feed = EventFeed()
        try await request.body.consumeWithInboundCloseHandler { _ in
          try await withGracefulShutdownHandler {
            try await send(to: &writer, feed, caller: caller, after: lastID)
          } onGracefulShutdown: {
            feed.end()
          }
        } onInboundClosed: {
          feed.end()
        }
        try await writer.finish(nil)
        withExtendedLifetime(place) {}
      })
  }

  private func send(
    to writer: inout any ResponseBodyWriter, _ feed: EventFeed, caller: Caller,
    after lastID: String?
  ) async throws {
    let subscription = theater.events.subscribe(after: lastID)
    let departures = gate.events.subscribe(losing: .nothing)
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        for await entry in subscription.events { feed.yield(.entry(entry)) }
        feed.end()
      }
      group.addTask {
        for await event in departures {
          if case .loggedOut(let who) = event, who.session == caller.principal.session { break }
        }
        feed.end()
      }
      group.addTask { await watch(caller, feed) }
      defer { group.cancelAll() }
      try await write(to: &writer, feed, after: lastID, missed: subscription.missed)
    }
  }

  /// Shows a sign of life in intervals, as long as the session lives.
  private func watch(_ caller: Caller, _ feed: EventFeed) async {
    let clock = theater.clock
    while true {
      // The first look comes after both subscriptions: a session that ended before is seen here.
      guard (try? await gate.resolve(caller.token)) != nil else { return feed.end() }
      guard (try? await clock.sleep(until: clock.now() + Self.keepAlive)) != nil else { return }
      feed.yield(.silence)
    }
  }

  private func write(
    to writer: inout any ResponseBodyWriter, _ feed: EventFeed, after lastID: String?,
    missed: [EventLog.Entry]?
  ) async throws {
    var text = EventText()
    text.comment("here you are")
    var last: Int
    if let missed {
      for entry in missed {
        append(entry, to: &text)
        if text.count >= Self.portion { try await writer.write(text.take()) }
      }
      last = missed.last?.sequence ?? theater.events.sequence(of: lastID) ?? 0
    } else {
      last = await appendSnapshot(to: &text)
    }
    try await writer.write(text.take())
    for await signal in feed.signals {
      if feed.isOver { return }
      switch signal {
      case .silence: text.comment("still here")
      case .entry(let entry):
        if entry.sequence <= last { continue }
        if entry.sequence == last + 1 {
          append(entry, to: &text)
          last = entry.sequence
        } else {
          // This listener was too slow and something is lost: begin anew from how things stand.
          last = await appendSnapshot(to: &text)
        }
      }
      try await writer.write(text.take())
    }
  }

  private func append(_ entry: EventLog.Entry, to text: inout EventText) {
    text.event(
      entry.event.name, id: theater.events.id(of: entry),
      data: entry.event.json(now: theater.clock.now()))
  }

  private func appendSnapshot(to text: inout EventText) async -> Int {
    let sequence = theater.events.sequence
    let status = await theater.status()
    text.event("snapshot", id: theater.events.id(of: sequence), data: status)
    return sequence
  }
}
