import AccountFlows
import JSON
import Synchronization
import TheaterAPI
import Validation

extension CodeContact {
  /// The member of a request that names an address of this kind.
  func member(_ contact: String) -> JSONObject { [rawValue: .string(contact)] }

  /// The form field for an address of this kind.
  var declaration: FieldDeclaration {
    switch self {
    case .email: FieldDeclaration(.email, label: "e-mail address", rules: [Rule(.email)])
    case .phone: FieldDeclaration(.phone, label: "phone number", rules: [Rule(.phone)])
    }
  }

  /// The question for an address of this kind.
  var prompt: String {
    switch self {
    case .email: "E-mail address"
    case .phone: "Phone number"
    }
  }
}

/// The controller's routes that send a one-time code and verify it.
struct RemoteCodes: CodeRequestService, CodeService {
  let theater: RemoteTheater
  let contact: CodeContact
  /// The route that sends a code.
  let sending: AccountEndpoint
  /// The route that takes a code.
  let confirming: AccountEndpoint
  /// Whether the controller sends a code only to verified addresses and hides whether it did.
  var isSilent = false
  /// Further members of each request.
  var members: JSONObject = [:]

  /// Codes that verify an address or a number.
  static func verifying(_ contact: CodeContact, at theater: RemoteTheater) -> RemoteCodes {
    let (sending, confirming): (AccountEndpoint, AccountEndpoint) =
      switch contact {
      case .email: (.sendEmailCode, .confirmEmail)
      case .phone: (.sendPhoneCode, .confirmPhone)
      }
    return RemoteCodes(
      theater: theater, contact: contact, sending: sending, confirming: confirming)
  }

  /// Codes that authorize a new password.
  static func resetting(by contact: CodeContact, at theater: RemoteTheater) -> RemoteCodes {
    RemoteCodes(
      theater: theater, contact: contact, sending: .sendPasswordResetCode,
      confirming: .resetPassword, isSilent: true)
  }

  /// Codes with which the holder of an invitation registers.
  static func registering(
    by contact: CodeContact, invitation: String, at theater: RemoteTheater
  ) -> RemoteCodes {
    RemoteCodes(
      theater: theater, contact: contact, sending: .sendRegistrationCode,
      confirming: .registerByCode,
      members: ["invitation": .string(invitation)])
  }

  func requestCode(for address: String) async throws(ScreenFailure) -> CodeTicket {
    try await theater.requestCode(
      at: sending.path(), .object(members.merging(contact.member(address))), for: address,
      isSilent: isSilent)
  }

  func verify(_ code: String, request: String) async throws(ScreenFailure) -> Authorization {
    do {
      _ = try await confirm(code, of: request)
      return .done
    } catch {
      // The code is right; the request lacks another field.
      guard case .refused(let refusal) = error, refusal.code == "empty", refusal.field != "code"
      else { throw error }
      return .personalDataNeeded
    }
  }

  /// Submits a code with the other members of its request.
  func confirm(
    _ code: String, of request: String, _ others: JSONObject = [:]
  ) async throws(ScreenFailure) -> JSON {
    let proof: JSONObject = ["request": .string(request), "code": .string(code)]
    return try await theater.post(
      confirming.path(), for: .object(members.merging(proof).merging(others)))
  }
}

extension JSONObject {
  /// Returns these members and `others`; of a name in both, the other value counts.
  fileprivate func merging(_ others: JSONObject) -> JSONObject {
    others.reduce(into: self) { $0[$1.key] = $1.value }
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
      throw .network("The controller's answer names no request for a code.")
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
