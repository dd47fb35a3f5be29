import Accounts
import HomeTheater
import HTTPTypes
import Hummingbird
import JSON
import NIOCore

/// A request that was let in, as its route sees it.
struct RequestContext: Sendable {
  let request: Request
  let context: ConnectionContext
  /// Who asks, with the token that proved it; `nil` on routes that are open to everyone.
  let caller: Caller?
  /// The token that the request brings, whether it holds or not.
  let token: String?
  /// What the caller's browser may keep; `nil` where no browser comes.
  let cookies: BrowserCookies?
  /// The body of a `.json` route; an empty object where there is none.
  let body: JSON
  /// The body of a `.text` route.
  let text: ByteBuffer

  /// Who asks.
  func principal() throws(APIError) -> SessionPrincipal {
    guard let caller else { throw APIError(AccountError.notLoggedIn) }
    return caller.principal
  }

  /// The requesting user as the theater knows it.
  func theaterPrincipal() throws(APIError) -> Principal {
    try principal().theaterPrincipal
  }

  /// The part of the path that the route captures as `name`, decoded.
  func captured(_ name: String) throws(APIError) -> String {
    guard let part = context.parameters.get(name), let text = part.removingURLPercentEncoding()
    else { throw .notFound("the path names no \(name)") }
    return text
  }

  /// The members of the body, of which only those in `names` are known.
  func fields(_ names: String...) throws(APIError) -> BodyFields {
    try BodyFields(body, names: names)
  }

  /// How long the answer may wait for the end of what was asked (RFC 7240).
  var preferredWait: PreferredWait { PreferredWait(request.headers[values: .prefer]) }
}

/// A person with a session, for the length of one request.
struct Caller: Sendable {
  let principal: SessionPrincipal
  /// The secret itself: for asking again whether it still holds, and for logging out.
  let token: String
}

/// What Hummingbird hands from the edge to the routes.
package struct ConnectionContext: Hummingbird.RequestContext {
  package var coreContext: CoreRequestContextStorage
  /// The connection on which the request came. It may be closed by now, and has no addresses then.
  let channel: any Channel
  /// The address of its other end; `nil` on a Unix socket.
  let peer: String?
  /// The port that was connected to; `nil` on a Unix socket.
  let localPort: Int?

  package init(source: ApplicationRequestContextSource) {
    coreContext = CoreRequestContextStorage(source: source)
    channel = source.channel
    peer = channel.peer
    localPort = channel.localAddress?.port
  }
}

extension String {
  /// The text with every `%C3%A4` in place of what it stands for; `nil` where that is not UTF-8.
  func removingURLPercentEncoding() -> String? {
    guard utf8.contains(UInt8(ascii: "%")) else { return self }
    let (bytes, isExact) = percentDecoded
    return isExact ? String(validating: bytes, as: UTF8.self) : nil
  }

  /// The text decoded as far as it can be: every text that any of its parts can be decoded to stands
  /// in it.
  var decodedLeniently: String { String(decoding: percentDecoded.bytes, as: UTF8.self) }

  /// The bytes that the text stands for, and whether every `%` begins a code; those that do not stand
  /// as they are.
  private var percentDecoded: (bytes: [UInt8], isExact: Bool) {
    var bytes: [UInt8] = []
    var isExact = true
    var rest = utf8[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      let digits = rest.prefix(2)
      if digits.count == 2,
        let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
      {
        bytes.append(value)
        rest = rest.dropFirst(2)
      } else {
        bytes.append(byte)
        isExact = false
      }
    }
    return (bytes, isExact)
  }
}
