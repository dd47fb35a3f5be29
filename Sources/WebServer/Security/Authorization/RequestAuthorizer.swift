import Accounts
import Devices
import HTTPTypes
import Hummingbird
import JSON
import Logging
import NIOCore
import TheaterAPI

/// Checks the session and permission of a request, then reads its body. In that order: the body of
/// an anonymous request is never read. It may arrive late, so both are checked again after it.
struct RequestAuthorizer: Sendable {
  let accountService: AccountService
  /// The cookies of a listener for browsers; `nil` for the Unix socket.
  let cookies: BrowserCookies?
  /// Bounds the answers that clients do not read.
  let unreadAnswers: UnreadAnswerLimiter

  /// Answers a request that `route` permits.
  ///
  /// - Throws: 401 without a session, 403 without the permission, 4xx for an unreadable body.
  func respond(
    to request: Request, _ context: ConnectionContext, by bound: BoundRoute
  ) async throws -> Response {
    if bound.isBrief(), Self.hasShortBody(request) {
      return try await authorizeAndRespond(to: request, context, by: bound)
    }
    return try await withTaskExecutorPreference(globalConcurrentExecutor) {
      try await authorizeAndRespond(to: request, context, by: bound)
    }
  }

  private func authorizeAndRespond(
    to request: Request, _ context: ConnectionContext, by bound: BoundRoute
  ) async throws -> Response {
    let route = bound.route
    var caller = try await permittedCaller(of: request, by: route)
    var json = JSON.object([:])
    var text = ByteBuffer()
    switch route.body {
    case .none: break
    case .text: text = try await Self.body(of: request, context)
    case .json(let schema):
      let bytes = try await Self.body(of: request, context)
      if bytes.readableBytes > 0 {
        json = try JSON(parsing: bytes.readableBytesView)
        guard !json.exceeds(elements: SecurityMiddleware.mostElements) else {
          throw APIError.tooManyElements
        }
      }
      // Routes without members do not read the body themselves.
      if schema == .request() { _ = try BodyFields(json, schema) }
    }
    switch route.body {
    case .none: break
    case .text, .json:
      // The session may have ended or lost its role while the body arrived.
      caller = try await permittedCaller(of: request, by: route)
    }
    let response = try await bound.respond(
      RequestContext(
        request: request, context: context, route: route, session: caller,
        token: token(of: request), cookies: cookies, body: json, text: text))
    // A stream of events counts each of its texts.
    guard !route.isStream else { return response }
    let recipient =
      caller.map { .user($0.principal.account.text) }
      ?? UnreadAnswerLimiter.Recipient.stranger(on: context.channel)
    return response.counted(by: unreadAnswers, for: recipient, on: context.channel)
  }

  /// Returns the session of the request; `nil` on routes that are open to everyone.
  /// - Throws: 401 without a session, 403 without the permission of the route.
  private func permittedCaller(
    of request: Request, by route: Route
  ) async throws(APIError) -> Caller? {
    guard case .permitted(let permission) = route.access else { return nil }
    let known = try await caller(of: request)
    guard known.principal.may(permission) else { throw known.principal.refusal }
    return known
  }

  /// Whether reading the body costs little.
  private static func hasShortBody(_ request: Request) -> Bool {
    guard let length = request.headers[.contentLength] else {
      return request.headers[.transferEncoding] == nil
    }
    return Int(length).map { $0 <= 4096 } ?? false
  }

  /// The session of the request.
  func caller(of request: Request) async throws(APIError) -> Caller {
    guard let token = token(of: request) else { throw APIError(AccountError.notLoggedIn) }
    do {
      return Caller(principal: try await accountService.sessions.resolve(token), token: token)
    } catch {
      throw APIError(error)
    }
  }

  /// `Authorization: Bearer TOKEN`, the scheme in any case (RFC 9110, section 11.1); without that
  /// header the browser's cookie.
  private func token(of request: Request) -> String? {
    guard let header = request.headers[.authorization] else {
      return cookies?.session.value(in: request.headers)
    }
    let scheme = header.prefix(7)
    guard scheme.count == 7, scheme.lowercased() == "bearer " else { return nil }
    return String(header.dropFirst(7))
  }

  /// The token of a device that has logged in before: the header `Theater-Device`, or without it the
  /// browser's cookie.
  func device(of request: Request) -> DeviceToken? {
    let text = request.headers[.theaterDevice] ?? cookies?.device.value(in: request.headers)
    return text.flatMap { DeviceToken($0) }
  }

  /// Reads the body. A refusal that follows from the head is sent before the body is requested.
  private static func body(of request: Request, _ context: ConnectionContext) async throws
    -> ByteBuffer
  {
    let headers = request.headers
    // A length that no `Int` holds is too large as well.
    let length = headers[.contentLength].map { Int($0) ?? .max }
    if let length, length > SecurityMiddleware.largestBody { throw APIError.bodyTooLarge }
    let type = headers[.contentType]?.split(separator: ";").first?.lowercased()
    let isJSON = type == "application/json"
    // An empty body needs no type, and chunks may turn out to be empty. A client that waits for
    // `100 Continue` has a body.
    let isWaiting = headers[.expect]?.lowercased() == "100-continue"
    guard isJSON || length == 0 || length == nil && !isWaiting else {
      throw APIError.wrongContentType
    }
    let body: ByteBuffer
    do {
      if isWaiting { try await context.channel.triggerUserOutboundEvent(BodyWanted()) }
      body = try await request.body.collect(upTo: SecurityMiddleware.largestBody)
    } catch is NIOTooManyBytesError {
      // A chunked body announces no length.
      throw APIError.bodyTooLarge
    } catch {
      // Invalid chunks, or the connection closed too early: the client's fault, so not logged above
      // debug level.
      context.logger.debug(
        "\(request.method) \(request.uri.path): the body breaks off",
        metadata: ["error": "\(error)"])
      throw APIError.brokenBody
    }
    guard isJSON || body.readableBytes == 0 else { throw APIError.wrongContentType }
    return body
  }
}
