import Accounts
import Devices
import HTTPTypes
import Hummingbird
import JSON
import Logging
import NIOCore
import TheaterAPI

/// Checks the session or access token and the permission of a request, then reads its body. In that order: the body of
/// an anonymous request is never read. It may arrive late, so both are checked again after it.
struct RequestAuthorizer: Sendable {
  let accountService: AccountService
  /// The cookies of a listener for browsers; `nil` for the Unix socket.
  let cookies: BrowserCookies?
  /// Whether the listener uses TLS or is the Unix socket, so that others on the network cannot read it.
  let isConfidential: Bool
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
    var caller = try await permittedCaller(of: request, context, by: route, body: nil)
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
      // The session may have ended or lost its role while the body arrived, and the body may name what an access token
      // must be allowed.
      caller = try await permittedCaller(of: request, context, by: route, body: json)
    }
    let response = try await bound.respond(
      RequestContext(
        request: request, context: context, route: route, requester: caller,
        sessionToken: sessionToken(of: request), cookies: cookies, body: json, text: text))
    // A stream of events counts each of its texts.
    guard !route.isStream else { return response }
    let recipient =
      caller.map { .user($0.account.text) }
      ?? UnreadAnswerLimiter.Recipient.stranger(on: context.channel)
    return response.counted(by: unreadAnswers, for: recipient, on: context.channel)
  }

  /// Returns the requester; `nil` on routes that are open to everyone.
  /// - Parameter body: The body; `nil` before it is read.
  /// - Throws: 401 without a session or access token, 403 without the permission of the route.
  private func permittedCaller(
    of request: Request, _ context: ConnectionContext, by route: Route, body: JSON?
  ) async throws(APIError) -> Caller? {
    guard case .permitted(let permission, let tokens) = route.access else { return nil }
    let known = try await caller(of: request, context)
    switch known {
    case .session(let principal, _):
      guard principal.may(permission) else { throw principal.refusal }
    case .token(let principal, _):
      do throws(APIError) {
        try tokens.check(principal, captured: context.captured, body: body)
        guard principal.permissions.contains(permission) else {
          throw APIError(AccountError.forbidden("do this"))
        }
      } catch {
        // It may be stolen: its owner sees in the audit log what was tried.
        await accountService.tokens.recordRefusal(
          of: principal, to: "\(route.method.rawValue) \(route.path)")
        throw error
      }
    }
    return known
  }

  /// Whether reading the body costs little.
  private static func hasShortBody(_ request: Request) -> Bool {
    guard let length = request.headers[.contentLength] else {
      return request.headers[.transferEncoding] == nil
    }
    return Int(length).map { $0 <= 4096 } ?? false
  }

  /// The person, guest or program that made the request.
  /// - Throws: 401 without a session or access token, 403 for an access token that others can read, 429 after too many
  ///   wrong access tokens.
  func caller(
    of request: Request, _ context: ConnectionContext
  ) async throws(APIError) -> Caller {
    do throws(AccountError) {
      if let secret = bearer(of: request), AccessTokenSecret.isMeant(by: secret) {
        return .token(
          try await accountService.tokens.resolve(
            secret, isProtected: Self.isProtected(context.peer, isConfidential: isConfidential)),
          secret: secret)
      }
      guard let token = sessionToken(of: request) else { throw .notLoggedIn }
      return .session(try await accountService.sessions.resolve(token), token: token)
    } catch {
      throw APIError(error)
    }
  }

  /// Whether a request is protected from others on the network: by TLS, the Unix socket or loopback.
  /// - Parameter peer: The address of the other end.
  static func isProtected(_ peer: String?, isConfidential: Bool) -> Bool {
    isConfidential || peer.flatMap { PeerAddress($0) }?.isLoopback == true
  }

  /// The token of a session in `Authorization`; without that header the browser's cookie. An access token is not one,
  /// and in a cookie it counts for nothing.
  private func sessionToken(of request: Request) -> String? {
    guard request.headers.contains(.authorization) else {
      return cookies?.session.value(in: request.headers)
    }
    return bearer(of: request).flatMap { AccessTokenSecret.isMeant(by: $0) ? nil : $0 }
  }

  /// The secret of `Authorization: Bearer SECRET`, the scheme in any case (RFC 9110, section 11.1).
  private func bearer(of request: Request) -> String? {
    guard let header = request.headers[.authorization] else { return nil }
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
