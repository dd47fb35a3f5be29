import Accounts
import Devices
import HomeTheater
import HTTPTypes
import Hummingbird
import JSON
import Logging

/// What every request passes: one shape for errors, one form of paths, the headers that keep a
/// browser from doing more than it should. Nothing of what fails inside reaches the outside.
struct Edge: RouterMiddleware {
  /// The largest body that is read, in bytes.
  static let largestBody = 64 * 1024

  let admission: Admission

  func handle(
    _ request: Request, context: RemoteContext,
    next: (Request, RemoteContext) async throws -> Response
  ) async throws -> Response {
    var response: Response
    do {
      try Self.checkPath(request)
      response = try await Origin.$current.withValue(Origin(of: request, context)) {
        try await DeviceToken.$presented.withValue(
          request.headers[.theaterDevice].flatMap { DeviceToken($0) }
        ) {
          try await next(request, context)
        }
      }
    } catch {
      response = await refusal(error, request, context)
    }
    Self.secure(&response.headers)
    return response
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
    default: nil
    }
  }

  /// A path has one form: no empty part, no `.` or `..`, nothing encoded that need not be.
  static func isCanonical(_ path: String) -> Bool {
    guard path.utf8.first == UInt8(ascii: "/") else { return false }
    if path == "/" { return true }
    return path.dropFirst().split(separator: "/", omittingEmptySubsequences: false).allSatisfy {
      part in
      guard !part.isEmpty, part != ".", part != ".." else { return false }
      guard part.utf8.contains(UInt8(ascii: "%")) else { return true }
      guard let plain = String(part).removingURLPercentEncoding() else { return false }
      return !plain.unicodeScalars.contains {
        $0 == "/" || $0 == "\\" || $0.properties.generalCategory == .control
      } && plain != "." && plain != ".."
    }
  }

  private static func checkPath(_ request: Request) throws(APIError) {
    guard request.head.path?.utf8.first == UInt8(ascii: "/"), isCanonical(request.uri.path) else {
      throw .notFound("there is no \(request.uri.path.prefix(200))")
    }
  }

  private static func secure(_ headers: inout HTTPFields) {
    headers[.contentSecurityPolicy] = "default-src 'none'; frame-ancestors 'none'"
    headers[.xContentTypeOptions] = "nosniff"
    headers[.cacheControl] = "no-store"
    headers[.referrerPolicy] = "no-referrer"
    headers[.crossOriginResourcePolicy] = "same-origin"
  }
}
