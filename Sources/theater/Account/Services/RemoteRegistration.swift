import AccountScreens
import JSON
import Validation

/// Registers with the controller of this user.
struct RemoteRegistration: RegistrationService {
  /// What lets a person in.
  enum Admission: Sendable {
    case setupCode(String)
    case invitation(String)
  }

  let theater: RemoteTheater
  let admission: Admission

  /// The rules of the controller for names, addresses and passwords.
  static func rules(of theater: RemoteTheater) async throws -> RuleSet {
    let answer = try await theater.get("/api/validation")
    guard answer["format"]?.integer == RuleSet.format,
      let rules = try? RuleSet(answer["rules"] ?? .null)
    else {
      throw Ending(
        .failed, "this program does not understand the controller's rules",
        hint: "Use the program that came with the controller.")
    }
    return rules
  }

  func register(_ person: NewPerson) async throws(ScreenFailure) -> Registered {
    var body: JSONObject = [
      "name": .string(person.name), "email": .string(person.email),
      "password": .string(person.password),
    ]
    switch admission {
    case .setupCode(let code): body["setupCode"] = .string(code)
    case .invitation(let code): body["invitation"] = .string(code)
    }
    let user = try await theater.post("/api/accounts", for: .object(body))["user"]
    return Registered(
      name: user?["name"]?.string ?? person.name, email: user?["email"]?.string ?? person.email,
      role: user?["role"]?.string ?? "member")
  }
}
