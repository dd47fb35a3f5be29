import AccountFlows
import JSON
import Validation

/// The controller's routes that send a code and take it.
struct RemoteCodes: CodeRequestService, CodeService {
  /// Where a code goes, as the API names it.
  enum Channel: String, Sendable {
    case email, phone

    func body(_ contact: String) -> JSON { .object([rawValue: .string(contact)]) }

    /// The field that takes such a place.
    var field: FieldDeclaration {
      switch self {
      case .email: FieldDeclaration(.email, label: "e-mail address", rules: [Rule(.email)])
      case .phone: FieldDeclaration(.phone, label: "phone number", rules: [Rule(.phone)])
      }
    }

    /// What a person is asked for.
    var prompt: String {
      switch self {
      case .email: "E-mail address"
      case .phone: "Phone number"
      }
    }
  }

  let theater: RemoteTheater
  let channel: Channel
  /// Where a code is asked for: `/api/v1/account/email`.
  let path: String
  /// Whether one goes out only where an account has verified the place, and nobody is told.
  var isSilent = false

  /// Codes that prove an address or a number to be one's own.
  static func verifying(_ channel: Channel, at theater: RemoteTheater) -> RemoteCodes {
    RemoteCodes(theater: theater, channel: channel, path: "/api/v1/account/\(channel.rawValue)")
  }

  /// Codes with which a new password is set.
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
      // The code is right, and more is wanted with it.
      guard case .refused(let refusal) = error, refusal.code == "empty", refusal.field != "code"
      else { throw error }
      return .personalDataNeeded
    }
  }

  /// Hands in a code with what belongs to it.
  func confirm(_ body: JSONObject) async throws(ScreenFailure) -> JSON {
    try await theater.post("\(path)/confirmation", for: .object(body))
  }
}

extension RemoteTheater {
  /// Asks for a code.
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
