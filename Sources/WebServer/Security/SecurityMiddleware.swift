import Accounts
import Devices
import HomeTheater
import HTTPTypes
import Hummingbird
import JSON
import Logging
import NIOCore
import NIOHTTP1

/// Checks every request before its route: the rules for browsers, the form of the path, the method.
/// Turns every error into an answer, without details of internal failures, and adds the security
/// headers.
struct SecurityMiddleware: RouterMiddleware {
  /// The largest accepted body, in bytes.
  static let largestBody = 64 * 1024
  /// The most elements of each list and members of each object in a body.
  static let mostElements = 100
  /// The methods that HTTP defines for resources. A path that lacks one of them answers 405; any other
  /// method is 501.
  static let methods: Set<HTTPRequest.Method> = [
    .get, .head, .post, .put, .patch, .delete, .options, .trace,
  ]

  let authorizer: RequestAuthorizer
  /// The checks of a listener for browsers; `nil` for the Unix socket.
  let rules: BrowserRules?
  /// Whether answers tell browsers to use TLS only (RFC 6797).
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
        try await DeviceToken.$presented.withValue(authorizer.device(of: request)) {
          try await next(request, context)
        }
      }
    } catch {
      response = await errorResponse(to: request, error, context)
    }
    response.headers.addSecurityHeaders(insistsOnTLS: insistsOnTLS)
    // HEAD gets the headers of GET and no body (RFC 9110, section 9.3.2). An answer without a length
    // is a stream; its route has left out the body already.
    let hasLength = response.headers.contains(.contentLength)
    return request.method == .head && hasLength ? response.createHeadResponse() : response
  }

  /// Returns the answer to a failed request, and logs failures of the controller and its devices.
  private func errorResponse(
    to request: Request, _ error: any Error, _ context: ConnectionContext
  ) async -> Response {
    guard var known = Self.apiError(for: error, request) else {
      context.logger.error(
        "\(request.method) \(request.uri.path) failed",
        metadata: ["error": "\(type(of: error)): \(error)"])
      return APIError.internalFailure.response
    }
    // Anonymous requests get 401 for every path, existing or not.
    if [.notFound, .methodNotAllowed, .notImplemented].contains(known.status) {
      // Wrong access tokens are counted by their origin.
      let refusal = await Origin.$current.withValue(await Origin(of: request, context)) {
        () async -> APIError? in
        do throws(APIError) {
          _ = try await authorizer.caller(of: request, context)
          return nil
        } catch {
          return error
        }
      }
      if let refusal { known = refusal }
    }
    if known.status.code >= 500, known.status != .notImplemented {
      context.logger.warning(
        "\(request.method) \(request.uri.path): \(known.source)\(known.message)",
        metadata: ["status": "\(known.status.code)"])
    }
    return known.response
  }

  /// Returns the error as the API reports it; `nil` for an internal failure.
  private static func apiError(for error: any Error, _ request: Request) -> APIError? {
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
    // First of all, since comparing texts with many combining marks is slow (UAX #15). `Host` is the
    // authority.
    guard request.headers.allSatisfy({ $0.value.isStreamSafe }),
      request.head.authority?.isStreamSafe ?? true
    else { throw .unsafe("a header") }
    guard request.uri.query.map(PercentEncoding.decodeLeniently)?.isStreamSafe ?? true else {
      throw .unsafe("the query")
    }
    if let rules {
      // A connection without a port cannot come from a browser.
      guard let port = context.localPort else { throw .misdirected }
      try rules.check(request.head, port: port)
    }
    guard request.head.path?.utf8.first == UInt8(ascii: "/"),
      CanonicalPath.matches(request.uri.path)
    else {
      throw .notFound("there is no \(request.uri.path.boundedLine(maximumBytes: 200))")
    }
    guard Self.methods.contains(request.method) else {
      throw .methodNotImplemented(request.method.rawValue)
    }
  }
}

extension HTTPFields {
  /// The policy for answers of the API: a browser runs nothing in them and shows them in no frame.
  static let apiPolicy =
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox"

  /// Adds the headers that restrict what a browser does with an answer.
  /// - Parameter insistsOnTLS: Whether to send Strict-Transport-Security (RFC 6797).
  mutating func addSecurityHeaders(insistsOnTLS: Bool) {
    reserveCapacity(count + 9)
    // The page's files and pictures have set their own policy and lifetime, and what documents need.
    if !contains(.contentSecurityPolicy) {
      self[.contentSecurityPolicy] = Self.apiPolicy
      self[.cacheControl] = "no-store"
      addDocumentHeaders()
    }
    self[.xContentTypeOptions] = "nosniff"
    self[.xFrameOptions] = "DENY"
    self[.crossOriginResourcePolicy] = "same-origin"
    if insistsOnTLS { self[.strictTransportSecurity] = "max-age=31536000" }
  }

  /// Adds the headers that restrict what a document or a worker does.
  ///
  /// A script, a style sheet or a file of texts needs neither: an opener policy is for documents, a script without a
  /// referrer policy has that of its document or worker, and the page's style sheets load nothing.
  mutating func addDocumentHeaders() {
    self[.referrerPolicy] = "no-referrer"
    self[.crossOriginOpenerPolicy] = "same-origin"
  }
}
