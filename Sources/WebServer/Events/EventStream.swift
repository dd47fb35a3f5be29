import Accounts
import HTTPTypes
import HomeTheater
import Hummingbird
import NIOCore

/// The route of the stream of server-sent events (WHATWG HTML, section 9.2).
///
/// Ids are `boot-sequence`. A client that sends its last id gets the events since then, and a slow client gets the
/// events that it missed; if the log no longer has them, a `snapshot` comes first. The stream ends at once when its
/// session ends, the client disconnects or the controller stops. Its connection ends with it: a client that reused the
/// connection could lose the answer to its next request (see ``OpenEventStream/end()``).
struct EventStream: Sendable {
  let broadcaster: EventBroadcaster
  let accountService: AccountService
  let limiter: EventStreamLimiter
  let keepAlives: KeepAliveTimer
  /// The room whose activity a snapshot shows first; `nil` for the first one of the file.
  let room: RoomID?

  /// Returns the answer whose body is the stream. HEAD gets the header fields and opens no stream.
  func response(to context: RequestContext) async throws -> Response {
    let caller = try context.caller()
    let hasLevels = try context.query("levels", "true or false") { Bool($0) } ?? false
    var headers: HTTPFields = [.contentType: "text/event-stream", .xAccelBuffering: "no"]
    guard context.request.method != .head else {
      return Response(
        status: .ok, headers: headers, body: ResponseBody { try await $0.finish(nil) })
    }
    headers[.connection] = "close"
    let slot = try limiter.acquire(
      caller.credential, of: caller.account, as: caller.role)
    let lastID = context.request.headers[.lastEventID]
    let stream = OpenEventStream(
      of: caller.theaterPrincipal, in: room,
      after: broadcaster.theater.events.sequence(of: lastID), hasLevels: hasLevels,
      on: context.context.channel, by: broadcaster)
    let watch =
      switch caller {
      case .session(let principal, let token):
        await accountService.sessions.watch(token, for: principal) { stream.end() }
      case .token(let principal, let secret):
        await accountService.tokens.watch(secret, for: principal) { stream.end() }
      }
    let registration = keepAlives.add { await keepAlive(caller, stream) }
    return Response(
      status: .ok, headers: headers,
      body: ResponseBody { writer in
        // A task that waits for hours: what it calls here decides how much memory an open stream takes.
        await stream.serve()
        withExtendedLifetime((slot, watch, registration)) {}
        try await writer.finish(nil)
      })
  }

  /// Requests a keep-alive, or ends a stream whose session or access token has ended.
  private func keepAlive(_ caller: Caller, _ stream: OpenEventStream) async {
    // `watch` misses the end of a session or token if the clock was set back.
    switch caller {
    case .session(let principal, let token):
      guard await accountService.sessions.isOpen(token, for: principal) else {
        return stream.end()
      }
      // It shows the room for weeks without any other request.
      if principal.isWallTablet { _ = try? await accountService.sessions.resolve(token) }
    case .token(let principal, let secret):
      guard await accountService.tokens.isOpen(secret, for: principal) else {
        return stream.end()
      }
    }
    stream.requestKeepAlive()
  }
}
