import Accounts
import Devices
import HomeTheater
import HTTPTypes
import Hummingbird
import JSON
import Logging
import NIOCore
import NIOHTTP1

/// What every request passes: the rules for browsers, one form of paths, one shape for errors, the
/// headers that keep a browser from doing more than it should. Nothing of what fails inside reaches
/// the outside.
struct SecurityMiddleware: RouterMiddleware {
  /// The largest body that is read, in bytes.
  static let largestBody = 64 * 1024
  /// The most elements of each list and members of each object in a body.
  static let mostElements = 100
  /// The methods that are known on every path, allowed there or not. Any other is 501.
  static let methods: Set<HTTPRequest.Method> = [
    .get, .head, .post, .put, .patch, .delete, .options, .trace,
  ]

  let admission: Admission
  /// `nil` where no browser comes.
  let rules: BrowserRules?
  /// Whether browsers are to come with TLS alone from now on (RFC 6797).
  let insistsOnTLS: Bool

  func handle(
    _ request: Request, context: ConnectionContext,
    next: (Request, ConnectionContext) async throws -> Response
  ) async throws -> Response {
    var response: Response
    do {
      try check(request, context)
      let origin = await Origin(of: request, context)
      response = try await Origin.$current.withValue(origin) {
        try await DeviceToken.$presented.withValue(admission.device(of: request)) {
          try await next(request, context)
        }
      }
    } catch {
      response = await refusal(error, request, context)
    }
    response.headers.addBrowserRules(insistsOnTLS: insistsOnTLS)
    // The headers that GET would have, and nothing behind them (RFC 9110, section 9.3.2). An answer
    // without a length is a stream, which has none here either.
    let hasLength = response.headers.contains(.contentLength)
    return request.method == .head && hasLength ? response.createHeadResponse() : response
  }

  /// The answer to a request that failed.
  private func refusal(_ error: any Error, _ request: Request, _ context: ConnectionContext) async
    -> Response
  {
    guard var known = Self.known(error, request) else {
      context.logger.error(
        "\(request.method) \(request.uri.path) failed",
        metadata: ["error": "\(type(of: error)): \(error)"])
      return Response(status: .internalServerError)
    }
    // Who is not logged in learns nothing, not even what there is.
    if [.notFound, .methodNotAllowed, .notImplemented].contains(known.status) {
      do throws(APIError) {
        _ = try await admission.caller(of: request)
      } catch {
        known = error
      }
    }
    if known.status.code >= 500, known.status != .notImplemented {
      context.logger.warning(
        "\(request.method) \(request.uri.path): \(known.place)\(known.message)",
        metadata: ["status": "\(known.status.code)"])
    }
    return known.response
  }

  private static func known(_ error: any Error, _ request: Request) -> APIError? {
    switch error {
    case let error as APIError: error
    case let error as TheaterError: APIError(error)
    case let error as AccountError: APIError(error)
    case let error as JSONSyntaxError: APIError(error)
    case let error as HTTPError: APIError(error, request)
    case is HTTPParserError: .unreadable
    default: nil
    }
  }

  private func check(_ request: Request, _ context: ConnectionContext) throws(APIError) {
    // Check before anything compares the texts: UAX #15 explains the limit. `Host` is the authority.
    guard request.headers.allSatisfy({ $0.value.isStreamSafe }),
      request.head.authority?.isStreamSafe ?? true
    else { throw .unsafe("a header") }
    guard request.uri.query?.decodedLeniently.isStreamSafe ?? true else {
      throw .unsafe("the query")
    }
    if let rules {
      // A browser cannot reach a listener without a port.
      guard let port = context.localPort else { throw .misdirected }
      try rules.check(request.head, port: port)
    }
    guard request.head.path?.utf8.first == UInt8(ascii: "/"),
      CanonicalPath.holds(request.uri.path)
    else {
      throw .notFound("there is no \(request.uri.path.boundedLine(maximumBytes: 200))")
    }
    guard Self.methods.contains(request.method) else {
      throw .methodNotImplemented(request.method.rawValue)
    }
  }
}

extension HTTPFields {
  /// Adds what browsers are told to do and to leave with any answer of the API.
  /// - Parameter insistsOnTLS: Whether to send Strict-Transport-Security (RFC 6797).
  mutating func addBrowserRules(insistsOnTLS: Bool) {
    self[.contentSecurityPolicy] =
      "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox"
    self[.xContentTypeOptions] = "nosniff"
    self[.xFrameOptions] = "DENY"
    self[.cacheControl] = "no-store"
    self[.referrerPolicy] = "no-referrer"
    self[.crossOriginResourcePolicy] = "same-origin"
    self[.crossOriginOpenerPolicy] = "same-origin"
    if insistsOnTLS { self[.strictTransportSecurity] = "max-age=31536000" }
  }
}
