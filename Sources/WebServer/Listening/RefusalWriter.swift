import Hummingbird
import JSON
import NIOCore
import NIOHTTP1

/// Writes the API's error for a request that the HTTP parser refuses.
///
/// Hummingbird answers a parser error with an empty 400, after the answers to earlier requests, and
/// closes. That 400 belongs to no request, by which this handler recognises and replaces it.
final class RefusalWriter: ChannelDuplexHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart
  typealias OutboundIn = HTTPServerResponsePart
  typealias OutboundOut = HTTPServerResponsePart

  private let insistsOnTLS: Bool
  /// The number of unanswered requests.
  private var open = 0
  /// Why the parser refused a request; nothing after it is read.
  private var refusal: APIError?

  /// - Parameter insistsOnTLS: Whether answers tell browsers to use TLS only.
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
      response.headers.addSecurityHeaders(insistsOnTLS: insistsOnTLS)
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
        .httpVersionNotSupported, "malformed", "the HTTP version is not supported",
        hint: "Use HTTP/1.1.")
    default:
      self.init(
        .badRequest, "malformed", "the request cannot be read",
        hint: "Send a request in the form of HTTP/1.1 (RFC 9112), its target a path.")
    }
  }
}

/// The largest accepted head of a request.
enum HeadLimits {
  /// The request line and all header fields together.
  static let bytes = 16 * 1024
  /// The target, or one header field.
  static let lineBytes = 8 * 1024
  /// Header fields.
  static let lines = 64
}
