import AccountFlows
import JSON
import Synchronization
import Validation

/// The controller's routes that send a one-time code and verify it.
struct RemoteCodes: CodeRequestService, CodeService {
  /// The channel that carries a code; the raw value is its name in the API.
  enum Channel: String, Sendable {
    case email, phone

    func body(_ contact: String) -> JSON { .object([rawValue: .string(contact)]) }

    /// The form field for an address of the channel.
    var field: FieldDeclaration {
      switch self {
      case .email: FieldDeclaration(.email, label: "e-mail address", rules: [Rule(.email)])
      case .phone: FieldDeclaration(.phone, label: "phone number", rules: [Rule(.phone)])
      }
    }

    /// The question for an address of the channel.
    var prompt: String {
      switch self {
      case .email: "E-mail address"
      case .phone: "Phone number"
      }
    }
  }

  let theater: RemoteTheater
  let channel: Channel
  /// The path at which a code is requested: `/api/v1/account/email`.
  let path: String
  /// Whether the controller sends a code only to verified addresses and hides whether it did.
  var isSilent = false

  /// Codes that verify an address or a number.
  static func verifying(_ channel: Channel, at theater: RemoteTheater) -> RemoteCodes {
    RemoteCodes(theater: theater, channel: channel, path: "/api/v1/account/\(channel.rawValue)")
  }

  /// Codes that authorize a new password.
  static func resetting(by channel: Channel, at theater: RemoteTheater) -> RemoteCodes {
    RemoteCodes(theater: theater, channel: channel, path: "/api/v1/password-resets", isSilent: true)
  }

  func requestCode(for contact: String) async throws(ScreenFailure) -> CodeTicket {
    try await theater.requestCode(
      at: path, channel.body(contact), for: contact, isSilent: isSilent)
  }

  func verify(_ code: String, request: String) async throws(ScreenFailure) -> Authorization {
    do {
      _ = try await confirm(["request": .string(request), "code": .string(code)])
      return .done
    } catch {
      // The code is right; the request lacks another field.
      guard case .refused(let refusal) = error, refusal.code == "empty", refusal.field != "code"
      else { throw error }
      return .personalDataNeeded
    }
  }

  /// Submits a code with the other fields of its request.
  func confirm(_ body: JSONObject) async throws(ScreenFailure) -> JSON {
    try await theater.post("\(path)/confirmation", for: .object(body))
  }
}

extension RemoteTheater {
  /// Requests a code.
  /// - Throws: `network` or `refused`.
  func requestCode(
    at path: String, _ body: JSON, for contact: String, isSilent: Bool
  ) async throws(ScreenFailure) -> CodeTicket {
    let answer = try await post(path, for: body)
    guard let request = answer["request"]?.string else {
      throw .network("The controller gave no request for a code.")
    }
    return CodeTicket(
      request: request, length: answer["digits"]?.integer ?? 6,
      wait: answer["resendAfter"]?.integer ?? 30,
      destination: isSilent ? "\(contact), if an account has verified it" : contact,
      validity: answer["validFor"]?.integer)
  }
}

/// Submits the code of an authenticator app with other fields, and keeps the controller's response.
final class RemoteConfirmation: CodeService {
  private let theater: RemoteTheater
  private let path: String
  private let fields: JSONObject
  private let kept = Mutex<JSON>(.null)

  init(_ theater: RemoteTheater, at path: String, with fields: JSONObject = [:]) {
    (self.theater, self.path, self.fields) = (theater, path, fields)
  }

  /// The response to the accepted code; `null` before.
  var answer: JSON { kept.withLock { $0 } }

  func verify(_ code: String, request: String) async throws(ScreenFailure) -> Authorization {
    var fields = fields
    fields["code"] = .string(code)
    let answer = try await theater.post(path, for: .object(fields))
    kept.withLock { $0 = answer }
    return .done
  }
}
