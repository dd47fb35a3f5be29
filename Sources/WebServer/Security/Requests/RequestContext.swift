import Accounts
import HomeTheater
import HTTPTypes
import Hummingbird
import JSON
import NIOCore
import TheaterAPI

/// An authorized request.
struct RequestContext: Sendable {
  let request: Request
  let context: ConnectionContext
  /// The declaration of the route that answers it.
  let route: Route
  /// The requester; `nil` on routes that are open to everyone.
  let requester: Caller?
  /// The token of a session in the request, valid or not.
  let sessionToken: String?
  /// The cookies of a listener for browsers; `nil` for the Unix socket.
  let cookies: BrowserCookies?
  /// The body of a `.json` route; an empty object where there is none.
  let body: JSON
  /// The body of a `.text` route.
  let text: ByteBuffer

  /// The requester of a route that needs one.
  func caller() throws(APIError) -> Caller {
    guard let requester else { throw APIError(AccountError.notLoggedIn) }
    return requester
  }

  /// The session of the request, with its token.
  /// - Throws: 403 for an access token.
  func session() throws(APIError) -> (principal: SessionPrincipal, token: String) {
    guard case .session(let principal, let token) = try caller() else {
      throw APIError(
        AccountError.tokenMayNot("No access token may. Log in, and do it yourself."))
    }
    return (principal, token)
  }

  /// The requesting person or guest.
  /// - Throws: 403 for an access token.
  func principal() throws(APIError) -> SessionPrincipal { try session().principal }

  /// The requester for the audit log.
  func actor() throws(APIError) -> AuditActor { try caller().actor }

  /// The requester as the theater knows it.
  func theaterPrincipal() throws(APIError) -> Principal { try caller().theaterPrincipal }

  /// The part of the path that the route captures as `name`, decoded.
  func captured(_ name: String) throws(APIError) -> String {
    guard let text = context.captured(name) else { throw .notFound("the path names no \(name)") }
    return text
  }

  /// The members of the body, as the route declares them.
  func fields() throws(APIError) -> BodyFields {
    guard case .json(let schema) = route.body else { return try BodyFields(body, .request()) }
    return try BodyFields(body, schema)
  }

  /// A parameter of the query; `nil` without it.
  ///
  /// - Parameters:
  ///   - expected: The valid values, for the error.
  ///   - read: Returns the value of a text; `nil` for an invalid one.
  func query<Value>(
    _ name: String, _ expected: String, _ read: (String) -> Value?
  ) throws(APIError) -> Value? {
    var uri = request.uri
    // A plus sign is a space, as forms and browsers write it (WHATWG, URL standard).
    if let query = uri.query, query.utf8.contains(UInt8(ascii: "+")) {
      uri = .init("/?\(query.replacing("+", with: "%20"))")
    }
    guard let text = uri.queryParameters[name[...]].map(String.init) else { return nil }
    guard let value = read(text) else {
      throw .invalid("\"\(name)\" is \"\(text.prefix(60))\", expected \(expected)")
    }
    return value
  }

  /// A whole number of the query.
  func query(
    _ name: String, _ expected: String, in range: ClosedRange<Int>
  ) throws(APIError) -> Int? {
    try query(name, expected) { text in
      Int(text).flatMap { range.contains($0) ? $0 : nil }
    }
  }

  /// How long the answer may wait for the end of a run or command (RFC 7240).
  var preferredWait: PreferredWait { PreferredWait(request.headers[values: .prefer]) }
}

/// Hummingbird's context of a request, with its connection.
package struct ConnectionContext: Hummingbird.RequestContext {
  /// Hummingbird's own part of the context.
  package var coreContext: CoreRequestContextStorage
  /// The connection of the request. A closed connection has no addresses.
  let channel: any Channel
  /// The address of its other end; `nil` on a Unix socket.
  let peer: String?
  /// The port that was connected to; `nil` on a Unix socket.
  let localPort: Int?

  /// Reads the addresses of both ends from the connection.
  package init(source: ApplicationRequestContextSource) {
    coreContext = CoreRequestContextStorage(source: source)
    channel = source.channel
    peer = channel.peer
    localPort = channel.localAddress?.port
  }

  /// The part of the path that the route captures as `name`, decoded; `nil` if there is none.
  func captured(_ name: String) -> String? {
    parameters.get(name).flatMap { PercentEncoding.decode($0) }
  }
}
