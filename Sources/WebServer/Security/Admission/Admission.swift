import Accounts
import Devices
import HTTPTypes
import Hummingbird
import JSON
import Logging
import NIOCore

/// The gate at the edge: whose session a request brings, whether its role may do this, and then
/// what the request carries. In that order: a stranger's body is never read.
struct Admission: Sendable {
  let accountService: AccountService
  /// What browsers keep here; `nil` where none comes.
  let cookies: BrowserCookies?

  /// Lets a request through to `route`, or throws why not.
  func answer(_ request: Request, _ context: ConnectionContext, by route: Route) async throws
    -> Response
  {
    var caller: Caller?
    if case .permitted(let permission) = route.access {
      let known = try await self.caller(of: request)
      guard known.principal.may(permission) else { throw known.principal.refusal }
      caller = known
    }
    var json = JSON.object([:])
    var text = ByteBuffer()
    if route.body != .none {
      text = try await Self.body(of: request, context)
      if route.body == .json, text.readableBytes > 0 {
        json = try JSON(parsing: text.readableBytesView)
        guard !json.exceeds(elements: SecurityMiddleware.mostElements) else {
          throw APIError.tooManyElements
        }
      }
    }
    return try await route.answer(
      RequestContext(
        request: request, context: context, caller: caller, token: token(of: request),
        cookies: cookies, body: json, text: text))
  }

  /// Whose session the request brings.
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

  /// The device that the request comes from, where that has logged in before: `Theater-Device:
  /// TOKEN`, without that header the browser's cookie.
  func device(of request: Request) -> DeviceToken? {
    let text = request.headers[.theaterDevice] ?? cookies?.device.value(in: request.headers)
    return text.flatMap { DeviceToken($0) }
  }

  /// What the head tells against a body is said before it comes, and before it is asked for.
  private static func body(of request: Request, _ context: ConnectionContext) async throws
    -> ByteBuffer
  {
    let headers = request.headers
    // A length beyond every number is large, too.
    let length = headers[.contentLength].map { Int($0) ?? .max }
    if let length, length > SecurityMiddleware.largestBody { throw APIError.bodyTooLarge }
    let type = headers[.contentType]?.split(separator: ";").first?.lowercased()
    let isJSON = type == "application/json"
    // Chunks may turn out to be none, and nothing needs no type; who waits to be asked has something.
    let isWaiting = headers[.expect]?.lowercased() == "100-continue"
    guard isJSON || length == 0 || length == nil && !isWaiting else {
      throw APIError.wrongContentType
    }
    let body: ByteBuffer
    do {
      if isWaiting { try await context.channel.triggerUserOutboundEvent(BodyWanted()) }
      body = try await request.body.collect(upTo: SecurityMiddleware.largestBody)
    } catch is NIOTooManyBytesError {
      // A body that comes in chunks names no length before.
      throw APIError.bodyTooLarge
    } catch {
      // A form that HTTP does not have, or an end before the end: anybody may send that.
      context.logger.debug(
        "\(request.method) \(request.uri.path): the body breaks off",
        metadata: ["error": "\(error)"])
      throw APIError.brokenBody
    }
    guard isJSON || body.readableBytes == 0 else { throw APIError.wrongContentType }
    return body
  }
}
