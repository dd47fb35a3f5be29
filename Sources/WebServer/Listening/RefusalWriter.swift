import Hummingbird
import JSON
import NIOCore
import NIOHTTP1

/// Gives the answer to a request that the HTTP parser refuses the API's error shape.
///
/// Hummingbird answers a parser's error after the answers to the requests before it, with an empty
/// 400, and closes. That 400 is the one answer that belongs to no request: it is replaced.
final class RefusalWriter: ChannelDuplexHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart
  typealias OutboundIn = HTTPServerResponsePart
  typealias OutboundOut = HTTPServerResponsePart

  private let insistsOnTLS: Bool
  /// Requests whose answers are not out yet.
  private var open = 0
  /// Why the parser refused a request; nothing after it is read.
  private var refusal: APIError?

  /// - Parameter insistsOnTLS: Whether browsers are to come with TLS alone from now on.
  init(insistsOnTLS: Bool = false) { self.insistsOnTLS = insistsOnTLS }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    if case .head = unwrapInboundIn(data) { open += 1 }
    context.fireChannelRead(data)
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    if refusal == nil, let error = error as? HTTPParserError { refusal = APIError(error) }
    context.fireErrorCaught(error)
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    switch unwrapOutboundIn(data) {
    case .head:
      guard open == 0, let refusal else { break }
      var response = refusal.response
      response.headers.addBrowserRules(insistsOnTLS: insistsOnTLS)
      var head = HTTPResponseHead(
        version: .http1_1, status: HTTPResponseStatus(statusCode: response.status.code))
      for field in response.headers {
        head.headers.add(name: field.name.rawName, value: field.value)
      }
      head.headers.add(name: "Connection", value: "close")
      context.write(wrapOutboundOut(.head(head)), promise: nil)
      let body = ByteBuffer(string: refusal.json.text())
      return context.write(wrapOutboundOut(.body(.byteBuffer(body))), promise: promise)
    case .body: break
    case .end: open = max(0, open - 1)
    }
    context.write(data, promise: promise)
  }
}

extension APIError {
  /// Creates the error for a request that the HTTP parser refused.
  init(_ error: HTTPParserError) {
    switch error {
    case .headerOverflow:
      self.init(
        .requestHeaderFieldsTooLarge, "tooLarge", "the head of the request is too large",
        hint:
          "A head has at most \(HeadLimits.bytes / 1024) KiB in \(HeadLimits.lines) lines, each "
          + "of at most \(HeadLimits.lineBytes / 1024) KiB.")
    case .invalidVersion:
      self.init(
        .httpVersionNotSupported, "malformed", "the request is in another version of HTTP",
        hint: "Ask by HTTP/1.1.")
    default:
      self.init(
        .badRequest, "malformed", "the request cannot be read",
        hint: "Send a request in the form of HTTP/1.1 (RFC 9112), its target a path.")
    }
  }
}

/// The largest head of a request that is read.
enum HeadLimits {
  /// The request line and all header fields together.
  static let bytes = 16 * 1024
  /// The target, or one header field.
  static let lineBytes = 8 * 1024
  /// Header fields.
  static let lines = 64
}
