import Accounts
import Devices
import HomeTheater
import HTTPTypes
import Hummingbird
import JSON

/// An error response. All have one form, with the members that apply:
/// `{"error": {"code": …, "message": …, "hint": …, "device": …, "step": …}}`.
package struct APIError: Error, Sendable, Hashable {
  /// The status of the answer.
  package var status: HTTPResponse.Status
  /// A constant for programs: `notFound`.
  package var code: String
  /// The description of the failure.
  package var message: String
  /// The next action.
  package var hint: String?
  /// The name of the device that failed.
  package var device: String?
  /// The id of the scene's step, such as `2.1`.
  package var step: String?
  /// The field of a form that has to change: `password`.
  package var field: String?
  /// Seconds until a retry makes sense.
  package var retryAfter: Int?
  /// The number of remaining tries for a one-time code.
  package var triesLeft: Int?
  /// The mistakes of a configuration, each as the component `ConfigurationProblem`.
  package var problems: [JSON] = []
  /// The header `Allow` of a 405: `GET, POST`.
  package var allowed: String?

  init(
    _ status: HTTPResponse.Status, _ code: String, _ message: String, hint: String? = nil,
    device: String? = nil, step: String? = nil, field: String? = nil
  ) {
    self.status = status
    self.code = code
    self.message = message
    self.hint = hint
    self.device = device
    self.step = step
    self.field = field
  }

  /// The body of the response.
  package var json: JSON {
    var error: JSONObject = ["code": .string(code), "message": .string(message)]
    if let hint { error["hint"] = .string(hint) }
    if let device { error["device"] = .string(device) }
    if let step { error["step"] = .string(step) }
    if let field { error["field"] = .string(field) }
    if let retryAfter { error["retryAfter"] = .integer(retryAfter) }
    if let triesLeft { error["triesLeft"] = .integer(triesLeft) }
    if !problems.isEmpty { error["problems"] = .array(problems) }
    return ["error": .object(error)]
  }

  /// The step and device of the error, for the log: `step 3, amp: `.
  var source: String {
    let parts = [step.map { "step \($0)" }, device].compactMap(\.self)
    return parts.isEmpty ? "" : parts.joined(separator: ", ") + ": "
  }

  /// The response. Without a time of its own, a 429 or 503 asks for a retry after 2 seconds.
  var response: Response {
    var response = Response(json, status: status)
    if status == .unauthorized { response.headers[.wwwAuthenticate] = "Bearer" }
    if let allowed { response.headers[.allow] = allowed }
    let hurried: [HTTPResponse.Status] = [.serviceUnavailable, .tooManyRequests]
    if let seconds = retryAfter ?? (hurried.contains(status) ? 2 : nil) {
      response.headers[.retryAfter] = "\(seconds)"
    }
    return response
  }
}

extension APIError {
  /// The request was read, but its content is not valid.
  static func invalid(_ message: String, hint: String? = nil) -> APIError {
    APIError(.unprocessableContent, "invalid", message, hint: hint)
  }

  static func notFound(_ message: String) -> APIError {
    APIError(.notFound, "notFound", message)
  }

  /// The path exists, but not with this method.
  static func methodNotAllowed(_ method: String, allowed: [String]) -> APIError {
    var error = APIError(
      .methodNotAllowed, "methodNotAllowed", "this path has no method \(method.prefix(20))",
      hint: "Possible: \(allowed.joined(separator: ", ")).")
    error.allowed = allowed.joined(separator: ", ")
    return error
  }

  /// A change of something that others may change needs the version from which it was made
  /// (RFC 6585, section 3).
  static let versionNeeded = APIError(
    HTTPResponse.Status(code: 428, reasonPhrase: "Precondition Required"), "versionNeeded",
    "the request names no version of the text that it replaces",
    hint: "Send If-Match: \"HASH\" with the hash of GET /configuration.")

  /// A configuration with mistakes.
  static func invalidConfiguration(_ problems: [JSON]) -> APIError {
    let errors = problems.count { $0["severity"] == "error" }
    var error = APIError(
      .unprocessableContent, "invalidConfiguration",
      "the configuration has \(errors) \(errors == 1 ? "mistake" : "mistakes"); nothing was changed",
      hint: "Correct the mistakes in \"problems\", and send it again.")
    error.problems = problems
    return error
  }

  /// No path has the method.
  static func methodNotImplemented(_ method: String) -> APIError {
    APIError(
      .notImplemented, "notImplemented", "no path has the method \(method.prefix(20))",
      hint: "Use GET, HEAD, POST, PUT or DELETE.")
  }

  /// An unexpected error. The log has the details.
  static let internalFailure = APIError(
    .internalServerError, "internal", "the controller failed",
    hint: "The controller's log says why.")

  static let unreadable = APIError(.badRequest, "malformed", "the request cannot be read")

  /// A header or the query is not stream-safe text: comparing it could take very long.
  static func unsafe(_ place: String) -> APIError {
    APIError(
      .badRequest, "malformed",
      "\(place) has more than \(TextLimits.marksInARow) combining marks in a row",
      hint: "Send text in stream-safe form (UAX #15, section 13).")
  }

  static let tooManyElements = APIError.invalid(
    "a list or an object in the body has more than \(SecurityMiddleware.mostElements) elements",
    hint: "Send fewer.")

  static let wrongContentType = APIError(
    .unsupportedMediaType, "unsupportedMediaType", "the body is not declared as JSON",
    hint: "Send it with Content-Type: application/json.")

  static let bodyTooLarge = APIError(
    .contentTooLarge, "tooLarge",
    "the body is larger than \(SecurityMiddleware.largestBody / 1024) KiB",
    hint: "Send less.")

  /// The connection closed within the body, or the body has an invalid form.
  static let brokenBody = APIError(
    .badRequest, "malformed", "the body cannot be read to its end",
    hint: "Send it whole, with Content-Length or in chunks (RFC 9112, section 6).")

  /// The body is not a JSON text.
  init(_ error: JSONSyntaxError) {
    self.init(
      .badRequest, "malformed", "the body cannot be read as JSON: \(error.description)",
      hint: "Send one JSON value (RFC 8259).")
  }

  init(_ error: TheaterError) {
    let status: HTTPResponse.Status =
      switch error.code {
      case .notFound: .notFound
      case .invalid: .unprocessableContent
      case .forbidden: .forbidden
      case .notNow, .cancelled: .conflict
      case .deviceFailed: .serviceUnavailable
      }
    self.init(
      status, error.code.rawValue, error.message, hint: error.hint, device: error.device?.name,
      step: error.step)
  }

  init(_ error: AccountError) {
    let status: HTTPResponse.Status =
      switch error.code {
      case .empty, .malformed, .tooShort, .tooLong, .outOfRange, .unsuitable: .unprocessableContent
      case .codeInvalid, .codeWrong, .codeExpired, .secondFactorNeeded, .forbidden, .proofNeeded:
        .forbidden
      case .setupClosed, .taken, .lastOwner, .factorActive, .noFactor, .deliveryUnavailable,
        .tooManyTokens:
        .conflict
      case .notFound: .notFound
      case .tooEarly: .tooManyRequests
      case .wrongCredentials, .notLoggedIn: .unauthorized
      case .tooManyTries: .tooManyRequests
      case .busy, .cancelled: .serviceUnavailable
      case .deliveryFailed: .badGateway
      case .storageFull: HTTPResponse.Status(code: 507, reasonPhrase: "Insufficient Storage")
      case .storageFailed, .internalFailure: .internalServerError
      }
    self.init(
      status, error.code.rawValue, error.message, hint: error.hint, field: error.field?.rawValue)
    retryAfter = error.retryAfter
    triesLeft = error.triesLeft
  }

  /// Translates a refusal of Hummingbird; `nil` for a status that the API does not use.
  init?(_ error: HTTPError, _ request: Request) {
    switch error.status {
    case .notFound:
      self = .notFound("there is no \(request.uri.path.boundedLine(maximumBytes: 200))")
    case .contentTooLarge: self = .bodyTooLarge
    case .badRequest: self = .unreadable
    default: return nil
    }
  }
}

extension Response {
  /// An answer with a JSON value.
  init(_ json: JSON, status: HTTPResponse.Status = .ok) {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(512)
    json.append(to: &bytes)
    self.init(jsonText: ByteBuffer(bytes: bytes), status: status)
  }

  /// An answer with a JSON text.
  init(jsonText: ByteBuffer, status: HTTPResponse.Status = .ok) {
    self.init(
      status: status, headers: [.contentType: "application/json"],
      body: ResponseBody(byteBuffer: jsonText))
  }
}
