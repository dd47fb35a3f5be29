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
struct Edge: RouterMiddleware {
  /// The largest body that is read, in bytes.
  static let largestBody = 64 * 1024
  /// The most elements of each list and members of each object in a body.
  static let mostElements = 100

  let admission: Admission
  /// `nil` where no browser comes.
  let rules: BrowserRules?
  /// Whether browsers are to come with TLS alone from now on (RFC 6797).
  let insistsOnTLS: Bool

  func handle(
    _ request: Request, context: RemoteContext,
    next: (Request, RemoteContext) async throws -> Response
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
    secure(&response.headers)
    // The headers that GET would have, and nothing behind them (RFC 9110, section 9.3.2).
    return request.method == .head ? response.createHeadResponse() : response
  }

  /// The answer to a request that failed.
  private func refusal(_ error: any Error, _ request: Request, _ context: RemoteContext) async
    -> Response
  {
    guard var known = Self.known(error, request) else {
      context.logger.error(
        "\(request.method) \(request.uri.path) failed",
        metadata: ["error": "\(type(of: error)): \(error)"])
      return Response(status: .internalServerError)
    }
    // Who is not logged in learns nothing, not even what there is.
    if known.status == .notFound || known.status == .methodNotAllowed {
      do throws(APIError) {
        _ = try await admission.caller(of: request)
      } catch {
        known = error
      }
    }
    if known.status.code >= 500 {
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

  private func check(_ request: Request, _ context: RemoteContext) throws(APIError) {
    if let rules {
      // A listener without a port is no listener that a browser could find.
      guard let port = context.localPort else { throw .misdirected }
      try rules.check(request.head, port: port)
    }
    // Before anything compares them: UAX #15 says what the limit is for.
    guard request.headers.allSatisfy({ $0.value.isStreamSafe }) else { throw .unsafe("a header") }
    guard request.uri.query?.decodedLeniently.isStreamSafe ?? true else {
      throw .unsafe("the query")
    }
    guard request.head.path?.utf8.first == UInt8(ascii: "/"),
      CanonicalPath.holds(request.uri.path)
    else {
      throw .notFound("there is no \(request.uri.path.boundedLine(maximumBytes: 200))")
    }
  }

  /// What browsers are told to do and to leave with any answer of the API.
  private func secure(_ headers: inout HTTPFields) {
    headers[.contentSecurityPolicy] =
      "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox"
    headers[.xContentTypeOptions] = "nosniff"
    headers[.xFrameOptions] = "DENY"
    headers[.cacheControl] = "no-store"
    headers[.referrerPolicy] = "no-referrer"
    headers[.crossOriginResourcePolicy] = "same-origin"
    headers[.crossOriginOpenerPolicy] = "same-origin"
    if insistsOnTLS { headers[.strictTransportSecurity] = "max-age=31536000" }
  }
}
