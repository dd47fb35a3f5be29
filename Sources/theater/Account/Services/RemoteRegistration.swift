import AccountFlows
import JSON
import Validation

/// The registration service of this user's controller.
struct RemoteRegistration: RegistrationService {
  /// The code that permits a registration.
  enum Admission: Sendable {
    case setupCode(String)
    case invitation(String)
  }

  let theater: RemoteTheater
  let admission: Admission

  /// Fetches the controller's rules for names, addresses and passwords.
  static func rules(of theater: RemoteTheater) async throws -> RuleSet {
    let answer = try await theater.get("/api/v1/validation")
    guard answer["format"]?.integer == RuleSet.format,
      let rules = try? RuleSet(answer["rules"] ?? .null)
    else {
      throw ExitError(
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
    body.put(admission)
    let user = try await theater.post("/api/v1/accounts", for: .object(body))["user"]
    return Registered(
      name: user?["name"]?.string ?? person.name, email: user?["email"]?.string ?? person.email,
      role: user?["role"]?.string ?? "member")
  }

  func answer(_ question: String, about text: String) async throws(ScreenFailure) -> Bool {
    var body: JSONObject = ["question": .string(question), "text": .string(text)]
    body.put(admission)
    let answer = try await theater.post("/api/v1/validation/answers", for: .object(body))["answer"]
    guard let answer = answer?.bool else { throw .network("The controller gave no answer.") }
    return answer
  }
}

extension JSONObject {
  /// Adds the code that permits the registration.
  fileprivate mutating func put(_ admission: RemoteRegistration.Admission) {
    switch admission {
    case .setupCode(let code): self["setupCode"] = .string(code)
    case .invitation(let code): self["invitation"] = .string(code)
    }
  }
}
